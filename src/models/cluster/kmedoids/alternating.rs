//! Assignments and medoids in turn, as EM.

use std::marker::PhantomData;

use ndarray::{Array1, ArrayView1, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::Result;
use crate::inference::em::{EmModel, Statistics};
use crate::models::cluster::seeding::draw;

/// What it costs that one observation stands for another, and how much each weighs.
pub(super) struct Dissimilarities<'a> {
    pub v: ArrayView2<'a, f64>,
    pub weights: Option<ArrayView1<'a, f64>>,
}

impl Dissimilarities<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }
}

/// K observations, each drawn by its weight and its dissimilarity from those before it.
pub(super) fn scattered(of: &Dissimilarities, k: usize, seed: u64) -> Vec<usize> {
    let v = of.v;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = v.nrows();
    let mut medoids = vec![draw(&mut rng, (0..n).map(|i| of.weight(i)).collect())];
    while medoids.len() < k {
        let nearest = |i: usize| medoids.iter().map(|&m| v[[i, m]]).fold(f64::INFINITY, f64::min);
        let free = |i: usize| f64::from(u8::from(!medoids.contains(&i)));
        let mut chances: Vec<f64> = (0..n).map(|i| free(i) * of.weight(i) * nearest(i)).collect();
        if chances.iter().all(|&c| c <= 0.0) {
            chances = (0..n).map(free).collect();
        }
        medoids.push(draw(&mut rng, chances));
    }
    medoids
}

/// The nearest medoid, the first of equals; but a medoid stands for itself.
pub(super) fn assign(v: ArrayView2<f64>, medoids: &[usize]) -> Vec<usize> {
    let own = |i: usize| medoids.iter().position(|&m| m == i);
    let nearest = |i: usize| {
        let all = medoids.iter().enumerate().map(|(k, &m)| (k, v[[i, m]]));
        all.reduce(|a, b| if b.1 < a.1 { b } else { a }).map_or(0, |best| best.0)
    };
    (0..v.nrows()).map(|i| own(i).unwrap_or_else(|| nearest(i))).collect()
}

pub(super) struct Alternating<'a>(pub PhantomData<&'a ()>);

/// For each observation the sum of what it would cost to stand for its cluster.
#[derive(Clone)]
pub(super) struct Candidates {
    pub labels: Vec<usize>,
    sums: Array1<f64>,
    cost: f64,
}

impl Statistics for Candidates {
    fn add(&mut self, other: &Self) {
        self.sums += &other.sums;
        self.cost += other.cost;
    }

    fn scale(&mut self, by: f64) {
        self.sums *= by;
        self.cost *= by;
    }

    fn mass(&self) -> f64 {
        self.labels.len() as f64
    }
}

impl<'a> EmModel for Alternating<'a> {
    const NAME: &'static str = "KMedoids";
    type Batch = Dissimilarities<'a>;
    type Params = Vec<usize>;
    type Stats = Candidates;

    fn expect(&self, medoids: &Vec<usize>, of: &Dissimilarities) -> Result<Candidates> {
        let v = of.v;
        let labels = assign(v, medoids);
        let members: Vec<Vec<usize>> =
            (0..medoids.len()).map(|k| (0..labels.len()).filter(|&i| labels[i] == k).collect()).collect();
        let sum = |j: usize| members[labels[j]].iter().map(|&i| of.weight(i) * v[[i, j]]).sum::<f64>();
        let sums = (0..labels.len()).into_par_iter().map(sum).collect::<Vec<f64>>();
        let cost = labels.iter().enumerate().map(|(i, &k)| of.weight(i) * v[[i, medoids[k]]]).sum();
        Ok(Candidates { labels, sums: Array1::from(sums), cost })
    }

    fn maximise(&self, medoids: &Vec<usize>, found: &Candidates) -> Result<Vec<usize>> {
        let best = |k: usize| {
            let own = (0..found.labels.len()).filter(|&i| found.labels[i] == k);
            own.reduce(|a, b| if found.sums[b] < found.sums[a] { b } else { a }).unwrap_or(medoids[k])
        };
        Ok((0..medoids.len()).map(best).collect())
    }

    fn objective(&self, _: &Vec<usize>, found: &Candidates) -> f64 {
        -found.cost
    }
}
