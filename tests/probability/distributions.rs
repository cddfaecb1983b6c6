//! Distributions: scipy in the bulk, 40 digits in the tails, theorems that hold for all.

use mercer::probability::distributions::*;
use mercer::probability::gaussian::MultivariateT;
use mercer::probability::tables::kolmogorov_distance;
use ndarray::array;
use serde_json::Value;

use crate::recorded::list;
use crate::{all_near, close, integral, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/probability.json")).unwrap()
}

/// The distribution by its name.
pub(crate) fn named(name: &str, p: &[f64]) -> Box<dyn Univariate> {
    match name {
        "normal" => Box::new(Normal::new(p[0], p[1]).unwrap()),
        "student_t" => Box::new(StudentT::new(p[0], p[1], p[2]).unwrap()),
        "laplace" => Box::new(Laplace::new(p[0], p[1]).unwrap()),
        "exponential" => Box::new(Exponential::new(p[0]).unwrap()),
        "gamma" => Box::new(Gamma::new(p[0], p[1]).unwrap()),
        "inverse_gamma" => Box::new(InverseGamma::new(p[0], p[1]).unwrap()),
        "beta" => Box::new(Beta::new(p[0], p[1]).unwrap()),
        "von_mises" => Box::new(VonMises::new(p[0], p[1]).unwrap()),
        "bernoulli" => Box::new(Bernoulli::new(p[0]).unwrap()),
        "binomial" => Box::new(Binomial::new(p[0] as u64, p[1]).unwrap()),
        "poisson" => Box::new(Poisson::new(p[0]).unwrap()),
        other => panic!("{other}"),
    }
}

#[test]
fn scipy_in_the_bulk() {
    for case in numbers()["bulk"].as_array().unwrap() {
        let (name, p) = (case["name"].as_str().unwrap(), list(&case["parameters"]));
        let d = named(name, &p);
        for ((x, log), cdf) in
            list(&case["x"]).into_iter().zip(list(&case["log_density"])).zip(list(&case["cdf"]))
        {
            near(d.log_density(x), log, 1e-10 * log.abs().max(1.0));
            close(d.cdf(x), cdf, 1e-9, &format!("{name}{p:?}.cdf({x})"));
            near(d.cdf(x) + d.survival(x), 1.0, 1e-12);
        }
        for (p, want) in list(&case["p"]).into_iter().zip(list(&case["quantile"])) {
            near(d.quantile(p).unwrap(), want, 1e-8 * want.abs().max(1.0));
        }
        near(d.entropy(), case["entropy"].as_f64().unwrap(), 1e-8);
        if let (Some(mean), Some(variance)) = (case["mean"].as_f64(), case["variance"].as_f64()) {
            close(d.mean().unwrap(), mean, 1e-12, name);
            close(d.variance().unwrap(), variance, 1e-12, name);
        }
    }
}

#[test]
fn forty_digits_in_the_tails() {
    for case in numbers()["tails"].as_array().unwrap() {
        let (name, p) = (case["name"].as_str().unwrap(), list(&case["parameters"]));
        let (d, x) = (named(name, &p), case["x"].as_f64().unwrap());
        let what = format!("{name}{p:?} at {x}");
        close(d.cdf(x), case["cdf"].as_f64().unwrap(), 1e-10, &what);
        close(d.survival(x), case["survival"].as_f64().unwrap(), 1e-10, &what);
    }
}

/// Where a density has long underflowed its logarithm has not.
#[test]
fn logarithms_keep_their_digits_far_out() {
    for case in numbers()["far"].as_array().unwrap() {
        let (name, p) = (case["name"].as_str().unwrap(), list(&case["parameters"]));
        let (d, x) = (named(name, &p), case["x"].as_f64().unwrap());
        close(d.log_density(x), case["log_density"].as_f64().unwrap(), 1e-10, &format!("{name}{p:?} at {x}"));
    }
}

/// `F(F⁻¹(p)) = p` however small p is, to the digits that F keeps in its tail.
#[test]
fn quantiles_of_rare_events() {
    for (name, p) in [
        ("normal", vec![1.0, 4.0]),
        ("student_t", vec![3.5, -1.0, 2.0]),
        ("laplace", vec![0.5, 1.5]),
        ("exponential", vec![0.7]),
        ("gamma", vec![2.5, 0.8]),
        ("inverse_gamma", vec![3.0, 2.0]),
        ("beta", vec![2.0, 3.5]),
    ] {
        let d = named(name, &p);
        for rare in [1e-100, 1e-30, 1e-12, 1e-5] {
            close(d.cdf(d.quantile(rare).unwrap()), rare, 1e-8, &format!("{name}{p:?} at {rare:e}"));
        }
    }
}

