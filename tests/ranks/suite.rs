//! What every model promises of ranks: the figures of one process, to 1e-10, however rows are shared out.

use std::ops::{ControlFlow, Range};

use mercer::learn::ranks::{FitAcross, Ranks};
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, s};

/// What every number of ranks has to do alike.
type Case = fn(&dyn Ranks);

/// Every case, by name.
#[allow(dead_code, reason = "threads name them one by one")]
pub const CASES: &[(&str, Case)] = &[
    ("standardise", standardise),
    ("pca_ppca_and_factor_analysis", pca_ppca_and_factor_analysis),
    ("kmeans", kmeans),
    ("gaussian_mixtures", gaussian_mixtures),
    ("variational_mixtures", variational_mixtures),
    ("discrete_mixtures", discrete_mixtures),
    ("ridge_and_least_squares", ridge_and_least_squares),
    ("logistic_regression", logistic_regression),
    ("generalised_linear", generalised_linear),
    ("discriminants", discriminants),
    ("naive_bayes", naive_bayes),
    ("kernel_ridge_and_falkon", kernel_ridge_and_falkon),
    ("sums_over_pairs", sums_over_pairs),
    ("dealt_work", dealt_work),
    ("more_ranks_than_rows", more_ranks_than_rows),
    ("faults", faults),
    ("cancel", cancel),
];

const CPU: fn() -> Device = Device::cpu;

/// Numbers in [-1, 1] that are the same everywhere.
fn noise(i: usize, j: usize) -> f64 {
    let mut z =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (j as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Three groups in three dimensions, far from the origin.
fn grouped(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 3), |(i, j)| {
        50.0 + 4.0 * ((i % 3) * (j + 1) % 4) as f64 + noise(i, j) * (1.0 + 0.3 * j as f64)
    })
}

fn groups(n: usize) -> Vec<&'static str> {
    (0..n).map(|i| ["barolo", "merlot", "pinot"][i % 3]).collect()
}

/// Ways to share n rows out: evenly, and so that the first rank has most and the last has none.
fn shares(ranks: &dyn Ranks, n: usize) -> Vec<Range<usize>> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let even = rank * n / size..(rank + 1) * n / size;
    let others = size.saturating_sub(2);
    let most = if size > 1 { n - 5 * others } else { n };
    let uneven = match rank {
        0 => 0..most,
        r if r + 1 == size => n..n,
        r => most + 5 * (r - 1)..most + 5 * r,
    };
    vec![even, uneven]
}

fn rows<'a>(x: &'a Array2<f64>, own: &Range<usize>) -> ArrayView2<'a, f64> {
    x.slice(s![own.clone(), ..])
}

/// Within 1e-10 of what it is compared with, relative to the largest entry.
fn near<'a>(what: &str, found: impl IntoIterator<Item = &'a f64>, wanted: impl IntoIterator<Item = &'a f64>) {
    let (found, wanted): (Vec<f64>, Vec<f64>) =
        (found.into_iter().copied().collect(), wanted.into_iter().copied().collect());
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = wanted.iter().fold(1e-300f64, |m, v| m.max(v.abs()));
    for (a, b) in found.iter().zip(&wanted) {
        assert!((a - b).abs() <= 1e-10 * size, "{what}: {a} is not {b}");
    }
}

pub fn standardise(ranks: &dyn Ranks) {
    let x = grouped(61);
    let whole = Standardise::new().fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 61) {
        let fit = Standardise::new().fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("mean", fit.mean(), whole.mean());
        near("scale", fit.scale(), whole.scale());
    }
}

