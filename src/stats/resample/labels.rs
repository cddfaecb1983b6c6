//! Resamples of two pooled samples: who is labelled how, and the weights that this gives.
//!
//! Resample b gives each pooled point a weight, `n / g` in the first sample and `-m / g` in the second (g their greatest
//! common divisor): whole numbers that sum to zero, exact in f32. All resamples form a matrix V, one column each.

use std::ops::Range;

use rayon::prelude::*;

use super::null::Null;
use super::permutations::{combinations, drawn_signs, permuted};
use crate::check::{parameter, require, room};
use crate::learn::ranks::Meeting;
use crate::ops::Relabellings;
use crate::{Device, Result};

/// Most arrangements that are enumerated.
const MOST: f64 = 1e6;

/// Which of the pooled points each resample gives to the first sample; the first one is the data as they came.
pub(in crate::stats) struct Labels {
    pub m: usize,
    pub n: usize,
    /// A byte for each resample and point: 1 in the first sample.
    bytes: Vec<u8>,
    /// Whether the resamples swap members of pairs: then row i of x is the partner of row i of y.
    pub swaps: bool,
}

impl Labels {
    pub fn draw(op: &'static str, m: usize, n: usize, null: Null, seed: u64) -> Result<Self> {
        let all = m + n;
        let data: Vec<u8> = (0..all).map(|i| u8::from(i < m)).collect();
        let (count, swaps) = match null {
            Null::Permutations(count) => (count, false),
            Null::WildBootstrap(count) => {
                require(op, m == n, || {
                    format!("the wild bootstrap swaps pairs, and the samples have {m} and {n} observations")
                })?;
                (count, true)
            }
            Null::Gamma | Null::Spectral { .. } | Null::Normal { .. } | Null::ChiSquared => {
                return Err(null.refused(op, "use permutations"));
            }
            Null::Exhaustive => {
                let ways = (1..=m).fold(1.0, |w, i| w * (n + i) as f64 / i as f64);
                parameter("arrangements", ways, ways <= MOST, "too many to enumerate: draw permutations")?;
                let bytes = combinations(all, m).into_iter().flat_map(|chosen| chosen_bytes(all, &chosen));
                return Ok(Labels { m, n, bytes: bytes.collect(), swaps: false });
            }
        };
        parameter("resamples", count as f64, count > 0, "there must be one or more")?;
        room("resamples", count.saturating_add(1), all)?;
        let mut bytes = vec![0; (count + 1) * all];
        bytes.par_chunks_mut(all).enumerate().for_each(|(b, own)| {
            if b == 0 {
                own.copy_from_slice(&data);
            } else if swaps {
                for (i, sign) in drawn_signs(m, seed, b).into_iter().enumerate() {
                    own[if sign > 0.0 { i } else { m + i }] = 1;
                }
            } else {
                for i in permuted(all, m, seed, b) {
                    own[i] = 1;
                }
            }
        });
        Ok(Labels { m, n, bytes, swaps })
    }

    /// Those that are dealt to this rank, b to rank `b mod size`, or the data alone if none is; `None` if all are.
    pub fn dealt(&self, all: &Meeting) -> Option<Self> {
        if all.alone() {
            return None;
        }
        let own = (all.rank()..self.count()).step_by(all.size());
        let bytes: Vec<u8> = own.flat_map(|b| self.of(b).iter().copied()).collect();
        let bytes = if bytes.is_empty() { self.of(0).to_vec() } else { bytes };
        Some(Labels { bytes, ..*self })
    }

    /// The data as they came and nothing else.
    pub fn data_only(m: usize, n: usize) -> Self {
        Labels { m, n, bytes: (0..m + n).map(|i| u8::from(i < m)).collect(), swaps: false }
    }

    /// Resamples, the data among them.
    pub fn count(&self) -> usize {
        self.bytes.len() / (self.m + self.n)
    }

    /// The labels of one resample.
    pub fn of(&self, resample: usize) -> &[u8] {
        let all = self.m + self.n;
        &self.bytes[resample * all..(resample + 1) * all]
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The weights of the two samples: whole numbers, in proportion 1/m to -1/n.
    pub fn weights(&self) -> (f64, f64) {
        let g = gcd(self.m, self.n);
        ((self.n / g) as f64, -((self.m / g) as f64))
    }

    /// V of some resamples, a few rows of it.
    pub fn weights_of(
        &self,
        device: &Device,
        some: Range<usize>,
        rows: Range<usize>,
    ) -> Result<Relabellings> {
        let (first, second) = self.weights();
        let labels: Vec<&[u8]> = some.map(|b| &self.of(b)[rows.clone()]).collect();
        Relabellings::new(device, [second, first], &labels)
    }
}

fn chosen_bytes(all: usize, chosen: &[usize]) -> Vec<u8> {
    let mut bytes = vec![0; all];
    for &i in chosen {
        bytes[i] = 1;
    }
    bytes
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
