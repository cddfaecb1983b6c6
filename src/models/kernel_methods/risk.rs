//! Any smooth loss with a kernel's norm as penalty. Checked in `tests/svm/risk.rs`.

use ndarray::{Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix1, s};

use super::expansion::Expansion;
use super::smooth_loss::SmoothLoss;
use crate::check::{finite, pairs, parameter, positive, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Predict};
use crate::linalg::{SpdParams, eigh, solve_spd};
use crate::ops::gram;
use crate::optim::{Minimiser, Minimum};
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Result};

/// Eigenvalues of K below this part of the largest are rounding.
const RANK: f64 = 1e-14;
/// Most of Newton's steps after the search.
const NEWTON: usize = 8;

/// The risk at values of f, and its slope by each.
type Slopes<'a> = dyn Fn(&Array1<f64>) -> (f64, Array1<f64>) + 'a;

/// Penalised empirical risk in a kernel's function space: `min_f Σ_i s_i L(y_i, f(x_i)) + λ‖f‖²`.
///
/// By the representer theorem the minimiser is `f = Σ_i a_i k(x_i, ·)` whatever L is, and where L is differentiable
/// `a_i = -s_i L'(y_i, f(x_i)) / 2λ`. It is searched by L-BFGS in the coordinates of the empirical feature map, where the
/// penalty is a plain sum of squares; the `n x n` matrix is decomposed on the CPU whatever the device. A fit has the errors
/// of that search.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.5]];
/// let y = array![1.0_f64, -1.0, 0.5];
/// let fitted = KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Squared, 0.3).fit(&Device::cpu(), &x, &y)?;
/// assert!((fitted.objective() - 1.068599841).abs() < 1e-8); // kernel ridge regression
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelRisk {
    kernel: Kernel,
    loss: SmoothLoss,
    penalty: f64,
    search: Minimiser,
}

impl KernelRisk {
    /// With this kernel, loss and penalty λ > 0.
    pub fn new(kernel: Kernel, loss: SmoothLoss, penalty: f64) -> Self {
        KernelRisk { kernel, loss, penalty, search: Minimiser::new().tolerance(1e-10).max_iterations(2000) }
    }

    fn run(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, w: ArrayView1<f64>) -> Result<FittedKernelRisk> {
        pairs(OP, x, y.insert_axis(Axis(1)))?;
        positive("penalty", self.penalty)?;
        if let SmoothLoss::Huber(delta) = self.loss {
            positive("delta", delta)?;
        }
        y.iter().try_for_each(|y| self.loss.check_target(*y))?;
        let features = root_features(OP, &self.kernel, x)?;
        let slopes = |f: &Array1<f64>| -> (f64, Array1<f64>) {
            let each = (0..y.len()).map(|i| self.loss.at(y[i], f[i]));
            let (values, slopes): (Vec<f64>, Vec<f64>) = each.unzip();
            let value = values.iter().zip(w).map(|(v, w)| v * w).sum();
            (value, Array1::from(slopes) * w)
        };
        let found = minimise(&self.search, &features, 1, self.penalty, |f| {
            let (value, slope) = slopes(&f.column(0).to_owned());
            (value, slope.insert_axis(Axis(1)))
        })?;
        let beta = self.polished(&features, Array1::from(found.point.clone()), y, w, &slopes);
        let f = features.dot(&beta);
        let (risk, slope) = slopes(&f);
        let coefficients = (slope / (-2.0 * self.penalty)).insert_axis(Axis(1));
        finite(OP, "the coefficients", coefficients.view())?;
        let expansion = Expansion { kernel: self.kernel.clone(), points: x.to_owned(), coefficients };
        let squared_norm = beta.dot(&beta);
        Ok(FittedKernelRisk { format: Format, expansion, risk, squared_norm, penalty: self.penalty, found })
    }

    /// Newton's steps from where the search ended, as long as they make the gradient smaller: values of the objective, by
    /// which the search goes, hold half as many digits of its minimum as gradients do.
    fn polished(
        &self,
        features: &Array2<f64>,
        mut beta: Array1<f64>,
        y: ArrayView1<f64>,
        w: ArrayView1<f64>,
        slopes: &Slopes,
    ) -> Array1<f64> {
        let gradient = |beta: &Array1<f64>| {
            features.t().dot(&slopes(&features.dot(beta)).1) + &(2.0 * self.penalty * beta)
        };
        let length = |g: &Array1<f64>| g.dot(g).sqrt();
        let mut now = gradient(&beta);
        for _ in 0..NEWTON {
            let f = features.dot(&beta);
            let curvature: Array1<f64> = (0..y.len())
                .map(|i| {
                    let h = 1e-6 * (1.0 + f[i].abs());
                    let rise = self.loss.at(y[i], f[i] + h).1 - self.loss.at(y[i], f[i] - h).1;
                    w[i] * (rise / (2.0 * h)).max(0.0)
                })
                .collect();
            let weighed = features * &curvature.insert_axis(Axis(1));
            let mut hessian = features.t().dot(&weighed);
            hessian.diag_mut().mapv_inplace(|v| v + 2.0 * self.penalty);
            let right = now.view().insert_axis(Axis(1));
            let Ok(step) = solve_spd(&Device::cpu(), hessian.view(), right, &SpdParams::default()) else {
                break;
            };
            let next = &beta - &step.x.column(0);
            let there = gradient(&next);
            // Written so that a NaN ends it.
            let shorter = length(&there) < length(&now);
            if !shorter {
                break;
            }
            (beta, now) = (next, there);
        }
        beta
    }
}

