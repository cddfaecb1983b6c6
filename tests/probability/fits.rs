//! Fits by value: gradients of the likelihood are zero, weights repeat, most probable parameters are those of a grid.

use mercer::probability::bayes::GridPosterior;
use mercer::probability::distributions::*;
use mercer::probability::gaussian::{MultivariateNormal, MultivariateT, Spread};
use ndarray::{Array1, Array2, ArrayView1, array};

use crate::{all_near, close, near};

const X: [f64; 6] = [0.4, 1.3, 2.2, 0.9, 3.1, 1.7];
const W: [f64; 6] = [2.0, 1.0, 1.0, 3.0, 1.0, 2.0];

/// Every number as often as its weight says.
fn repeated<T: Copy>(x: &[T], w: &[f64]) -> Vec<T> {
    x.iter().zip(w).flat_map(|(&x, &w)| std::iter::repeat_n(x, w as usize)).collect()
}

/// A weight of two is that number twice, and no step along a coordinate raises the likelihood of what was fitted.
macro_rules! weights_repeat {
    ($($name:ident, $x:expr, |$d:ident| [$($of:expr),+], |$p:ident| $new:expr;)+) => { $({
        let x: [f64; 6] = $x;
        let twice = repeated(&x, &W);
        let parts = |$d: &$name| vec![$($of),+];
        let (a, b) = ($name::fit(&twice).unwrap(), $name::fit_weighted(&x, &W).unwrap());
        all_near(&parts(&a), &parts(&b), 1e-6);
        let best = b.log_likelihood(&x, &W).unwrap();
        for j in 0..parts(&b).len() {
            for step in [1.0 - 1e-3, 1.0 + 1e-3] {
                let mut $p = parts(&b);
                $p[j] *= step;
                if let Ok(other) = $new {
                    assert!(other.log_likelihood(&x, &W).unwrap() <= best + 1e-9, "{} {j}", stringify!($name));
                }
            }
        }
    })+ };
}

#[test]
fn weights_repeat_and_the_likelihood_is_at_its_top() {
    let shares = X.map(|x| x / 4.0);
    weights_repeat!(
        Normal, X, |d| [d.location(), d.scale()], |p| Normal::new(p[0], p[1] * p[1]);
        Laplace, X, |d| [d.location(), d.scale()], |p| Laplace::new(p[0], p[1]);
        Exponential, X, |d| [d.rate()], |p| Exponential::new(p[0]);
        Gamma, X, |d| [d.shape(), d.rate()], |p| Gamma::new(p[0], p[1]);
        InverseGamma, X, |d| [d.shape(), d.scale()], |p| InverseGamma::new(p[0], p[1]);
        Beta, shares, |d| [d.a(), d.b()], |p| Beta::new(p[0], p[1]);
        VonMises, X, |d| [d.location(), d.concentration()], |p| VonMises::new(p[0], p[1]);
        Bernoulli, [0.0, 1.0, 1.0, 0.0, 1.0, 0.0], |d| [d.probability()], |p| Bernoulli::new(p[0]);
        Poisson, [0.0, 2.0, 5.0, 1.0, 3.0, 1.0], |d| [d.rate()], |p| Poisson::new(p[0]);
    );
    // ν is searched to a few digits.
    let heavy = StudentT::new(3.0, 0.5, 2.0).unwrap().sample(40, 6).unwrap().to_vec();
    let w: Vec<f64> = (0..40).map(|i| f64::from(1 + i % 3)).collect();
    let twice = repeated(&heavy, &w);
    let (a, b) = (StudentT::fit(&twice).unwrap(), StudentT::fit_weighted(&heavy, &w).unwrap());
    all_near(&[a.degrees(), a.location(), a.scale()], &[b.degrees(), b.location(), b.scale()], 1e-6);
    let (a, b) = (
        StudentT::fit_with_degrees(2.0, &twice, &vec![1.0; twice.len()]).unwrap(),
        StudentT::fit_with_degrees(2.0, &heavy, &w).unwrap(),
    );
    all_near(&[a.location(), a.scale()], &[b.location(), b.scale()], 1e-9);
    assert_eq!(Exponential::fit(&X).unwrap().rate(), 6.0 / X.iter().sum::<f64>());
}

