//! Mixtures of any component, by EM. Checked in `tests/probability/mixtures.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::free_energy::FreeEnergy;
use crate::check::{inputs, parameter, require, weights, zeros};
use crate::learn::configure::getters;
use crate::probability::distributions::{Categorical, Component};
use crate::probability::special::log_sum_exp;
use crate::{Error, Result};

/// `p(x) = Σ_k π_k p_k(x)` with components of any one family: given, or fitted by EM from where they stand.
///
/// ```
/// use mercer::inference::ComponentMixture;
/// use mercer::probability::distributions::Poisson;
/// use ndarray::array;
/// // Quiet and busy hours.
/// let calls = array![[1.0], [0.0], [2.0], [14.0], [11.0], [1.0], [12.0]];
/// let start = ComponentMixture::new(&[0.5, 0.5], vec![Poisson::new(1.0)?, Poisson::new(5.0)?])?;
/// let fitted = start.fit(calls.view(), ndarray::Array1::ones(7).view(), 200, 1e-9)?;
/// assert!((fitted.weights()[1] - 3.0 / 7.0).abs() < 1e-2 && (fitted.components()[1].rate() - 12.33).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentMixture<C> {
    weights: Vec<f64>,
    components: Vec<C>,
    trace: Vec<f64>,
}

getters!(ComponentMixture<C> {
    /// π.
    weights: &[f64],
    /// The components.
    components: &[C],
    /// The log-likelihood before the first iteration of EM and after each, which never falls; empty for a mixture that was given.
    trace: &[f64],
});

impl<C: Component> ComponentMixture<C> {
    /// The mixture with these weights, which must sum to one, and components.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a weight for each component, and all have the same number of features;
    /// [`Error::Parameter`] for weights that are no distribution.
    pub fn new(weights: &[f64], components: Vec<C>) -> Result<Self> {
        let weights = Categorical::new(weights)?.probabilities().to_vec();
        require("ComponentMixture", weights.len() == components.len(), || {
            format!("{} weights, {} components", weights.len(), components.len())
        })?;
        let d = components.first().map_or(0, C::features);
        require("ComponentMixture", components.iter().all(|c| c.features() == d), || {
            "components of different numbers of features".to_owned()
        })?;
        Ok(ComponentMixture { weights, components, trace: Vec::new() })
    }