fn continuous() -> Vec<(Box<dyn Univariate>, f64, f64)> {
    vec![
        (named("normal", &[1.0, 4.0]), -15.0, 17.0),
        (named("student_t", &[6.0, 0.5, 1.5]), -400.0, 400.0),
        (named("laplace", &[0.0, 1.0]), -40.0, 40.0),
        (named("exponential", &[2.0]), 0.0, 25.0),
        (named("gamma", &[3.0, 2.0]), 0.0, 30.0),
        (named("inverse_gamma", &[4.0, 3.0]), 1e-9, 400.0),
        (named("beta", &[2.0, 5.0]), 0.0, 1.0),
        (named("von_mises", &[1.0, 3.0]), -std::f64::consts::PI, std::f64::consts::PI),
    ]
}

/// P-08: `Pr(a < X ≤ b) = F(b) - F(a) = ∫ p`, F rises from 0 to 1 and its slope is p.
#[test]
fn densities_integrate_and_are_the_slopes_of_their_distribution_functions() {
    for (d, low, high) in continuous() {
        near(integral(low, high, 400_000, |x| d.density(x)), 1.0, 2e-5);
        let (a, b) = (d.quantile(0.2).unwrap(), d.quantile(0.7).unwrap());
        near(d.between(a, b), 0.5, 1e-12);
        near(integral(a, b, 20_000, |x| d.density(x)), 0.5, 1e-8);
        let mut before = 0.0;
        for i in 1..20 {
            let x = d.quantile((f64::from(i) - 0.3) / 20.0).unwrap();
            assert!(d.cdf(x) > before);
            before = d.cdf(x);
            let h = 1e-5;
            near((d.cdf(x + h) - d.cdf(x - h)) / (2.0 * h), d.density(x), 1e-6);
            near(d.cdf(d.quantile(before).unwrap()), before, 1e-13);
        }
        if let Some(mode) = d.mode() {
            let step = 1e-3 * d.standard_deviation().unwrap();
            assert!(d.log_density(mode) >= d.log_density(mode + step));
            assert!(d.log_density(mode) >= d.log_density(mode - step));
        }
        near(
            d.entropy(),
            -integral(low, high, 200_000, |x| {
                if d.density(x) > 0.0 { d.density(x) * d.log_density(x) } else { 0.0 }
            }),
            2e-3,
        );
    }
}

struct By<'a>(&'a dyn Univariate);

impl Univariate for By<'_> {
    fn log_density(&self, x: f64) -> f64 {
        self.0.log_density(x)
    }
    fn cdf(&self, x: f64) -> f64 {
        self.0.cdf(x)
    }
    fn survival(&self, x: f64) -> f64 {
        self.0.survival(x)
    }
    fn quantile(&self, p: f64) -> mercer::Result<f64> {
        self.0.quantile(p)
    }
    fn mean(&self) -> Option<f64> {
        self.0.mean()
    }
    fn variance(&self) -> Option<f64> {
        self.0.variance()
    }
    fn mode(&self) -> Option<f64> {
        self.0.mode()
    }
    fn entropy(&self) -> f64 {
        self.0.entropy()
    }
    fn sample(&self, count: usize, seed: u64) -> mercer::Result<ndarray::Array1<f64>> {
        self.0.sample(count, seed)
    }
}

/// At a level of 1e-3: `√n D > 1.95`.
#[test]
fn draws_pass_kolmogorov_and_repeat() {
    for (d, _, _) in continuous() {
        let x = d.sample(4000, 11).unwrap();
        assert_eq!(x, d.sample(4000, 11).unwrap());
        assert_ne!(x, d.sample(4000, 12).unwrap());
        let distance = kolmogorov_distance(&x.to_vec(), &By(d.as_ref())).unwrap();
        assert!(distance * 4000f64.sqrt() < 1.95, "{distance}");
    }
    for (d, most) in [
        (named("poisson", &[4.3]), 14),
        (named("binomial", &[12.0, 0.35]), 12),
        (named("bernoulli", &[0.3]), 1),
    ] {
        let x = d.sample(20_000, 3).unwrap();
        for k in 0..=most {
            let share = x.iter().filter(|x| **x == f64::from(k)).count() as f64 / 20_000.0;
            let p = d.density(f64::from(k));
            near(share, p, 5.0 * (p * (1.0 - p) / 20_000.0).sqrt() + 1e-3);
        }
    }
}

