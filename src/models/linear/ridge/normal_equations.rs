//! The normal equations of ridge regression, in whichever form is smaller.
//!
//! On the CPU the matrix is made and factored in f64. On a GPU it is made and factored in f32, and that factor
//! preconditions conjugate gradients whose products with the data are f64: two or three corrections, no f64 matrix.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::fitted::Form;
use crate::linalg::{
    CgParams, Fallback, Operator, Preconditioner, SolveReport, SpdFactor, SpdParams, conjugate_gradients,
};
use crate::models::linear::centred::Centred;
use crate::ops::{Side, Trans, Triangle, add_diagonal, cholesky, product, solve_triangular, syrk};
use crate::{Device, Error, Matrix, Progress, Result};

/// Relative residual that corrections by an f32 factor must reach, or the factor is made in f64.
const REACHED: f64 = 1e-11;

/// Squares of lengths that products hold all digits of; of longer or shorter columns, or none, X itself is decomposed.
const SQUARES: std::ops::Range<f64> = 1e-250..1e250;

/// The weights W with `(XᵀX + λI) W = XᵀY`, d x t, for centred and weighted X and Y, and where they were found.
pub(super) fn solve(
    device: &Device,
    data: &Centred,
    penalty: f64,
    form: Form,
) -> Result<(Array2<f64>, SolveReport, Device)> {
    let (n, d) = data.x.dim();
    let (small, large) = (n.min(d) as f64, n.max(d) as f64);
    let device = device.suited_to(small * small * large + small.powi(3) / 3.0);
    let mut why = None;
    // Without a penalty the rank matters, which f32 cannot see.
    if device.is_gpu() && penalty > 0.0 {
        match in_f32(&device, data, penalty, form)? {
            Ok((w, report)) => return Ok((w, report, device)),
            Err(refusal) => why = Some(refusal),
        }
    }
    in_f64(data, penalty, form, why).map(|(w, report)| (w, report, Device::cpu()))
}

/// `‖XᵀY - (XᵀX + λI) W‖ / ‖XᵀY‖` of the worst target.
pub(in crate::models::linear) fn residual(data: &Centred, penalty: f64, w: &Array2<f64>) -> f64 {
    let system = System { x: data.rows(), penalty, form: Form::Primal };
    let b = system.transposed(data.targets().view());
    let mut left = data.targets() - system.straight(w.view());
    left = system.transposed(left.view());
    left.scaled_add(-penalty, w);
    // What is not a number is the worst.
    let larger = |m: f64, v: f64| if m >= v || m.is_nan() { m } else { v };
    let length = |v: ArrayView1<f64>| {
        let largest = v.iter().fold(0.0, |m, v| larger(m, v.abs()));
        // Divided before they are squared: X may be as large as squares allow.
        if largest > 0.0 { largest * v.mapv(|v| (v / largest).powi(2)).sum().sqrt() } else { largest }
    };
    let each = left.columns().into_iter().zip(b.columns()).map(|(left, b)| (length(left), length(b)));
    each.map(|(left, b)| if left == 0.0 { 0.0 } else { left / b }).fold(0.0, larger)
}

fn in_f64(
    data: &Centred,
    penalty: f64,
    form: Form,
    fallback: Option<Fallback>,
) -> Result<(Array2<f64>, SolveReport)> {
    let direct = |mut a: Array2<f64>, b: &Array2<f64>| {
        let value = a.diag().fold(0f64, |m, v| m.max(*v));
        if !SQUARES.contains(&value) {
            return Err(Error::NotPositiveDefinite { op: "Ridge::fit", pivot: 0, value });
        }
        a.diag_mut().mapv_inplace(|v| v + penalty);
        let solution = SpdFactor::new(&Device::cpu(), a.view(), &SpdParams::default())?.solve(b.view())?;
        let mut certificate = solution.certificate;
        certificate.fallback = fallback;
        Ok((solution.x, SolveReport::Direct(certificate)))
    };
    match form {
        Form::Primal => {
            let (a, b) = data.products();
            direct(a, &b)
        }
        Form::Dual => {
            let x = Matrix::from_host(data.rows());
            let (dual, report) = direct(syrk(1.0, &x, Trans::No)?.to_array()?, &data.targets())?;
            let mut w = Array2::zeros((data.x.ncols(), dual.ncols()));
            product(1.0, x.cpu().t(), dual.view(), 0.0, w.view_mut());
            Ok((w, report))
        }
    }
}

