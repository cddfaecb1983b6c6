//! Classification about means with coefficients that are estimated: `f_c = h(x)ᵀβ_c + g_c`. Checked in
//! `tests/gp_classify/joint.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::about::{FittedClassifierAbout, Raised};
use super::binary::Signs;
use super::laplace::{Curvature, Laplace, Observed, Problem};
use super::model::{GpClassifier, against_the_rest};
use super::softmax::Classes;
use crate::learn::{Inputs, Label, Targets};
use crate::models::gp::basis_mean::design;
use crate::optim::Minimiser;
use crate::{Device, Error, Result};

const OP: &str = "GpClassifier::fit_on_basis";
/// Latent values that a function of the basis may reach: the logistic function is one there, to the last digit.
const MOST: f64 = 1e3;
/// `-ln Z` of labels of which nothing is uncertain.
const CERTAIN: f64 = 1e-2;

/// `h(x)ᵀβ_c` of a row x and a latent function c.
pub type BasisMean<'a> = Box<dyn Fn(ArrayView1<f64>, usize) -> f64 + 'a>;

impl GpClassifier {
    /// Fits latent functions `f_c = h(x)ᵀβ_c + g_c`, `g_c ~ GP(0, k)`, with functions h of the user's: β is where `ln Z` is largest for the
    /// kernel as it is given, and the kernel is then [optimised](GpClassifier::optimise) about that mean, if it is to be. Gives β, a
    /// column for each latent function as [`fit_about`](Self::fit_about) counts them, and the classifier about `h(x)ᵀβ`.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::Array2;
    /// // Labels that a line explains, but for two in the middle.
    /// let x = Array2::from_shape_fn((20, 1), |(i, _)| i as f64 - 9.5);
    /// let y: Vec<bool> = (0..20).map(|i| if i == 9 || i == 10 { i == 9 } else { i > 9 }).collect();
    /// let (beta, fitted) = GpClassifier::new(0.1 * Kernel::rbf(1.0)).fit_on_basis(&Device::cpu(), &x, &y, |x| vec![1.0, x[0]])?;
    /// assert!(beta[[1, 0]] > 0.2 && beta[[0, 0]].abs() < 1e-6);
    /// assert!(fitted.predict_proba(ndarray::array![[100.0]])?[[0, 1]] > 0.99); // the line goes on where the data end
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `fit` and [`GpRegressor::fit_on_basis`](crate::models::gp::GpRegressor::fit_on_basis); [`Error::NoConvergence`] for labels that
    /// the basis separates, whose evidence rises for ever.
    pub fn fit_on_basis<'a, L: Label>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
        basis: impl Fn(ArrayView1<f64>) -> Vec<f64> + 'a,
    ) -> Result<(Array2<f64>, FittedClassifierAbout<BasisMean<'a>, L>)> {
        let (x, y) = (x.inputs(), y.targets());
        let (labels, index, points) = self.place(OP, device, x.view(), &y, true)?;
        let h = design(&basis, x.view())?;
        let classes = labels.classes().len();
        let problem = Problem::new(self.kernel(), &points)?;
        let beta = match self.likelihood.link() {
            None => coefficients(&problem, &h, || Classes { y: index.clone(), classes })?,
            Some(link) => {
                let each: Vec<Array2<f64>> = against_the_rest(&index, classes)
                    .map(|y| coefficients(&problem, &h, || Signs { y: y.clone(), link }))
                    .collect::<Result<_>>()?;
                Array2::from_shape_fn((h.ncols(), each.len()), |(j, c)| each[c][[j, 0]])
            }
        };
        let own = beta.clone();
        let mean = move |x: ArrayView1<f64>, c: usize| -> f64 {
            let row = basis(x);
            if row.len() != own.nrows() {
                return f64::NAN;
            }
            row.iter().zip(own.column(c)).map(|(h, b)| h * b).sum()
        };
        Ok((beta, self.fit_about(device, x.view(), &*y, Box::new(mean) as BasisMean)?))
    }
}

/// `argmax_β ln Z`, `p x functions`: the gradient is `Hᵀ(a + u)`, what a mean does to the likelihood and to the determinant.
fn coefficients<O: Observed>(
    problem: &Problem,
    h: &Array2<f64>,
    observed: impl Fn() -> O,
) -> Result<Array2<f64>> {
    let (p, functions) = (h.ncols(), observed().functions());
    let shaped = |b: &[f64]| ArrayView2::from_shape((p, functions), b).map(|v| v.to_owned());
    let wrong = |_| Error::Shape { op: OP, what: "coefficients of another number".to_owned() };
    // In units in which every function of the basis is at most one.
    let size: Vec<f64> =
        h.columns().into_iter().map(|c| c.iter().fold(0f64, |m, v| m.max(v.abs()))).collect();
    if let Some(index) = size.iter().position(|s| *s == 0.0) {
        return Err(Error::Singular { op: OP, index, value: 0.0 });
    }
    let unit = Array2::from_shape_fn(h.dim(), |(i, j)| h[[i, j]] / size[j]);
    let found =
        Minimiser::new().run(&vec![0.0; p * functions], &vec![(-MOST, MOST); p * functions], |b| {
            let mean = unit.dot(&shaped(b).map_err(wrong)?);
            let laplace = Laplace::new(problem, &Raised { observed: observed(), mean })?;
            let slope = unit.t().dot(&(&laplace.a + &laplace.curvature.drift(&problem.k)?));
            Ok((-laplace.log_evidence, slope.iter().map(|g| -g).collect()))
        })?;
    // Labels that are certain, or coefficients that went as far as they could.
    if found.value < CERTAIN || !found.at_bounds.is_empty() {
        let (iterations, residual) = (found.iterations, found.value);
        return Err(Error::NoConvergence { op: OP, iterations, residual, tolerance: CERTAIN });
    }
    let mut beta = shaped(&found.point).map_err(wrong)?;
    for (mut row, s) in beta.rows_mut().into_iter().zip(&size) {
        row /= *s;
    }
    Ok(beta)
}
