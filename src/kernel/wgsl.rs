//! placeholder
/// x
pub(crate) struct KernelWgsl {}
