//! Device memory: checked before it is asked for, and used again by exact size.

use std::collections::HashMap;
use std::sync::Arc;

use wgpu::BufferUsages as Usage;

use super::context::{Gpu, Inner, lock};
use super::{Bind, Gpu as Handle};
use crate::{Error, Result};

/// Idle bytes kept for reuse; beyond this a dropped buffer is freed.
const POOL_BYTES: u64 = 256 << 20;
const STORAGE: Usage = Usage::STORAGE.union(Usage::COPY_SRC).union(Usage::COPY_DST);

/// Idle buffers by exact size.
#[derive(Default)]
pub(super) struct Pool {
    storage: HashMap<u64, Vec<wgpu::Buffer>>,
    staging: HashMap<u64, Vec<wgpu::Buffer>>,
    bytes: u64,
}

/// Storage on one device; its memory returns to the pool when dropped.
pub(crate) struct Buffer {
    pub(super) raw: wgpu::Buffer,
    owner: Arc<Inner>,
}

impl Buffer {
    pub(crate) fn whole(&self) -> Bind<'_> {
        self.part(0, self.raw.size())
    }

    pub(crate) fn part(&self, offset: u64, bytes: u64) -> Bind<'_> {
        Bind { buffer: self, offset, bytes }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        give_back(&self.owner, &self.raw, |pool| &mut pool.storage);
    }
}

fn give_back(
    owner: &Inner,
    raw: &wgpu::Buffer,
    shelf: impl Fn(&mut Pool) -> &mut HashMap<u64, Vec<wgpu::Buffer>>,
) {
    lock(&owner.counters).used_bytes -= raw.size();
    let mut pool = lock(&owner.pool);
    if pool.bytes + raw.size() <= POOL_BYTES {
        pool.bytes += raw.size();
        shelf(&mut pool).entry(raw.size()).or_default().push(raw.clone());
    } else {
        drop(pool);
        lock(&owner.counters).device_bytes -= raw.size();
        // What is bound is held.
        lock(&owner.groups).retain(|(_, binds), _| binds.iter().all(|(bound, ..)| bound != raw));
    }
}

impl Handle {
    /// Storage of `bytes` bytes, contents unspecified: the caller writes all of it.
    pub(crate) fn alloc(&self, label: &'static str, bytes: u64) -> Result<Buffer> {
        let raw = self.raw_buffer(label, bytes, STORAGE, |pool| &mut pool.storage)?;
        Ok(Buffer { raw, owner: self.0.clone() })
    }

    pub(crate) fn upload(&self, label: &'static str, data: &[u8]) -> Result<Buffer> {
        let buffer = self.alloc(label, data.len() as u64)?;
        // A pooled buffer may still be read by recorded commands, and a write overtakes what is not yet submitted.
        self.flush()?;
        self.0.queue.write_buffer(&buffer.raw, 0, data);
        lock(&self.0.counters).bytes_up += data.len() as u64;
        Ok(buffer)
    }

    pub(super) fn staging(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.raw_buffer("readback", bytes, Usage::MAP_READ | Usage::COPY_DST, |pool| &mut pool.staging)
    }

    pub(super) fn return_staging(&self, raw: &wgpu::Buffer) {
        give_back(&self.0, raw, |pool| &mut pool.staging);
    }

    fn raw_buffer(
        &self,
        label: &'static str,
        bytes: u64,
        usage: Usage,
        shelf: impl Fn(&mut Pool) -> &mut HashMap<u64, Vec<wgpu::Buffer>>,
    ) -> Result<wgpu::Buffer> {
        let Gpu(inner) = self;
        let limit = inner.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::TooLarge { what: label.to_owned(), need: bytes, limit });
        }
        let mut counters = lock(&inner.counters);
        counters.used_bytes += bytes;
        counters.peak_used_bytes = counters.peak_used_bytes.max(counters.used_bytes);
        drop(counters);
        let mut pool = lock(&inner.pool);
        if let Some(raw) = shelf(&mut pool).get_mut(&bytes).and_then(Vec::pop) {
            pool.bytes -= bytes;
            return Ok(raw);
        }
        drop(pool);
        let size = bytes;
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let raw = inner.device.create_buffer(&descriptor);
        let mut counters = lock(&inner.counters);
        counters.device_bytes += bytes;
        counters.peak_device_bytes = counters.peak_device_bytes.max(counters.device_bytes);
        Ok(raw)
    }
}