setters!(KernelRisk {
    /// The kernel.
    kernel: Kernel,
    /// The loss.
    loss: SmoothLoss,
    /// The penalty λ > 0.
    penalty: f64,
    /// How the minimum is searched.
    search: Minimiser,
});

fits!(KernelRisk: Numbers -> FittedKernelRisk, NumbersWeighted -> FittedKernelRisk);

const OP: &str = "KernelRisk::fit";

/// `Φ = VΛ^½` of the Gram matrix, without the directions that are rounding.
pub(super) fn root_features(op: &'static str, kernel: &Kernel, x: ArrayView2<f64>) -> Result<Array2<f64>> {
    let k = gram(kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
    finite(op, "the kernel matrix", k.view())?;
    let eigen = eigh(k.view())?;
    let rank = eigen.values.iter().take_while(|v| **v > RANK * eigen.values[0].abs()).count();
    parameter("the largest eigenvalue of K", eigen.values[0], rank > 0, "must be positive")?;
    Ok(&eigen.vectors.slice(s![.., ..rank]) * &eigen.values.slice(s![..rank]).mapv(f64::sqrt))
}

/// `min_B R(ΦB) + λ‖B‖²` over B, r x c, row after row.
pub(super) fn minimise(
    search: &Minimiser,
    features: &Array2<f64>,
    columns: usize,
    penalty: f64,
    risk: impl Fn(&Array2<f64>) -> (f64, Array2<f64>),
) -> Result<Minimum> {
    let rank = features.ncols();
    let count = rank * columns;
    search.run(&vec![0.0; count], &vec![(f64::NEG_INFINITY, f64::INFINITY); count], |b| {
        let beta = ArrayView2::from_shape((rank, columns), b).expect("as many as there are");
        let (value, slope) = risk(&features.dot(&beta));
        let gradient = features.t().dot(&slope) + &(2.0 * penalty * &beta);
        let square: f64 = b.iter().map(|v| v * v).sum();
        Ok((value + penalty * square, gradient.iter().copied().collect()))
    })
}

impl Fit<ArrayRef<f64, Ix1>> for KernelRisk {
    type Fitted = FittedKernelRisk;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, Ix1>) -> Result<FittedKernelRisk> {
        self.run(x, y.view(), Array1::ones(y.len()).view())
    }
}

impl FitWeighted<ArrayRef<f64, Ix1>> for KernelRisk {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, Ix1>,
        w: ArrayView1<f64>,
    ) -> Result<FittedKernelRisk> {
        weights(OP, w, x.nrows())?;
        self.run(x, y.view(), w)
    }
}

/// A fitted [`KernelRisk`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelRisk {
    format: Format,
    expansion: Expansion,
    risk: f64,
    squared_norm: f64,
    penalty: f64,
    found: Minimum,
}

getters!(FittedKernelRisk {
    /// The coefficients a, n x 1.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The sum of the losses.
    risk: f64,
    /// `‖f‖²`.
    squared_norm: f64,
    /// How the search went, in the coordinates of the empirical feature map.
    search => found: &Minimum,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelRisk: Predict -> Array1<f64>);

impl FittedKernelRisk {
    /// The sum of the losses plus λ‖f‖².
    pub fn objective(&self) -> f64 {
        self.risk + self.penalty * self.squared_norm
    }
}

impl Predict for FittedKernelRisk {
    type Output = Array1<f64>;

    /// f at each row, whatever the loss makes of it.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let f = self.expansion.at("FittedKernelRisk::predict", &Device::cpu(), x)?;
        Ok(f.index_axis_move(Axis(1), 0))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelRisk);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedKernelRisk {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        crate::check::require("a saved FittedKernelRisk", self.expansion.coefficients.ncols() == 1, || {
            "it has several targets".to_owned()
        })?;
        positive("penalty", self.penalty)
    }
}
