//! Machines of two classes that make one of many: which there are, and how all of them are solved.

use std::ops::Range;

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::classifier::{OP, SvmClasses, SvmClassifier};
use super::machine::Machine;
use super::platt::Sigmoid;
use super::rows::Rows;
use crate::{Device, Result};

/// The places of its points, a machine, and its sigmoid.
pub(super) type Solved = (Vec<usize>, Machine, Option<Sigmoid>);

/// One machine: the classes that it tells apart, by their blocks, and the label of each block.
pub(super) struct Duel {
    blocks: Vec<usize>,
    second: Vec<bool>,
}

impl SvmClassifier {
    pub(super) fn duels(&self, k: usize) -> Vec<Duel> {
        let all: Vec<usize> = (0..k).collect();
        if k == 2 {
            return vec![Duel { blocks: all, second: vec![false, true] }];
        }
        match self.classes {
            SvmClasses::OneVsRest => (0..k)
                .map(|c| Duel { blocks: all.clone(), second: (0..k).map(|b| b == c).collect() })
                .collect(),
            SvmClasses::OneVsOne => (0..k)
                .flat_map(|a| (a + 1..k).map(move |b| Duel { blocks: vec![a, b], second: vec![false, true] }))
                .collect(),
        }
    }

    /// The machine of every duel. Those of pairs are solved side by side, each on rows of its own points; those that all
    /// classes take part in share their rows, one after another.
    pub(super) fn solved(
        &self,
        device: &Device,
        duels: &[Duel],
        blocks: &[Range<usize>],
        x: &Array2<f64>,
        factors: &[f64],
    ) -> Result<Vec<Result<Solved>>> {
        let solve = |duel: &Duel, rows: &mut Rows| {
            let of = duel.blocks.iter().zip(&duel.second);
            let y: Vec<f64> =
                of.flat_map(|(&b, &second)| vec![if second { 1.0 } else { -1.0 }; blocks[b].len()]).collect();
            let places: Vec<usize> = duel.blocks.iter().flat_map(|&b| blocks[b].clone()).collect();
            let weights: Vec<f64> = places.iter().map(|&i| factors[i]).collect();
            let machine = self.machine(rows, &y, &weights)?;
            let sigmoid = match self.probabilities {
                None => None,
                Some(folds) => {
                    let scores = self.held_out(rows, &y, &weights, folds, &machine)?;
                    Some(Sigmoid::fit(&scores, &y, &weights))
                }
            };
            Ok((places, machine, sigmoid))
        };
        if duels.iter().all(|duel| duel.blocks.len() == blocks.len()) {
            let mut rows = Rows::new(OP, &self.kernel, x.clone(), self.cache_bytes)?.on(device)?;
            return Ok(duels.iter().map(|duel| solve(duel, &mut rows)).collect());
        }
        let bytes = self.cache_bytes / rayon::current_num_threads();
        let alone = |duel: &Duel| {
            let parts: Vec<_> =
                duel.blocks.iter().map(|&b| x.slice(ndarray::s![blocks[b].clone(), ..])).collect();
            let points = ndarray::concatenate(Axis(0), &parts)
                .map_err(|e| crate::Error::Shape { op: OP, what: e.to_string() })?;
            solve(duel, &mut Rows::new(OP, &self.kernel, points, bytes)?.on(device)?)
        };
        Ok(duels.par_iter().map(alone).collect())
    }
}
