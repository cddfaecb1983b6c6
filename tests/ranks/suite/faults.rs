//! What goes wrong on one rank, and ranks that have nothing.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mercer::inference::em::Batches;
use mercer::learn::ranks::Ranks;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array2, s};

use super::unsupervised::kmeans;
use super::{CPU, grouped, groups, near, noise, rows, shares, targets};

/// Rows 0, 1, 2 on the first ranks, one each, and none on the others.
fn sparse(ranks: &dyn Ranks) -> std::ops::Range<usize> {
    match (ranks.rank(), ranks.size()) {
        (_, 1) => 0..3,
        (rank, size) if rank + 1 == size => rank.min(3)..3,
        (rank, _) => rank.min(3)..(rank + 1).min(3),
    }
}

pub fn more_ranks_than_rows(ranks: &dyn Ranks) {
    let (x, own, cpu) = (grouped(3), sparse(ranks), CPU());
    let (part, y, labels) = (rows(&x, &own), targets(&x), ["red", "white", "red"]);
    /// Figures of a fit alone and of one across, of the same rows.
    macro_rules! agree {
        ($($model:expr $(, $y:ident)? => |$fit:ident| $figures:expr;)+) => {$(
            let $fit = $model.fit(&cpu, &x $(, &$y[..])?).unwrap();
            let whole = $figures;
            let $fit = $model.fit_across(ranks, &cpu, part $(, &$y[own.clone()])?).unwrap();
            near(stringify!($model), &$figures, &whole);
        )+};
    }
    agree! {
        KMeans::new(2) => |fit| vec![fit.cost()];
        Standardise::new() => |fit| fit.mean().to_vec();
        Pca::new(1) => |fit| fit.components().clone();
        GaussianMixture::new(1) => |fit| fit.means().clone();
        SoftKMeans::new(1, 1.0) => |fit| fit.means().clone();
        GaussianNaiveBayes::new(), labels => |fit| fit.predict_proba(&x).unwrap();
        LogisticRegression::new(0.1), labels => |fit| fit.coefficients().clone();
    }
    let some = y.slice(s![own.clone()]);
    let (ridge, kernel) = (Ridge::new(0.5), KernelRidge::new(Kernel::rbf(5.0), 0.1));
    let kernel = kernel.solver(KernelSolver::MatrixFree).tolerance(1e-13);
    let whole = (ridge.fit(&cpu, &x, &y).unwrap(), kernel.fit(&cpu, &x, &y).unwrap());
    let fit = ridge.fit_across(ranks, &cpu, part, some).unwrap();
    near("ridge", fit.coefficients(), whole.0.coefficients());
    let fit = kernel.fit_across(ranks, &cpu, part, some).unwrap();
    near("kernel ridge", fit.dual_coefficients(), whole.1.dual_coefficients());
    let (mmd, other) = (Mmd::new(Kernel::rbf(5.0)), x.mapv(|v| 1.1 * v));
    let found = mmd.across(ranks, part, rows(&other, &own)).unwrap();
    near("mmd", [&found.0], [&mmd.biased(&cpu, &x, &other).unwrap()]);
    // Nobody has any.
    let none = KMeans::new(2).fit_across(ranks, &CPU(), rows(&x, &(0..0)));
    assert!(matches!(none, Err(Error::Shape { .. })), "{none:?}");
}

/// What the last rank alone has met, as every rank is told.
fn met_by_the_last(ranks: &dyn Ranks, error: Error) -> Error {
    match error {
        Error::OnRank { rank, error } if ranks.size() > 1 && rank + 1 == ranks.size() => *error,
        error if ranks.size() == 1 => error,
        other => panic!("{other}"),
    }
}

/// The errors of fits: `model, data, ...;` each.
macro_rules! errors {
    ($ranks:ident: $($model:expr $(, $data:expr)*;)+) => {
        [$((stringify!($model), $model.fit_across($ranks, &CPU() $(, $data)*).map(|_| ()).unwrap_err())),+]
    };
}

