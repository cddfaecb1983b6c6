//! Alternation on a device: ratings and factors stay there, all rows of a side are solved for in one launch, and each half step
//! brings its factors down for the objective in f64. Checked in `tests/recommend/devices.rs` against the CPU.

use ndarray::{Array2, Axis, concatenate, s};

use super::model::Als;
use crate::models::recommend::factors::FittedFactors;
use crate::models::recommend::ratings::{Rating, Ratings};
use crate::ops::{RatedRows, RidgeSystem, Trans, gemm, ridge_rows};
use crate::{Device, Matrix, Result};

/// The largest weight of a rating, in units of the penalty, with which f32 solves a system to 1e-4 over many iterations.
const STEEPEST: f64 = 20.0;

/// Both sides of a table, and the factors of items with their biases; those of users come out of the first half step.
pub(super) struct There {
    users: RatedRows,
    items: RatedRows,
    user: Matrix,
    item: Matrix,
}

impl There {
    /// None if the work is too little for the device, if it has no room for such systems, or if f32 does not carry them.
    pub fn new(
        als: &Als,
        device: &Device,
        ratings: &Ratings,
        start: &FittedFactors,
        flops: f64,
    ) -> Result<Option<Self>> {
        let device = device.suited_to(flops);
        let k = start.item_factors.ncols() + usize::from(als.biased());
        let of_users = (0..ratings.users()).map(|u| ratings.of_user(u).len());
        let longest =
            of_users.chain((0..ratings.items()).map(|i| ratings.of_item(i).len())).max().unwrap_or(0);
        let largest = start.item_factors.iter().fold(0f64, |m, v| m.max(v.abs()));
        let largest = ratings.entries().iter().fold(largest, |m, r| m.max(r.value.abs()).max(r.weight));
        let weights = ratings.entries().iter().map(|r| als.partner(r, 0, start.mean).1);
        let least = als.penalty_of(true).min(als.penalty_of(false));
        let steep = weights.fold(0.0, f64::max) > STEEPEST * least;
        if !device.is_gpu() || steep || !RatedRows::fits(k, longest) || largest > 1e15 {
            return Ok(None);
        }
        let entry = |p: usize, r: &Rating| {
            let (_, weight, target) = als.partner(r, p, start.mean);
            (p, weight, target)
        };
        let side = |lengths: Vec<usize>, columns: usize, entries: Vec<(usize, f64, f64)>| {
            let mut offsets = vec![0];
            for n in &lengths {
                offsets.push(offsets[offsets.len() - 1] + n);
            }
            RatedRows::new(&device, offsets, columns, entries)
        };
        let (n, m) = (ratings.users(), ratings.items());
        let users = side(
            (0..n).map(|u| ratings.of_user(u).len()).collect(),
            m,
            ratings.entries().iter().map(|r| entry(r.item, r)).collect(),
        )?;
        let items = side(
            (0..m).map(|i| ratings.of_item(i).len()).collect(),
            n,
            (0..m).flat_map(|i| ratings.of_item(i)).map(|r| entry(r.user, r)).collect(),
        )?;
        let up = |a: &Array2<f64>| Matrix::upload("Als::fit", &device, a.view());
        let item = if als.biased() {
            up(&concatenate![Axis(1), start.item_factors, Array2::zeros((m, 1))])?
        } else {
            up(&start.item_factors)?
        };
        Ok(Some(There { users, items, user: item.clone(), item }))
    }

    /// Solves for one side; its factors and biases also go to `now`.
    pub fn half_step(&mut self, als: &Als, now: &mut FittedFactors, users: bool) -> Result<()> {
        let (rated, other) = if users { (&self.users, &self.item) } else { (&self.items, &self.user) };
        let shared = als.is_implicit().then(|| gemm(1.0, other, Trans::Yes, other, Trans::No)).transpose()?;
        let (penalty, biased) = (als.penalty_of(users), als.biased());
        let found = ridge_rows(rated, &RidgeSystem { other, penalty, shared: shared.as_ref(), biased })?;
        let all = found.to_array()?;
        let k = all.ncols() - usize::from(biased);
        let (own, bias) = (all.slice(s![.., ..k]).to_owned(), all.slice(s![.., k..]));
        let (factors, biases, place) = if users {
            (&mut now.user_factors, &mut now.user_biases, &mut self.user)
        } else {
            (&mut now.item_factors, &mut now.item_biases, &mut self.item)
        };
        (*factors, *place) = (own, found);
        if biased {
            biases.assign(&bias.column(0));
        }
        Ok(())
    }
}
