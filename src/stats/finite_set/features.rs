//! The two feature maps of the finite-set tests, and how a change of their parameters changes every feature.
//!
//! Parameters are one flat vector, as the optimiser has them: J locations of d numbers, then the logarithm of the width.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use crate::matrix::{Origin, Points};
use crate::ops::{Trans, gemm, gram};
use crate::{Device, Kernel, Matrix, Result};

/// What a two-sample test looks at in each of its locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetFeatures {
    /// `exp(-½ |x - v_j|² / σ²)`: the mean embedding at J places. J features.
    Places,
    /// `e(z) sin(z·v_j)` and `e(z) cos(z·v_j)` with `z = x/σ`, `e(z) = exp(-½ |z|²)`: the smoothed characteristic
    /// function at J frequencies. 2J features.
    Waves,
}

/// The locations, `J x d`, and the width inside of a parameter vector.
pub(in crate::stats) fn parts(theta: &[f64], d: usize) -> (ArrayView2<'_, f64>, f64) {
    let count = (theta.len() - 1) / d;
    let locations = ArrayView2::from_shape((count, d), &theta[..count * d]).expect("J d numbers and a width");
    (locations, theta[count * d].exp())
}

impl SetFeatures {
    /// How many features J locations give.
    pub(in crate::stats) fn count(self, locations: usize) -> usize {
        if self == SetFeatures::Places { locations } else { locations.saturating_mul(2) }
    }

    /// One row for each row of `x`, on its way to a device. Features are small numbers: f32 rounds them, no more.
    pub(in crate::stats) fn on(
        self,
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        theta: &[f64],
    ) -> Result<Array2<f64>> {
        let count = (theta.len() - 1) / x.ncols();
        let flops = (x.nrows() * count) as f64 * (4 * x.ncols() + 20) as f64;
        // Places are seen by differences, as the kernel sees them; waves have a phase.
        let origin = if self == SetFeatures::Places { Origin::Free } else { Origin::Fixed };
        let points = Points::new(op, device, x, origin, flops)?;
        let (mut moved, offset) = (theta.to_vec(), points.offset());
        moved[..count * x.ncols()].iter_mut().zip(offset.iter().cycle()).for_each(|(v, o)| *v -= o);
        // A location that f32 does not hold is looked at in f64.
        if moved[..count * x.ncols()].iter().all(|v| v.abs() < 1e15) {
            self.of(points.matrix()?, &moved)
        } else {
            self.of(points.on_host(), theta)
        }
    }

    /// One row for each row of `x`, computed where `x` lives.
    pub(in crate::stats) fn of(self, x: &Matrix, theta: &[f64]) -> Result<Array2<f64>> {
        let (locations, width) = parts(theta, x.cols());
        match self {
            SetFeatures::Places => {
                let at = Matrix::from_array(&x.device(), locations)?;
                gram(&Kernel::rbf(width), x, Some(&at))?.to_array()
            }
            SetFeatures::Waves => {
                let frequencies = Matrix::from_array(&x.device(), (&locations / width).view())?;
                let phase = gemm(1.0, x, Trans::No, &frequencies, Trans::Yes)?.to_array()?;
                let envelope = envelopes(&x.to_array()?, width);
                let sin = phase.mapv(f64::sin) * &envelope;
                let cos = phase.mapv(f64::cos) * &envelope;
                Ok(concatenate(Axis(1), &[sin.view(), cos.view()]).expect("both are n x J"))
            }
        }
    }

    /// `Σ_ij g_ij ∂φ_ij/∂θ`, for points on the CPU with features `phi`.
    pub(in crate::stats) fn pull(
        self,
        x: &Matrix,
        phi: &Array2<f64>,
        theta: &[f64],
        g: &Array2<f64>,
    ) -> Vec<f64> {
        let x = x.cpu();
        let (locations, width) = parts(theta, x.ncols());
        let count = locations.nrows();
        match self {
            SetFeatures::Places => {
                // ∂φ/∂v = φ (x - v)/σ², and by the logarithm of σ it is φ |x - v|²/σ².
                let weighted = phi * g;
                let total = weighted.sum_axis(Axis(0));
                let rate = 1.0 / (width * width);
                let by_locations = (weighted.t().dot(x) - &locations * &total.insert_axis(Axis(1))) * rate;
                let by_width: f64 = weighted
                    .indexed_iter()
                    .map(|((i, j), w)| {
                        let gap = x.row(i).into_iter().zip(locations.row(j)).map(|(a, b)| (a - b) * (a - b));
                        w * rate * gap.sum::<f64>()
                    })
                    .sum();
                by_locations.iter().copied().chain([by_width]).collect()
            }
            SetFeatures::Waves => {
                let z = x / width;
                let phase = z.dot(&locations.t());
                let (mut by_phase, mut by_width) = (Array2::<f64>::zeros(phase.raw_dim()), 0.0);
                for i in 0..z.nrows() {
                    let square: f64 = z.row(i).iter().map(|v| v * v).sum();
                    for j in 0..count {
                        let (sin, cos) = (phi[[i, j]], phi[[i, j + count]]);
                        let (gs, gc) = (g[[i, j]], g[[i, j + count]]);
                        by_phase[[i, j]] = gs * cos - gc * sin;
                        // z shrinks as σ grows: the envelope gains, the phase loses.
                        by_width += square * (gs * sin + gc * cos) - phase[[i, j]] * by_phase[[i, j]];
                    }
                }
                by_phase.t().dot(&z).iter().copied().chain([by_width]).collect()
            }
        }
    }
}

/// `exp(-½ |x/σ|²)`, `n x 1`.
fn envelopes(x: &Array2<f64>, width: f64) -> Array2<f64> {
    x.map_axis(Axis(1), |row| (-0.5 * row.dot(&row) / (width * width)).exp()).insert_axis(Axis(1))
}
