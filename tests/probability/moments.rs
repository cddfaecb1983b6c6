//! Modes by brute force, moments and entropies by quadrature or draws, and draws of several numbers by Kolmogorov's test.

use mercer::probability::bayes::{aic, bic};
use mercer::probability::conjugate::BetaBernoulli;
use mercer::probability::distributions::*;
use mercer::probability::gaussian::MultivariateT;
use mercer::probability::tables::kolmogorov_distance;
use ndarray::{Array1, Array2, Axis, array};

use crate::{all_near, close, integral, near};

/// The most probable of the first counts, if there is one.
fn best(d: &impl Univariate, most: u32) -> Option<f64> {
    let all: Vec<f64> = (0..=most).map(|k| d.density(f64::from(k))).collect();
    let top = all.iter().copied().fold(0.0, f64::max);
    let at: Vec<usize> = (0..all.len()).filter(|&k| all[k] > top * (1.0 - 1e-12)).collect();
    (at.len() == 1).then_some(at[0] as f64)
}

#[test]
fn modes_of_counts() {
    for p in [0.0, 0.1, 0.25, 0.5, 0.77, 1.0] {
        for n in [1, 3, 4, 11] {
            let d = Binomial::new(n, p).unwrap();
            assert_eq!(d.mode(), best(&d, n as u32), "{n} {p}");
        }
        let d = Bernoulli::new(p).unwrap();
        assert_eq!(d.mode(), best(&d, 1), "{p}");
    }
    for rate in [0.3, 1.0, 1.5, 4.0, 7.9] {
        let d = Poisson::new(rate).unwrap();
        assert_eq!(d.mode(), best(&d, 60), "{rate}");
    }
    let c = Categorical::new(&[0.2, 0.5, 0.3]).unwrap();
    assert_eq!(c.mode(), 1);
    assert_eq!([0.1, 0.2, 0.2001, 0.7, 0.71].map(|p| c.quantile(p).unwrap()), [0, 0, 1, 1, 2]);
    assert!(c.quantile(0.0).is_err());
    all_near(
        Categorical::from_logits(&[0.0, 2f64.ln(), 900.0 - 900.0]).unwrap().probabilities(),
        &[0.25, 0.5, 0.25],
        1e-15,
    );
    // The covariance of the coding, by its definition.
    let want = |i: usize, j: usize| {
        let p = c.probabilities();
        (0..3)
            .map(|k| p[k] * (f64::from(u8::from(k == i)) - p[i]) * (f64::from(u8::from(k == j)) - p[j]))
            .sum()
    };
    for (i, j) in [(0, 0), (1, 2), (2, 2)] {
        near(c.covariance()[[i, j]], want(i, j), 1e-15);
    }
}

/// All counts of a few trials, one by one.
#[test]
fn multinomial_by_brute_force() {
    for p in [[0.2, 0.5, 0.3], [0.05, 0.05, 0.9], [0.0, 0.4, 0.6], [1.0 / 3.0; 3]] {
        for n in [0u64, 1, 4, 7] {
            let m = Multinomial::new(n, &p).unwrap();
            let (mut sum, mut entropy, mut top) = (0.0, 0.0, f64::NEG_INFINITY);
            let (mut mean, mut square) = (Array1::<f64>::zeros(3), Array2::<f64>::zeros((3, 3)));
            for a in 0..=n {
                for b in 0..=n - a {
                    let x = [a as f64, b as f64, (n - a - b) as f64];
                    let l = m.log_density(&x).unwrap();
                    if l > f64::NEG_INFINITY {
                        let x = Array1::from(x.to_vec());
                        sum += l.exp();
                        entropy -= l * l.exp();
                        top = top.max(l);
                        mean.scaled_add(l.exp(), &x);
                        let column = x.insert_axis(Axis(1));
                        square.scaled_add(l.exp(), &column.dot(&column.t()));
                    }
                }
            }
            near(sum, 1.0, 1e-13);
            near(m.entropy(), entropy, 1e-12);
            near(m.log_density(&m.mode()).unwrap(), top, 1e-13);
            all_near(&m.mean(), &mean.to_vec(), 1e-13);
            let column = mean.insert_axis(Axis(1));
            let want = square - column.dot(&column.t());
            all_near(m.covariance().as_slice().unwrap(), want.as_slice().unwrap(), 1e-12);
        }
    }
    // Of two categories it is binomial, however many the trials.
    for n in [1000u64, 1 << 40] {
        let (two, one) = (Multinomial::new(n, &[0.3, 0.7]).unwrap(), Binomial::new(n, 0.3).unwrap());
        near(two.entropy(), one.entropy(), 1e-9);
        near(two.mode()[0], one.mode().unwrap(), 0.0);
    }
}

