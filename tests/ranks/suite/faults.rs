//! What goes wrong on one rank, and ranks that have nothing.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mercer::inference::em::Batches;
use mercer::learn::ranks::Ranks;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array2, s};

use super::unsupervised::kmeans;
use super::{CPU, grouped, groups, near, noise, rows, shares, targets};

pub fn more_ranks_than_rows(ranks: &dyn Ranks) {
    let x = grouped(3);
    let whole = KMeans::new(2).fit(&CPU(), &x).unwrap();
    let own = ranks.rank().min(3)..(ranks.rank() + 1).min(3);
    let own = if ranks.size() == 1 {
        0..3
    } else if ranks.rank() + 1 == ranks.size() {
        own.start..3
    } else {
        own
    };
    let fit = KMeans::new(2).fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
    near("cost", [&fit.cost()], [&whole.cost()]);
    // Nobody has any.
    let none = KMeans::new(2).fit_across(ranks, &CPU(), rows(&x, &(0..0)));
    assert!(matches!(none, Err(Error::Shape { .. })), "{none:?}");
}

/// What one rank meets is the error of all, and names it.
pub fn faults(ranks: &dyn Ranks) {
    let mut x = grouped(40);
    let last = ranks.size() - 1;
    let own = shares(ranks, 40).remove(0);
    let y = targets(&x);
    if ranks.rank() == last {
        x[[own.start + 1, 2]] = f64::NAN;
    }
    let part = rows(&x, &own);
    let (some, labels) = (y.slice(s![own.clone()]), &groups(40)[own.clone()]);
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let seen = [
        GaussianMixture::new(2).fit_across(ranks, &CPU(), part).unwrap_err(),
        KMeans::new(2).fit_across(ranks, &CPU(), part).unwrap_err(),
        Pca::new(1).fit_across(ranks, &CPU(), part).unwrap_err(),
        Standardise::new().fit_across(ranks, &CPU(), part).unwrap_err(),
        BayesianGaussianMixture::new(2).fit_across(ranks, &CPU(), part).unwrap_err(),
        Ppca::new(1).fit_across(ranks, &CPU(), part).unwrap_err(),
        Ridge::new(1.0).fit_across(ranks, &CPU(), part, some).unwrap_err(),
        LeastSquares::new().fit_across(ranks, &CPU(), part, some).unwrap_err(),
        GeneralisedLinear::new(Family::Gaussian).fit_across(ranks, &CPU(), part, some).unwrap_err(),
        KernelRidge::new(Kernel::rbf(1.0), 0.1).fit_across(ranks, &CPU(), part, some).unwrap_err(),
        Falkon::new(Kernel::rbf(1.0), 0.1, 5).fit_across(ranks, &CPU(), part, some).unwrap_err(),
        gp.fit_across(ranks, &CPU(), part, some).unwrap_err(),
        LinearDiscriminant::new().fit_across(ranks, &CPU(), part, labels).unwrap_err(),
        GaussianNaiveBayes::new().fit_across(ranks, &CPU(), part, labels).unwrap_err(),
        LogisticRegression::new(0.1).fit_across(ranks, &CPU(), part, labels).unwrap_err(),
        Mmd::new(Kernel::rbf(1.0)).across(ranks, part, part).unwrap_err(),
    ];
    for error in seen {
        let met = match &error {
            Error::OnRank { rank, error } if ranks.size() > 1 => {
                assert_eq!(*rank, last, "{error}");
                error
            }
            error if ranks.size() == 1 => error,
            other => panic!("{other}"),
        };
        assert!(matches!(met, Error::NotFinite { row: 1, col: 2, .. }), "{met}");
    }
    // What all ranks meet has no rank.
    let error = KMeans::new(0).fit_across(ranks, &CPU(), rows(&grouped(40), &own)).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
    // Columns that differ between ranks.
    let odd = Array2::<f64>::zeros((4, 2 + usize::from(ranks.rank() == last)));
    let error = KMeans::new(2).fit_across(ranks, &CPU(), &odd);
    assert!(ranks.size() == 1 || matches!(error, Err(Error::Shape { .. })), "{error:?}");
}

