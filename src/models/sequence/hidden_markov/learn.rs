//! Baum-Welch: EM whose E-step is forward and backward. Checked in `tests/sequence/hidden_markov.rs`.

use std::marker::PhantomData;

use ndarray::{Array2, Array3, ArrayView2, Axis};
use rayon::prelude::*;

use super::emission::Emission;
use super::fitted::FittedHiddenMarkov;
use super::forward_backward::Smoothed;
use super::resident::Sequences;
use super::sums::Sums;
use crate::Result;
use crate::check::parameter;
use crate::inference::em::{EmModel, Statistics};
use crate::linalg::small_cholesky::Small;

pub(super) struct BaumWelch<'a> {
    pub data: PhantomData<ArrayView2<'a, f64>>,
    pub pseudo_counts: f64,
    pub floor: f64,
    pub missing: bool,
    /// Whether steps are made in f32.
    pub single: bool,
}

/// Rows of counts as shares; a row of nothing keeps what was believed before.
fn shares(counts: &Array2<f64>, added: f64, before: &Array2<f64>) -> Array2<f64> {
    let mut p = counts + added;
    for (mut row, old) in p.rows_mut().into_iter().zip(before.rows()) {
        let all = row.sum();
        if all > 0.0 {
            row /= all;
        } else {
            row.assign(&old);
        }
    }
    p
}

impl BaumWelch<'_> {
    /// The M-step.
    pub fn parameters(&self, from: &FittedHiddenMarkov, sums: &Sums) -> Result<FittedHiddenMarkov> {
        let added = self.pseudo_counts;
        let first = sums.first.clone().insert_axis(Axis(0));
        let initial = shares(&first, added, &from.initial().clone().insert_axis(Axis(0))).row(0).to_owned();
        let transition = shares(&sums.moves, added, from.transition());
        let normals = |weights: Vec<f64>, means: &Array2<f64>, covariances: &Array3<f64>| {
            let (mut means, mut covariances, d) = (means.clone(), covariances.clone(), means.ncols());
            for (c, w) in weights.iter().enumerate().filter(|(_, w)| **w > 1e-12) {
                for i in 0..d {
                    for j in 0..d {
                        let floor = if i == j { self.floor } else { 0.0 };
                        covariances[[c, i, j]] = (sums.scatter[[c, i, j]] + floor) / w;
                    }
                }
                means.row_mut(c).assign(&sums.means.row(c));
            }
            (means, covariances)
        };
        let emission = match from.emission() {
            Emission::Discrete(p) => Emission::Discrete(shares(&sums.counts, added, p)),
            Emission::Gaussian { means, covariances } => {
                let (means, covariances) = normals(sums.counts.iter().copied().collect(), means, covariances);
                Emission::Gaussian { means, covariances }
            }
            Emission::Mixture { weights, means, covariances } => {
                let (means, covariances) = normals(sums.counts.iter().copied().collect(), means, covariances);
                Emission::Mixture { weights: shares(&sums.counts, 0.0, weights), means, covariances }
            }
        };
        Ok(FittedHiddenMarkov::new(initial, transition, emission)?.allow_missing(self.missing))
    }
}

impl<'a> EmModel for BaumWelch<'a> {
    const NAME: &'static str = "HiddenMarkov";
    type Batch = Sequences<'a>;
    type Params = FittedHiddenMarkov;
    type Stats = Sums;

    fn expect(&self, params: &FittedHiddenMarkov, batch: &Self::Batch) -> Result<Sums> {
        let one = |x: &ArrayView2<f64>| -> Result<Sums> {
            let Smoothed { states, transitions, log_likelihood, .. } = params.smooth(x)?;
            let requirement =
                "a sequence is impossible under the parameters: start elsewhere, or add pseudo-counts";
            parameter(
                "log-likelihood of a sequence",
                log_likelihood,
                log_likelihood > f64::NEG_INFINITY,
                requirement,
            )?;
            let mut sums = Sums::new(params);
            sums.gather(params, *x, &states, &transitions)?;
            sums.log_likelihood = log_likelihood;
            Ok(sums)
        };
        let batch = match batch {
            Sequences::Host(all) => all,
            Sequences::Device(there) => match there.expect(params)? {
                Some(sums) => return Ok(sums),
                None => there.host(),
            },
        };
        let each: Vec<Sums> = batch.par_iter().map(one).collect::<Result<_>>()?;
        let mut all = Sums::new(params);
        for s in &each {
            all.add(s);
        }
        Ok(all)
    }

    fn maximise(&self, params: &FittedHiddenMarkov, sums: &Sums) -> Result<FittedHiddenMarkov> {
        self.parameters(params, sums)
    }

    fn rounding(&self, _: &FittedHiddenMarkov) -> f64 {
        if self.single { 1e-5 } else { 1e-10 }
    }

    /// The log-likelihood, plus the logarithm of the prior that pseudo-counts and the floor are.
    fn objective(&self, params: &FittedHiddenMarkov, sums: &Sums) -> f64 {
        let mut prior = 0.0;
        if self.pseudo_counts > 0.0 {
            let logs = |p: &Array2<f64>| p.iter().map(|v| v.ln()).sum::<f64>();
            prior += params.initial().iter().map(|v| v.ln()).sum::<f64>() + logs(params.transition());
            if let Emission::Discrete(p) = params.emission() {
                prior += logs(p);
            }
        }
        // The floor of the scatter is a prior too: -½ floor tr Σ⁻¹.
        let (mut traces, d) = (0.0, params.emission().features());
        if let Emission::Gaussian { covariances, .. } | Emission::Mixture { covariances, .. } =
            params.emission()
        {
            for c in covariances.outer_iter().filter(|_| self.floor > 0.0) {
                traces += Small::new(Self::NAME, c).map_or(f64::NAN, |s| s.inverse(d).diag().sum());
            }
        }
        sums.log_likelihood + self.pseudo_counts * prior - 0.5 * self.floor * traces
    }
}