pub fn pca_ppca_and_factor_analysis(ranks: &dyn Ranks) {
    let x = grouped(90);
    let pca = Pca::new(2).fit(&CPU(), &x).unwrap();
    let closed = Ppca::new(1).fit(&CPU(), &x).unwrap();
    let em = Ppca::new(1).solver(PpcaSolver::Em).fit(&CPU(), &x).unwrap();
    let fa = FactorAnalysis::new(1).fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 90) {
        let part = rows(&x, &own);
        let found = Pca::new(2).fit_across(ranks, &CPU(), part).unwrap();
        near("pca", found.components(), pca.components());
        near("pca variance", found.explained_variance(), pca.explained_variance());
        let found = Ppca::new(1).fit_across(ranks, &CPU(), part).unwrap();
        near("ppca", found.loadings(), closed.loadings());
        let found = Ppca::new(1).solver(PpcaSolver::Em).fit_across(ranks, &CPU(), part).unwrap();
        near("ppca by em", found.loadings(), em.loadings());
        let found = FactorAnalysis::new(1).fit_across(ranks, &CPU(), part).unwrap();
        near("factors", found.loadings(), fa.loadings());
    }
}

pub fn kmeans(ranks: &dyn Ranks) {
    let x = grouped(120);
    let model = KMeans::new(3).restarts(3).seed(4);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("centres", fit.centres(), whole.centres());
        near("cost", [&fit.cost()], [&whole.cost()]);
        assert_eq!(fit.labels(), &whole.labels()[own]);
    }
}

pub fn gaussian_mixtures(ranks: &dyn Ranks) {
    let x = grouped(120);
    for kind in
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical]
    {
        let model = GaussianMixture::new(3).covariance(kind).seed(1);
        let whole = model.fit(&CPU(), &x).unwrap();
        let labels = whole.predict(&x).unwrap();
        for own in shares(ranks, 120) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
            near("weights", fit.weights(), whole.weights());
            near("means", fit.means(), whole.means());
            near("log-likelihood", &fit.report().trace, &whole.report().trace);
            assert_eq!(fit.predict(&x).unwrap(), labels);
        }
    }
    // In parts of their own: each rank visits its rows 10 at a time.
    let model = GaussianMixture::new(3).seed(1);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let parts: Vec<Array2<f64>> =
            rows(&x, &own).axis_chunks_iter(ndarray::Axis(0), 50).map(|p| p.to_owned()).collect();
        let given = GaussianMixture::new(3).start(MixtureStart::Given(whole.params().clone()));
        let fit = given.fit_batches_across(ranks, &CPU(), &parts).unwrap();
        let again = given.fit(&CPU(), &x).unwrap();
        near("means of batches", fit.means(), again.means());
    }
}

pub fn variational_mixtures(ranks: &dyn Ranks) {
    let x = grouped(120);
    let model = BayesianGaussianMixture::new(5).seed(2);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("weights", &fit.weights().to_owned(), &whole.weights().to_owned());
        near("bound", &fit.report().trace, &whole.report().trace);
    }
}

pub fn discrete_mixtures(ranks: &dyn Ranks) {
    let x = Array2::from_shape_fn((100, 6), |(i, j)| {
        f64::from(u8::from(noise(i, j) < if (i + j) % 2 == 0 { 0.8 } else { -0.8 }))
    });
    let model = BernoulliMixture::new(2).seed(3);
    let whole = model.fit(&CPU(), &x).unwrap();
    let words = CategoricalMixture::new(2).fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 100) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("probabilities", fit.probabilities(), whole.probabilities());
        let fit = CategoricalMixture::new(2).fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("words", fit.probabilities(), words.probabilities());
    }
}

/// Targets that are nearly linear in the rows.
fn targets(x: &Array2<f64>) -> Array1<f64> {
    Array1::from_shape_fn(x.nrows(), |i| {
        0.5 * x[[i, 0]] - 2.0 * x[[i, 1]] + 0.1 * x[[i, 2]] + 0.3 * noise(i, 9)
    })
}

