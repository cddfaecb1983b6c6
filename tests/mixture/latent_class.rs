//! Latent classes with holes: what is missing is summed over, in densities and in EM.

use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

const SIZES: [usize; 4] = [2, 3, 2, 4];

/// Rows of two kinds, every fifth cell missing.
fn holes(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 4), |(i, j)| {
        let (kind, noise) = (i % 2, (i * 7 + j * 13) % 11);
        if (i * 3 + j * 5) % 5 == 0 {
            f64::NAN
        } else if noise > 7 {
            (noise % SIZES[j]) as f64
        } else {
            (if kind == 0 { 0 } else { SIZES[j] - 1 }) as f64
        }
    })
}

fn fitted(n: usize, iterations: usize) -> FittedLatentClass {
    let model = LatentClass::new(2).categories(SIZES.to_vec()).allow_missing(true).seed(1);
    model.max_iterations(iterations).tolerance(1e-14).fit(&Device::cpu(), holes(n)).unwrap()
}

/// Every row without holes that agrees with this one where it has none.
fn completions(row: &[f64]) -> Vec<Vec<f64>> {
    let mut all = vec![vec![]];
    for (j, v) in row.iter().enumerate() {
        let values: Vec<f64> = if v.is_nan() { (0..SIZES[j]).map(|c| c as f64).collect() } else { vec![*v] };
        all = all.iter().flat_map(|r| values.iter().map(|v| [r.clone(), vec![*v]].concat())).collect();
    }
    all
}

/// `log p(observed) = log Σ p(completed)`, and the probability of a cell is a ratio of such sums.
#[test]
fn what_is_missing_is_summed_over() {
    let (x, fit) = (holes(30), fitted(30, 50));
    let found = fit.score_samples(&x).unwrap();
    let probability = |row: &[f64]| -> f64 {
        let all = completions(row);
        let all = Array2::from_shape_fn((all.len(), 4), |(i, j)| all[i][j]);
        fit.score_samples(&all).unwrap().mapv(f64::exp).sum()
    };
    for (row, log) in x.rows().into_iter().zip(&found) {
        let row = row.to_vec();
        assert!((probability(&row).ln() - log).abs() < 1e-12);
        let cells = fit.predict_cell(Array2::from_shape_vec((1, 4), row.clone()).unwrap(), 1).unwrap();
        let mut open = row.clone();
        open[1] = f64::NAN;
        for v in 0..3 {
            let mut with = row.clone();
            with[1] = v as f64;
            assert!((cells[[0, v]] - probability(&with) / probability(&open)).abs() < 1e-12);
        }
    }
    // All rows there are: their probabilities sum to one.
    assert!((probability(&[f64::NAN; 4]) - 1.0).abs() < 1e-12);
}

/// At the end of EM the parameters are shares of expected counts, found by enumeration of classes and of what is missing.
#[test]
fn the_end_of_em_is_that_of_enumeration() {
    let (n, smoothing) = (40, 0.01);
    let (x, fit) = (holes(n), fitted(n, 5000));
    let mut counts: Vec<Array2<f64>> = SIZES.iter().map(|v| Array2::from_elem((2, *v), smoothing)).collect();
    let mut mass = Array1::<f64>::zeros(2);
    let tables: Vec<Array2<f64>> = (0..4).map(|j| fit.probabilities(j).unwrap()).collect();
    for row in x.rows() {
        let mut terms = Vec::new();
        for whole in completions(&row.to_vec()) {
            for k in 0..2 {
                let p: f64 = (0..4).map(|j| tables[j][[k, whole[j] as usize]]).product();
                terms.push((whole.clone(), k, fit.weights()[k] * p));
            }
        }
        let all: f64 = terms.iter().map(|t| t.2).sum();
        for (whole, k, p) in terms {
            mass[k] += p / all;
            (0..4).for_each(|j| counts[j][[k, whole[j] as usize]] += p / all);
        }
    }
    for j in 0..4 {
        for k in 0..2 {
            let want = &counts[j].row(k) / counts[j].row(k).sum();
            assert!((&want - &tables[j].row(k)).iter().all(|v| v.abs() < 1e-5), "{want} {}", tables[j]);
        }
    }
    assert!((mass / n as f64 - fit.weights()).iter().all(|v| v.abs() < 1e-5));
    let trace = &fit.report().trace;
    assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-10 * w[0].abs()), "{trace:?}");
}

/// Without holes it is the mixture of Bernoulli distributions.
#[test]
fn two_categories_without_holes_are_yes_and_no() {
    let x = Array2::from_shape_fn((60, 5), |(i, j)| {
        f64::from(u8::from((i % 2 == 0) == (j < 2) && (i * j) % 7 != 3))
    });
    let ours = LatentClass::new(2).seed(3).tolerance(1e-12).fit(&Device::cpu(), &x).unwrap();
    let theirs = BernoulliMixture::new(2).seed(3).tolerance(1e-12).fit(&Device::cpu(), &x).unwrap();
    assert!((ours.log_likelihood() - theirs.log_likelihood()).abs() < 1e-4);
    assert_eq!(ours.parameters(), theirs.parameters());
    let weighted =
        LatentClass::new(2).seed(3).fit_weighted(&Device::cpu(), &x, Array1::from_elem(60, 2.0)).unwrap();
    assert!((weighted.log_likelihood() - 2.0 * ours.log_likelihood()).abs() < 0.1);
    let drawn = ours.sample(4000, 1).unwrap();
    let means = drawn.mean_axis(ndarray::Axis(0)).unwrap();
    assert!((means - x.mean_axis(ndarray::Axis(0)).unwrap()).iter().all(|v| v.abs() < 0.05));
}

#[test]
fn bad_input_is_refused() {
    let (cpu, x) = (Device::cpu(), holes(10));
    assert!(matches!(LatentClass::new(2).fit(&cpu, &x), Err(Error::NotFinite { .. })));
    let allowed = LatentClass::new(2).allow_missing(true);
    assert!(allowed.clone().categories(vec![2, 3, 2]).fit(&cpu, &x).is_err());
    assert!(allowed.clone().categories(vec![2, 3, 2, 2]).fit(&cpu, &x).is_err());
    assert!(allowed.clone().fit(&cpu, &array![[0.5], [1.0]]).is_err());
    assert!(allowed.clone().fit(&cpu, &array![[-1.0], [1.0]]).is_err());
    assert!(allowed.clone().fit(&cpu, &array![[1e12], [1.0]]).is_err());
    assert!(allowed.clone().smoothing(0.0).fit(&cpu, &x).is_err());
    assert!(LatentClass::new(11).allow_missing(true).fit(&cpu, &x).is_err());
    let fit = allowed.fit(&cpu, &x).unwrap();
    assert!(fit.predict_cell(&x, 4).is_err() && fit.probabilities(9).is_err());
    assert!(fit.score_samples(&array![[0.0, 0.0]]).is_err());
}
