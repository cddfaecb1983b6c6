//! What holds for every distribution: densities integrate, draws follow them.

use mercer::probability::distributions::*;
use mercer::probability::tables::kolmogorov_distance;

use crate::distributions::named;
use crate::{integral, near};

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