pub fn ridge_and_least_squares(ranks: &dyn Ranks) {
    let x = grouped(80);
    let y = targets(&x);
    for penalty in [0.7, 0.0] {
        let whole = Ridge::new(penalty).fit(&CPU(), &x, &y).unwrap();
        for own in shares(ranks, 80) {
            let fit =
                Ridge::new(penalty).fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
            near("ridge", fit.coefficients(), whole.coefficients());
            near("intercept", fit.intercept(), whole.intercept());
        }
    }
    let whole = LeastSquares::new().fit(&CPU(), &x, &y).unwrap();
    for own in shares(ranks, 80) {
        let fit =
            LeastSquares::new().fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own.clone()])).unwrap();
        near("least squares", fit.coefficients(), whole.coefficients());
        near("errors", &fit.standard_errors().unwrap(), &whole.standard_errors().unwrap());
        near("leverage", &fit.leverage(), whole.leverage().slice(s![own.clone()]));
        let left = whole.residuals().slice(s![own, ..]).to_owned();
        let size = whole.residuals().fold(0f64, |m, v| m.max(v.abs()));
        assert!((fit.residuals() - &left).iter().all(|v| v.abs() <= 1e-10 * size));
    }
}

pub fn logistic_regression(ranks: &dyn Ranks) {
    let x = grouped(120);
    let y: Vec<&str> = (0..120)
        .map(|i| if noise(i, 20) > 0.4 { groups(120)[(i + 1) % 120] } else { groups(120)[i] })
        .collect();
    let two: Vec<bool> = (0..120).map(|i| x[[i, 0]] + 3.0 * noise(i, 21) > 53.0).collect();
    for l1 in [0.0, 0.5] {
        let model = LogisticRegression::new(0.1).l1(l1);
        let whole = model.fit(&CPU(), &x, &y[..]).unwrap();
        let pair = model.fit(&CPU(), &x, &two[..]).unwrap();
        for own in shares(ranks, 120) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), &y[own.clone()]).unwrap();
            assert_eq!(fit.classes(), whole.classes());
            near("coefficients", fit.coefficients(), whole.coefficients());
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), &two[own]).unwrap();
            near("two classes", fit.coefficients(), pair.coefficients());
        }
    }
    let whole = ProbitRegression::new(0.1).fit(&CPU(), &x, &two[..]).unwrap();
    for own in shares(ranks, 120) {
        let fit = ProbitRegression::new(0.1).fit_across(ranks, &CPU(), rows(&x, &own), &two[own]).unwrap();
        near("probit", fit.coefficients(), whole.coefficients());
    }
}

pub fn generalised_linear(ranks: &dyn Ranks) {
    let x = grouped(90).mapv(|v| 0.1 * (v - 55.0));
    let counts = Array1::from_shape_fn(90, |i| (1.0 + x[[i, 0]] + noise(i, 30)).exp().floor());
    let sizes = Array1::from_shape_fn(90, |i| (0.2 * x[[i, 1]] + 0.3 * noise(i, 31)).exp());
    for (family, y) in [(Family::Poisson, &counts), (Family::Gamma, &sizes)] {
        let model = GeneralisedLinear::new(family).penalty(0.01);
        let model =
            if family == Family::Gamma { model.link(mercer::models::linear::Link::Log) } else { model };
        let whole = model.fit(&CPU(), &x, y).unwrap();
        for own in shares(ranks, 90) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
            near("coefficients", fit.coefficients(), whole.coefficients());
            near("deviance", &fit.deviance(), &whole.deviance());
        }
    }
}

pub fn discriminants(ranks: &dyn Ranks) {
    let (x, y) = (grouped(90), groups(90));
    let linear = LinearDiscriminant::new().fit(&CPU(), &x, &y[..]).unwrap();
    let quadratic = QuadraticDiscriminant::new().fit(&CPU(), &x, &y[..]).unwrap();
    for own in shares(ranks, 90) {
        let fit =
            LinearDiscriminant::new().fit_across(ranks, &CPU(), rows(&x, &own), &y[own.clone()]).unwrap();
        near("linear", &fit.coefficients(), &linear.coefficients());
        assert_eq!(fit.predict(&x).unwrap(), linear.predict(&x).unwrap());
        let fit = QuadraticDiscriminant::new().fit_across(ranks, &CPU(), rows(&x, &own), &y[own]).unwrap();
        near("quadratic", fit.covariances(), quadratic.covariances());
    }
}

