//! The k nearest rows on the host: scores in f32 leave out what is certainly farther, sums of squares in f64 decide.
//!
//! Of a row y and a query x, both relative to the mean of all y and in units of the longest of them,
//! `|x - y|^2 = |x|^2 + 2 s` with the score `s = |y|^2 / 2 - x.y`. A tile is 6 rows times two vectors of queries; a query is a
//! lane with a limit of its own: the score of its k-th neighbour so far, and the most that a score can err by. What is below
//! the limit is measured in f64. The result has the bits of the definition.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::NearestK;
use crate::ops::reduce::flat;

/// Rows of y in a tile: with two vectors of queries twelve sums, which hide the latency of a fused product.
const SIDE: usize = 6;
/// Queries that a thread searches for together.
const BATCH: usize = 128;
/// Lanes of two vectors, at most.
const LANES: usize = 64;
/// Bytes of rows that are read for one group of queries after the other.
const CACHED: usize = 1 << 16;
/// Length of a query beyond which scores may overflow.
const FAR: f64 = 1e15;

type Found = Vec<(f64, usize)>;

pub(super) fn cpu(x: &Array2<f64>, y: &Array2<f64>, k: usize) -> NearestK {
    let ((n, d), m) = (x.dim(), y.nrows());
    let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
    let few = n * m < 1 << 14 || k > m / 8;
    let panels = if few { None } else { Panels::new(y.view()) };
    let (x, y) = (flat(&x), flat(&y));
    let found: Vec<Found> = match &panels {
        None => x.par_chunks_exact(d).map_init(Vec::new, |all, row| definition(all, row, y, k)).collect(),
        Some(panels) => {
            let batch = |x: &[f64]| Arch::new().dispatch(Search { x, y, panels, k });
            x.par_chunks(BATCH * d).flat_map_iter(batch).collect()
        }
    };
    NearestK {
        index: Array2::from_shape_fn((n, k), |(i, j)| found[i][j].1),
        squared_distance: Array2::from_shape_fn((n, k), |(i, j)| found[i][j].0),
    }
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// All distances, of which the k least are kept.
fn definition(all: &mut Found, row: &[f64], y: &[f64], k: usize) -> Found {
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    all.clear();
    all.extend(y.chunks_exact(row.len()).enumerate().map(|(j, other)| (square(row, other), j)));
    if k < all.len() {
        all.select_nth_unstable_by(k - 1, order);
        all.truncate(k);
    }
    all.sort_unstable_by(order);
    all.clone()
}

/// The rows of y in the order in which tiles read them.
struct Panels {
    /// For each six rows their `|y|^2 / 2`, then their entries with the sign changed.
    lines: Vec<[f32; SIDE]>,
    mean: Array1<f64>,
    scale: f64,
    /// How much scores err, relative to `|y|^2 / 2 + |x| |y|`: less than d + 8 roundings.
    error: f64,
}

impl Panels {
    /// None if the lengths of the rows cannot be told.
    fn new(y: ArrayView2<f64>) -> Option<Self> {
        let (m, d) = y.dim();
        let mean = y.mean_axis(Axis(0))?;
        let length =
            |row: ArrayView1<f64>| row.iter().zip(&mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let lengths: Vec<f64> = y.rows().into_iter().map(length).collect();
        let longest = lengths.iter().fold(0f64, |m, v| m.max(*v)).sqrt();
        let scale: f64 = 1.0 / longest;
        if !(scale.is_finite() && longest.is_finite() && scale * scale > 0.0) {
            return None;
        }
        // What fills up the last panel is infinitely far away.
        let mut lines = vec![[0.0; SIDE]; m.div_ceil(SIDE) * (d + 1)];
        lines.par_chunks_exact_mut(d + 1).enumerate().for_each(|(at, panel)| {
            panel[0] = [f32::INFINITY; SIDE];
            for (q, j) in (at * SIDE..m.min((at + 1) * SIDE)).enumerate() {
                panel[0][q] = (0.5 * lengths[j] * scale * scale) as f32;
                for ((line, y), mean) in panel[1..].iter_mut().zip(y.row(j)).zip(&mean) {
                    line[q] = ((mean - y) * scale) as f32;
                }
            }
        });
        let roundings = (d as f64 + 8.0) * 0.5 * f64::from(f32::EPSILON);
        let error = roundings / (1.0 - roundings);
        (roundings < 0.5).then_some(Panels { lines, mean, scale, error })
    }
}

/// A query: what is known of it.
struct Query {
    /// `|x|^2`, relative to the mean and in units of the longest row.
    norm: f64,
    best: Found,
}

struct Search<'a> {
    x: &'a [f64],
    y: &'a [f64],
    panels: &'a Panels,
    k: usize,
}

impl WithSimd for Search<'_> {
    type Output = Vec<Found>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Found> {
        let (d, wide) = (self.panels.mean.len(), 2 * S::F32_LANES);
        let count = self.x.len() / d;
        let groups = count.div_ceil(wide);
        // Two vectors of queries after the other, each entry by entry; what fills up the last has no limit to be below.
        let mut packed = vec![0f32; groups * wide * d];
        let mut limits = vec![f32::NEG_INFINITY; groups * wide];
        let mut queries: Vec<Query> = Vec::with_capacity(count);
        for (i, x) in self.x.chunks_exact(d).enumerate() {
            let mut norm = 0.0;
            for (e, (x, mean)) in x.iter().zip(&self.panels.mean).enumerate() {
                let own = (x - mean) * self.panels.scale;
                norm += own * own;
                packed[(i / wide * d + e) * wide + i % wide] = own as f32;
            }
            // A NaN is far.
            let near = norm < FAR * FAR;
            let best = if near { Vec::new() } else { definition(&mut Vec::new(), x, self.y, self.k) };
            limits[i] = if near { f32::INFINITY } else { f32::NEG_INFINITY };
            queries.push(Query { norm, best });
        }
        let tile = (CACHED / (4 * SIDE * (d + 1))).max(1);
        for (first, tile) in self.panels.lines.chunks(tile * (d + 1)).enumerate().map(|(t, l)| (t * tile, l))
        {
            for group in 0..groups {
                let lanes = group * wide..(group + 1) * wide;
                let x = S::as_simd_f32s(&packed[lanes.start * d..lanes.end * d]).0;
                for (at, panel) in tile.chunks_exact(d + 1).enumerate() {
                    let mut sums = [[simd.splat_f32s(0.0); 2]; SIDE];
                    for (sum, &norm) in sums.iter_mut().zip(&panel[0]) {
                        *sum = [simd.splat_f32s(norm); 2];
                    }
                    for (y, x) in panel[1..].iter().zip(x.chunks_exact(2)) {
                        for q in 0..SIDE {
                            let y = simd.splat_f32s(y[q]);
                            sums[q][0] = simd.mul_add_e_f32s(y, x[0], sums[q][0]);
                            sums[q][1] = simd.mul_add_e_f32s(y, x[1], sums[q][1]);
                        }
                    }
                    let least = |v: usize| {
                        let pair = |a: usize| simd.min_f32s(sums[a][v], sums[a + 1][v]);
                        simd.min_f32s(pair(0), simd.min_f32s(pair(2), pair(4)))
                    };
                    let limit = S::as_simd_f32s(&limits[lanes.clone()]).0;
                    let below = |v: usize| simd.first_true_m32s(simd.less_than_f32s(least(v), limit[v]));
                    if below(0) < S::F32_LANES || below(1) < S::F32_LANES {
                        let mut scores = [[0f32; LANES]; SIDE];
                        for (to, from) in scores.iter_mut().zip(&sums) {
                            S::as_mut_simd_f32s(&mut to[..wide]).0.copy_from_slice(from);
                        }
                        self.measure((first + at) * SIDE, &scores, lanes.clone(), &mut limits, &mut queries);
                    }
                }
            }
        }
        queries.into_iter().map(|q| q.best).collect()
    }
}

