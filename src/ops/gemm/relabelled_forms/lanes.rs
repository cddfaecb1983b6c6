//! One number, or eight that are added together.

use pulp::Simd;

use super::tables::TOGETHER;

/// A number for each of the matrices.
pub(super) trait Lanes: Copy + Send {
    const ZERO: Self;
    fn lanes(&self) -> &[f64];
    fn lanes_mut(&mut self) -> &mut [f64];
    fn add<S: Simd>(self, simd: S, other: Self) -> Self;
    /// `factor * self + other`.
    fn times_and<S: Simd>(self, simd: S, factor: f64, other: Self) -> Self;
}

impl Lanes for f64 {
    const ZERO: f64 = 0.0;

    fn lanes(&self) -> &[f64] {
        std::slice::from_ref(self)
    }

    fn lanes_mut(&mut self) -> &mut [f64] {
        std::slice::from_mut(self)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn add<S: Simd>(self, _: S, other: f64) -> f64 {
        self + other
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn times_and<S: Simd>(self, _: S, factor: f64, other: f64) -> f64 {
        factor * self + other
    }
}

impl Lanes for [f64; TOGETHER] {
    const ZERO: Self = [0.0; TOGETHER];

    fn lanes(&self) -> &[f64] {
        self
    }

    fn lanes_mut(&mut self) -> &mut [f64] {
        self
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn add<S: Simd>(mut self, simd: S, other: Self) -> Self {
        let (to, other) = (S::as_mut_simd_f64s(&mut self).0, S::as_simd_f64s(&other).0);
        for q in 0..TOGETHER / S::F64_LANES {
            to[q] = simd.add_f64s(to[q], other[q]);
        }
        self
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn times_and<S: Simd>(self, simd: S, factor: f64, mut other: Self) -> Self {
        let (to, own) = (S::as_mut_simd_f64s(&mut other).0, S::as_simd_f64s(&self).0);
        for q in 0..TOGETHER / S::F64_LANES {
            to[q] = simd.mul_add_f64s(simd.splat_f64s(factor), own[q], to[q]);
        }
        other
    }
}