pub fn naive_bayes(ranks: &dyn Ranks) {
    let (x, y) = (grouped(90), groups(90));
    let counts = x.mapv(|v| (v - 45.0).floor());
    let bits = x.mapv(|v| f64::from(u8::from(v > 54.0)));
    let proba = |p: Array2<f64>| p.into_iter().collect::<Vec<f64>>();
    let gaussian =
        proba(GaussianNaiveBayes::new().fit(&CPU(), &x, &y[..]).unwrap().predict_proba(&x).unwrap());
    let many = proba(
        MultinomialNaiveBayes::new(1.0).fit(&CPU(), &counts, &y[..]).unwrap().predict_proba(&counts).unwrap(),
    );
    let kinds = proba(
        CategoricalNaiveBayes::new().fit(&CPU(), &counts, &y[..]).unwrap().predict_proba(&counts).unwrap(),
    );
    let yes =
        proba(BernoulliNaiveBayes::new().fit(&CPU(), &bits, &y[..]).unwrap().predict_proba(&bits).unwrap());
    for own in shares(ranks, 90) {
        let y = &y[own.clone()];
        let fit = GaussianNaiveBayes::new().fit_across(ranks, &CPU(), rows(&x, &own), y).unwrap();
        near("gaussian", &proba(fit.predict_proba(&x).unwrap()), &gaussian);
        let fit = MultinomialNaiveBayes::new(1.0).fit_across(ranks, &CPU(), rows(&counts, &own), y).unwrap();
        near("multinomial", &proba(fit.predict_proba(&counts).unwrap()), &many);
        let fit = CategoricalNaiveBayes::new().fit_across(ranks, &CPU(), rows(&counts, &own), y).unwrap();
        near("categorical", &proba(fit.predict_proba(&counts).unwrap()), &kinds);
        let fit = BernoulliNaiveBayes::new().fit_across(ranks, &CPU(), rows(&bits, &own), y).unwrap();
        near("bernoulli", &proba(fit.predict_proba(&bits).unwrap()), &yes);
    }
}

pub fn kernel_ridge_and_falkon(ranks: &dyn Ranks) {
    let x = grouped(70).mapv(|v| 0.2 * v);
    let y = targets(&x);
    let kernel = Kernel::rbf(1.3) + Kernel::constant(0.5);
    let ridge = KernelRidge::new(kernel.clone(), 0.1).solver(KernelSolver::MatrixFree).tolerance(1e-13);
    let falkon = Falkon::new(kernel, 0.1, 20).seed(5).tolerance(1e-13);
    let (whole, few) = (ridge.fit(&CPU(), &x, &y).unwrap(), falkon.fit(&CPU(), &x, &y).unwrap());
    for own in shares(ranks, 70) {
        let fit = ridge.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own.clone()])).unwrap();
        near("kernel ridge", &fit.predict(&x).unwrap(), &whole.predict(&x).unwrap());
        let fit = falkon.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
        assert_eq!(fit.landmarks(), few.landmarks());
        near("falkon", &fit.predict(&x).unwrap(), &few.predict(&x).unwrap());
    }
}

pub fn sums_over_pairs(ranks: &dyn Ranks) {
    let x = grouped(60).mapv(|v| 0.1 * v);
    let y = Array2::from_shape_fn((45, 3), |(i, j)| 0.1 * grouped(45)[[i, j]] + 0.2 * noise(i, j + 40));
    let paired = Array2::from_shape_fn((60, 2), |(i, j)| x[[i, j]] * x[[i, 2]] + 0.1 * noise(i, j + 50));
    let (mmd, hsic) = (Mmd::new(Kernel::rbf(0.7)), Hsic::new(Kernel::rbf(0.7), Kernel::rbf(2.0)));
    let (biased, unbiased) = (mmd.biased(&CPU(), &x, &y).unwrap(), mmd.unbiased(&CPU(), &x, &y).unwrap());
    let terms = hsic.terms(&CPU(), &x, &paired).unwrap();
    for (own, other) in shares(ranks, 60).into_iter().zip(shares(ranks, 45)) {
        let found = mmd.across(ranks, rows(&x, &own), rows(&y, &other)).unwrap();
        near("biased", [&found.0], [&biased]);
        near("unbiased", [&found.1], [&unbiased]);
        let found = hsic.across(ranks, rows(&x, &own), rows(&paired, &own)).unwrap();
        near(
            "hsic",
            [&found.joint, &found.product, &found.cross],
            [&terms.joint, &terms.product, &terms.cross],
        );
    }
}

