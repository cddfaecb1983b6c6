//! What is to be learned of a hidden Markov model, and from what.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, concatenate};

use super::emission::{Emission, OP, symbol};
use super::fitted::FittedHiddenMarkov;
use super::learn::BaumWelch;
use super::resident::{Resident, Sequences};
use super::sums::Sums;
use crate::check::{not_negative, numbers, parameter, require, room};
use crate::configure::setters;
use crate::inference::em::{Em, em_setters};
use crate::learn::Report;
use crate::random::Philox;
use crate::{Device, Result};

/// The kind of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emissions {
    /// One of so many symbols, the numbers from 0 on.
    Discrete {
        /// The number of symbols.
        symbols: usize,
    },
    /// Normal vectors with full covariances.
    Gaussian,
    /// Mixtures of so many normal vectors in each state.
    Mixture {
        /// Components of each state.
        components: usize,
    },
}

/// A hidden Markov model to be learned: from sequences alone by Baum-Welch ([`HiddenMarkov::learn`], EM on the crate's
/// one driver), or from sequences and their states by counts ([`HiddenMarkov::learn_labelled`]).
///
/// ```
/// use mercer::models::sequence::{Emissions, HiddenMarkov};
/// use ndarray::Array2;
/// // Ten observations near 0, ten near 5, and so on.
/// let x = Array2::from_shape_fn((100, 1), |(t, _)| if t / 10 % 2 == 0 { 0.0 } else { 5.0 } + (t as f64).sin());
/// let learned = HiddenMarkov::new(2, Emissions::Gaussian).restarts(5).seed(1).learn(&[x.clone()])?;
/// let path = learned.viterbi(&x)?.states;
/// assert!((0..100).all(|t| (path[t] == path[0]) == (t / 10 % 2 == 0)));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HiddenMarkov {
    states: usize,
    emissions: Emissions,
    pseudo_counts: f64,
    floor: f64,
    missing: bool,
    start: Option<FittedHiddenMarkov>,
    device: Device,
    em: Em,
}

impl HiddenMarkov {
    /// So many hidden states, with observations of this kind.
    pub fn new(states: usize, emissions: Emissions) -> Self {
        let (em, device) = (Em::new(), Device::cpu());
        let (pseudo_counts, floor, missing, start) = (0.0, 1e-6, false, None);
        HiddenMarkov { states, emissions, pseudo_counts, floor, missing, start, device, em }
    }

    /// Learns on this device, where that is worth it: many sequences of symbols or normal vectors, with at most 64 states, one
    /// submission an iteration. The last steps are made in f64 on the CPU, as is everything unless this is called.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }
}

setters!(HiddenMarkov {
    /// What is added to every count of first states, transitions and symbols, as a Dirichlet prior would: 0.
    pseudo_counts: f64,
    /// What is added to the diagonal of the scatter of every state, as a prior of its covariance would: 1e-6.
    floor: f64,
    /// Whether a row of NaN is an observation that is missing, instead of an error.
    allow_missing => missing: bool,
    /// The parameters to begin Baum-Welch with; random ones of the seed unless given.
    start: into Option<FittedHiddenMarkov>,
});

em_setters!(HiddenMarkov: max_iterations, tolerance, restarts, seed, progress);

impl HiddenMarkov {
    fn baum_welch<'a>(&self) -> BaumWelch<'a> {
        let (pseudo_counts, floor, missing) = (self.pseudo_counts, self.floor, self.missing);
        BaumWelch { data: PhantomData, pseudo_counts, floor, missing, single: false }
    }

    fn check(&self, sequences: &[Array2<f64>]) -> Result<usize> {
        parameter("states", self.states as f64, self.states > 0, "must be at least 1")?;
        not_negative("pseudo_counts", self.pseudo_counts)?;
        not_negative("floor", self.floor)?;
        require(OP, !sequences.is_empty(), || "there are no sequences".to_owned())?;
        let d = sequences[0].ncols();
        for x in sequences {
            require(OP, x.nrows() > 0 && x.ncols() == d && d > 0, || format!("a sequence of {:?}", x.dim()))?;
            if !self.missing {
                numbers(OP, "a sequence", x.view())?;
            }
        }
        let outcomes = match self.emissions {
            Emissions::Discrete { symbols } => symbols,
            Emissions::Gaussian => d,
            Emissions::Mixture { components } => components.saturating_mul(d),
        };
        parameter("symbols or components", outcomes as f64, outcomes > 0, "must be at least 1")?;
        room("states", self.states.saturating_mul(self.states.max(outcomes).saturating_mul(d)), 8)?;
        Ok(d)
    }

    /// Learns from sequences alone: `T x d` each, of any lengths.
    ///
    /// # Errors
    /// No sequences or an empty one, sequences of different widths, NaN, a symbol that is not one, a start of another
    /// shape, settings out of their domain, [`Error::Cancelled`](crate::Error::Cancelled); a start that excludes a sequence.
    pub fn learn(&self, sequences: &[Array2<f64>]) -> Result<FittedHiddenMarkov> {
        let d = self.check(sequences)?;
        if let Some(start) = &self.start {
            let fits = start.initial().len() == self.states && start.emission().features() == d;
            require(OP, fits, || "the start is of another shape".to_owned())?;
        }
        let mut model = self.baum_welch();
        let views: Vec<ArrayView2<f64>> = sequences.iter().map(|x| x.view()).collect();
        let first = |seed: u64| match &self.start {
            Some(start) => Ok(start.clone().allow_missing(self.missing)),
            None => self.random_start(sequences, d, seed),
        };
        let there = Resident::new(&self.device, self.emissions, self.states, &views)?;
        let host = [Sequences::Host(views)];
        let outcome = match there {
            None => self.em.run(&model, &host, first)?,
            // Rounded steps until they gain nothing, then steps in f64 until these do.
            Some(there) => {
                model.single = true;
                self.em.run_exactly(&model, &[Sequences::Device(Box::new(there))], Some(&host), first)?
            }
        };
        Ok(outcome.params.reported(outcome.report))
    }

