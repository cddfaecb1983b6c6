//! Which factorisation of a positive definite matrix will do.
//!
//! The order is f32 on the device, f64 on the CPU, more jitter; each only if the one before failed, and if allowed.
//! Checked in `tests/linalg/spd.rs` and `tests/linalg/spd_kernel.rs`.

use std::sync::OnceLock;

use super::certificate::Fallback;
use crate::check::{finite, parameter};
use super::column_scale::equilibration;
use super::factored::Factored;
use super::spd::SpdParams;
use super::spd_factor::{SpdFactor, condition};
use super::reference::{Truth, norm_of};
use crate::host::memory::mirror_lower;
use crate::{Device, Error, Result};

/// The rounding of f32.
const SINGLE: f64 = f32::EPSILON as f64 / 2.0;
/// Relative jitter below this does not make a matrix any more positive definite in f32.
const SEEN_IN_F32: f64 = 1e-7;
/// What rounded inputs may do to an entry before it counts: no more than evaluating a kernel in f32 does. Beyond it the
/// condition that f32 is trusted with falls with the square: determinants and gradients are not refined.
const UNSEEN: f64 = 8.0 * SINGLE;
/// Where the condition is looked at for this alone.
const SEEN: f64 = 1e-5;

impl SpdFactor {
    /// The first rung of the ladder on which the matrix is positive definite.
    pub(in crate::linalg) fn climb(device: &Device, truth: Truth, params: &SpdParams) -> Result<Self> {
        let tolerance = params.tolerance;
        parameter("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
        let mean = truth.operator().diagonal()?.mean().unwrap_or(0.0).abs();
        let mut refusal = None;
        for relative in params.jitter.rungs()? {
            let jitter = relative * mean;
            let truth = if jitter > 0.0 { truth.jittered(jitter)? } else { truth.clone() };
            let on_device = relative == 0.0 || relative >= SEEN_IN_F32 || !params.fallback;
            match Self::attempt(device, truth, jitter, on_device, params) {
                // What the caller should know is what is wrong with his matrix, not with ours.
                Err(e @ Error::NotPositiveDefinite { .. }) => refusal = refusal.or(Some(e)),
                other => return other,
            }
        }
        Err(refusal.unwrap_or(Error::Shape { op: "solve_spd", what: "no jitter to try".to_owned() }))
    }

    fn attempt(
        device: &Device,
        truth: Truth,
        jitter: f64,
        on_device: bool,
        params: &SpdParams,
    ) -> Result<Self> {
        let s = equilibration(&truth.operator().diagonal()?);
        let with = |own: Factored, norm: f64, condition: f64, moved: f64, fallback| {
            let (truth, s, backup, params) = (truth.clone(), s.clone(), OnceLock::new(), *params);
            Ok(SpdFactor { truth, s, own, backup, norm, jitter, condition, moved, fallback, params })
        };
        let mut fallback = None;
        if device.is_gpu() {
            let moved = truth.moved()?;
            let rounding = SINGLE * (moved / UNSEEN).max(1.0).powi(2);
            // No condition is below one.
            let displaced = rounding > 1.0 && params.fallback;
            let norm = truth.norm(s.as_ref())?;
            let tried = (on_device && !displaced).then(|| Factored::in_f32(&truth, s.as_ref(), device));
            match tried {
                Some(Ok(own)) => {
                    let asked = params.condition || moved > SEEN;
                    let estimate = condition(&truth, s.as_ref(), norm, &own, asked)?;
                    // Written so that a NaN is beyond reach.
                    let within_reach = !asked || estimate * rounding <= 1.0;
                    if within_reach || !params.fallback {
                        return with(own, norm, estimate, moved, None);
                    }
                    let sound = estimate * SINGLE <= 1.0;
                    fallback = Some(if sound { Fallback::Inputs } else { Fallback::Condition });
                }
                Some(Err(e @ Error::NotPositiveDefinite { .. })) if !params.fallback => return Err(e),
                None if displaced => fallback = Some(Fallback::Inputs),
                None | Some(Err(Error::NotPositiveDefinite { .. })) => {
                    fallback = Some(Fallback::Factorisation);
                }
                Some(Err(e)) => return Err(e),
            }
        }
        let mut a = truth.lower()?;
        let norm = norm_of(&a, 0.0, s.as_ref());
        if !norm.is_finite() {
            // A kernel may overflow.
            mirror_lower(&mut a);
            finite("solve_spd", "the matrix", a.view())?;
        }
        let own = Factored::in_f64(a)?;
        let estimate = condition(&truth, s.as_ref(), norm, &own, params.condition)?;
        with(own, norm, estimate, 0.0, fallback)
    }
}