/// The variance of an angle and its circular variance, by quadrature.
#[test]
fn angles() {
    use std::f64::consts::PI;
    for k in [0.01, 2.0, 29.9, 30.1, 400.0] {
        let v = VonMises::new(0.4, k).unwrap();
        let unit = VonMises::new(0.0, k).unwrap();
        let sum = |f: &dyn Fn(f64) -> f64| integral(-PI, PI, 400_000, |t| f(t) * unit.density(t));
        near(v.variance().unwrap(), sum(&|t| t * t), 1e-9);
        near(v.circular_variance(), 1.0 - sum(&|t| t.cos()), 1e-9);
        near(v.entropy(), -sum(&|t| unit.log_density(t)), 1e-8);
    }
    let g = Gamma::new(2.5, 0.8).unwrap();
    near(g.mean_log(), integral(1e-9, 60.0, 400_000, |x| g.density(x) * x.ln()), 1e-7);
    near(aic(-3.0, 2), 10.0, 1e-15);
    near(bic(-3.0, 2, 10.0), 2.0 * 10f64.ln() + 6.0, 1e-15);
    assert!(bic(-3.0, 2, 0.0).is_nan());
    // Beta-binomial: all counts together have probability one, and one of them is C(10, 7) sequences.
    let any = BetaBernoulli::new(2.0, 1.5).unwrap();
    let all: f64 =
        (0..=10).map(|k| any.log_evidence_of_counts(f64::from(k), f64::from(10 - k)).unwrap().exp()).sum();
    near(all, 1.0, 1e-13);
    let gap = any.log_evidence_of_counts(7.0, 3.0).unwrap() - any.log_evidence_of(7.0, 3.0).unwrap();
    near(gap, 120f64.ln(), 1e-13);
}

fn spread(all: &[Array2<f64>]) -> (Array2<f64>, Array2<f64>) {
    let n = all.len() as f64;
    let mean = all.iter().fold(Array2::<f64>::zeros(all[0].dim()), |s, x| s + x) / n;
    let square =
        all.iter().fold(Array2::<f64>::zeros(all[0].dim()), |s, x| s + (x - &mean).mapv(|v| v * v)) / n;
    (mean, square)
}

#[test]
fn matrices_have_their_moments() {
    let v = array![[2.0, 0.4], [0.4, 1.0]];
    let w = Wishart::new(12.0, v.view()).unwrap();
    let (mean, square) = spread(&w.sample(20_000, 2).unwrap());
    for (at, want) in w.mean().indexed_iter() {
        close(mean[at], *want, 0.02, "Wishart mean");
        close(square[at], w.variance()[at], 0.06, "Wishart variance");
    }
    // At the mode the density has no higher neighbour.
    let top = |d: &dyn Fn(&Array2<f64>) -> f64, mode: &Array2<f64>| {
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            for step in [-1e-3, 1e-3] {
                let mut x = mode.clone();
                x[[i, j]] += step;
                x[[j, i]] = x[[i, j]];
                assert!(d(&x) < d(mode));
            }
        }
    };
    top(&|x| w.log_density(x.view()).unwrap(), &w.mode().unwrap());
    let i = InverseWishart::new(12.0, v.view()).unwrap();
    top(&|x| i.log_density(x.view()).unwrap(), &i.mode());
    let draws = i.sample(20_000, 3).unwrap();
    let (mean, square) = spread(&draws);
    for (at, want) in i.mean().unwrap().indexed_iter() {
        close(mean[at], *want, 0.03, "inverse Wishart mean");
        close(square[at], i.variance().unwrap()[at], 0.12, "inverse Wishart variance");
    }
    let entropy = -draws.iter().map(|x| i.log_density(x.view()).unwrap()).sum::<f64>() / 20_000.0;
    near(i.entropy(), entropy, 0.03);
    // One dimension is an inverse gamma.
    let one = InverseWishart::new(9.0, array![[3.0]].view()).unwrap();
    let g = InverseGamma::new(4.5, 1.5).unwrap();
    near(one.entropy(), g.entropy(), 1e-12);
    near(one.variance().unwrap()[[0, 0]], g.variance().unwrap(), 1e-13);
    assert!(InverseWishart::new(4.5, v.view()).unwrap().variance().is_none());
}

