//! Leaving the vector registers as they were found.
//!
//! faer's kernels return with the upper halves of the AVX registers in use. On many CPUs every SSE instruction that
//! the thread runs afterwards, such as those of a scalar `exp`, is then up to twenty times slower. Clearing the halves
//! costs a cycle; the regression test in `tests/device/vector_state.rs` times a scalar loop before and after.

/// Runs `f`, which calls faer, and clears the upper halves on this thread and on every worker.
pub(crate) fn restored<T>(f: impl FnOnce() -> T) -> T {
    let out = f();
    clear();
    if rayon::current_thread_index().is_none() {
        rayon::broadcast(|_| clear());
    }
    out
}

#[cfg(target_arch = "x86_64")]
fn clear() {
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the feature was detected; the instruction changes only what no Rust code of this thread can see.
        unsafe { zero_upper() }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn zero_upper() {
    std::arch::x86_64::_mm256_zeroupper();
}

#[cfg(not(target_arch = "x86_64"))]
fn clear() {}