/// What was found, or why f32 would not do.
type Attempt = std::result::Result<(Array2<f64>, SolveReport), Fallback>;

fn in_f32(device: &Device, data: &Centred, penalty: f64, form: Form) -> Result<Attempt> {
    let system = System { x: data.rows(), penalty, form };
    // A common power of two, so that f32 holds the squares whatever the units.
    let largest = system.x.iter().fold(0f64, |m, v| m.max(v.abs()));
    let unit = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    let x = Matrix::from_array(device, (&system.x / unit).view())?;
    let trans = if form == Form::Primal { Trans::Yes } else { Trans::No };
    let a = add_diagonal(&syrk(1.0, &x, trans)?, penalty / (unit * unit))?;
    let l = match cholesky(&a) {
        Err(Error::NotPositiveDefinite { .. }) => return Ok(Err(Fallback::Factorisation)),
        other => other?,
    };
    let targets = data.targets();
    let b = if form == Form::Primal { system.transposed(targets.view()) } else { targets };
    let params = CgParams::new()
        .tolerance(Some(0.1 * REACHED))
        .max_iterations(60)
        .accept_unconverged(true)
        .progress(Progress::none());
    let found = conjugate_gradients(&system, b.view(), &Factor(l), &params)?;
    let report = SolveReport::Iterative(found.info);
    if report.relative_residual() > REACHED {
        return Ok(Err(Fallback::Refinement));
    }
    let w = if form == Form::Primal { found.x } else { system.transposed(found.x.view()) };
    Ok(Ok((w, report)))
}

/// `XᵀX + λI` or `XXᵀ + λI` in f64, from products with X.
struct System {
    x: Array2<f64>,
    penalty: f64,
    form: Form,
}

impl System {
    fn transposed(&self, v: ArrayView2<f64>) -> Array2<f64> {
        let mut out = Array2::zeros((self.x.ncols(), v.ncols()));
        product(1.0, self.x.t(), v, 0.0, out.view_mut());
        out
    }

    fn straight(&self, v: ArrayView2<f64>) -> Array2<f64> {
        let mut out = Array2::zeros((self.x.nrows(), v.ncols()));
        product(1.0, self.x.view(), v, 0.0, out.view_mut());
        out
    }
}

impl Operator for System {
    fn dim(&self) -> usize {
        if self.form == Form::Primal { self.x.ncols() } else { self.x.nrows() }
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = match self.form {
            Form::Primal => self.transposed(self.straight(v).view()),
            Form::Dual => self.straight(self.transposed(v).view()),
        };
        out.scaled_add(self.penalty, &v);
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        let along = if self.form == Form::Primal { Axis(0) } else { Axis(1) };
        Ok(self.x.mapv(|v| v * v).sum_axis(along) + self.penalty)
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        let mut unit = Array2::zeros((self.dim(), which.len()));
        which.iter().enumerate().for_each(|(c, &j)| unit[[j, c]] = 1.0);
        self.apply(unit.view())
    }
}

/// `(LLᵀ)⁻¹` in f32, for a factor L on a GPU.
struct Factor(Matrix);

impl Preconditioner for Factor {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        // Residuals shrink far below the range of f32; their size does not matter to a direction.
        let sizes = r.map_axis(Axis(0), |c| c.iter().fold(f64::MIN_POSITIVE, |m: f64, v| m.max(v.abs())));
        let on = Matrix::from_array(&self.0.device(), (&r / &sizes).view())?;
        let half = solve_triangular(&self.0, Triangle::Lower, Trans::No, Side::Left, &on)?;
        let out = solve_triangular(&self.0, Triangle::Lower, Trans::Yes, Side::Left, &half)?.to_array()?;
        Ok(out * &sizes)
    }
}
