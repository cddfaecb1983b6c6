//! A hidden Markov model with its parameters: what can be asked of it.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::emission::{Emission, OP};
use super::forward_backward::{Smoothed, in_logs};
use super::scaled::scaled;
use super::viterbi::{Decoded, decode};
use crate::Result;
use crate::check::{probabilities, require, zeros};
use crate::configure::getters;
use crate::learn::{Inputs, Report};
use crate::random::Philox;
use crate::saved::Format;

/// `p(z, x) = p(z_1) p(x_1 | z_1) Π_{t ≥ 2} p(z_t | z_{t-1}) p(x_t | z_t)`: learned by [`HiddenMarkov`](super::HiddenMarkov), or
/// given.
///
/// A sequence is `T x d`, for symbols `T x 1`. Where missing observations are allowed, they are rows of NaN.
///
/// ```
/// use mercer::models::sequence::{Emission, FittedHiddenMarkov};
/// use ndarray::array;
/// let weather = FittedHiddenMarkov::new(
///     array![0.6, 0.4],
///     array![[0.7, 0.3], [0.4, 0.6]],
///     Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
/// )?;
/// let seen = array![[0.0], [1.0], [2.0]];
/// assert!((weather.log_likelihood(&seen)?.exp() - 0.03628).abs() < 1e-12);
/// assert_eq!(weather.viterbi(&seen)?.states, [0, 0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedHiddenMarkov {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    initial: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    transition: Array2<f64>,
    emission: Emission,
    missing: bool,
    report: Report,
}

getters!(FittedHiddenMarkov {
    /// `p(z_1)`, of length K.
    initial: &Array1<f64>,
    /// `p(z_t = j | z_{t-1} = i)`, `K x K`: rows sum to one.
    transition: &Array2<f64>,
    /// What each state shows.
    emission: &Emission,
    /// How the learning went: the log-likelihood, which never falls.
    report: &Report,
});

impl FittedHiddenMarkov {
    /// The model with these parameters.
    ///
    /// # Errors
    /// Shapes that do not fit, probabilities that are negative or do not sum to one, a covariance that is not positive
    /// definite.
    pub fn new(initial: Array1<f64>, transition: Array2<f64>, emission: Emission) -> Result<Self> {
        let report = Report::direct(f64::NAN);
        let model =
            FittedHiddenMarkov { format: Format, initial, transition, emission, missing: false, report };
        model.sound()?;
        Ok(model)
    }

    fn sound(&self) -> Result<()> {
        self.emission.check()?;
        let k = self.emission.states();
        require(OP, self.initial.len() == k && self.transition.dim() == (k, k), || {
            format!(
                "{k} states, {} first ones, transitions of {:?}",
                self.initial.len(),
                self.transition.dim()
            )
        })?;
        probabilities("initial", &self.initial.to_vec())?;
        for (i, row) in self.transition.rows().into_iter().enumerate() {
            probabilities(&format!("transition[{i}]"), &row.to_vec())?;
        }
        Ok(())
    }

    /// Whether a row of NaN is an observation that is missing, instead of an error.
    #[must_use]
    pub fn allow_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    pub(super) fn reported(mut self, report: Report) -> Self {
        self.report = report;
        self
    }

    pub(super) fn log_b(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.emission.log_densities(x, self.missing)
    }

    /// The number of free parameters.
    pub fn parameters(&self) -> usize {
        let k = self.initial.len();
        k * k - 1 + self.emission.parameters()
    }

    /// `log p(x)` of a sequence: minus infinity, and no error, if the model excludes it.
    ///
    /// # Errors
    /// An empty sequence, another number of columns, NaN, a symbol that is not one.
    pub fn log_likelihood(&self, x: impl Inputs) -> Result<f64> {
        Ok(self.smooth(x)?.log_likelihood)
    }

    /// The mean log-likelihood of an observation in these sequences.
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`].
    pub fn score(&self, sequences: &[Array2<f64>]) -> Result<f64> {
        let length: usize = sequences.iter().map(Array2::nrows).sum();
        let each: Result<f64> = sequences.iter().map(|x| self.log_likelihood(x)).sum();
        Ok(each? / length.max(1) as f64)
    }

    /// Forward and backward: the posterior of every state, scaled so that no length underflows.
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`].
    pub fn smooth(&self, x: impl Inputs) -> Result<Smoothed> {
        Ok(scaled(&self.initial, &self.transition, self.log_b(x.inputs().view())?.view()))
    }

    /// [`FittedHiddenMarkov::smooth`] by sums of logarithms: slower, and the definition.
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`].
    pub fn smooth_in_logs(&self, x: impl Inputs) -> Result<Smoothed> {
        Ok(in_logs(&self.initial, &self.transition, self.log_b(x.inputs().view())?.view()))
    }

    /// The most probable state of each observation by itself: what denoises a sequence with the fewest errors.
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`].
    pub fn denoise(&self, x: impl Inputs) -> Result<Vec<usize>> {
        let p = self.smooth(x)?.states;
        Ok(crate::learn::labels::most_probable(p.view()))
    }

    /// The most probable path of states (Viterbi).
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`].
    pub fn viterbi(&self, x: impl Inputs) -> Result<Decoded> {
        Ok(decode(&self.initial, &self.transition, self.log_b(x.inputs().view())?.view()))
    }

    /// `log p(z, x)` of a path and a sequence.
    ///
    /// # Errors
    /// As [`FittedHiddenMarkov::log_likelihood`], and for a path of another length or of states that do not exist.
    pub fn log_joint(&self, states: &[usize], x: impl Inputs) -> Result<f64> {
        let b = self.log_b(x.inputs().view())?;
        let k = self.initial.len();
        require(OP, states.len() == b.nrows() && states.iter().all(|s| *s < k), || {
            format!("{} observations, {} states of {k}", b.nrows(), states.len())
        })?;
        let emitted: f64 = states.iter().enumerate().map(|(t, s)| b[[t, *s]]).sum();
        let moved: f64 = states.windows(2).map(|w| self.transition[[w[0], w[1]]].ln()).sum();
        Ok(self.initial[states[0]].ln() + moved + emitted)
    }

    /// A sequence of this length and its states.
    ///
    /// # Errors
    /// More than memory has room for.
    pub fn sample(&self, length: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let mut x = zeros("length", length, self.emission.features())?;
        let (mut rng, mut states) = (Philox::new(seed, 0), Vec::with_capacity(length));
        for (t, mut row) in x.axis_iter_mut(Axis(0)).enumerate() {
            let from = if t == 0 { self.initial.view() } else { self.transition.row(states[t - 1]) };
            let k = rng.categorical(&from.to_vec());
            states.push(k);
            row.assign(&self.emission.draw(k, &mut rng));
        }
        Ok((x, states))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedHiddenMarkov);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedHiddenMarkov {
    fn check(&self) -> Result<()> {
        self.sound()
    }
}