#[test]
fn priors_of_mean_and_variance() {
    let nig = NormalInverseGamma::new(0.5, 2.0, 6.0, 3.0).unwrap();
    let draws = nig.sample(20_000, 4).unwrap();
    let distance = |j: usize, of: &dyn Fn(&[f64]) -> f64| of(&draws.column(j).to_vec());
    let (m, v) = (nig.mean_marginal().unwrap(), nig.variance_marginal().unwrap());
    assert!(distance(0, &|x| kolmogorov_distance(x, &m).unwrap()) * 20_000f64.sqrt() < 1.95);
    assert!(distance(1, &|x| kolmogorov_distance(x, &v).unwrap()) * 20_000f64.sqrt() < 1.95);
    let entropy = -draws.rows().into_iter().map(|r| nig.log_density(r[0], r[1])).sum::<f64>() / 20_000.0;
    near(nig.entropy().unwrap(), entropy, 0.03);
    // The joint mode, by its neighbours.
    let (mean, variance) = nig.mode();
    for (a, b) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
        assert!(nig.log_density(mean + a, variance + b) < nig.log_density(mean, variance));
    }
    // One dimension of the Wishart form is the gamma form: a = ν/2, b = Ψ/2.
    let one = NormalInverseWishart::new(array![0.5].view(), 2.0, 12.0, array![[6.0]].view()).unwrap();
    let at = one.log_density(array![0.2].view(), array![[0.7]].view()).unwrap();
    near(at, nig.log_density(0.2, 0.7), 1e-12);
    near(one.entropy().unwrap(), nig.entropy().unwrap(), 1e-12);
    near(one.mode().1[[0, 0]], nig.mode().1, 1e-14);
    let t = one.mean_marginal().unwrap();
    near(t.log_density(array![[0.9]].view()).unwrap()[0], m.log_density(0.9), 1e-12);
    let niw =
        NormalInverseWishart::new(array![0.0, 1.0].view(), 1.5, 9.0, array![[2.0, 0.4], [0.4, 1.0]].view())
            .unwrap();
    let draws = niw.sample(8000, 5).unwrap();
    let entropy =
        -draws.iter().map(|(m, c)| niw.log_density(m.view(), c.view()).unwrap()).sum::<f64>() / 8000.0;
    near(niw.entropy().unwrap(), entropy, 0.08);
    let firsts: Vec<f64> = draws.iter().map(|(m, _)| m[0]).collect();
    // The first entry of the marginal t.
    let t = niw.mean_marginal().unwrap();
    let first = StudentT::new(t.degrees(), 0.0, t.scale()[[0, 0]].sqrt()).unwrap();
    assert!(kolmogorov_distance(&firsts, &first).unwrap() * 8000f64.sqrt() < 1.95);
    let corner = draws.iter().map(|(_, c)| c[[0, 1]]).sum::<f64>() / 8000.0;
    near(corner, niw.covariance_marginal().unwrap().mean().unwrap()[[0, 1]], 0.02);
}

