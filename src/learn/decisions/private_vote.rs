//! Experts on disjoint rows, and a noisy vote of them.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::check::{components, finite, not_negative, require};
use crate::configure::setters;
use crate::learn::data::{Inputs, Targets};
use crate::learn::labels::{Labels, most_probable};
use crate::learn::traits::{Classes, Fit, Predict};
use crate::random::shuffle;
use crate::{Device, Progress, Result};

/// One classifier for each part of the rows, and the class with the most votes after noise is added to the counts.
///
/// Parts are disjoint and dealt out by the rows' positions alone, so that a row that is replaced changes one vote at most: with
/// Laplace noise of scale `b = 2/ε` the answer to one question is ε-differentially private for whoever does not know the
/// seed, as long as the classes that occur are no secret. The noise is a function of the seed and of the row that is asked
/// for: asked again it is the same, which tells no more, and every other row has its own and costs another ε. Without noise
/// it is a majority vote, the first class of equals.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((30, 1), |(i, _)| i as f64);
/// let y: Vec<bool> = (0..30).map(|i| i >= 15).collect();
/// let fit = PrivateVote::new(LogisticRegression::new(0.1), 3).seed(1).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(fit.predict(ndarray::array![[2.0], [27.0]])?, [false, true]);
/// assert_eq!(fit.parts().iter().map(Vec::len).sum::<usize>(), 30);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrivateVote<M> {
    model: M,
    parts: usize,
    noise: f64,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl<M> PrivateVote<M> {
    /// With this model on each of so many parts, without noise.
    pub fn new(model: M, parts: usize) -> Self {
        PrivateVote { model, parts, noise: 0.0, seed: 0, progress: Progress::none() }
    }

    /// Learns one expert from each part of the rows of `x`, `n x d`, and their labels.
    ///
    /// # Errors
    /// Those of the model, which may find a single class in a part; [`Error::Parameter`](crate::Error::Parameter) for no
    /// parts or more than rows, or a bad noise.
    pub fn fit<L: Ord + Clone>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
    ) -> Result<FittedPrivateVote<M::Fitted, L>>
    where
        M: Fit<[L]>,
    {
        Fit::<[L]>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

setters!(PrivateVote<M> {
    /// The scale b ≥ 0 of the Laplace noise on each count.
    noise: f64,
    /// Seed of the parts and of the noise.
    seed: u64,
    /// Called after the fit of each expert; it can cancel.
    progress: Progress,
});

impl<M: Fit<[L]>, L: Ord + Clone> Fit<[L]> for PrivateVote<M> {
    type Fitted = FittedPrivateVote<M::Fitted, L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let op = "PrivateVote::fit";
        finite(op, "x", x)?;
        let n = x.nrows();
        require(op, n == y.len(), || format!("x has {n} rows, y has {}", y.len()))?;
        components("parts", self.parts, n)?;
        not_negative("noise", self.noise)?;
        let (labels, _) = Labels::of_classes(y)?;
        // No part may depend on labels: one that changes would move the rows of others.
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut order, self.seed, 0);
        let mut parts = vec![Vec::new(); self.parts];
        order.into_iter().enumerate().for_each(|(at, i)| parts[at % self.parts].push(i));
        let mut experts = Vec::with_capacity(self.parts);
        for part in &mut parts {
            part.sort_unstable();
            let y: Vec<L> = part.iter().map(|&i| y[i].clone()).collect();
            experts.push(self.model.fit(device, x.select(Axis(0), part).view(), &y)?);
            self.progress.report(op, experts.len(), self.parts, f64::NAN)?;
        }
        Ok(FittedPrivateVote { labels, experts, parts, noise: self.noise, seed: self.seed })
    }
}

/// Fitted [`PrivateVote`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedPrivateVote<T, L> {
    labels: Labels<L>,
    experts: Vec<T>,
    parts: Vec<Vec<usize>>,
    noise: f64,
    seed: u64,
}

impl<T, L> FittedPrivateVote<T, L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The experts.
    pub fn experts(&self) -> &[T] {
        &self.experts
    }

    /// The rows of each expert: no row is in two of them.
    pub fn parts(&self) -> &[Vec<usize>] {
        &self.parts
    }
}

/// Random numbers of a seed and a row: each entry chooses the stream of the seed that the next begins with.
fn stream(seed: u64, row: ArrayView1<f64>) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for v in row {
        // 0 and -0 are one number.
        rng.set_stream((v + 0.0).to_bits());
        let next = rng.random();
        rng = ChaCha8Rng::seed_from_u64(next);
    }
    rng
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> FittedPrivateVote<T, L> {
    /// The votes for each class with their noise, one row for each row of `x`.
    ///
    /// # Errors
    /// Those of the experts.
    pub fn votes(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        let mut votes = Array2::<f64>::zeros((x.nrows(), self.labels.classes().len()));
        for expert in &self.experts {
            for (i, k) in self.labels.indices(&expert.predict(x.view())?)?.into_iter().enumerate() {
                votes[[i, k]] += 1.0;
            }
        }
        if self.noise > 0.0 {
            for (mut own, asked) in votes.rows_mut().into_iter().zip(x.rows()) {
                let mut rng = stream(self.seed, asked);
                own.mapv_inplace(|v| {
                    let u: f64 = rng.random::<f64>() - 0.5;
                    v - self.noise * u.signum() * (1.0 - 2.0 * u.abs()).max(f64::MIN_POSITIVE).ln()
                });
            }
        }
        Ok(votes)
    }

    /// The label with the most votes of each row, after the noise.
    ///
    /// # Errors
    /// Those of the experts.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        self.labels.names(&most_probable(self.votes(x)?.view()))
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Predict for FittedPrivateVote<T, L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(self.votes(x)?.view()))
    }
}

impl<T, L> Classes for FittedPrivateVote<T, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedPrivateVote<T, L>);

#[cfg(feature = "serde")]
impl<T, L> crate::saved::Checked for FittedPrivateVote<T, L> {
    fn check(&self) -> crate::Result<()> {
        crate::check::not_negative("noise", self.noise)?;
        let fits = !self.experts.is_empty() && self.labels.classes().len() > 1;
        crate::check::require("a saved FittedPrivateVote", fits, || "no experts, or no classes".to_owned())
    }
}
