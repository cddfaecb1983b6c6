//! Single distributions: golden numbers and theorems of the notes, matrices against scipy.

use mercer::probability::distributions::*;
use mercer::probability::gaussian::MultivariateT;
use ndarray::array;

use crate::distributions::numbers;
use crate::{all_near, close, integral, near};

/// P-09: moments, `Φ(μ) = ½`, symmetry.
#[test]
fn the_normal_distribution() {
    let n = Normal::new(2.0, 9.0).unwrap();
    near(n.cdf(2.0), 0.5, 1e-15);
    near(n.cdf(2.0 - 3.3), n.survival(2.0 + 3.3), 1e-15);
    near(Normal::new(0.0, 1.0).unwrap().cdf(1.96), 0.9750021049, 1e-10);
    near(integral(-40.0, 44.0, 100_000, |x| x * x * n.density(x)), 4.0 + 9.0, 1e-8);
    assert_eq!(
        Normal::from_precision(2.0, 1.0 / 9.0).unwrap().variance().map(|v| (v * 1e9).round()),
        Some(9e9)
    );
    close(Normal::new(0.0, 1.0).unwrap().log_cdf(-100.0), -5005.524208694205, 1e-12, "log Φ(-100)");
}

/// H.9: `N(0, s²/g)` with a gamma g is Student's t, and its tails are heavier than a normal's.
#[test]
fn students_t_is_a_mixture_of_scales() {
    let t = StudentT::new(3.0, 0.0, 1.0).unwrap();
    let g = Gamma::new(1.5, 1.5).unwrap();
    let mixed = |x: f64| {
        integral(0.0, 30.0, 60_000, |s| {
            g.density(s) * Normal::new(0.0, 1.0 / s.max(1e-12)).unwrap().density(x)
        })
    };
    for x in [0.0, 1.0, 4.0] {
        near(mixed(x), t.density(x), 1e-6);
    }
    assert!(t.survival(10.0) > 1e5 * Normal::new(0.0, 3.0).unwrap().survival(10.0));
    // The energy ln(1 + z²/ν) (ν + 1)/2.
    near(t.log_density(0.0) - t.log_density(2.0), 2.0 * (1.0f64 + 4.0 / 3.0).ln(), 1e-12);
}

/// P-15.
#[test]
fn bernoulli_by_fraction_and_by_logit() {
    assert_eq!(Bernoulli::fit(&[1.0, 0.0, 1.0, 1.0]).unwrap().probability(), 0.75);
    let by_logit = Bernoulli::from_logit(-40.0).unwrap();
    close(by_logit.log_density(1.0), Bernoulli::log_density_of_logit(-40.0, true), 1e-14, "logit");
    assert!(Bernoulli::log_density_of_logit(-800.0, true) == -800.0);
    assert!(Bernoulli::new(1.5).is_err() && Bernoulli::fit(&[0.5]).is_err());
    let prior = Beta::new(2.0, 2.0).unwrap();
    near(Bernoulli::fit_map(&[1.0, 1.0], &[1.0, 1.0], &prior).unwrap().probability(), 0.75, 1e-15);
}

/// P-16.
#[test]
fn categories_and_their_coding() {
    assert_eq!(one_hot(&[1], 5).unwrap(), array![[0.0, 1.0, 0.0, 0.0, 0.0]]);
    let c = Categorical::fit(3, &[0, 1, 1, 1]).unwrap();
    assert_eq!(c.probabilities(), [0.25, 0.75, 0.0]);
    assert_eq!(c.log_density(2), f64::NEG_INFINITY); // never seen: probability zero
    let smooth = Categorical::fit_map(&[0, 1, 1, 1], &[1.0; 4], &Dirichlet::new(&[2.0; 3]).unwrap()).unwrap();
    all_near(smooth.probabilities(), &[2.0 / 7.0, 4.0 / 7.0, 1.0 / 7.0], 1e-15);
    let draws = Categorical::new(&[0.2, 0.5, 0.3]).unwrap().sample(20_000, 1).unwrap();
    near(draws.iter().filter(|k| **k == 1).count() as f64 / 20_000.0, 0.5, 0.015);
    let m = Multinomial::new(7, &[0.2, 0.5, 0.3]).unwrap();
    near(
        m.log_density(&[2.0, 4.0, 1.0]).unwrap(),
        numbers()["matrix"]["multinomial"].as_f64().unwrap(),
        1e-10,
    );
    let rows = m.sample(5000, 2).unwrap();
    assert!(rows.rows().into_iter().all(|r| r.sum() == 7.0));
    all_near(&rows.mean_axis(ndarray::Axis(0)).unwrap().to_vec(), &m.mean(), 0.08);
}

