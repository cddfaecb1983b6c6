//! What a device has done, for tests and for the curious.

/// Totals since the device was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Shader launches.
    pub dispatches: u64,
    /// Batches of launches handed to the driver.
    pub submissions: u64,
    /// The most multiply-adds in one of them.
    pub largest_submission: u64,
    /// Multiply-adds of all launches, as the budget of a submission counts them.
    pub multiply_adds: u64,
    /// Bytes of device memory that all launches read and write, each once.
    pub bytes_touched: u64,
    /// Nanoseconds that launches, uploads and read-backs take by a [model](super::Card) of this device's card: a calculation
    /// and no measurement. Zero if there is no card.
    pub model_nanoseconds: u64,
    /// Pipelines compiled.
    pub pipelines: u64,
    /// Sets of buffers bound to pipelines; one that is bound again is not made again.
    pub bind_groups: u64,
    /// Scopes for a driver's errors that were opened.
    pub error_scopes: u64,
    /// Bytes written from the host.
    pub bytes_up: u64,
    /// Times that the host has waited to read something back.
    pub read_backs: u64,
    /// Bytes read back to the host.
    pub bytes_down: u64,
    /// Bytes held now, idle pooled buffers included.
    pub device_bytes: u64,
    /// The most that was ever held.
    pub peak_device_bytes: u64,
    /// Bytes of buffers in use now: idle ones do not count.
    pub used_bytes: u64,
    /// The most that was ever in use at once.
    pub peak_used_bytes: u64,
}
