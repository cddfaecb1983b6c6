//! Lloyd's algorithm as EM: hard assignments are the E-step, means the M-step, minus the cost the objective.

use std::sync::Arc;

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use crate::Result;
use crate::inference::em::{EmModel, Observations, Statistics};
use crate::models::cluster::seeding::squared_distance;
use crate::ops::{Centres, nearest};
use crate::saved::Wire;

/// Rows that are added up before a new partial sum starts: the same bits however many threads there are.
const BLOCK: usize = 8192;
/// Rows whose nearest centres are found before they are added up: they stay in the second cache.
const CHUNK: usize = 256;

/// Sums over the rows of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sums {
    pub mass: Array1<f64>,
    /// `sum w x`, `K x d`.
    pub total: Array2<f64>,
    /// `sum w |x - μ|^2` over everything.
    pub cost: f64,
    /// The row that lies farthest from its centre: its weight, its `w |x - μ|^2` and the row itself.
    farthest: Vec<Option<(f64, f64, Array1<f64>)>>,
    /// Where each row belongs, while this is about one part of the data.
    pub labels: Option<Arc<Vec<usize>>>,
}

/// Labels are about the rows of one rank, and stay there.
impl Wire for Sums {
    fn write(&self, to: &mut Vec<u8>) {
        self.mass.write(to);
        self.total.write(to);
        self.cost.write(to);
        self.farthest.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Ok(Sums {
            mass: Wire::read(from)?,
            total: Wire::read(from)?,
            cost: Wire::read(from)?,
            farthest: Wire::read(from)?,
            labels: None,
        })
    }
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.mass += &other.mass;
        self.total += &other.total;
        self.cost += other.cost;
        self.labels = None;
        for (own, theirs) in self.farthest.iter_mut().zip(&other.farthest) {
            let farther = |a: &(f64, f64, Array1<f64>)| own.as_ref().is_none_or(|b| a.1 > b.1);
            if theirs.as_ref().is_some_and(farther) {
                own.clone_from(theirs);
            }
        }
    }

    fn scale(&mut self, by: f64) {
        self.mass *= by;
        self.total *= by;
        self.cost *= by;
    }

    fn mass(&self) -> f64 {
        self.mass.sum()
    }
}

pub(super) struct Lloyd {
    /// On a GPU distances are rounded to f32, and with them the choice between two centres that are equally near.
    pub single: bool,
}

impl EmModel for Lloyd {
    const NAME: &'static str = "KMeans";
    type Batch = Observations;
    type Params = Array2<f64>;
    type Stats = Sums;

    fn expect(&self, centres: &Array2<f64>, batch: &Observations) -> Result<Sums> {
        let host = batch.points().host();
        if !batch.device().is_gpu() {
            let labels = vec![0; host.nrows()];
            return Ok(add_up(batch, labels, Search::Here(Centres::new(centres.view())), centres.dim()));
        }
        let index = nearest(batch.x()?, &batch.place(centres)?.0)?.index;
        // Whatever found the centres, what they cost is f64.
        let rows = host.rows().into_iter().zip(&index);
        let squares = rows.map(|(x, &k)| squared_distance(x, centres.row(k))).collect();
        Ok(add_up(batch, index, Search::Done(squares), centres.dim()))
    }

    fn maximise(&self, centres: &Array2<f64>, sums: &Sums) -> Result<Array2<f64>> {
        let mut sums = sums.clone();
        refill(&mut sums);
        let mut next = centres.clone();
        for (k, mut centre) in next.rows_mut().into_iter().enumerate() {
            if sums.mass[k] > 0.0 {
                centre.assign(&(&sums.total.row(k) / sums.mass[k]));
            }
        }
        Ok(next)
    }

    fn objective(&self, _: &Array2<f64>, sums: &Sums) -> f64 {
        -sums.cost
    }

    fn rounding(&self, _: &Self::Params) -> f64 {
        if self.single { 1e-5 } else { 1e-10 }
    }
}

/// A cluster that has nothing takes the row that lies farthest from its centre: the cost falls by that distance.
fn refill(sums: &mut Sums) {
    for k in (0..sums.mass.len()).filter(|&k| sums.mass[k] <= 0.0).collect::<Vec<_>>() {
        let cost = |far: &Option<(f64, f64, Array1<f64>)>| far.as_ref().map_or(0.0, |f| f.1);
        let donor =
            (0..sums.mass.len()).max_by(|&a, &b| cost(&sums.farthest[a]).total_cmp(&cost(&sums.farthest[b])));
        let Some(donor) = donor else { return };
        // A cluster gives once; what it has after that is not known.
        match sums.farthest[donor].take() {
            Some((weight, cost, row)) if cost > 0.0 && sums.mass[donor] > weight => {
                sums.mass[donor] -= weight;
                sums.total.row_mut(donor).scaled_add(-weight, &row);
                sums.mass[k] = weight;
                sums.total.row_mut(k).assign(&(weight * &row));
            }
            _ => return,
        }
    }
}

/// Where the nearest centres come from.
enum Search {
    /// From a device that has found them all, at these squared distances.
    Done(Vec<f64>),
    /// A chunk of rows at a time, which are then added up while they are at hand.
    Here(Centres),
}

fn add_up(batch: &Observations, mut labels: Vec<usize>, search: Search, (k, d): (usize, usize)) -> Sums {
    let empty = || Sums {
        mass: Array1::zeros(k),
        total: Array2::zeros((k, d)),
        cost: 0.0,
        farthest: vec![None; k],
        labels: None,
    };
    let host = batch.points().host();
    let weight = |i: usize| batch.weights().map_or(1.0, |w| w[i]);
    let rows = host.as_standard_layout();
    let rows = rows.as_slice().unwrap_or_default();
    let parts = labels.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK * d));
    let parts = parts.enumerate().map(|(block, (labels, rows))| {
        let mut sums = empty();
        let (mut total, mut farthest) = (vec![0.0; k * d], vec![(0.0, usize::MAX); k]);
        let (mut distances, mut scratch) = ([0.0; CHUNK], Vec::new());
        for (chunk, (labels, rows)) in labels.chunks_mut(CHUNK).zip(rows.chunks(CHUNK * d)).enumerate() {
            let first = block * BLOCK + chunk * CHUNK;
            let distances = match &search {
                Search::Done(all) => &all[first..first + labels.len()],
                Search::Here(centres) => {
                    let distances = &mut distances[..labels.len()];
                    centres.nearest(rows, &mut scratch, labels, distances);
                    distances
                }
            };
            for (i, ((&mut label, &distance), row)) in
                labels.iter_mut().zip(distances).zip(rows.chunks_exact(d)).enumerate()
            {
                let own = weight(first + i);
                let cost = own * distance;
                sums.mass[label] += own;
                for (t, x) in total[label * d..(label + 1) * d].iter_mut().zip(row) {
                    *t += own * x;
                }
                sums.cost += cost;
                if cost > farthest[label].0 {
                    farthest[label] = (cost, first + i);
                }
            }
        }
        sums.total.iter_mut().zip(total).for_each(|(to, t)| *to = t);
        for (own, (cost, i)) in sums.farthest.iter_mut().zip(farthest) {
            *own = (i < usize::MAX).then(|| (weight(i), cost, host.row(i).to_owned()));
        }
        sums
    });
    let parts: Vec<Sums> = parts.collect();
    let sums = parts.into_iter().fold(empty(), |mut all, part| {
        all.add(&part);
        all
    });
    Sums { labels: Some(Arc::new(labels)), ..sums }
}
