//! Classification about mean functions that are given: `f = m + g` with `g ~ GP(0, k)`. Checked in
//! `tests/gp_classify/about.rs`.

use std::ops::Range;

use ndarray::{Array2, Array3, ArrayView1, ArrayView2, Axis, concatenate};

use super::average::Average;
use super::fitted::{FittedGpClassifier, Latent, decided, normalise};
use super::joint::JointLatent;
use super::laplace::Observed;
use super::likelihood::Link;
use super::model::GpClassifier;
use super::softmax::softmax;
use crate::check::{finite, parameter};
use crate::learn::configure::getters;
use crate::learn::{Inputs, Label, Targets};
use crate::models::gp::given_mean::at;
use crate::models::gp::prediction::{Samples, draw};
use crate::ops::gram;
use crate::{Device, Matrix, Result};

/// `m_c(x)` at each row, a column for each of these functions.
pub(super) fn means(
    op: &'static str,
    mean: impl Fn(ArrayView1<f64>, usize) -> f64,
    x: ArrayView2<f64>,
    functions: Range<usize>,
) -> Result<Array2<f64>> {
    let mut all = Array2::zeros((x.nrows(), functions.len()));
    for (mut column, c) in all.columns_mut().into_iter().zip(functions) {
        column.assign(&at(op, |row| mean(row, c), x)?.column(0));
    }
    Ok(all)
}

/// Labels that were observed of `m + g`, as a likelihood of g.
pub(super) struct Raised<O> {
    pub observed: O,
    pub mean: Array2<f64>,
}

impl<O: Observed> Observed for Raised<O> {
    type Curvature = O::Curvature;

    fn functions(&self) -> usize {
        self.observed.functions()
    }

    fn slope(&self, g: ArrayView2<f64>) -> (f64, Array2<f64>) {
        self.observed.slope((&g + &self.mean).view())
    }

    fn curvature(&self, k: &Matrix, g: ArrayView2<f64>) -> Result<O::Curvature> {
        self.observed.curvature(k, (&g + &self.mean).view())
    }

    fn rough_step(
        &self,
        resident: &Matrix,
        g: ArrayView2<f64>,
        v: ArrayView2<f64>,
        kv: Array2<f64>,
    ) -> Result<Option<Array2<f64>>> {
        self.observed.rough_step(resident, (&g + &self.mean).view(), v, kv)
    }
}

/// A classifier that was fitted about given means: its latent functions are those of the residual plus `m_c(x)`.
#[derive(Debug, Clone)]
pub struct FittedClassifierAbout<F, L = usize> {
    mean: F,
    residual: FittedGpClassifier<L>,
}

getters!(FittedClassifierAbout<F, L> {
    /// The processes that are added to the means; their evidence is that of the labels.
    residual: &FittedGpClassifier<L>,
});

impl GpClassifier {
    /// Fits latent functions `f_c = m_c + g_c`, `g_c ~ GP(0, k)`, about given means without coefficients: `mean(x, c)` is `m_c(x)`.
    /// There is one function, number 0, for two classes (positive values speak for the second), and one for each class if there
    /// are more or the likelihood is the softmax.
    ///
    /// # Errors
    /// As `fit`, and [`Error::NotFinite`](crate::Error::NotFinite) where a mean is not finite.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let (x, y) = (array![[-1.0], [1.0]], ["no", "yes"]);
    /// let fitted = GpClassifier::new(Kernel::rbf(1.0)).fit_about(&Device::cpu(), &x, &y, |x, _| 3.0 * x[0])?;
    /// let far = fitted.latent(array![[50.0]])?;
    /// assert!((far.mean[[0, 0]] - 150.0).abs() < 1e-9); // far from data the mean is back
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_about<L: Label, F: Fn(ArrayView1<f64>, usize) -> f64>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
        mean: F,
    ) -> Result<FittedClassifierAbout<F, L>> {
        let (x, y) = (x.inputs(), y.targets());
        let residual = self.fit_raised("GpClassifier::fit_about", device, x.view(), &y, &mean)?;
        Ok(FittedClassifierAbout { mean, residual })
    }

    /// Class probabilities drawn from the prior at the rows of `x`, `count x m x classes`: those of latent functions drawn
    /// about zero. The seed decides.
    ///
    /// # Errors
    /// As [`sample_prior_about`](Self::sample_prior_about).
    pub fn sample_prior(&self, x: impl Inputs, classes: usize, count: usize, seed: u64) -> Result<Samples> {
        self.sample_prior_about(x, classes, |_, _| 0.0, count, seed)
    }

    /// [`sample_prior`](Self::sample_prior) about given means, `mean(x, c)` for the function number c.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for fewer than two classes, bad data, and where a mean is not finite.
    pub fn sample_prior_about(
        &self,
        x: impl Inputs,
        classes: usize,
        mean: impl Fn(ArrayView1<f64>, usize) -> f64,
        count: usize,
        seed: u64,
    ) -> Result<Samples> {
        const OP: &str = "GpClassifier::sample_prior";
        let x = x.inputs();
        finite(OP, "x", x.view())?;
        parameter("classes", classes as f64, classes > 1, "must be at least 2")?;
        self.affords_draws(OP, x.nrows(), count, classes)?;
        let link = self.likelihood.link();
        let functions = if classes == 2 && link.is_some() { 1 } else { classes };
        let covariance = gram(self.kernel(), &Matrix::from_host(x.to_owned()), None)?.into_array()?;
        let scale = covariance.diag().mean().unwrap_or(0.0);
        let mut drawn = draw(&means(OP, mean, x.view(), 0..functions)?, &covariance, scale, count, seed)?;
        drawn.values = probabilities(drawn.values, link);
        Ok(drawn)
    }
}

