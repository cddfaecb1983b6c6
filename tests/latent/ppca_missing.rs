use mercer::inference::em::Em;
use mercer::models::latent::{FittedPpca, Ppca, PpcaSolver};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis};

use crate::support::random;
use crate::{close, close1, gaussian, near_subspace, rises};

fn fit(ppca: &Ppca, x: &Array2<f64>) -> FittedPpca {
    ppca.fit(&Device::cpu(), x.view()).unwrap()
}

/// `x` with each entry gone with this probability, but for the first two rows.
fn with_holes(x: &Array2<f64>, share: f64, seed: u64) -> Array2<f64> {
    let dice = random(x.nrows(), x.ncols(), seed);
    let mut out = x.clone();
    for ((i, j), v) in out.indexed_iter_mut() {
        if i > 1 && dice[[i, j]] < 2.0 * share - 1.0 {
            *v = f64::NAN;
        }
    }
    out
}

#[test]
fn with_nothing_missing_it_is_plain_em() {
    let x = near_subspace(120, 6, 2, 0.5, 40);
    for seed in [0, 5] {
        let em = Em::new().max_iterations(40).tolerance(0.0).seed(seed);
        let plain = fit(&Ppca::new(2).solver(PpcaSolver::Em).em(em.clone()), &x);
        let holes = fit(&Ppca::new(2).missing(true).em(em), &x);
        let (a, b) = (plain.report(), holes.report());
        close1(&Array1::from(b.trace.clone()), &Array1::from(a.trace.clone()), 1e-11, "every step");
        close(holes.loadings(), plain.loadings(), 1e-8, "loadings");
        close1(holes.mean(), plain.mean(), 1e-12, "mean");
    }
}

/// The likelihood of a row with holes is that of the Gaussian over what is left.
#[test]
fn scores_are_those_of_the_marginal() {
    let x = near_subspace(80, 5, 2, 0.5, 41);
    let ppca = fit(&Ppca::new(2).missing(true), &with_holes(&x, 0.2, 42));
    let mut new = with_holes(&near_subspace(40, 5, 2, 0.5, 43), 0.4, 44);
    new.row_mut(7).fill(f64::NAN);
    let scores = ppca.score_samples(new.view()).unwrap();
    let latents = ppca.transform(new.view()).unwrap();
    let filled = ppca.impute(new.view()).unwrap();
    for i in 0..40 {
        let seen: Vec<usize> = (0..5).filter(|&j| !new[[i, j]].is_nan()).collect();
        if seen.is_empty() {
            assert!(scores[i].abs() < 1e-12, "nothing seen, nothing learned: {}", scores[i]);
            close1(&filled.row(i).to_owned(), ppca.mean(), 1e-13, "the mean is all there is");
            continue;
        }
        let part = new.row(i).select(Axis(0), &seen).insert_axis(Axis(0));
        let c = ppca.covariance().select(Axis(0), &seen).select(Axis(1), &seen);
        let mean = ppca.mean().select(Axis(0), &seen);
        assert!((scores[i] - gaussian(part.view(), &mean, &c)[0]).abs() < 1e-10, "row {i}");
        let expected = ppca.loadings().dot(&latents.row(i)) + ppca.mean();
        for j in 0..5 {
            let want = if new[[i, j]].is_nan() { expected[j] } else { new[[i, j]] };
            assert!((filled[[i, j]] - want).abs() < 1e-12);
        }
    }
}