#[test]
fn weights_repeat_in_several_dimensions() {
    let counts = [3.0, 0.0, 5.0, 2.0, 2.0, 4.0];
    let one = Binomial::fit_weighted(5, &counts, &W).unwrap();
    let yes: f64 = counts.iter().zip(&W).map(|(x, w)| x * w).sum();
    near(one.probability(), yes / 50.0, 1e-15);
    let (c, k) = ([0, 2, 1, 1, 0, 2], 3);
    let (a, b) =
        (Categorical::fit(k, &repeated(&c, &W)).unwrap(), Categorical::fit_weighted(k, &c, &W).unwrap());
    all_near(a.probabilities(), b.probabilities(), 1e-15);
    let rows = array![[1.0, 2.0, 1.0], [0.0, 4.0, 0.0], [2.0, 1.0, 1.0]];
    let m = Multinomial::fit_weighted(4, rows.view(), &[1.0, 2.0, 1.0]).unwrap();
    all_near(m.probabilities(), &[3.0 / 16.0, 11.0 / 16.0, 2.0 / 16.0], 1e-15);
    assert!(Multinomial::fit_weighted(5, rows.view(), &[1.0; 3]).is_err());
    assert!(Multinomial::fit_weighted(2, array![[0.5, 1.5]].view(), &[1.0]).is_err());
    assert!(Multinomial::new(u64::MAX, &[0.5, 0.5]).is_err());

    let x = Array2::from_shape_fn((6, 2), |(i, j)| (1.7 * i as f64 + j as f64 * 0.9).sin() + 0.3 * i as f64);
    let w = Array1::from(W.to_vec());
    let index = repeated(&[0, 1, 2, 3, 4, 5], &W);
    let twice = x.select(ndarray::Axis(0), &index);
    let ones = Array1::ones(twice.nrows());
    for spread in [Spread::Full, Spread::Diagonal, Spread::Spherical] {
        let a = MultivariateNormal::fit_weighted(twice.view(), ones.view(), spread).unwrap();
        let b = MultivariateNormal::fit_weighted(x.view(), w.view(), spread).unwrap();
        all_near(&a.mean().to_vec(), &b.mean().to_vec(), 1e-13);
        all_near(a.covariance().as_slice().unwrap(), b.covariance().as_slice().unwrap(), 1e-13);
        assert_eq!(b.spread(), spread);
    }
    let full = MultivariateNormal::fit_weighted(x.view(), w.view(), Spread::Full).unwrap();
    let ball = MultivariateNormal::fit_weighted(x.view(), w.view(), Spread::Spherical).unwrap();
    near(ball.covariance()[[0, 0]], 0.5 * full.covariance().diag().sum(), 1e-13);
    assert_eq!(ball.covariance()[[0, 1]], 0.0);
    let a = MultivariateT::fit_weighted(3.0, twice.view(), ones.view()).unwrap();
    let b = MultivariateT::fit_weighted(3.0, x.view(), w.view()).unwrap();
    all_near(&a.location().to_vec(), &b.location().to_vec(), 1e-9);
    all_near(a.scale().as_slice().unwrap(), b.scale().as_slice().unwrap(), 1e-9);
    let prior = NormalInverseGamma::new(0.5, 2.0, 3.0, 1.5).unwrap();
    let (a, b) = (prior.posterior(&repeated(&X, &W)).unwrap(), prior.posterior_weighted(&X, &W).unwrap());
    all_near(
        &[a.mean(), a.strength(), a.shape(), a.scale()],
        &[b.mean(), b.strength(), b.shape(), b.scale()],
        1e-12,
    );
    // Rows of one column that does not vary, and rows that are no probabilities.
    let pi = array![[0.2, 0.3, 0.5], [0.2, 0.5, 0.3], [0.2, 0.45, 0.35]];
    let (a, b) = (
        Dirichlet::fit_weighted(pi.select(ndarray::Axis(0), &[0, 0, 1, 2]).view(), &[1.0; 4]).unwrap(),
        Dirichlet::fit_weighted(pi.view(), &[2.0, 1.0, 1.0]).unwrap(),
    );
    for (a, b) in a.alpha().iter().zip(b.alpha()) {
        close(*a, *b, 1e-8, "Dirichlet");
    }
    // ψ(α_k) - ψ(Σα) is the mean of ln π_k.
    let logs = pi.mapv(f64::ln).t().dot(&array![0.5, 0.25, 0.25]);
    all_near(&b.mean_log(), &logs.to_vec(), 1e-10);
    assert!(Dirichlet::fit_weighted(array![[0.2, 0.3], [0.4, 0.5]].view(), &[1.0, 1.0]).is_err());
    assert!(Dirichlet::fit_weighted(array![[0.2, 0.8], [0.2, 0.8]].view(), &[1.0, 1.0]).is_err());
}

