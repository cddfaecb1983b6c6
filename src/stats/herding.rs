//! Kernel herding: a few points that stand for a distribution, chosen one after the other.
//!
//! Checked in `tests/stats/embedding.rs` against the definition and against random points.

use ndarray::{Array2, ArrayView2, Axis};

use super::KernelMeanEmbedding;
use crate::check::{parameter, require, sample};
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::{Matrix, Result};

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

impl KernelMeanEmbedding {
    /// `x_{t+1} = argmax_c (t+1) μ(c) - Σ_{s≤t} k(c, x_s)`: points whose plain mean follows μ, closer than as many random
    /// draws would (O(1/t) against O(1/√t) where the function space is of finite dimension).
    ///
    /// Candidates are the rows of `candidates`, or the embedding's own points. Weights that do not sum to one are taken
    /// as shares. The choice is greedy and draws nothing at random; of equals it takes the first. Memory is O(candidates).
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if `count` is zero or the weights do not have a positive sum;
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad candidates.
    ///
    /// ```
    /// use mercer::{Device, Kernel, stats::KernelMeanEmbedding};
    /// let x = ndarray::Array2::from_shape_fn((101, 1), |(i, _)| i as f64 / 100.0);
    /// let mu = KernelMeanEmbedding::new(&Device::cpu(), &Kernel::rbf(0.2), x.view())?;
    /// let few = mu.herd(10, None)?;
    /// assert!(few.distances[9] < 0.08); // ten random points are 0.22 away on average
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn herd(&self, count: usize, candidates: Option<ArrayView2<f64>>) -> Result<Herded> {
        parameter("count", count as f64, count > 0, "must be at least one point")?;
        let total = self.weights().sum();
        parameter("sum of weights", total, total > 0.0, "must be positive for points to stand for it")?;
        let device = self.points().device();
        let (own, at) = match candidates {
            None => (self.points().to_array()?, self.points().clone()),
            Some(c) => {
                sample("herd", "candidates", c, 1)?;
                let (d, e) = (self.points().cols(), c.ncols());
                require("herd", d == e, || format!("the embedding has {d} features, the candidates {e}"))?;
                (c.to_owned(), Matrix::from_array(&device, c)?)
            }
        };
        let column = Matrix::column(&device, &self.weights().to_vec())?;
        let mean = gram_vec(self.kernel(), &at, Some(self.points()), &column)?.to_array()? / total;
        let diagonal = gram_diagonal(self.kernel(), &at)?.to_array()?;
        let squared = self.squared_norm()? / (total * total);
        // Σ_s k(c, x_s) of every candidate, then Σ_s μ(x_s) and Σ_st k(x_s, x_t) of the chosen ones.
        let mut near = Array2::<f64>::zeros(mean.raw_dim());
        let (mut cross, mut pairs) = (0.0, 0.0);
        let (mut indices, mut distances) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for t in 1..=count {
            let score = |c: usize| t as f64 * mean[[c, 0]] - near[[c, 0]];
            let best = (1..own.nrows()).fold(0, |best, c| if score(c) > score(best) { c } else { best });
            cross += mean[[best, 0]];
            pairs += 2.0 * near[[best, 0]] + diagonal[[best, 0]];
            let size = t as f64;
            distances.push((squared - 2.0 * cross / size + pairs / (size * size)).max(0.0).sqrt());
            indices.push(best);
            let chosen = Matrix::from_array(&device, own.select(Axis(0), &[best]).view())?;
            near += &gram(self.kernel(), &at, Some(&chosen))?.to_array()?;
        }
        Ok(Herded { points: own.select(Axis(0), &indices), indices, distances })
    }
}
