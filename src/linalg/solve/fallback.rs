//! Which factorisation of a positive definite matrix will do: the one rule about precision.
//!
//! Solves are refined against the f64 matrix, so that f32 is kept for them while the *measured* refinement converges
//! (`SpdFactor::solve`). Determinants and inverses are not refined: they are off by about the condition times what f32 has
//! done to an entry. Where that passes [`LOST`] the factor is an f64 one, on the CPU, and says why.
//! Checked in `tests/linalg/spd.rs` and `tests/linalg/spd_kernel.rs`.

use super::certificate::Fallback;
use super::factor::Factor;
use super::reference::Reference;
use super::rounding::{F32_ROUNDING, F32_VALUE};
use super::spd::SpdParams;
use super::spd_factor::SpdFactor;
use crate::check::positive;
use crate::{Device, Error, Result};

/// The most that `condition * rounding` may be where something is taken from an f32 factor as it is.
const LOST: f64 = 1.0;

impl SpdFactor {
    /// With the least jitter allowed that makes the matrix positive definite: in f32 on a GPU, else in f64 on the CPU.
    pub(in crate::linalg) fn of(device: &Device, a: Reference, params: &SpdParams) -> Result<Self> {
        positive("tolerance", params.tolerance)?;
        // A device that computes nothing is believed, so that all is recorded that a real one would do.
        let credulous = SpdParams { tolerance: 2.0, fallback: false, ..*params };
        let params = if device.pretends() { &credulous } else { params };
        let mean = a.operator().diagonal()?.mean().unwrap_or(0.0).abs();
        params.jitter.climb(mean, |jitter| {
            let a = if jitter > 0.0 { a.jittered(jitter)? } else { a.clone() };
            attempt(device, a, jitter, params)
        })
    }

    /// Why an f32 factor is not enough for what is not refined, if it is not: as far as the condition is known.
    pub(in crate::linalg) fn distrust(&self) -> Option<Fallback> {
        let factor = self.current();
        if factor.is_f64() || !self.params.fallback || !self.params.condition {
            return None;
        }
        // A condition that is not a number is beyond reach.
        let within_reach = |rounding: f64| self.condition() * rounding <= LOST;
        match (within_reach(F32_ROUNDING), within_reach(factor.moved)) {
            (false, _) => Some(Fallback::Condition),
            (true, false) => Some(Fallback::Inputs),
            (true, true) => None,
        }
    }
}

fn attempt(device: &Device, a: Reference, jitter: f64, params: &SpdParams) -> Result<SpdFactor> {
    let mut fallback = None;
    if device.is_gpu() {
        let moved = a.moved()?;
        // No condition is below one.
        let displaced = params.fallback && moved > LOST;
        match (!displaced).then(|| Factor::in_f32(&a, device, moved)) {
            None => fallback = Some(Fallback::Inputs),
            Some(Ok(factor)) => {
                let factor = if params.inverted { factor.inverted()? } else { factor };
                // Points that f32 has moved call for a look at the condition, whoever asks for it.
                let asked = params.condition(params.condition || moved > F32_VALUE);
                let made = SpdFactor::around(a.clone(), factor, jitter, None, &asked)?;
                fallback = made.distrust();
                if fallback.is_none() {
                    return Ok(made);
                }
            }
            Some(Err(Error::NotPositiveDefinite { .. })) if params.fallback => {
                fallback = Some(Fallback::Factorisation);
            }
            Some(Err(e)) => return Err(e),
        }
    }
    let factor = Factor::in_f64(a.lower()?)?;
    SpdFactor::around(a, factor, jitter, fallback, params)
}
