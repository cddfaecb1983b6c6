//! A lattice as two arrays, its black sites and its white ones: neighbours of one colour lie side by side in the other.

use ndarray::{Array2, ArrayView2};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::{Chain, Lattice, Thresholds};
use crate::random::{LANES, pair, philox_lanes};

/// Site (i, 2q + p) of colour c, `p = (i + c) mod 2`, stands at q of row i; a place on either side of a row, and a place
/// without a site, hold zero, or the neighbour across the border.
struct Colours<T> {
    cells: [Vec<T>; 2],
    rows: usize,
    cols: usize,
    /// Places of a row, two more than sites.
    stride: usize,
    periodic: bool,
    zeros: Vec<T>,
}

impl<T: Copy + Default + Send + Sync> Colours<T> {
    fn new(lattice: &Lattice, values: ArrayView2<T>) -> Self {
        let (rows, cols) = values.dim();
        let stride = cols.div_ceil(2) + 2;
        let empty = || vec![T::default(); rows * stride];
        let mut all = Colours {
            cells: [empty(), empty()],
            rows,
            cols,
            stride,
            periodic: lattice.periodic,
            zeros: vec![T::default(); stride],
        };
        for (c, cells) in all.cells.iter_mut().enumerate() {
            cells.par_chunks_mut(stride).enumerate().for_each(|(i, cells)| {
                let row = values.row(i);
                let sites = row.iter().skip((i + c) % 2).step_by(2);
                cells[1..].iter_mut().zip(sites).for_each(|(cell, v)| *cell = *v);
                close(cells, lattice.periodic);
            });
        }
        all
    }

    fn values(&self) -> Array2<T> {
        let mut all = Array2::from_elem((self.rows, self.cols), T::default());
        for (i, mut row) in all.rows_mut().into_iter().enumerate() {
            for (c, cells) in self.cells.iter().enumerate() {
                let cells = &cells[i * self.stride + 1..];
                row.iter_mut().skip((i + c) % 2).step_by(2).zip(cells).for_each(|(v, cell)| *v = *cell);
            }
        }
        all
    }

    /// Replaces every row of a colour; `f` is given the row's number, its sites, and the four neighbours of each.
    fn update<E: Send>(
        &mut self,
        colour: usize,
        extra: &mut [E],
        each: usize,
        f: impl Fn(Row<T>, &mut [E]) + Sync,
    ) {
        let (stride, rows, cols, periodic) = (self.stride, self.rows, self.cols, self.periodic);
        let (width, zeros) = (stride - 2, &self.zeros);
        let [black, white] = &mut self.cells;
        let (own, other) = if colour == 0 { (black, &*white) } else { (white, &*black) };
        let line = |i: Option<usize>| i.map_or(&zeros[..], |i| &other[i * stride..(i + 1) * stride]);
        let body = |(i, (places, extra)): (usize, (&mut [T], &mut [E]))| {
            let parity = (i + colour) % 2;
            let above = if i > 0 { Some(i - 1) } else { periodic.then_some(rows - 1) };
            let below = if i + 1 < rows { Some(i + 1) } else { periodic.then_some(0) };
            let (here, start) = (line(Some(i)), 2 * parity);
            let around = [
                &line(above)[1..=width],
                &line(below)[1..=width],
                &here[1..=width],
                &here[start..start + width],
            ];
            f(Row { number: i, parity, sites: &mut places[1..=width], around }, extra);
            if 2 * (width - 1) + parity >= cols {
                places[width] = T::default();
            }
            close(places, periodic);
        };
        let least = (1 << 14) / stride + 1;
        own.par_chunks_mut(stride)
            .zip(extra.par_chunks_mut(each))
            .enumerate()
            .with_min_len(least)
            .for_each(body);
    }
}

struct Row<'a, T> {
    number: usize,
    parity: usize,
    sites: &'a mut [T],
    around: [&'a [T]; 4],
}

/// The places on either side of a row.
fn close<T: Copy + Default>(row: &mut [T], periodic: bool) {
    let end = row.len() - 1;
    let outside = if periodic { [row[end - 1], row[1]] } else { [T::default(); 2] };
    [row[0], row[end]] = outside;
}

/// The words of a row's sites whose places in their blocks are even, then those whose places are odd, two side by side.
struct Words<'a> {
    even: &'a mut [u64],
    odd: &'a mut [u64],
    first: u64,
    stream: u64,
    seed: u64,
}

impl WithSimd for Words<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        let pairs = self.even.chunks_exact_mut(LANES).zip(self.odd.chunks_exact_mut(LANES));
        for (b, (even, odd)) in pairs.enumerate() {
            let words = philox_lanes(self.first + (b * LANES) as u64, self.stream, self.seed);
            for l in 0..LANES {
                even[l] = pair(words[0][l], words[2][l]);
                odd[l] = pair(words[1][l], words[3][l]);
            }
        }
    }
}

/// Decisions where all sites have the same thresholds, which rise with the sum (or fall, if `sign` is -1): a spin is up if
/// its sum is at least the number of thresholds that the word reaches.
struct Decide<'a> {
    row: Row<'a, i8>,
    words: &'a [u32],
    /// One less than each threshold.
    below: [u32; 9],
    /// Thresholds that every word reaches.
    always: i32,
    sign: i32,
}

