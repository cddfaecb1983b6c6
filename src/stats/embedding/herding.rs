//! Kernel herding: a few points that stand for a distribution, chosen one after the other.
//!
//! Checked in `tests/stats/embedding.rs` against the definition and against random points.

use std::collections::HashSet;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::KernelMeanEmbedding;
use crate::check::{numbers, parameter, require, room, sample};
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::{Device, Matrix, Result};

/// What f32 may do to the mean, relative to its largest value: candidates nearer to the best are compared in f64.
const DOUBT: f64 = 1e-5;

/// The points that were chosen, in the order of their choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Herded {
    /// `count x d`.
    pub points: Array2<f64>,
    /// Their rows among the candidates; a candidate may be chosen more than once.
    pub indices: Vec<usize>,
    /// `‖μ - (1/t) Σ_{s≤t} k(·, x_s)‖` after each choice t.
    pub distances: Vec<f64>,
}

/// So many candidates have a kernel matrix of 32 MB.
const FEW: usize = 2048;

impl KernelMeanEmbedding {
    /// `x_{t+1} = argmax_c (t+1) μ(c) - Σ_{s≤t} k(c, x_s)`: points whose plain mean follows μ, closer than as many random
    /// draws would (O(1/t) against O(1/√t) where the function space is of finite dimension).
    ///
    /// Candidates are the rows of `candidates`, or the embedding's own points. Weights that do not sum to one are taken
    /// as shares. The choice is greedy and draws nothing at random; of equals it takes the first. Memory is O(candidates).
    /// A GPU computes μ; the choice is made in f64, and is the same on every device.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if `count` is zero or the weights do not have a positive sum;
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad candidates.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let x = ndarray::Array2::from_shape_fn((101, 1), |(i, _)| i as f64 / 100.0);
    /// let mu = KernelMeanEmbedding::new(&Device::cpu(), &Kernel::rbf(0.2), &x)?;
    /// let few = mu.herd(10, None)?;
    /// assert!(few.distances[9] < 0.08); // ten random points are 0.22 away on average
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn herd(&self, count: usize, candidates: Option<ArrayView2<f64>>) -> Result<Herded> {
        parameter("count", count as f64, count > 0, "must be at least one point")?;
        room("count", count, 16 + 8 * self.points().ncols())?;
        let total = self.weights().sum();
        parameter("sum of weights", total, total > 0.0, "must be positive for points to stand for it")?;
        let own = candidates.unwrap_or(self.points());
        sample("herd", "candidates", own, 1)?;
        let (d, e) = (self.points().ncols(), own.ncols());
        require("herd", d == e, || format!("the embedding has {d} features, the candidates {e}"))?;
        let mut mean = Mean { of: self, total, values: self.values(own)? / total, exact: HashSet::new() };
        let cpu = Device::cpu();
        let at = Matrix::upload("herd", &cpu, own)?;
        let diagonal = gram_diagonal(self.kernel(), &at)?.to_array()?;
        let squared = self.squared_norm()? / (total * total);
        // Few candidates are chosen again and again.
        let few = own.nrows() <= count.min(FEW);
        let all = few.then(|| gram(self.kernel(), &at, Some(&at))).transpose()?;
        // Σ_s k(c, x_s) of every candidate, then Σ_s μ(x_s) and Σ_st k(x_s, x_t) of the chosen ones.
        let mut near = Array1::<f64>::zeros(own.nrows());
        let (mut cross, mut pairs) = (0.0, 0.0);
        let (mut indices, mut distances) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for t in 1..=count {
            let size = t as f64;
            let best = mean.best(own, size, &near)?;
            cross += mean.values[best];
            pairs += 2.0 * near[best] + diagonal[[best, 0]];
            distances.push((squared - 2.0 * cross / size + pairs / (size * size)).max(0.0).sqrt());
            indices.push(best);
            if let Some(all) = &all {
                near += &all.cpu().column(best);
                continue;
            }
            let chosen = Matrix::upload("herd", &cpu, own.select(Axis(0), &[best]).view())?;
            near += &gram(self.kernel(), &at, Some(&chosen))?.to_array()?.index_axis_move(Axis(1), 0);
        }
        let distances = Array1::from(distances);
        numbers("herd", "the distances", distances.view().insert_axis(Axis(1)))?;
        let distances = distances.to_vec();
        Ok(Herded { points: own.select(Axis(0), &indices), indices, distances })
    }
}

/// μ at the candidates, over the sum of its weights: in f64 where that decides.
struct Mean<'a> {
    of: &'a KernelMeanEmbedding,
    total: f64,
    values: Array1<f64>,
    /// Candidates whose value is that of f64.
    exact: HashSet<usize>,
}

impl Mean<'_> {
    /// The first candidate with the largest `t μ(c) - near(c)`.
    fn best(&mut self, candidates: ArrayView2<f64>, t: f64, near: &Array1<f64>) -> Result<usize> {
        let first = |values: &Array1<f64>, among: &mut dyn Iterator<Item = usize>| {
            let score = |c: usize| t * values[c] - near[c];
            among.fold(None, |best, c| match best {
                Some((_, most)) if score(c) <= most => best,
                _ => Some((c, score(c))),
            })
        };
        let all = first(&self.values, &mut (0..near.len())).unwrap_or((0, 0.0));
        if !self.of.device().is_gpu() {
            return Ok(all.0);
        }
        let largest = self.values.iter().fold(0f64, |m, v| m.max(v.abs()));
        let least = all.1 - 2.0 * DOUBT * t * largest;
        let close: Vec<usize> = (0..near.len()).filter(|&c| t * self.values[c] - near[c] >= least).collect();
        let missing: Vec<usize> = close.iter().copied().filter(|c| !self.exact.contains(c)).collect();
        if !missing.is_empty() {
            let at = Matrix::upload("herd", &Device::cpu(), candidates.select(Axis(0), &missing).view())?;
            let column = self.of.column(&Device::cpu())?;
            let points = self.of.points.on_host();
            let found = gram_vec(self.of.kernel(), &at, Some(points), &column)?.to_array()?;
            for (&c, value) in missing.iter().zip(found) {
                self.values[c] = value / self.total;
                self.exact.insert(c);
            }
        }
        Ok(first(&self.values, &mut close.into_iter()).map_or(0, |(c, _)| c))
    }
}
