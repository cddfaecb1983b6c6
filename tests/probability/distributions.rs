//! Distributions against scipy: in the bulk, with 40 digits in the tails, where nothing is a number, and their fits.

use mercer::probability::distributions::*;
use serde_json::Value;

use crate::recorded::list;
use crate::{all_near, close, near};

pub fn numbers() -> Value {
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