/// Closed forms against the mode of a grid.
#[test]
fn most_probable_parameters_under_conjugate_priors() {
    let g = Gamma::new(3.0, 2.0).unwrap();
    let rate = |log: &dyn Fn(f64) -> f64| {
        GridPosterior::new(&[(1e-3, 8.0, 80_000)], |t| log(t[0]) + g.log_density(t[0])).unwrap().mode()[0]
    };
    let got = Exponential::fit_map(&X, &W, &g).unwrap().rate();
    near(got, rate(&|l| Exponential::new(l).unwrap().log_likelihood(&X, &W).unwrap()), 2e-4);
    let counts = [0.0, 2.0, 5.0, 1.0, 3.0, 1.0];
    let got = Poisson::fit_map(&counts, &W, &g).unwrap().rate();
    near(got, rate(&|l| Poisson::new(l).unwrap().log_likelihood(&counts, &W).unwrap()), 2e-4);
    assert!(Exponential::fit_map(&[-1.0, 2.0], &[1.0, 1.0], &g).is_err());
    assert!(Exponential::fit(&[-1.0, 2.0]).is_err());

    let b = Beta::new(2.0, 3.0).unwrap();
    let got = Binomial::fit_map(5, &counts, &W, &b).unwrap().probability();
    let yes: f64 = counts.iter().zip(&W).map(|(x, w)| x * w).sum();
    near(got, (2.0 + yes - 1.0) / (5.0 + 50.0 - 2.0), 1e-14);
    let d = Dirichlet::new(&[2.0, 1.5, 3.0]).unwrap();
    let rows = array![[1.0, 2.0, 1.0], [0.0, 4.0, 0.0]];
    let got = Multinomial::fit_map(4, rows.view(), &[1.0, 2.0], &d).unwrap();
    all_near(got.probabilities(), &[2.0 / 15.5, 10.5 / 15.5, 3.0 / 15.5], 1e-14);
    assert!(
        Multinomial::fit_map(4, rows.view(), &[1.0, 2.0], &Dirichlet::new(&[1.0, 1.0]).unwrap()).is_err()
    );

    // Mean and variance of a normal distribution, both.
    let prior = NormalInverseGamma::new(0.5, 2.0, 3.0, 1.5).unwrap();
    let n = Normal::fit_map(&X, &W, &prior).unwrap();
    let grid = GridPosterior::new(&[(0.5, 2.5, 1000), (0.1, 2.0, 1000)], |t| {
        Normal::new(t[0], t[1]).unwrap().log_likelihood(&X, &W).unwrap() + prior.log_density(t[0], t[1])
    });
    let mode = grid.unwrap().mode();
    near(n.location(), mode[0], 1.1e-3);
    near(n.variance().unwrap(), mode[1], 1.1e-3);
    // A Dirichlet prior worth many rows is what is fitted.
    let pi = array![[0.2, 0.3, 0.5], [0.1, 0.5, 0.4]];
    let target = Dirichlet::new(&[2.0, 5.0, 1.0]).unwrap();
    let fitted = Dirichlet::fit_map(pi.view(), &[1.0, 1.0], 1e9, &target.mean_log()).unwrap();
    all_near(fitted.alpha(), target.alpha(), 1e-5);
    assert!(Dirichlet::fit_map(pi.view(), &[1.0, 1.0], 0.0, &target.mean_log()).is_err());
}