/// Class probabilities of latent values, `count x m x functions`: `count x m x classes`.
pub(super) fn probabilities(mut values: Array3<f64>, link: Option<Link>) -> Array3<f64> {
    let functions = values.dim().2;
    for mut f in values.lanes_mut(Axis(2)) {
        if let Some(link) = link {
            f.mapv_inplace(|v| link.value(v));
            if functions > 1 {
                normalise(f);
            }
        } else {
            let latent = f.to_owned();
            softmax(latent.view(), &mut f);
        }
    }
    if functions > 1 { values } else { concatenate![Axis(2), values.mapv(|p| 1.0 - p), values] }
}

impl<F: Fn(ArrayView1<f64>, usize) -> f64, L: Label> FittedClassifierAbout<F, L> {
    /// Means and the joint covariance of the latent functions `m_c + g_c` at the rows of `x`.
    ///
    /// # Errors
    /// As [`FittedGpClassifier::latent_joint`], and where a mean is not finite.
    pub fn latent_joint(&self, x: impl Inputs) -> Result<JointLatent> {
        let x = x.inputs();
        let mut out = self.residual.latent_joint(x.view())?;
        let functions = 0..self.residual.functions();
        out.mean += &means("FittedClassifierAbout::latent_joint", &self.mean, x.view(), functions)?;
        Ok(out)
    }

    /// Class probabilities drawn from the posterior at the rows of `x`, `count x m x classes`; the seed decides.
    ///
    /// # Errors
    /// As [`latent_joint`](Self::latent_joint).
    pub fn sample(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Samples> {
        let x = x.inputs();
        self.residual.drawn(&self.latent_joint(x.view())?, x.view(), count, seed)
    }

    /// The latent functions `m_c + g_c` at the rows of `x`.
    ///
    /// # Errors
    /// As [`FittedGpClassifier::latent`], and where a mean is not finite.
    pub fn latent(&self, x: impl Inputs) -> Result<Latent> {
        let x = x.inputs();
        let mut out = self.residual.latent(x.view())?;
        let functions = 0..self.residual.functions();
        out.mean += &means("FittedClassifierAbout::latent", &self.mean, x.view(), functions)?;
        Ok(out)
    }

    /// The probability of each class, averaged over the latent functions.
    ///
    /// # Errors
    /// As [`latent`](Self::latent).
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        self.predict_proba_by(x, self.residual.average())
    }

    /// [`predict_proba`](Self::predict_proba) with a choice of how the latent values are averaged over.
    ///
    /// # Errors
    /// As [`FittedGpClassifier::predict_proba_by`].
    pub fn predict_proba_by(&self, x: impl Inputs, by: Average) -> Result<Array2<f64>> {
        self.residual.proba_raised(x.inputs().view(), by, &self.mean)
    }

    /// The most probable class.
    ///
    /// # Errors
    /// As [`predict_proba`](Self::predict_proba).
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        self.residual.most_probable(&self.predict_proba(x)?)
    }

    /// The means of the latent functions; of two classes the second less the first.
    ///
    /// # Errors
    /// As [`latent`](Self::latent).
    pub fn decision(&self, x: impl Inputs) -> Result<Array2<f64>> {
        Ok(decided(self.latent(x)?.mean, self.residual.classes().len()))
    }
}
