//! A pass over the rows and the means after it, as EM.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::Result;
use crate::inference::em::{EmModel, Statistics};
use crate::models::cluster::seeding::closest;

/// Rows, and how much each weighs.
pub(super) struct Weighed<'a> {
    pub x: ArrayView2<'a, f64>,
    pub weights: Option<ArrayView1<'a, f64>>,
}

pub(super) struct Pass<'a> {
    pub penalty: f64,
    pub rows: PhantomData<&'a ()>,
}

/// What a pass has left: the clusters it came with and those it has founded.
#[derive(Clone)]
pub(super) struct Clusters {
    pub centres: Array2<f64>,
    pub count: Vec<f64>,
    total: Array2<f64>,
    pub labels: Vec<usize>,
    cost: f64,
    /// How many it came with: these are common to all parts of the data.
    old: usize,
}

impl Statistics for Clusters {
    /// What another part has founded comes after what this one has.
    fn add(&mut self, other: &Self) {
        let by = self.count.len() - other.old;
        self.labels.extend(other.labels.iter().map(|&k| if k < other.old { k } else { k + by }));
        for k in 0..other.old {
            self.count[k] += other.count[k];
            self.total.row_mut(k).scaled_add(1.0, &other.total.row(k));
        }
        for k in other.old..other.count.len() {
            self.count.push(other.count[k]);
            push(&mut self.centres, other.centres.row(k));
            push(&mut self.total, other.total.row(k));
        }
        self.cost += other.cost;
    }

    fn scale(&mut self, by: f64) {
        self.count.iter_mut().for_each(|c| *c *= by);
        self.total *= by;
        self.cost *= by;
    }

    fn mass(&self) -> f64 {
        self.count.iter().sum()
    }
}

fn push(to: &mut Array2<f64>, row: ArrayView1<f64>) {
    // Only rows of another length are refused, and all of these have d entries.
    let _ = to.push_row(row);
}

impl<'a> EmModel for Pass<'a> {
    const NAME: &'static str = "DpMeans";
    type Batch = Weighed<'a>;
    type Params = Array2<f64>;
    type Stats = Clusters;

    fn expect(&self, centres: &Array2<f64>, batch: &Weighed) -> Result<Clusters> {
        let x = batch.x;
        let mut now = Clusters {
            centres: centres.clone(),
            count: vec![0.0; centres.nrows()],
            total: Array2::zeros(centres.raw_dim()),
            labels: Vec::with_capacity(x.nrows()),
            cost: 0.0,
            old: centres.nrows(),
        };
        for (i, row) in x.rows().into_iter().enumerate() {
            let weight = batch.weights.map_or(1.0, |w| w[i]);
            let label = match closest(row, now.centres.view()) {
                // A row that weighs nothing founds nothing.
                Some((k, distance)) if distance <= self.penalty || weight == 0.0 => {
                    now.cost += weight * distance;
                    k
                }
                _ => {
                    push(&mut now.centres, row);
                    push(&mut now.total, Array1::zeros(row.len()).view());
                    now.count.push(0.0);
                    now.count.len() - 1
                }
            };
            now.count[label] += weight;
            now.total.row_mut(label).scaled_add(weight, &row);
            now.labels.push(label);
        }
        Ok(now)
    }

    fn maximise(&self, _: &Array2<f64>, now: &Clusters) -> Result<Array2<f64>> {
        let kept: Vec<usize> = (0..now.count.len()).filter(|&k| now.count[k] > 0.0).collect();
        let mut centres = now.total.select(Axis(0), &kept);
        for (mut centre, k) in centres.rows_mut().into_iter().zip(kept) {
            centre /= now.count[k];
        }
        Ok(centres)
    }

    fn objective(&self, _: &Array2<f64>, now: &Clusters) -> f64 {
        let clusters = now.count.iter().filter(|&&c| c > 0.0).count();
        -(now.cost + self.penalty * clusters as f64)
    }
}
