//! What DP-means is to fit, and how.

use std::marker::PhantomData;

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::fitted::FittedDpMeans;
use super::pass::{Pass, Weighed};
use crate::check::{finite, positive};
use crate::inference::em::{Em, em_setters};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::{Device, Result};

/// `min_K,μ sum_i w_i |x_i - μ_{c_i}|^2 + λ K`, locally.
///
/// It starts from one cluster at the mean. Rows are visited in order: one whose squared distance to every centre exceeds
/// λ founds a cluster, which rows after it can join; then centres go to the mean of their rows, and a cluster without
/// rows is dropped. The order of the rows matters, and the sequential pass runs on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[-3.0], [-2.9], [3.0], [3.1]];
/// let fit = DpMeans::new(1.0).fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.centres().nrows(), 2);
/// assert!((fit.objective() - 2.01).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DpMeans {
    penalty: f64,
    em: Em,
}

impl DpMeans {
    /// With the price λ of a cluster: what it must save to be worth its while, in squared units of x.
    pub fn new(penalty: f64) -> Self {
        DpMeans { penalty, em: Em::new().tolerance(0.0) }
    }

    fn run(&self, _: &Device, x: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> Result<FittedDpMeans> {
        positive("penalty", self.penalty)?;
        finite("DpMeans::fit", "x", x)?;
        let ones = || Array1::ones(x.nrows());
        let share = weights.map_or_else(ones, |w| w.to_owned());
        let mean = share.dot(&x) / share.sum();
        let start = mean.insert_axis(Axis(0));
        let pass = Pass { penalty: self.penalty, rows: PhantomData };
        // There is nothing random to start from.
        let run = self.em.clone().restarts(1).run(&pass, &[Weighed { x, weights }], |_| Ok(start.clone()))?;
        let kept: Vec<usize> = (0..run.stats.count.len()).filter(|&k| run.stats.count[k] > 0.0).collect();
        let place = |k: usize| kept.iter().position(|&own| own == k).unwrap_or(0);
        let labels = run.stats.labels.iter().map(|&k| place(k)).collect();
        let centres = run.stats.centres.select(Axis(0), &kept);
        Ok(FittedDpMeans::new(centres, labels, run.report.negated()))
    }
}

setters!(DpMeans {
    /// The price λ of a cluster, in squared units of x.
    penalty: f64,
});

em_setters!(DpMeans: max_iterations, tolerance, progress);

fits!(DpMeans: Weighed -> FittedDpMeans);
