//! Waiting for the device, and reading its memory.

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
            let (tell, hear) = std::sync::mpsc::channel();
            staging.map_async(wgpu::MapMode::Read, .., move |answer| drop(tell.send(answer)));
            self.wait()?;
            let lost = |e: String| Error::DeviceLost(self.0.lost.get().cloned().unwrap_or(e));
            match hear.try_recv() {
                Ok(Ok(())) => {}
                Ok(Err(e)) => return Err(lost(e.to_string())),
                Err(e) => return Err(lost(e.to_string())),
            }
            let data = staging.get_mapped_range(..).map_err(|e| lost(e.to_string()))?.to_vec();
            staging.unmap();
            self.return_staging(&staging);
            lock(&self.0.counters).bytes_down += bytes;
            Ok(data)
        })
    }

    /// Submits what is recorded and waits for all of it.
    pub(crate) fn sync(&self) -> Result<()> {
        self.flush()?;
        self.guard("sync", || self.wait())
    }

    fn wait(&self) -> Result<()> {
        let timeout = self.0.timeout;
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(timeout) };
        match self.0.device.poll(wait) {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => Err(Error::Timeout { seconds: timeout.as_secs() }),
            Err(e) => Err(Error::DeviceLost(e.to_string())),
        }
    }
}