impl Search<'_> {
    /// Takes the rows of a panel whose scores are below the limits of queries, if they are near enough indeed.
    #[inline(never)]
    fn measure(
        &self,
        first: usize,
        scores: &[[f32; LANES]; SIDE],
        lanes: std::ops::Range<usize>,
        limits: &mut [f32],
        queries: &mut [Query],
    ) {
        let d = self.panels.mean.len();
        for (q, scores) in scores.iter().enumerate() {
            for (&score, i) in scores.iter().zip(lanes.clone()) {
                if score >= limits[i] {
                    continue;
                }
                let j = first + q;
                let own = square(&self.x[i * d..(i + 1) * d], &self.y[j * d..(j + 1) * d]);
                let Query { norm, best } = &mut queries[i];
                let last = best.last().filter(|_| best.len() == self.k).map_or(f64::INFINITY, |b| b.0);
                // Of equals the one that came first stays.
                if best.len() == self.k && own >= last {
                    continue;
                }
                best.truncate(self.k - 1);
                let place = best.partition_point(|b| b.0 <= own);
                best.insert(place, (own, j));
                if best.len() == self.k {
                    let scale = self.panels.scale;
                    let middle = 0.5 * (best[self.k - 1].0 * scale * scale - *norm);
                    let slack = self.panels.error * (0.5 + norm.sqrt()) + 1e-13 * (1.0 + *norm);
                    let limit = middle + 2.0 * slack + 1e-6 * middle.abs();
                    limits[i] = if limit.is_nan() { f32::INFINITY } else { limit as f32 };
                }
            }
        }
    }
}