/// Any prior: the mode of a grid, and under a flat prior the maximum of the likelihood.
#[test]
fn most_probable_parameters_under_any_prior() {
    fn check<D: Coordinates + Copy>(
        x: &[f64],
        axes: [(f64, f64, usize); 2],
        of: impl Fn(&D) -> [f64; 2],
        new: impl Fn(&[f64]) -> mercer::Result<D>,
    ) {
        let prior = Gamma::new(4.0, 2.0).unwrap();
        let log = |d: &D| prior.log_density(of(d)[1]) - 0.5 * (of(d)[0] - 1.0).powi(2);
        let got = of(&D::fit_map(x, &W, log).unwrap());
        let grid = GridPosterior::new(&axes, |t| {
            new(t).map_or(f64::NEG_INFINITY, |d| d.log_likelihood(x, &W).unwrap() + log(&d))
        });
        let want = grid.unwrap().mode();
        for j in 0..2 {
            near(got[j], want[j], 1.1 * (axes[j].1 - axes[j].0) / axes[j].2 as f64);
        }
        // A flat prior is none; all medians of an even number have the same likelihood.
        let log = |d: D| d.log_likelihood(x, &W).unwrap();
        near(log(D::fit_map(x, &W, |_| 0.0).unwrap()), log(D::fit_weighted(x, &W).unwrap()), 1e-9);
        assert!(D::fit_map(x, &W, |_| f64::NAN).is_err());
    }
    let wide = [(0.2, 5.0, 600), (0.2, 5.0, 600)];
    check::<Gamma>(&X, wide, |d| [d.shape(), d.rate()], |t| Gamma::new(t[0], t[1]));
    check::<InverseGamma>(&X, wide, |d| [d.shape(), d.scale()], |t| InverseGamma::new(t[0], t[1]));
    check::<Beta>(&X.map(|x| x / 4.0), wide, |d| [d.a(), d.b()], |t| Beta::new(t[0], t[1]));
    check::<Laplace>(&X, wide, |d| [d.location(), d.scale()], |t| Laplace::new(t[0], t[1]));
    check::<VonMises>(&X, wide, |d| [d.location(), d.concentration()], |t| VonMises::new(t[0], t[1]));
    let t = StudentT::fit_map(&X, &W, |t| -0.5 * (t.degrees() - 4.0).powi(2) * 1e6).unwrap();
    let fixed = StudentT::fit_with_degrees(4.0, &X, &W).unwrap();
    all_near(&[t.degrees(), t.location(), t.scale()], &[4.0, fixed.location(), fixed.scale()], 1e-4);
    assert!(Gamma::from_coordinates(&[1.0]).is_err());
}

