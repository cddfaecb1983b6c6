//! Device memory: checked before it is asked for, and used again by exact size.

use std::collections::HashMap;
use std::sync::Arc;

use wgpu::BufferUsages as Usage;

use super::context::{Gpu, Inner, lock};
use super::{Bind, Gpu as Handle};
use crate::{Error, Result};

const STORAGE: Usage = Usage::STORAGE.union(Usage::COPY_SRC).union(Usage::COPY_DST);
const STAGING: Usage = Usage::MAP_READ.union(Usage::COPY_DST);
/// Idle bytes that may be kept on any device: what the library's tests run with.
const LEAST: u64 = 256 << 20;

/// Idle buffers by exact size and usage. Beyond the limit those of the sizes that nobody has asked for longest go first.
#[derive(Default)]
pub(super) struct Pool {
    shelves: HashMap<(u64, Usage), Shelf>,
    bytes: u64,
    limit: u64,
    /// Counts what comes and goes, to tell which shelf was used when.
    clock: u64,
}

#[derive(Default)]
struct Shelf {
    idle: Vec<wgpu::Buffer>,
    used: u64,
}

impl Pool {
    /// A quarter of the adapter's memory where that is known, else as much as its largest buffer.
    pub fn within(memory: Option<u64>, largest_buffer: u64) -> Self {
        Pool { limit: memory.map_or(largest_buffer, |all| all / 4).max(LEAST), ..Pool::default() }
    }

    fn shelf(&mut self, bytes: u64, usage: Usage) -> &mut Shelf {
        self.clock += 1;
        let used = self.clock;
        let shelf = self.shelves.entry((bytes, usage)).or_default();
        shelf.used = used;
        shelf
    }

    fn take(&mut self, bytes: u64, usage: Usage) -> Option<wgpu::Buffer> {
        let found = self.shelf(bytes, usage).idle.pop()?;
        self.bytes -= bytes;
        Some(found)
    }

    /// Keeps a buffer, and returns what has to go for it.
    fn give(&mut self, raw: wgpu::Buffer) -> Vec<wgpu::Buffer> {
        let bytes = raw.size();
        if bytes > self.limit {
            return vec![raw];
        }
        let gone = self.shrink(self.limit - bytes);
        self.bytes += bytes;
        self.shelf(bytes, raw.usage()).idle.push(raw);
        gone
    }

    /// Takes buffers out, of the longest unused sizes first, until at most so many bytes are kept.
    fn shrink(&mut self, most: u64) -> Vec<wgpu::Buffer> {
        let mut gone = Vec::new();
        while self.bytes > most {
            let oldest = self.shelves.iter().min_by_key(|(_, shelf)| shelf.used).map(|(key, _)| *key);
            let Some(key) = oldest else { break };
            match self.shelves.get_mut(&key).and_then(|shelf| shelf.idle.pop()) {
                Some(raw) => {
                    self.bytes -= raw.size();
                    gone.push(raw);
                }
                None => drop(self.shelves.remove(&key)),
            }
        }
        gone
    }
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
        Bind { buffer: self, offset, bytes, touched: bytes }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        give_back(&self.owner, &self.raw);
    }
}

fn give_back(owner: &Inner, raw: &wgpu::Buffer) {
    lock(&owner.counters).used_bytes -= raw.size();
    let gone = lock(&owner.pool).give(raw.clone());
    forget(owner, &gone);
}

/// Lets go of what the pool has: what is bound is held.
fn forget(owner: &Inner, gone: &[wgpu::Buffer]) {
    if gone.is_empty() {
        return;
    }
    lock(&owner.counters).device_bytes -= gone.iter().map(wgpu::Buffer::size).sum::<u64>();
    lock(&owner.groups).retain(|(_, binds), _| binds.iter().all(|(bound, ..)| !gone.contains(bound)));
}

impl Handle {
    /// Storage of `bytes` bytes, contents unspecified: the caller writes all of it.
    pub(crate) fn alloc(&self, label: &'static str, bytes: u64) -> Result<Buffer> {
        let raw = self.raw_buffer(label, bytes, STORAGE)?;
        Ok(Buffer { raw, owner: self.0.clone() })
    }

    pub(crate) fn upload(&self, label: &'static str, data: &[u8]) -> Result<Buffer> {
        let buffer = self.alloc(label, data.len() as u64)?;
        // A pooled buffer may still be read by recorded commands, and a write overtakes what is not yet submitted.
        self.flush()?;
        self.0.queue.write_buffer(&buffer.raw, 0, data);
        let mut counters = lock(&self.0.counters);
        counters.bytes_up += data.len() as u64;
        counters.model_nanoseconds += self.modelled(|card| card.transfer(data.len() as f64));
        drop(counters);
        Ok(buffer)
    }

    pub(super) fn staging(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.raw_buffer("readback", bytes, STAGING)
    }

    pub(super) fn return_staging(&self, raw: &wgpu::Buffer) {
        give_back(&self.0, raw);
    }

    fn raw_buffer(&self, label: &'static str, bytes: u64, usage: Usage) -> Result<wgpu::Buffer> {
        let Gpu(inner) = self;
        let limit = inner.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::TooLarge { what: label.to_owned(), need: bytes, limit });
        }
        let mut counters = lock(&inner.counters);
        counters.used_bytes += bytes;
        counters.peak_used_bytes = counters.peak_used_bytes.max(counters.used_bytes);
        drop(counters);
        if let Some(raw) = lock(&inner.pool).take(bytes, usage) {
            return Ok(raw);
        }
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
