//! Recording: dispatches gather in one submission until somebody asks for a result.

use super::context::{Gpu, lock};
use super::uniforms::SLOT;
use super::{Buffer, Pass};
use crate::Result;
use crate::progress::still_busy;

/// Dispatches in one submission, however little they cost: a GPU that has nothing to do need not wait for more.
pub(super) const BATCH: usize = 256;

/// Commands recorded and not yet submitted.
#[derive(Default)]
pub(super) struct Recorder {
    // The pass borrows nothing (`forget_lifetime`), but must end before its encoder is used otherwise.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    dispatches: usize,
    /// Their parameters, where these are not immediates.
    slots: Vec<u8>,
    /// Multiply-adds of all of them.
    cost: f64,
    /// The last submission, and the last that was made because its budget was spent.
    latest: Option<wgpu::SubmissionIndex>,
    spent: Option<wgpu::SubmissionIndex>,
}

impl Recorder {
    fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        self.encoder
            .get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
    }
}

impl Gpu {
    /// Records one dispatch; a grid with an empty axis is nothing to do.
    pub(crate) fn run(&self, pass: &Pass) -> Result<()> {
        let [x, y, z] = pass.grid;
        if x == 0 || y == 0 || z == 0 {
            return Ok(());
        }
        // What the driver rejects must not reach the recorder, where it would spoil the work of others.
        let (pipeline, group) = self.prepared(pass)?;
        let cost = pass.cost();
        let mut recorder = lock(&self.0.recorder);
        // A display's watchdog resets a GPU that is busy with one submission for too long.
        if recorder.dispatches > 0 && recorder.cost + cost > self.0.budget {
            drop(recorder);
            self.flush()?;
            self.pause()?;
            recorder = lock(&self.0.recorder);
        }
        if recorder.pass.is_none() {
            let pass =
                recorder.encoder(&self.0.device).begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            recorder.pass = Some(pass.forget_lifetime());
        }
        let Recorder { pass: compute, slots, .. } = &mut *recorder;
        if let Some(compute) = compute {
            compute.set_pipeline(&pipeline);
            compute.set_bind_group(0, &group, &[]);
            if let Some(uniforms) = &self.0.uniforms {
                compute.set_bind_group(1, &uniforms.group, &[slots.len() as u32]);
                slots.extend(pass.params);
                slots.resize(slots.len().next_multiple_of(SLOT), 0);
            } else {
                compute.set_immediates(0, pass.params);
            }
            compute.dispatch_workgroups(x, y, z);
        }
        recorder.dispatches += 1;
        recorder.cost += cost;
        let (full, cost) = (recorder.dispatches >= BATCH, recorder.cost as u64);
        drop(recorder);
        let mut counters = lock(&self.0.counters);
        counters.dispatches += 1;
        counters.multiply_adds += pass.work as u64;
        counters.bytes_touched += pass.touched();
        counters.model_nanoseconds += self.modelled(|card| {
            let groups = f64::from(x) * f64::from(y) * f64::from(z);
            card.dispatch(pass.shader.key, pass.work, pass.touched() as f64, groups)
        });
        counters.largest_submission = counters.largest_submission.max(cost);
        drop(counters);
        if full { self.flush() } else { Ok(()) }
    }

    /// Records a copy between two buffers of this device.
    pub(crate) fn copy(&self, from: &Buffer, from_at: u64, to: &Buffer, to_at: u64, bytes: u64) {
        self.copy_raw(&from.raw, from_at, &to.raw, to_at, bytes);
    }

    pub(super) fn copy_raw(
        &self,
        from: &wgpu::Buffer,
        from_at: u64,
        to: &wgpu::Buffer,
        to_at: u64,
        bytes: u64,
    ) {
        let mut recorder = lock(&self.0.recorder);
        recorder.pass = None;
        recorder.encoder(&self.0.device).copy_buffer_to_buffer(from, from_at, to, to_at, bytes);
    }

    /// Submits what is recorded, without waiting.
    pub(crate) fn flush(&self) -> Result<()> {
        self.guard("submit", || {
            let mut recorder = lock(&self.0.recorder);
            recorder.pass = None;
            (recorder.dispatches, recorder.cost) = (0, 0.0);
            if let Some(encoder) = recorder.encoder.take() {
                if let (Some(uniforms), false) = (&self.0.uniforms, recorder.slots.is_empty()) {
                    self.0.queue.write_buffer(&uniforms.buffer, 0, &recorder.slots);
                    recorder.slots.clear();
                }
                recorder.latest = Some(self.0.queue.submit([encoder.finish()]));
                lock(&self.0.counters).submissions += 1;
            }
            Ok(())
        })
    }

    /// Between two submissions of long work: waits until the one before the last is done, so that the device has one to work
    /// on and one to go on with and no more, and lets the caller's progress see and end it.
    fn pause(&self) -> Result<()> {
        let mut recorder = lock(&self.0.recorder);
        let latest = recorder.latest.clone();
        let before = std::mem::replace(&mut recorder.spent, latest);
        drop(recorder);
        if let Some(before) = before {
            self.wait(Some(before))?;
        }
        still_busy()
    }
}