/// One rank has had enough: all stop.
pub fn cancel(ranks: &dyn Ranks) {
    let x = grouped(60);
    let last = ranks.rank() + 1 == ranks.size();
    let own = shares(ranks, 60).remove(0);
    let stop =
        || {
            Progress::new(move |step| {
                if last && step.made >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        };
    let model = GaussianMixture::new(4).tolerance(0.0).progress(stop());
    let error = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { iterations: 2, .. }), "{error}");
    let y: Vec<bool> = own.clone().map(|i| noise(i, 3) > 0.0).collect();
    let error =
        LogisticRegression::new(0.1).progress(stop()).fit_across(ranks, &CPU(), rows(&x, &own), &y[..]);
    assert!(matches!(error, Err(Error::Cancelled { iterations: 2, .. })), "{error:?}");
    let y = targets(&x);
    let (part, some) = (rows(&x, &own), y.slice(s![own.clone()]));
    let ridge = KernelRidge::new(Kernel::rbf(0.3), 1e-3).solver(KernelSolver::MatrixFree);
    let ridge = ridge.tolerance(1e-13).memory_budget(32 * 60 * 5).progress(stop());
    let error = ridge.fit_across(ranks, &CPU(), part, some);
    assert!(matches!(error, Err(Error::Cancelled { .. })), "{error:?}");
    let free = MatrixFreeParams::new().tolerance(1e-13).progress(stop());
    let gp = GpRegressor::new(Kernel::rbf(0.3)).noise(1e-3).memory_budget(32 * 60 * 5).matrix_free(free);
    let error = gp.fit_across(ranks, &CPU(), part, some);
    assert!(matches!(error, Err(Error::Cancelled { .. })), "{error:?}");
    let error = KMeans::new(5).tolerance(0.0).restarts(3).progress(stop()).fit_across(ranks, &CPU(), part);
    assert!(matches!(error, Err(Error::Cancelled { .. })), "{error:?}");
    // The ranks still understand each other.
    kmeans(ranks);
}

/// Rows that can be read so many times, then no more.
struct Failing {
    rows: Array2<f64>,
    left: AtomicUsize,
}

impl Batches<Array2<f64>> for Failing {
    fn count(&self) -> usize {
        1
    }

    fn visit(&self, _: usize, f: &mut dyn FnMut(&Array2<f64>) -> mercer::Result<()>) -> mercer::Result<()> {
        let spent = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
        if spent {
            return Err(Error::File { path: "rows".to_owned(), what: "the disk is gone".to_owned() });
        }
        f(&self.rows)
    }
}

/// In the middle of EM, on any rank: the others are in an exchange, and do not wait for ever.
pub fn an_error_anywhere_is_that_of_all(ranks: &dyn Ranks) {
    // Nothing but noise: EM takes its time.
    let x = Array2::from_shape_fn((60, 2), |(i, j)| noise(i, j));
    let own = shares(ranks, 60).remove(0);
    for bad in 0..ranks.size() {
        for reads in [0, 1, 4] {
            let left = AtomicUsize::new(if ranks.rank() == bad { reads } else { usize::MAX });
            let data = Failing { rows: rows(&x, &own).to_owned(), left };
            let model = GaussianMixture::new(3).tolerance(0.0).max_iterations(20);
            let error = model.fit_batches_across(ranks, &CPU(), &data).unwrap_err();
            let met = match &error {
                Error::OnRank { rank, error } if ranks.size() > 1 && *rank == bad => error,
                error if ranks.size() == 1 => error,
                other => panic!("{other}"),
            };
            assert!(matches!(met, Error::File { .. }), "{met}");
        }
    }
    kmeans(ranks);
}
