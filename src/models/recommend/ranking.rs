//! How good lists of recommendations are. Checked in `tests/recommend/ranking.rs`.
//!
//! The errors of the ratings themselves are [`rmse`](crate::learn::rmse) and [`mae`](crate::learn::mae) of `predict`.

use super::rated::Recommend;
use super::ratings::Ratings;
use crate::Result;
use crate::check::{parameter, require};

/// The share of the first k of a list that are relevant; a list that is shorter than k is filled with what is not.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for k = 0.
pub fn precision_at(k: usize, ranked: &[usize], relevant: &[usize]) -> Result<f64> {
    Ok(hits(k, ranked, relevant)?.iter().filter(|h| **h).count() as f64 / k as f64)
}

/// The share of what is relevant that is among the first k of a list; 0 if nothing is.
///
/// # Errors
/// As [`precision_at`].
pub fn recall_at(k: usize, ranked: &[usize], relevant: &[usize]) -> Result<f64> {
    let found = hits(k, ranked, relevant)?.iter().filter(|h| **h).count();
    Ok(if relevant.is_empty() { 0.0 } else { found as f64 / relevant.len() as f64 })
}

/// `DCG / best DCG` of the first k of a list, `DCG = Σ_r 1[relevant] / log₂(r + 1)` over ranks r from 1; 0 if nothing is
/// relevant.
///
/// ```
/// use mercer::prelude::*;
/// // The one relevant item stands second of three.
/// assert!((ndcg_at(3, &[4, 7, 1], &[7])? - 1.0 / 3f64.log2()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`precision_at`].
pub fn ndcg_at(k: usize, ranked: &[usize], relevant: &[usize]) -> Result<f64> {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let hits = hits(k, ranked, relevant)?;
    let found: f64 = hits.iter().enumerate().filter(|(_, h)| **h).map(|(r, _)| gain(r)).sum();
    let best: f64 = (0..k.min(relevant.len())).map(gain).sum();
    Ok(if best > 0.0 { found / best } else { 0.0 })
}

fn hits(k: usize, ranked: &[usize], relevant: &[usize]) -> Result<Vec<bool>> {
    parameter("k", k as f64, k > 0, "must be at least 1")?;
    Ok(ranked.iter().take(k).map(|item| relevant.contains(item)).collect())
}

/// Means over users of what their lists are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// The mean of [`precision_at`].
    pub precision: f64,
    /// The mean of [`recall_at`].
    pub recall: f64,
    /// The mean of [`ndcg_at`].
    pub ndcg: f64,
    /// Users that were averaged over: those with something relevant among the ratings held out.
    pub users: usize,
}

/// The lists of the first k of a model, judged by ratings held out: those of at least `threshold` are relevant. What a
/// user has rated in `train` is not recommended again; users with nothing relevant in `test` are left out.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for tables of different sizes, or if nobody has anything relevant.
pub fn ranking<M: Recommend + ?Sized>(
    model: &M,
    train: &Ratings,
    test: &Ratings,
    k: usize,
    threshold: f64,
) -> Result<Ranking> {
    let size = model.size();
    let fits = [train, test].iter().all(|t| (t.users(), t.items()) == size);
    require("ranking", fits, || {
        format!("the model has {} users and {} items, a table has others", size.0, size.1)
    })?;
    let mut sums = Ranking { precision: 0.0, recall: 0.0, ndcg: 0.0, users: 0 };
    for user in 0..size.0 {
        let relevant: Vec<usize> =
            test.of_user(user).iter().filter(|r| r.value >= threshold).map(|r| r.item).collect();
        if relevant.is_empty() {
            continue;
        }
        let list: Vec<usize> = model.recommend(user, train, k)?.into_iter().map(|(item, _)| item).collect();
        sums.precision += precision_at(k, &list, &relevant)?;
        sums.recall += recall_at(k, &list, &relevant)?;
        sums.ndcg += ndcg_at(k, &list, &relevant)?;
        sums.users += 1;
    }
    require("ranking", sums.users > 0, || format!("no rating held out is {threshold} or more"))?;
    let n = sums.users as f64;
    Ok(Ranking {
        precision: sums.precision / n,
        recall: sums.recall / n,
        ndcg: sums.ndcg / n,
        users: sums.users,
    })
}