impl WithSimd for Decide<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        let n = self.row.sites.len();
        let [a, b, c, d] = self.row.around.map(|side| &side[..n]);
        let (sites, words) = (&mut self.row.sites[..n], &self.words[..n]);
        for q in 0..n {
            let sum = i32::from(a[q] + b[q] + c[q] + d[q]);
            let mut reached = self.always;
            for below in self.below {
                reached += i32::from(words[q] > below);
            }
            sites[q] = if self.sign * sum + 4 >= reached { 1 } else { -1 };
        }
    }
}

pub(super) fn gibbs(
    lattice: &Lattice,
    thresholds: &Thresholds,
    spins: ArrayView2<i8>,
    chain: Chain,
) -> Array2<i8> {
    let mut colours = Colours::new(lattice, spins);
    let mut words = vec![];
    for sweep in 0..chain.sweeps {
        swept(lattice, thresholds, &mut colours, &mut words, chain, sweep);
    }
    colours.values()
}

/// One sweep; words are made with the black sites, and those of white ones kept.
fn swept(
    lattice: &Lattice,
    thresholds: &Thresholds,
    colours: &mut Colours<i8>,
    words: &mut Vec<u64>,
    chain: Chain,
    sweep: usize,
) {
    let m = colours.cols;
    // Blocks that a row can touch, in whole groups of lanes: of each parity a pair of words.
    let half = (m.div_ceil(4) + 1).next_multiple_of(LANES);
    words.resize(colours.rows * 2 * half, 0);
    let stream = chain.first + sweep as u64;
    let mut below = thresholds.table[0];
    let sign = if lattice.coupling < 0.0 { -1 } else { 1 };
    below.sort_unstable();
    let always = below.iter().map(|t| i32::from(*t == 0)).sum::<i32>();
    let below = below.map(|t| if t == 0 { u32::MAX } else { (t - 1) as u32 });
    for colour in 0..2 {
        colours.update(colour, words, 2 * half, |row, words| {
            let (i, parity) = (row.number, row.parity);
            let (even, odd) = words.split_at_mut(half);
            if colour == 0 {
                let first = (i * m / 4) as u64;
                Arch::new().dispatch(Words { even, odd, first, stream, seed: chain.seed });
            }
            let at = i * m % 4 + parity;
            let words: &[u32] = bytemuck::cast_slice(words);
            let own = &words[2 * half * (at % 2) + at / 2..][..row.sites.len()];
            if thresholds.levels.is_empty() {
                Arch::new().dispatch(Decide { row, words: own, below, always, sign });
            } else {
                let [a, b, c, d] = row.around;
                for (q, (spin, word)) in row.sites.iter_mut().zip(own).enumerate() {
                    let j = 2 * q + parity;
                    let sum = a[q] + b[q] + c[q] + d[q];
                    let Some(level) = thresholds.levels.get(i * m + j).filter(|_| j < m) else { continue };
                    let yes = thresholds.table[*level as usize][(sum + 4) as usize];
                    *spin = if u64::from(*word) < yes { 1 } else { -1 };
                }
            }
        });
    }
}

pub(super) fn means(
    lattice: &Lattice,
    thresholds: &Thresholds,
    spins: ArrayView2<i8>,
    chain: Chain,
) -> (Array2<i8>, Array2<f64>) {
    let (n, m) = spins.dim();
    let mut colours = Colours::new(lattice, spins);
    let (mut words, mut total) = (vec![], vec![0.0; n * m]);
    for sweep in 0..chain.sweeps {
        swept(lattice, thresholds, &mut colours, &mut words, chain, sweep);
        let spins = colours.values();
        total.par_chunks_mut(m).enumerate().for_each(|(i, row)| {
            for (j, t) in row.iter_mut().enumerate() {
                let around = lattice.around((i, j)).into_iter().flatten();
                let sum = around.map(|at| f64::from(spins[at])).sum::<f64>();
                *t += (lattice.coupling * sum + lattice.field[[i, j]]).tanh();
            }
        });
    }
    let all = chain.sweeps as f64;
    (colours.values(), Array2::from_shape_fn((n, m), |(i, j)| total[i * m + j] / all))
}

impl Lattice<'_> {
    /// The neighbours of a site.
    fn around(&self, (i, j): (usize, usize)) -> [Option<[usize; 2]>; 4] {
        let ((n, m), closed) = (self.field.dim(), self.periodic);
        let step = |k: usize, n: usize| {
            let before = if k > 0 { Some(k - 1) } else { closed.then_some(n - 1) };
            let after = if k + 1 < n { Some(k + 1) } else { closed.then_some(0) };
            [before, after]
        };
        let ([up, down], [left, right]) = (step(i, n), step(j, m));
        [up.map(|i| [i, j]), down.map(|i| [i, j]), left.map(|j| [i, j]), right.map(|j| [i, j])]
    }
}

pub(super) fn mean_field(lattice: &Lattice, mean: ArrayView2<f64>, sweeps: usize) -> Array2<f64> {
    let mut colours = Colours::new(lattice, mean);
    let m = colours.cols;
    let mut nothing = vec![(); colours.rows];
    for _ in 0..sweeps {
        for colour in 0..2 {
            colours.update(colour, &mut nothing, 1, |row, _| {
                let [a, b, c, d] = row.around;
                for (q, mean) in row.sites.iter_mut().enumerate() {
                    let j = 2 * q + row.parity;
                    if j < m {
                        let sum = a[q] + b[q] + c[q] + d[q];
                        *mean = (lattice.coupling * sum + lattice.field[[row.number, j]]).tanh();
                    }
                }
            });
        }
    }
    colours.values()
}