#[test]
fn whole_numbers_sum_to_one() {
    let sum = |d: &dyn Univariate, most: u32| (0..=most).map(|k| d.density(f64::from(k))).sum::<f64>();
    near(sum(&Poisson::new(4.3).unwrap(), 100), 1.0, 1e-13);
    near(sum(&Binomial::new(30, 0.2).unwrap(), 30), 1.0, 1e-13);
    near(sum(&Bernoulli::new(0.2).unwrap(), 1), 1.0, 1e-15);
}

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
fn fits_are_scipys_and_weights_repeat() {
    let all = &numbers()["fits"];
    let (x, want) = (list(&all["gamma"]["x"]), list(&all["gamma"]["fit"]));
    let g = Gamma::fit(&x).unwrap();
    all_near(&[g.shape(), g.rate()], &want, 1e-5);
    let inverse = InverseGamma::fit(&x.iter().map(|x| 1.0 / x).collect::<Vec<_>>()).unwrap();
    near(inverse.shape(), g.shape(), 1e-9);
    let (x, want) = (list(&all["beta"]["x"]), list(&all["beta"]["fit"]));
    let b = Beta::fit(&x).unwrap();
    all_near(&[b.a(), b.b()], &want, 1e-4);
    let x = list(&all["student_t"]["x"]);
    let t = StudentT::fit(&x).unwrap();
    let l = t.log_likelihood(&x, &vec![1.0; x.len()]).unwrap();
    assert!(l >= all["student_t"]["loglik"].as_f64().unwrap() - 1e-4, "{l}");
    // A weight of two is that number twice.
    let twice: Vec<f64> = x.iter().chain(&x[..10]).copied().collect();
    let w: Vec<f64> = (0..x.len()).map(|i| if i < 10 { 2.0 } else { 1.0 }).collect();
    let (a, b) = (Normal::fit(&twice).unwrap(), Normal::fit_weighted(&x, &w).unwrap());
    all_near(&[a.location(), a.scale()], &[b.location(), b.scale()], 1e-12);
    let (a, b) = (Laplace::fit(&twice).unwrap(), Laplace::fit_weighted(&x, &w).unwrap());
    all_near(&[a.location(), a.scale()], &[b.location(), b.scale()], 1e-12);
    let angles = VonMises::new(0.7, 4.0).unwrap().sample(20_000, 9).unwrap().to_vec();
    let v = VonMises::fit(&angles).unwrap();
    all_near(&[v.location(), v.concentration()], &[0.7, 4.0], 0.1);
    assert!(Gamma::fit(&[1.0, -1.0]).is_err() && Gamma::fit(&[]).is_err() && Normal::fit(&[1.0]).is_err());
    assert!(Poisson::fit(&[0.5]).is_err() && Normal::fit(&[f64::NAN, 1.0]).is_err());
    let draws = Dirichlet::new(&[2.0, 5.0, 1.0]).unwrap().sample(4000, 2).unwrap();
    let fitted = Dirichlet::fit_weighted(draws.view(), &vec![1.0; 4000]).unwrap();
    all_near(fitted.alpha(), &[2.0, 5.0, 1.0], 0.3);
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

#[test]
fn nan_goes_in_and_out_and_quantiles_are_of_probabilities() {
    for case in numbers()["bulk"].as_array().unwrap() {
        let (name, p) = (case["name"].as_str().unwrap(), list(&case["parameters"]));
        let d = named(name, &p);
        for value in [d.log_density(f64::NAN), d.cdf(f64::NAN), d.survival(f64::NAN)] {
            assert!(value.is_nan(), "{name}: {value}");
        }
        for p in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(d.quantile(p).is_err(), "{name} at {p}");
        }
        assert!(d.sample(usize::MAX, 1).is_err());
        assert_eq!((d.cdf(f64::NEG_INFINITY), d.survival(f64::INFINITY)), (0.0, 0.0), "{name}");
    }
    assert!(
        Normal::new(0.0, 0.0).is_err() && Gamma::new(f64::NAN, 1.0).is_err() && Beta::new(1.0, -1.0).is_err()
    );
    assert!(
        StudentT::new(0.0, 0.0, 1.0).is_err()
            && Dirichlet::new(&[1.0]).is_err()
            && Categorical::new(&[0.5, 0.6]).is_err()
    );
}