    /// Learns from sequences whose states are known: shares of counts, and moments of the observations of each state.
    ///
    /// # Errors
    /// As [`HiddenMarkov::learn`]; states that are not one for each observation; a state that never occurs or is never left,
    /// where there are no pseudo-counts to say what it does; a state of normal vectors that shows none.
    pub fn learn_labelled(
        &self,
        sequences: &[Array2<f64>],
        states: &[Vec<usize>],
    ) -> Result<FittedHiddenMarkov> {
        let d = self.check(sequences)?;
        let k = self.states;
        let fits = sequences.len() == states.len()
            && sequences.iter().zip(states).all(|(x, z)| x.nrows() == z.len() && z.iter().all(|s| *s < k));
        require(OP, fits, || {
            "states must be one for each observation, below the number of states".to_owned()
        })?;
        let mixture = matches!(self.emissions, Emissions::Mixture { .. });
        require(OP, !mixture, || "components of a mixture are not observed: use `learn`".to_owned())?;
        let shape = self.random_start(sequences, d, 0)?;
        let mut sums = Sums::new(&shape);
        for (x, z) in sequences.iter().zip(states) {
            let p = Array2::from_shape_fn((z.len(), k), |(t, s)| f64::from(u8::from(z[t] == s)));
            let mut moves = Array2::zeros((k, k));
            z.windows(2).for_each(|w| moves[[w[0], w[1]]] += 1.0);
            sums.gather(&shape, x.view(), &p, &moves)?;
        }
        let model = self.baum_welch();
        for s in 0..k {
            let left = sums.left(s) + self.pseudo_counts;
            let requirement = "every state must occur and be left, or have pseudo-counts";
            parameter(&format!("transitions from state {s}"), left, left > 0.0, requirement)?;
            // Pseudo-counts are of symbols: they say nothing of means.
            let symbols = matches!(self.emissions, Emissions::Discrete { .. });
            let seen = sums.seen(s) + if symbols { self.pseudo_counts } else { 0.0 };
            let requirement = "every state must show something, or symbols have pseudo-counts";
            parameter(&format!("observations of state {s}"), seen, seen > 0.0, requirement)?;
        }
        let learned = model.parameters(&shape, &sums)?;
        let log: Result<f64> = sequences.iter().zip(states).map(|(x, z)| learned.log_joint(z, x)).sum();
        Ok(learned.reported(Report::direct(log?)))
    }

    /// Flat probabilities, disturbed; means at observations drawn by the seed, the covariance of all of them.
    fn random_start(&self, sequences: &[Array2<f64>], d: usize, seed: u64) -> Result<FittedHiddenMarkov> {
        let (k, mut rng) = (self.states, Philox::new(seed, 0));
        let mut rows = |n: usize, m: usize| {
            let mut p = Array2::<f64>::zeros((n, m));
            for mut row in p.rows_mut() {
                row.assign(&Array1::from(rng.dirichlet(&vec![5.0; m])));
            }
            p
        };
        let initial = rows(1, k).row(0).to_owned();
        let transition = rows(k, k);
        let emission = match self.emissions {
            Emissions::Discrete { symbols } => {
                for x in sequences {
                    x.iter()
                        .filter(|v| !(self.missing && v.is_nan()))
                        .try_for_each(|v| symbol(*v, symbols).map(|_| ()))?;
                }
                Emission::Discrete(rows(k, symbols))
            }
            Emissions::Gaussian | Emissions::Mixture { .. } => {
                let m = if let Emissions::Mixture { components } = self.emissions { components } else { 1 };
                let weights = rows(k, m);
                let views: Vec<_> = sequences.iter().map(|x| x.view()).collect();
                let all = concatenate(Axis(0), &views).expect("the widths are equal");
                let seen: Vec<usize> =
                    (0..all.nrows()).filter(|i| all.row(*i).iter().all(|v| v.is_finite())).collect();
                require(OP, !seen.is_empty(), || "every observation is missing".to_owned())?;
                let all = all.select(Axis(0), &seen);
                let mean = all.mean_axis(Axis(0)).expect("there are rows");
                let off = &all - &mean;
                let covariance =
                    off.t().dot(&off) / all.nrows() as f64 + Array2::<f64>::eye(d) * self.floor.max(1e-12);
                let order = rng.permutation(all.nrows());
                let means = Array2::from_shape_fn((k * m, d), |(c, j)| {
                    // Fewer observations than means: they repeat, apart by a share of the spread.
                    let again = (c / order.len()) as f64;
                    all[[order[c % order.len()], j]] + 0.1 * again * covariance[[j, j]].sqrt()
                });
                let covariances = Array3::from_shape_fn((k * m, d, d), |(_, i, j)| covariance[[i, j]]);
                if m == 1 && self.emissions == Emissions::Gaussian {
                    Emission::Gaussian { means, covariances }
                } else {
                    Emission::Mixture { weights, means, covariances }
                }
            }
        };
        Ok(FittedHiddenMarkov::new(initial, transition, emission)?.allow_missing(self.missing))
    }
}