/// Work that is dealt out gives the bits of one process.
pub fn dealt_work(ranks: &dyn Ranks) {
    let x = grouped(40).mapv(|v| 0.1 * v);
    let y = targets(&x);
    let folds = CrossValidation::by(KFold::new(5).shuffled(1));
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
    let whole = folds.scores(&model, &CPU(), &x, &y, r2).unwrap();
    assert_eq!(folds.scores_across(ranks, &model, &CPU(), &x, &y, r2).unwrap(), whole);
    // One candidate fails, wherever it is judged.
    let candidates = [0.01, 1.0, -1.0, 100.0].map(|p| KernelRidge::new(Kernel::rbf(1.0), p));
    let search = Search::over(candidates).by(KFold::new(4)).best(r2);
    let (one, all) = (search.fit(&CPU(), &x, &y).unwrap(), search.fit_across(ranks, &CPU(), &x, &y).unwrap());
    assert_eq!((one.index(), one.table()), (all.index(), all.table()));
    // Permutations, restarts and chains: whatever is a function of its number.
    let statistic = |i: usize| {
        let order = mercer::stats::permutation(40, 40, 7, i);
        Ok(order.iter().enumerate().map(|(at, &j)| y[j] * x[[at, 0]]).sum::<f64>())
    };
    let restart = |i: usize| Ok(KMeans::new(4).restarts(1).seed(i as u64).fit(&CPU(), &x)?.cost());
    let chain = |i: usize| {
        let params = mercer::inference::monte_carlo::SliceParams::new().samples(20).seed(i as u64);
        let run = mercer::inference::monte_carlo::slice_sample(&[0.1], &[(-5.0, 5.0)], &params, |v| {
            Ok(-v[0] * v[0])
        })?;
        Ok(run.points.iter().map(|p| p[0]).collect::<Vec<f64>>())
    };
    mercer::learn::ranks::meet(ranks, |all| {
        let null = all.deal("permutations", 99, statistic)?;
        assert_eq!(null, (0..99).map(|i| statistic(i).unwrap()).collect::<Vec<_>>());
        let costs = all.deal("restarts", 7, restart)?;
        assert_eq!(costs, (0..7).map(|i| restart(i).unwrap()).collect::<Vec<_>>());
        let draws = all.deal("chains", 4, chain)?;
        assert_eq!(draws, (0..4).map(|i| chain(i).unwrap()).collect::<Vec<_>>());
        Ok(())
    })
    .unwrap();
}

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
    let seen = [
        GaussianMixture::new(2).fit_across(ranks, &CPU(), part).unwrap_err(),
        KMeans::new(2).fit_across(ranks, &CPU(), part).unwrap_err(),
        Pca::new(1).fit_across(ranks, &CPU(), part).unwrap_err(),
        Standardise::new().fit_across(ranks, &CPU(), part).unwrap_err(),
        Ridge::new(1.0).fit_across(ranks, &CPU(), part, y.slice(s![own.clone()])).unwrap_err(),
        LinearDiscriminant::new().fit_across(ranks, &CPU(), part, &groups(40)[own.clone()]).unwrap_err(),
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
    // The ranks still understand each other.
    kmeans(ranks);
}

/// A fit through the trait, as a pipeline would.
#[allow(dead_code, reason = "shows that the trait is enough")]
fn by_trait<M: FitAcross>(model: &M, ranks: &dyn Ranks, x: ArrayView2<f64>) -> mercer::Result<M::Fitted> {
    FitAcross::fit_across(model, ranks, &CPU(), x, &())
}
