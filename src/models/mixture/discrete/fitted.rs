//! What a mixture of discrete distributions has learned, and what can be asked of it.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, ArrayView2};

use super::model::{Family, log_joint};
use super::sums::Params;
use super::{Bernoulli, Categorical};
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{finite, inputs, parameter, probabilities, weights};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Inputs, Predict, PredictProba, Report, Reported, Sample, Score};
use crate::matrix::{Origin, Points};
use crate::models::mixture::responsibilities::{densities, shares};
use crate::saved::Format;
use crate::{Device, Matrix, Result};

/// Fitted [`BernoulliMixture`](super::BernoulliMixture) or [`CategoricalMixture`](super::CategoricalMixture).
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedDiscreteMixture<F> {
    format: Format,
    /// What the mixture is called.
    family: String,
    params: Params,
    log_likelihood: f64,
    mass: f64,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
    of: PhantomData<F>,
}

getters!(FittedDiscreteMixture<F: Family> {
    /// The weights π, of length K.
    weights => params.weights: &Array1<f64>,
    /// The probability of a yes for each feature, or of each category: `K x d`.
    probabilities => params.probabilities: &Array2<f64>,
    /// The log-likelihood `sum_i w_i log p(x_i)`, for counts without the multinomial coefficients.
    log_likelihood: f64,
    /// How the fit went: the log-likelihood plus the logarithm of the prior, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedDiscreteMixture<F: Family>: Predict -> Vec<usize>, PredictProba, Score);

impl<F: Family> FittedDiscreteMixture<F> {
    pub(super) fn new(
        params: Params,
        log_likelihood: f64,
        mass: f64,
        report: Report,
        device: Device,
    ) -> Self {
        let family = F::NAME.to_owned();
        FittedDiscreteMixture {
            format: Format,
            family,
            params,
            log_likelihood,
            mass,
            report,
            device,
            of: PhantomData,
        }
    }

    /// The mixture with these weights π and probabilities, `K x d`, which nothing was fitted to: its log-likelihood is that of no data,
    /// zero.
    ///
    /// ```
    /// use mercer::models::mixture::{Bernoulli, FittedDiscreteMixture};
    /// use ndarray::array;
    /// let coins = FittedDiscreteMixture::<Bernoulli>::given(array![0.5, 0.5], array![[0.9], [0.1]])?;
    /// assert!((coins.predict_proba(array![[1.0]])?[[0, 0]] - 0.9).abs() < 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other than one weight for each row, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for weights, or categories, that are no distribution, or a number that is no
    /// probability.
    pub fn given(share: Array1<f64>, each: Array2<f64>) -> Result<Self> {
        const OP: &str = "FittedDiscreteMixture::given";
        finite(OP, "the probabilities", each.view())?;
        weights(OP, share.view(), each.nrows())?;
        probabilities("weights", &share.to_vec())?;
        for ((i, j), &p) in each.indexed_iter() {
            let requirement = "must be between 0 and 1";
            parameter(&format!("probabilities[{i}, {j}]"), p, (0.0..=1.0).contains(&p), requirement)?;
        }
        // Categories share one trial; yeses and noes have one each.
        if F::free(each.ncols()) < each.ncols() {
            let mut rows = each.rows().into_iter().enumerate();
            rows.try_for_each(|(i, row)| probabilities(&format!("probabilities[{i}]"), &row.to_vec()))?;
        }
        let params = Params { weights: share, probabilities: each };
        Ok(Self::new(params, 0.0, 1.0, Report::direct(0.0), Device::cpu()))
    }

    /// The log density `log p(x_i)` of each row of `x`, for counts without the multinomial coefficient.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::predict`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        densities(&self.joint(x.inputs().view())?)
    }

    /// The number of free parameters: weights and probabilities.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.params.probabilities.dim();
        k * F::free(d) + k - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * self.mass.ln() - 2.0 * self.log_likelihood
    }

    fn joint(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        inputs(F::NAME, x, self.params.probabilities.ncols())?;
        let bad = x.indexed_iter().find(|(_, v)| !F::allows(**v));
        bad.map_or(Ok(()), |((i, j), &v)| parameter(&format!("x[{i}, {j}]"), v, false, F::REQUIREMENT))?;
        let flops = 2.0 * x.len() as f64 * self.params.weights.len() as f64;
        let points = Points::new(F::NAME, &self.device, x, Origin::Fixed, flops)?;
        log_joint::<F>(&self.params, points.matrix()?)
    }
}

impl<F: Family> Predict for FittedDiscreteMixture<F> {
    type Output = Vec<usize>;

    /// The most responsible component of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(most_probable(self.predict_proba(x)?.view()))
    }
}

/// Responsibilities `p(k | x_i)`.
impl<F: Family> PredictProba for FittedDiscreteMixture<F> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        shares(&self.joint(x)?)
    }
}

/// The mean log density.
impl<F: Family> Score for FittedDiscreteMixture<F> {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl<F: Family> Reported for FittedDiscreteMixture<F> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl FittedDiscreteMixture<Bernoulli> {
    /// New rows of zeros and ones, `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if none are asked for, [`Error::Parameter`](crate::Error::Parameter) for
    /// more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(self.sample_labelled(count, seed)?.0)
    }
}

impl Sample for FittedDiscreteMixture<Bernoulli> {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(self.sample_labelled(count, seed)?.0)
    }
}

impl FittedDiscreteMixture<Categorical> {
    /// The counts of new texts of `length` words each, `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if none are asked for, [`Error::Parameter`](crate::Error::Parameter) for
    /// more than memory has room for.
    pub fn sample(&self, count: usize, length: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(self.sample_labelled(count, length, seed)?.0)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedDiscreteMixture<M: Family>);

#[cfg(feature = "serde")]
impl<F: Family> crate::saved::Checked for FittedDiscreteMixture<F> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedDiscreteMixture";
        require(OP, self.family == F::NAME, || format!("it is a {}, not a {}", self.family, F::NAME))?;
        let p = &self.params.probabilities;
        finite(OP, "the probabilities", p.view())?;
        let bad = p.iter().copied().find(|p| !(0.0..=1.0).contains(p));
        parameter("a probability", bad.unwrap_or(0.0), bad.is_none(), "must be between 0 and 1")?;
        weights(OP, self.params.weights.view(), p.nrows())?;
        crate::check::positive("mass", self.mass)?;
        parameter("log_likelihood", self.log_likelihood, self.log_likelihood.is_finite(), "must be finite")
    }
}