/// Marginals and forms of several numbers whose distribution is known: beta, binomial, chi-square, F.
#[test]
fn draws_of_several_numbers_pass_kolmogorov() {
    let n = 4000;
    let bound = 1.95 / f64::from(n).sqrt();
    let d = Dirichlet::new(&[0.6, 2.0, 3.5]).unwrap();
    let rows = d.sample(n as usize, 6).unwrap();
    for (k, &a) in d.alpha().iter().enumerate() {
        let beta = Beta::new(a, d.total() - a).unwrap();
        assert!(kolmogorov_distance(&rows.column(k).to_vec(), &beta).unwrap() < bound);
    }
    // vᵀXv/vᵀVv is chi-square with n degrees of freedom.
    let v = array![[2.0, 0.4], [0.4, 1.0]];
    let along = array![0.7, -1.2];
    let w = Wishart::new(4.5, v.view()).unwrap().sample(n as usize, 7).unwrap();
    let forms: Vec<f64> = w.iter().map(|x| along.dot(&x.dot(&along)) / along.dot(&v.dot(&along))).collect();
    assert!(kolmogorov_distance(&forms, &Gamma::new(2.25, 0.5).unwrap()).unwrap() < bound);
    // m/(m + ν) of a Mahalanobis distance m is Beta(d/2, ν/2): F in another form.
    let t = MultivariateT::new(3.5, array![0.5, -0.5].view(), v.view()).unwrap();
    let inverse = {
        let det = v[[0, 0]] * v[[1, 1]] - v[[0, 1]] * v[[1, 0]];
        array![[v[[1, 1]], -v[[0, 1]]], [-v[[1, 0]], v[[0, 0]]]] / det
    };
    let rows = t.sample(n as usize, 8).unwrap() - &array![0.5, -0.5];
    let shares: Vec<f64> = rows
        .rows()
        .into_iter()
        .map(|r| {
            let m = r.dot(&inverse.dot(&r));
            m / (m + 3.5)
        })
        .collect();
    assert!(kolmogorov_distance(&shares, &Beta::new(1.0, 1.75).unwrap()).unwrap() < bound);
    // Moments and entropy of the t.
    let six = MultivariateT::new(6.0, array![0.5, -0.5].view(), v.view()).unwrap();
    let rows = six.sample(40_000, 9).unwrap();
    let seen = mercer::probability::tables::covariance(rows.view(), 0).unwrap();
    all_near(seen.as_slice().unwrap(), six.covariance().unwrap().as_slice().unwrap(), 0.12);
    near(six.entropy(), -six.log_density(rows.view()).unwrap().mean().unwrap(), 0.03);
    assert_eq!(six.mean().unwrap(), *six.mode());
    assert!(MultivariateT::new(1.0, array![0.0].view(), array![[1.0]].view()).unwrap().mean().is_none());
    let one = MultivariateT::new(3.5, array![0.0].view(), array![[4.0]].view()).unwrap();
    near(one.entropy(), StudentT::new(3.5, 0.0, 2.0).unwrap().entropy(), 1e-12);
    // Counts of a category are binomial, and sums of Bernoulli draws are too.
    let m = Multinomial::new(12, &[0.2, 0.5, 0.3]).unwrap().sample(20_000, 10).unwrap();
    let ones = Bernoulli::new(0.5).unwrap().sample(240_000, 11).unwrap().to_vec();
    let sums: Vec<f64> = ones.chunks_exact(12).map(|c| c.iter().sum()).collect();
    let want = Binomial::new(12, 0.5).unwrap();
    for k in 0..=12 {
        let (k, p) = (f64::from(k), want.density(f64::from(k)));
        let slack = 5.0 * (p * (1.0 - p) / 20_000.0).sqrt() + 1e-4;
        near(m.column(1).iter().filter(|x| **x == k).count() as f64 / 20_000.0, p, slack);
        near(sums.iter().filter(|x| **x == k).count() as f64 / 20_000.0, p, slack);
    }
}