/// Multivariate t: a prior worth much is what is fitted, degrees of freedom by their likelihood, and tied normals.
#[test]
fn several_dimensions() {
    let t = MultivariateT::new(4.0, array![1.0, -1.0].view(), array![[1.0, 0.3], [0.3, 0.5]].view()).unwrap();
    let x = t.sample(1500, 8).unwrap();
    let w = Array1::ones(1500);
    let fitted = MultivariateT::fit_degrees(x.view(), w.view()).unwrap();
    assert!((2.8..5.5).contains(&fitted.degrees()), "{}", fitted.degrees());
    let log = |nu: f64| {
        MultivariateT::fit_weighted(nu, x.view(), w.view()).unwrap().log_density(x.view()).unwrap().sum()
    };
    let best = log(fitted.degrees());
    assert!(log(0.98 * fitted.degrees()) < best && log(1.02 * fitted.degrees()) < best);
    let prior =
        NormalInverseWishart::new(array![0.0, 0.0].view(), 1e9, 1e9, (Array2::<f64>::eye(2) * 1e9).view())
            .unwrap();
    let told = MultivariateT::fit_map(4.0, x.view(), w.view(), &prior).unwrap();
    all_near(&told.location().to_vec(), &[0.0, 0.0], 1e-5);
    all_near(told.scale().as_slice().unwrap(), &[1.0, 0.0, 0.0, 1.0], 1e-5);
    // The posterior density has no higher neighbour.
    let prior =
        NormalInverseWishart::new(array![0.5, 0.0].view(), 20.0, 30.0, (Array2::<f64>::eye(2) * 9.0).view())
            .unwrap();
    let few = x.slice(ndarray::s![..40, ..]);
    let map = MultivariateT::fit_map(4.0, few, Array1::ones(40).view(), &prior).unwrap();
    let value = |m: ArrayView1<f64>, s: &Array2<f64>| {
        MultivariateT::new(4.0, m, s.view()).unwrap().log_density(few).unwrap().sum()
            + prior.log_density(m, s.view()).unwrap()
    };
    let top = value(map.location().view(), map.scale());
    for step in [-0.01, 0.01] {
        for j in 0..2 {
            let mut m = map.location().clone();
            m[j] += step;
            assert!(value(m.view(), map.scale()) < top);
            let mut s = map.scale().clone();
            s[[j, j]] *= 1.0 + step;
            assert!(value(map.location().view(), &s) < top);
        }
    }
    // Tied: means of their own, and the pooled covariance.
    let labels: Vec<usize> = (0..40).map(|i| usize::from(i % 3 == 0)).collect();
    let tied = MultivariateNormal::fit_tied(few, &labels, Array1::ones(40).view()).unwrap();
    assert_eq!(tied.len(), 2);
    assert_eq!(tied[0].covariance(), tied[1].covariance());
    let own = |label: usize| {
        let rows: Vec<usize> = (0..40).filter(|&i| labels[i] == label).collect();
        (rows.len() as f64, MultivariateNormal::fit(few.select(ndarray::Axis(0), &rows).view()).unwrap())
    };
    let ((n, a), (m, b)) = (own(0), own(1));
    all_near(&tied[1].mean().to_vec(), &b.mean().to_vec(), 1e-13);
    let pooled = (a.covariance() * n + b.covariance() * m) / 40.0;
    all_near(tied[0].covariance().as_slice().unwrap(), pooled.as_slice().unwrap(), 1e-13);
    assert!(MultivariateNormal::fit_tied(few, &labels[1..], Array1::ones(40).view()).is_err());
    let gap: Vec<usize> = labels.iter().map(|l| 2 * l).collect();
    assert!(MultivariateNormal::fit_tied(few, &gap, Array1::ones(40).view()).is_err());
}

/// Wishart fits: the two equations of the maximum hold, and the inverse of a fit is the fit of inverses.
#[test]
fn wishart_fits() {
    let w = Wishart::new(7.0, array![[1.0, 0.3], [0.3, 0.5]].view()).unwrap();
    let all = w.sample(500, 3).unwrap();
    let ones = vec![1.0; 500];
    let fitted = Wishart::fit_weighted(&all, &ones).unwrap();
    near(fitted.degrees(), 7.0, 0.8);
    let mean = all.iter().fold(Array2::<f64>::zeros((2, 2)), |s, x| s + x) / 500.0;
    all_near(fitted.mean().as_slice().unwrap(), mean.as_slice().unwrap(), 1e-10);
    let logs = all.iter().map(|x| (x[[0, 0]] * x[[1, 1]] - x[[0, 1]] * x[[1, 0]]).ln()).sum::<f64>() / 500.0;
    near(fitted.mean_log_det(), logs, 1e-10);
    let inverse = InverseWishart::new(7.0, array![[1.0, 0.3], [0.3, 0.5]].view()).unwrap();
    let all = inverse.sample(300, 4).unwrap();
    let fitted = InverseWishart::fit_weighted(&all, &[1.0; 300]).unwrap();
    near(fitted.degrees(), 7.0, 1.0);
    let logs = all.iter().map(|x| (x[[0, 0]] * x[[1, 1]] - x[[0, 1]] * x[[1, 0]]).ln()).sum::<f64>() / 300.0;
    near(fitted.mean_log_det(), logs, 1e-9);
    assert!(Wishart::fit_weighted(&[], &[]).is_err());
    assert!(Wishart::fit_weighted(&[Array2::eye(2), Array2::eye(2)], &[1.0, 1.0]).is_err());
}