#[test]
fn what_is_missing_is_found_again() {
    let x = near_subspace(300, 10, 2, 0.1, 45);
    let holes = with_holes(&x, 0.3, 46);
    let em = Em::new().max_iterations(1000).tolerance(1e-9).restarts(2);
    let ppca = fit(&Ppca::new(2).missing(true).em(em), &holes);
    rises(&ppca.report().trace, "observed-data likelihood");
    let filled = ppca.impute(holes.view()).unwrap();
    let (mut own, mut by_mean, mut count) = (0.0, 0.0, 0.0);
    for ((i, j), v) in holes.indexed_iter().filter(|(_, v)| v.is_nan()) {
        assert!(v.is_nan());
        own += (filled[[i, j]] - x[[i, j]]).powi(2);
        by_mean += (ppca.mean()[j] - x[[i, j]]).powi(2);
        count += 1.0;
    }
    let (own, by_mean) = ((own / count).sqrt(), (by_mean / count).sqrt());
    // Nothing can be below the noise, 0.1.
    assert!(own < 0.15 && by_mean > 1.0, "{own} beside {by_mean}");
    assert!((ppca.noise_variance().sqrt() - 0.1).abs() < 0.01);
    assert!((ppca.score_samples(holes.view()).unwrap().sum() - ppca.log_likelihood()).abs() < 1e-7);
}

/// The mean is estimated with the rest: large values are missing more often, and the column means are biased.
#[test]
fn the_mean_is_not_that_of_what_was_seen() {
    let mut x = near_subspace(2000, 3, 1, 0.05, 47);
    let truth = x.mean_axis(Axis(0)).unwrap();
    // Column 0 is seen only where column 1 is below its mean: missing at random given column 1.
    for mut row in x.rows_mut() {
        if row[1] > truth[1] {
            row[0] = f64::NAN;
        }
    }
    let em = Em::new().max_iterations(2000).tolerance(1e-12);
    let ppca = fit(&Ppca::new(1).missing(true).em(em), &x);
    let seen: Array1<f64> = x.column(0).iter().copied().filter(|v| !v.is_nan()).collect();
    let (bias, left) = ((seen.mean().unwrap() - truth[0]).abs(), (ppca.mean()[0] - truth[0]).abs());
    assert!(left < 0.05 * bias, "{left} beside {bias}");
}

#[test]
fn ard_works_with_holes_too() {
    let x = with_holes(&near_subspace(400, 8, 2, 0.3, 48), 0.2, 49);
    let em = Em::new().max_iterations(3000).tolerance(1e-11);
    let ppca = fit(&Ppca::new(5).solver(PpcaSolver::Automatic).missing(true).em(em), &x);
    assert_eq!(ppca.components(), 2, "{:?}", ppca.relevance());
    rises(&ppca.report().trace, "ARD with holes");
}

#[test]
fn holes_must_be_allowed_and_columns_seen() {
    let cpu = Device::cpu();
    let x = with_holes(&near_subspace(30, 4, 1, 0.3, 50), 0.2, 51);
    let (row, col) = x.indexed_iter().find(|(_, v)| v.is_nan()).unwrap().0;
    for solver in [PpcaSolver::ClosedForm, PpcaSolver::Em] {
        match Ppca::new(1).solver(solver).fit(&cpu, x.view()) {
            Err(Error::NotFinite { row: r, col: c, .. }) => assert_eq!((r, c), (row, col)),
            other => panic!("{other:?}"),
        }
    }
    let complete = fit(&Ppca::new(1), &near_subspace(30, 4, 1, 0.3, 50));
    assert!(matches!(complete.score_samples(x.view()), Err(Error::NotFinite { .. })));
    assert!(complete.impute(x.view()).is_ok(), "filling in is what NaN means there");
    let mut unseen = x.clone();
    unseen.column_mut(2).fill(f64::NAN);
    let refused = Ppca::new(1).missing(true).fit(&cpu, unseen.view());
    assert!(matches!(refused, Err(Error::NotFinite { col: 2, .. })), "{refused:?}");
    let mut infinite = x;
    infinite[[3, 1]] = f64::INFINITY;
    let refused = Ppca::new(1).missing(true).fit(&cpu, infinite.view());
    assert!(matches!(refused, Err(Error::NotFinite { row: 3, col: 1, .. })), "{refused:?}");
}
