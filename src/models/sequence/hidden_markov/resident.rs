//! Baum-Welch where the sequences live: of an iteration the parameters go up and expected counts come down, in one
//! submission. Checked in `tests/sequence/devices.rs` against the CPU.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::emission::{Emission, OP, symbol};
use super::fitted::FittedHiddenMarkov;
use super::model::Emissions;
use super::sums::Sums;
use crate::matrix::{Origin, Points};
use crate::ops::{
    Along, ChainNumbers, PendingMoments, Reduction, RowList, Second, SequenceRows, Trans, Whitening,
    forward_backward_pending, gather_listed, gaussian_log_density, gemm, moments_pending, reduce,
};
use crate::{Device, Matrix, Result};

/// The logarithm of the probability of what a state excludes.
const NEVER: f64 = -1e30;

/// Sequences to learn from.
pub(super) enum Sequences<'a> {
    /// In f64 on the host.
    Host(Vec<ArrayView2<'a, f64>>),
    /// On a device.
    Device(Box<Resident<'a>>),
}

/// Sequences one below the other on a device: symbols as rows of zeros and a one, numbers as they are.
pub(super) struct Resident<'a> {
    host: Vec<ArrayView2<'a, f64>>,
    points: Points,
    rows: SequenceRows,
    starts: RowList,
}

impl<'a> Resident<'a> {
    /// Nothing where the CPU is to do it: little work, numbers beyond f32, observations that are missing, mixtures.
    pub fn new(
        device: &Device,
        emissions: Emissions,
        states: usize,
        host: &[ArrayView2<'a, f64>],
    ) -> Result<Option<Self>> {
        let known = host.iter().all(|x| x.iter().all(|v| v.is_finite()));
        if !device.is_gpu() || !known || matches!(emissions, Emissions::Mixture { .. }) {
            return Ok(None);
        }
        let mut all = concatenate(Axis(0), host).expect("the widths are equal");
        if let Emissions::Discrete { symbols } = emissions {
            let seen: Vec<usize> = all.iter().map(|v| symbol(*v, symbols)).collect::<Result<_>>()?;
            all = crate::check::zeros("symbols", seen.len(), symbols)?;
            seen.iter().enumerate().for_each(|(t, v)| all[[t, *v]] = 1.0);
        }
        let (t, d) = all.dim();
        let flops = (t * states) as f64 * (4 * states + 4 * d * d.min(8)) as f64 * 10.0;
        let origin = if emissions == Emissions::Gaussian { Origin::Free } else { Origin::Fixed };
        let points = Points::new(OP, device, all.view(), origin, flops)?;
        if !points.device().is_gpu() {
            return Ok(None);
        }
        let lengths: Vec<usize> = host.iter().map(ArrayView2::nrows).collect();
        let place = |at: &mut usize, n: &usize| {
            *at += n;
            Some(*at - n)
        };
        let starts = lengths.iter().scan(0, place).collect();
        let starts = RowList::new(points.matrix()?, starts)?;
        let rows = SequenceRows::new(points.device(), lengths)?;
        Ok(Some(Resident { host: host.to_vec(), points, rows, starts }))
    }

    pub fn host(&self) -> &[ArrayView2<'a, f64>] {
        &self.host
    }

    /// The E-step; nothing if f32 cannot carry it.
    pub fn expect(&self, model: &FittedHiddenMarkov) -> Result<Option<Sums>> {
        let x = self.points.matrix()?;
        let up = |a: &Array2<f64>| Matrix::upload(OP, self.points.device(), a.view());
        // Uploads first: each ends a submission.
        let numbers =
            ChainNumbers::new(self.points.device(), model.initial().view(), model.transition().view())?;
        let (centres, log_b) = match model.emission() {
            Emission::Discrete(p) => {
                (None, gemm(1.0, x, Trans::No, &up(&p.mapv(|p| p.ln().max(NEVER)))?, Trans::Yes)?)
            }
            Emission::Gaussian { means, .. } => {
                let (whitening, offset) = model.emission().whitening()?;
                let there = self.points.like(OP, means.view())?;
                let log_b =
                    gaussian_log_density(x, &there, Whitening::Full(&up(&whitening)?), &up(&offset)?)?;
                (Some(there), log_b)
            }
            Emission::Mixture { .. } => return Ok(None),
        };
        let found = forward_backward_pending(&log_b, &self.rows, &numbers)?;
        let Some(found) = found else { return Ok(None) };
        let starts = gather_listed(&found.states, &self.starts, 0..self.starts.rows().len())?;
        let first = reduce(&starts, Along::EachColumn, Reduction::Sum)?;
        let (shown, moments) = match &centres {
            None => (Some(gemm(1.0, &found.states, Trans::Yes, x, Trans::No)?), None),
            Some(there) => (None, moments_pending(x, &found.states, there, Second::Full)?),
        };
        let mut all = found.matrices().to_vec();
        all.push(&first);
        all.extend(shown.as_ref());
        all.extend(moments.iter().flat_map(PendingMoments::matrices));
        let down = Matrix::to_arrays(&all)?;
        let Some((moves, logs)) = found.read(&down, model.transition().view()) else { return Ok(None) };
        let first = down[3].row(0).to_owned();
        let log_likelihood = logs.iter().sum();
        match (moments, model.emission()) {
            (Some(pending), Emission::Gaussian { means, .. }) => {
                let shift = self.points.shift();
                let seen = (means - shift).mapv(|v| f64::from(v as f32)) + shift;
                let sums = Sums::of_moments(first, moves, &pending.read(&down[4..]), &seen, log_likelihood);
                Ok(Some(sums).filter(Sums::positive))
            }
            _ => Ok(Some(Sums::of_symbols(first, moves, down[4].clone(), log_likelihood))),
        }
    }
}