    /// `ln π_k + ln p_k(x_i)`, `n x K`: what [`FreeEnergy`] takes.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features, [`Error::NotFinite`].
    pub fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("ComponentMixture", x, self.components[0].features())?;
        let mut out = zeros("rows of x", x.nrows(), self.weights.len())?;
        for ((mut column, c), w) in out.columns_mut().into_iter().zip(&self.components).zip(&self.weights) {
            column.assign(&(c.log_densities(x)? + w.ln()));
        }
        Ok(out)
    }

    /// The marginal log density `ln Σ_k π_k p_k(x_i)` of each row.
    ///
    /// # Errors
    /// As [`log_joint`](Self::log_joint).
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(self.log_joint(x)?.map_axis(Axis(1), |row| log_sum_exp(&row.to_vec())))
    }

    /// The complete-data log-likelihood `Σ_i ln π_{z_i} + ln p_{z_i}(x_i)` of rows whose components are known.
    ///
    /// # Errors
    /// As [`log_joint`](Self::log_joint), and [`Error::Shape`] unless there is a component for each row.
    pub fn complete_log_likelihood(&self, x: ArrayView2<f64>, z: &[usize]) -> Result<f64> {
        let k = self.weights.len();
        require("ComponentMixture", z.len() == x.nrows() && z.iter().all(|z| *z < k), || {
            format!("{} rows, {} components of {k}", x.nrows(), z.len())
        })?;
        let joint = self.log_joint(x)?;
        Ok(z.iter().enumerate().map(|(i, &z)| joint[[i, z]]).sum())
    }

    /// Responsibilities `p(k | x_i)`, `n x K`.
    ///
    /// # Errors
    /// As [`log_joint`](Self::log_joint), and [`Error::Parameter`] for a row that no component allows.
    pub fn responsibilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        FreeEnergy::posterior(self.log_joint(x)?.view())
    }

    /// Which rows are less probable than all but a share `alpha` of the rows `usual`: the low-density flag of an outlier.
    ///
    /// # Errors
    /// As [`log_joint`](Self::log_joint), and [`Error::Parameter`] unless alpha is between 0 and 1.
    pub fn outliers(&self, x: ArrayView2<f64>, usual: ArrayView2<f64>, alpha: f64) -> Result<Vec<bool>> {
        crate::check::level(alpha)?;
        let mut scores = self.score_samples(usual)?.to_vec();
        scores.sort_by(f64::total_cmp);
        let threshold = scores[((alpha * scores.len() as f64) as usize).min(scores.len() - 1)];
        Ok(self.score_samples(x)?.iter().map(|s| *s < threshold).collect())
    }

    /// New rows and the component of each: z from π, then x from that component; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let z = Categorical::new(&self.weights)?.sample(count, seed)?;
        let mut out = zeros("count", count, self.components[0].features())?;
        for (k, c) in self.components.iter().enumerate() {
            let own: Vec<usize> = (0..count).filter(|&i| z[i] == k).collect();
            let rows = c.sample_rows(own.len(), seed.wrapping_add(k as u64 + 1))?;
            own.iter().zip(rows.rows()).for_each(|(&i, row)| out.row_mut(i).assign(&row));
        }
        Ok((out, z))
    }

    /// EM from these components, on weighted rows, until an iteration gains less than `tolerance` of the log-likelihood's size.
    ///
    /// # Errors
    /// As [`log_joint`](Self::log_joint), those of a component's own fit, and [`Error::Parameter`] for bad weights.
    pub fn fit(&self, x: ArrayView2<f64>, w: ArrayView1<f64>, most: usize, tolerance: f64) -> Result<Self> {
        self.fit_labelled(x, &vec![None; x.nrows()], w, most, tolerance)
    }

    /// The same when some rows are known to belong to a component, which clamps their responsibilities: with all labels it is the
    /// supervised fit, with none [`fit`](Self::fit).
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Shape`] for labels that do not fit.
    pub fn fit_labelled(
        &self,
        x: ArrayView2<f64>,
        labels: &[Option<usize>],
        w: ArrayView1<f64>,
        most: usize,
        tolerance: f64,
    ) -> Result<Self> {
        const OP: &str = "ComponentMixture::fit";
        let k = self.weights.len();
        weights(OP, w, x.nrows())?;
        crate::check::not_negative("tolerance", tolerance)?;
        require(OP, labels.len() == x.nrows() && labels.iter().flatten().all(|z| *z < k), || {
            format!("{} rows, {} labels of {k} components", x.nrows(), labels.len())
        })?;
        // What has no weight has no part, though no component may allow it.
        let kept: Vec<usize> = (0..x.nrows()).filter(|&i| w[i] > 0.0).collect();
        let (rows, w) = (x.select(Axis(0), &kept), w.select(Axis(0), &kept));
        let (x, labels) = (rows.view(), kept.iter().map(|&i| labels[i]).collect::<Vec<_>>());
        let mut now = ComponentMixture { trace: Vec::new(), ..self.clone() };
        for iteration in 0..=most {
            let joint = now.log_joint(x)?;
            let mut r = Array2::zeros(joint.raw_dim());
            let mut log = 0.0;
            for (i, (row, label)) in joint.rows().into_iter().zip(&labels).enumerate() {
                let total = label.map_or_else(|| log_sum_exp(&row.to_vec()), |z| row[z]);
                log += w[i] * total;
                let name = format!("log density of row {}", kept[i]);
                parameter(&name, total, total.is_finite(), "no component allows it")?;
                for own in 0..k {
                    let share =
                        label.map_or_else(|| (row[own] - total).exp(), |z| f64::from(u8::from(z == own)));
                    r[[i, own]] = w[i] * share;
                }
            }
            let gained = now.trace.last().map_or(f64::INFINITY, |before| log - before);
            now.trace.push(log);
            if gained <= tolerance * (1.0 + log.abs()) || iteration == most {
                break;
            }
            let mass = r.sum_axis(Axis(0));
            let components = now
                .components
                .iter()
                .zip(r.columns())
                .zip(&mass)
                .map(|((c, r), m)| if *m > 0.0 { c.refit(x, r) } else { Ok(c.clone()) })
                .collect::<Result<Vec<C>>>()?;
            let total = mass.sum();
            now = ComponentMixture {
                weights: mass.iter().map(|m| m / total).collect(),
                components,
                trace: now.trace,
            };
        }
        if now.trace.is_empty() {
            return Err(Error::Shape { op: OP, what: "no iterations".to_owned() });
        }
        Ok(now)
    }

    /// Free parameters: those of the components and `K - 1` weights.
    pub fn parameters(&self) -> usize {
        self.components.iter().map(C::parameters).sum::<usize>() + self.weights.len() - 1
    }
}
