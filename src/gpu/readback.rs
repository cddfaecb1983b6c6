//! Waiting for the device, and reading its memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::Buffer;
use super::context::{Gpu, lock};
use crate::{Error, Result};

impl Gpu {
    /// The bytes of `buffer` from `offset` on: submits what is recorded, waits, copies to the host.
    ///
    /// A lost device drops submitted work without a word: the mapping is the first thing to fail, so its result is
    /// the one to look at.
    pub(crate) fn download(&self, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Vec<u8>> {
        self.guard("readback", || {
            let staging = self.staging(bytes)?;
            self.copy_raw(&buffer.raw, offset, &staging, 0, bytes);
            self.flush()?;
            let (tell, hear) = channel();
            staging.map_async(wgpu::MapMode::Read, .., move |answer| drop(tell.send(answer)));
            let lost = |e: String| Error::DeviceLost(self.0.lost.get().cloned().unwrap_or(e));
            self.answer(&hear)?.map_err(|e| lost(e.to_string()))?;
            let data = staging.get_mapped_range(..).map_err(|e| lost(e.to_string()))?.to_vec();
            staging.unmap();
            self.return_staging(&staging);
            let mut counters = lock(&self.0.counters);
            counters.bytes_down += bytes;
            counters.read_backs += 1;
            counters.model_nanoseconds += self.modelled(|card| card.read_back(bytes as f64));
            drop(counters);
            Ok(data)
        })
    }

    /// The answer to a mapping. Another thread's poll may be the one that delivers it, a moment after ours returned.
    fn answer<T>(&self, hear: &Receiver<T>) -> Result<T> {
        let start = Instant::now();
        loop {
            self.wait(None)?;
            match hear.recv_timeout(Duration::from_millis(20)) {
                Ok(answer) => return Ok(answer),
                Err(e) => match self.0.lost.get() {
                    Some(why) => return Err(Error::DeviceLost(why.clone())),
                    None if e == RecvTimeoutError::Disconnected => {
                        return Err(Error::DeviceLost(e.to_string()));
                    }
                    None if start.elapsed() > self.0.timeout => {
                        return Err(Error::Timeout { seconds: self.0.timeout.as_secs() });
                    }
                    None => {}
                },
            }
        }
    }

    /// Submits what is recorded and waits for all of it.
    pub(crate) fn sync(&self) -> Result<()> {
        self.flush()?;
        self.guard("sync", || self.wait(None))
    }

    /// Waits for a submission, or for all.
    pub(super) fn wait(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let timeout = self.0.timeout;
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(timeout) };
        match self.0.device.poll(wait) {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => Err(Error::Timeout { seconds: timeout.as_secs() }),
            Err(e) => Err(Error::DeviceLost(e.to_string())),
        }
    }
}