/// BL-02: ref:M and ref:N of the notes.
#[test]
fn dirichlet_golden_numbers() {
    let d = Dirichlet::new(&[1.0, 2.0, 0.5]).unwrap();
    near(d.log_density(&[0.5, 0.3, 0.2]).unwrap(), 0.2293548113, 1e-10);
    all_near(&d.mean_log(), &[-1.680372306, -0.6803723055, -3.066666667], 1e-9);
    let e = Dirichlet::new(&[1.5, 2.0, 0.5]).unwrap();
    near(e.entropy(), numbers()["matrix"]["dirichlet_entropy"].as_f64().unwrap(), 1e-10);
    let draws = d.sample(40_000, 4).unwrap();
    all_near(&draws.mean_axis(ndarray::Axis(0)).unwrap().to_vec(), &d.mean(), 0.006);
    all_near(&draws.var_axis(ndarray::Axis(0), 0.0).to_vec(), &d.variance(), 0.004);
    assert!(Dirichlet::new(&[0.01, 0.01]).unwrap().sample(100, 0).unwrap().iter().all(|p| p.is_finite()));
    all_near(
        &Dirichlet::new(&[2.0, 3.0, 4.0]).unwrap().mode().unwrap(),
        &[1.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0],
        1e-15,
    );
    assert!(d.mode().is_none());
    assert!(d.divergence(&d).unwrap().abs() < 1e-14 && d.divergence(&e).unwrap() > 0.0);
    // K = 3 by quadrature.
    let e = Dirichlet::new(&[1.5, 2.0, 2.5]).unwrap();
    let n = 600;
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..n - i {
            // Middles of the two triangles of a cell.
            let h = 1.0 / f64::from(n);
            let cells: &[f64] = if j + 1 < n - i { &[1.0 / 3.0, 2.0 / 3.0] } else { &[1.0 / 3.0] };
            for s in cells {
                let (a, b) = ((f64::from(i) + s) * h, (f64::from(j) + s) * h);
                sum += e.log_density(&[a, b, 1.0 - a - b]).unwrap().exp() * 0.5 * h * h;
            }
        }
    }
    near(sum, 1.0, 1e-4);
}

#[test]
fn matrices_and_heavy_tails() {
    let all = &numbers()["matrix"];
    let at = |name: &str| all[name].as_f64().unwrap();
    let (v, x) = (array![[2.0, 0.4], [0.4, 1.0]], array![[1.0, 0.2], [0.2, 0.7]]);
    let w = Wishart::new(4.5, v.view()).unwrap();
    near(w.log_density(x.view()).unwrap(), at("wishart"), 1e-10);
    near(w.entropy(), at("wishart_entropy"), 1e-10);
    let draws = w.sample(4000, 1).unwrap();
    let mean = draws.iter().fold(array![[0.0, 0.0], [0.0, 0.0]], |s, d| s + d) / 4000.0;
    all_near(&mean.into_raw_vec_and_offset().0, &w.mean().into_raw_vec_and_offset().0, 0.3);
    let i = InverseWishart::new(4.5, v.view()).unwrap();
    near(i.log_density(x.view()).unwrap(), at("inverse_wishart"), 1e-10);
    // One dimension is an inverse gamma.
    let one = InverseWishart::new(5.0, array![[3.0]].view()).unwrap();
    near(
        one.log_density(array![[0.8]].view()).unwrap(),
        InverseGamma::new(2.5, 1.5).unwrap().log_density(0.8),
        1e-12,
    );
    let t = MultivariateT::new(3.5, array![0.5, -0.5].view(), v.view()).unwrap();
    near(t.log_density(array![[2.0, 1.0]].view()).unwrap()[0], at("multivariate_t"), 1e-10);
    let rows = t.sample(400, 3).unwrap();
    let fitted = MultivariateT::fit_weighted(3.5, rows.view(), ndarray::Array1::ones(400).view()).unwrap();
    all_near(&fitted.location().to_vec(), &[0.5, -0.5], 0.3);
}
