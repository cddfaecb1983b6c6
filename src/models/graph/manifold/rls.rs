//! Laplacian regularised least squares.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayRef, ArrayView2, Ix2, s};

use super::deformed::{Function, Penalties};
use super::manifold_setters;
use crate::check::pairs;
use crate::learn::configure::getters;
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Predict, TargetDim};
use crate::linalg::{SpdParams, solve_spd};
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// `min_f Σ_i (y_i - f(x_i))² + λ ‖f‖² + η fᵀLf`, where the last term runs over labelled and unlabelled points:
/// `α = (JᵀJ K + λ I + η L K)⁻¹ Jᵀ y`.
///
/// L is the Laplacian `D - W` of the graph of all points, J picks the labelled ones. With η = 0 it is
/// [`KernelRidge`](crate::models::kernel_methods::KernelRidge) on these. It runs on the CPU in f64, whatever the device, and
/// stores matrices of all points.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [3.0]], array![-1.0_f64, 1.0]);
/// let more = array![[0.5], [1.0], [1.5], [2.0], [2.5]];
/// let model = LaplacianRls::new(Kernel::rbf(1.0), 0.1, 0.5).neighbourhood(Neighbourhood::gaussian(0.5)).unlabelled(more);
/// let fit = model.fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.predict(array![[0.5]])?[0] + 0.55115137).abs() < 1e-8);
/// assert!((fit.smoothness()[0] - 0.4569881503).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) for penalties out of their domain or a neighbourhood that the points do not
/// have; [`Error::Shape`](crate::Error::Shape) for a graph of another size.
#[derive(Debug, Clone)]
pub struct LaplacianRls {
    penalties: Penalties,
}

impl LaplacianRls {
    /// With this kernel, the penalty λ > 0 of the norm and the penalty η >= 0 of the graph.
    pub fn new(kernel: Kernel, penalty: f64, manifold: f64) -> Self {
        LaplacianRls { penalties: Penalties::new(kernel, penalty, manifold) }
    }
}

manifold_setters!(LaplacianRls);

fits!(LaplacianRls: Regress -> FittedLaplacianRls);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for LaplacianRls {
    type Fitted = FittedLaplacianRls<D>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<FittedLaplacianRls<D>> {
        let y = D::columns(y);
        pairs("LaplacianRls::fit", x, y)?;
        let deformed = self.penalties.deform("LaplacianRls::fit", x)?;
        let mut system = deformed.small.clone();
        system.diag_mut().mapv_inplace(|v| v + 1.0);
        let a = solve_spd(&Device::cpu(), system.view(), y, &SpdParams::default())?.x;
        let function = deformed.function(&a);
        let values = deformed.gram.dot(&function.coefficients);
        let smoothness: Vec<f64> =
            values.columns().into_iter().map(|f| deformed.graph.smoothness(f)).collect::<Result<_>>()?;
        let mut objective = (&y - &values.slice(s![..y.nrows(), ..])).mapv(|v| v * v).sum();
        objective += self.penalties.norm * (&function.coefficients * &values).sum();
        objective += self.penalties.manifold * smoothness.iter().sum::<f64>();
        Ok(FittedLaplacianRls {
            format: Format,
            function,
            values,
            smoothness,
            objective,
            targets: PhantomData,
        })
    }
}

/// Fitted [`LaplacianRls`].
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedLaplacianRls<D = Ix2> {
    format: Format,
    function: Function,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    values: Array2<f64>,
    smoothness: Vec<f64>,
    objective: f64,
    targets: PhantomData<D>,
}

getters!(FittedLaplacianRls<D> {
    /// The coefficients α of all points, labelled ones first; one column for each target.
    dual_coefficients => function.coefficients: &Array2<f64>,
    /// All points, labelled ones first.
    points => function.points: &Array2<f64>,
    /// The kernel.
    kernel => function.kernel: &Kernel,
    /// f at all points, labelled ones first; one column for each target.
    values: &Array2<f64>,
    /// `fᵀLf` of each target.
    smoothness: &[f64],
    /// `Σ (y - f)² + λ ‖f‖² + η fᵀLf`, the sum over targets.
    objective: f64,
});

inherent!(FittedLaplacianRls<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedLaplacianRls<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.function.at("FittedLaplacianRls::predict", x).map(D::shaped)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLaplacianRls<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedLaplacianRls<D> {
    fn check(&self) -> Result<()> {
        self.function.check()?;
        D::fits("a saved FittedLaplacianRls", self.function.coefficients.ncols())
    }
}