/// What one rank meets is the error of all, and names it.
pub fn faults(ranks: &dyn Ranks) {
    let mut x = grouped(40);
    let last = ranks.size() - 1;
    let own = shares(ranks, 40).remove(0);
    let mut y = targets(&x);
    let fine = x.clone();
    if ranks.rank() == last {
        (x[[own.start + 1, 2]], y[own.start + 1]) = (f64::NAN, f64::NAN);
    }
    let (part, good) = (rows(&x, &own), rows(&fine, &own));
    let (some, labels) = (targets(&fine), &groups(40)[own.clone()]);
    let (some, bad) = (some.slice(s![own.clone()]), y.slice(s![own.clone()]));
    let two: Vec<bool> = own.clone().map(|i| i % 2 == 0).collect();
    let gp = || GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let krr = || KernelRidge::new(Kernel::rbf(1.0), 0.1);
    let falkon = || Falkon::new(Kernel::rbf(1.0), 0.1, 5);
    let glm = || GeneralisedLinear::new(Family::Gaussian);
    let in_x = errors! { ranks:
        GaussianMixture::new(2), part; KMeans::new(2), part; Pca::new(1), part; Standardise::new(), part;
        BayesianGaussianMixture::new(2), part; Ppca::new(1), part; FactorAnalysis::new(1), part;
        SoftKMeans::new(2, 1.0), part; PpcaMixture::new(2, 1), part; BernoulliMixture::new(2), part;
        CategoricalMixture::new(2), part; LatentClass::new(2).categories(vec![99; 3]), part.mapv(f64::round);
        Ridge::new(1.0), part, some; LeastSquares::new(), part, some; glm(), part, some; krr(), part, some;
        falkon(), part, some; gp(), part, some; LinearRegressionMixture::new(2), part, some;
        LinearDiscriminant::new(), part, labels; QuadraticDiscriminant::new(), part, labels;
        GaussianNaiveBayes::new(), part, labels; MultinomialNaiveBayes::new(1.0), part, labels;
        CategoricalNaiveBayes::new(), part, labels; BernoulliNaiveBayes::new(), part, labels;
        LogisticRegression::new(0.1), part, labels; ProbitRegression::new(0.1), part, &two[..];
        LogisticRegressionMixture::new(2), part, &two[..];
    };
    let (mmd, hsic) = (Mmd::new(Kernel::rbf(1.0)), Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0)));
    let pairs = [
        ("Mmd", mmd.across(ranks, part, good).map(|_| ()).unwrap_err()),
        ("Hsic", hsic.across(ranks, part, good).map(|_| ()).unwrap_err()),
    ];
    for (model, error) in in_x.into_iter().chain(pairs) {
        let met = met_by_the_last(ranks, error);
        assert!(matches!(met, Error::NotFinite { row: 1, col: 2, .. }), "{model}: {met}");
    }
    let in_y = errors! { ranks:
        Ridge::new(1.0), good, bad; LeastSquares::new(), good, bad; glm(), good, bad; krr(), good, bad;
        falkon(), good, bad; gp(), good, bad; LinearRegressionMixture::new(2), good, bad;
    };
    for (model, error) in in_y {
        let met = met_by_the_last(ranks, error);
        assert!(matches!(met, Error::NotFinite { what: "y", row: 1, col: 0, .. }), "{model}: {met}");
    }
    // What all ranks meet has no rank.
    let error = KMeans::new(0).fit_across(ranks, &CPU(), good).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
    // Columns that differ between ranks.
    let odd = Array2::<f64>::zeros((4, 2 + usize::from(ranks.rank() == last)));
    let error = KMeans::new(2).fit_across(ranks, &CPU(), &odd);
    assert!(ranks.size() == 1 || matches!(error, Err(Error::Shape { .. })), "{error:?}");
    // What only one process can do: it does, and several say so.
    let start = MixtureStart::Labels((0..own.len()).map(|i| i % 2).collect());
    let alone_only = [
        GaussianMixture::new(2).start(start.clone()).fit_across(ranks, &CPU(), good).map(|_| ()),
        BayesianGaussianMixture::new(2).start(start).fit_across(ranks, &CPU(), good).map(|_| ()),
        Pca::new(1).route(Route::Gram).fit_across(ranks, &CPU(), good).map(|_| ()),
        Ppca::new(1).missing(true).fit_across(ranks, &CPU(), good).map(|_| ()),
    ];
    for found in alone_only {
        assert_eq!(ranks.size() == 1, found.is_ok(), "{found:?}");
        assert!(found.is_ok() || matches!(found, Err(Error::Shape { .. })), "{found:?}");
    }
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
