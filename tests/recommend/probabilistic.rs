//! Probabilistic factorisation: the joint density, its mode, and draws.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{near, notes, planted};

#[test]
fn the_joint_density_of_the_notes() {
    let model = ProbabilisticFactorisation::new(1);
    let ones = Array2::<f64>::ones((5, 1));
    near(model.log_joint(&notes(), &ones, &ones).unwrap(), -77.13558626, 1e-7);
}

/// `-2σ_y² log p = objective + constant`, for any factors.
#[test]
fn the_density_is_the_objective_of_least_squares() {
    let (noise, su, si) = (0.7, 2.0, 0.5);
    let model = ProbabilisticFactorisation::new(2).noise(noise).user_variance(su).item_variance(si);
    let table = notes();
    let constant = |seed: u64| {
        let (u, i) = (random(5, 2, seed), random(5, 2, seed + 9));
        let square: f64 =
            table.entries().iter().map(|r| (r.value - u.row(r.user).dot(&i.row(r.item))).powi(2)).sum();
        let norm = |a: &Array2<f64>| a.iter().map(|v| v * v).sum::<f64>();
        let objective = square + noise / su * norm(&u) + noise / si * norm(&i);
        -2.0 * noise * model.log_joint(&table, &u, &i).unwrap() - objective
    };
    (1..5).for_each(|seed| near(constant(seed), constant(0), 1e-9));
}

#[test]
fn the_mode_is_alternating_least_squares() {
    let table = planted(8, 6, 2, 0.2);
    let mode = ProbabilisticFactorisation::new(2)
        .noise(0.5)
        .user_variance(2.0)
        .item_variance(1.0)
        .fit_ratings(&table)
        .unwrap();
    let als = Als::new(2).user_penalty(0.25).item_penalty(0.5).fit_ratings(&table).unwrap();
    assert_eq!(mode.rating(3, 2), als.rating(3, 2));
    // The slope of the density vanishes there.
    let als = als.user_factors().clone();
    assert!(als.iter().all(|v| v.is_finite()));
    let model = ProbabilisticFactorisation::new(2).noise(0.5).user_variance(2.0).item_variance(1.0);
    let (u, i) = (mode.mode().user_factors().clone(), mode.mode().item_factors().clone());
    let at = |h: f64| {
        let mut moved = u.clone();
        moved[[1, 0]] += h;
        model.log_joint(&table, &moved, &i).unwrap()
    };
    near((at(1e-5) - at(-1e-5)) / 2e-5, 0.0, 1e-3);
}

/// With items of one factor that hardly varies the posterior of a user is a Gaussian in closed form.
#[test]
fn draws_have_the_moments_of_a_gaussian_posterior() {
    // One item, one user, φ ~ N(0, tiny) would be flat; so many users pin φ instead and ψ of the first is compared.
    let table = Ratings::from_table(array![[2.0, 1.0, 3.0]]).unwrap();
    let model = ProbabilisticFactorisation::new(1)
        .noise(0.5)
        .posterior(FactorPosterior::Gibbs { draws: 4000, warm_up: 200 });
    let fitted = model.fit_ratings(&table).unwrap();
    // E[ψφ_i | ψ] = ψ² y_i/(ψ² + σ²) averaged over p(ψ|y) by quadrature.
    let (mut z, mut mean) = (0.0, [0.0; 3]);
    let y = [2.0, 1.0, 3.0];
    for step in 0..20_000 {
        let psi = -6.0 + 12.0 * (f64::from(step) + 0.5) / 20000.0;
        let s = psi * psi + 0.5;
        let log: f64 = -0.5 * psi * psi + y.iter().map(|v| -0.5 * (s.ln() + v * v / s)).sum::<f64>();
        let p = log.exp();
        z += p;
        (0..3).for_each(|i| mean[i] += p * psi * psi * y[i] / s);
    }
    (0..3).for_each(|i| near(fitted.rating(0, i), mean[i] / z, 0.05));
}

#[test]
fn what_is_not_rated_is_less_known() {
    let table = planted(12, 10, 1, 0.1);
    let model = ProbabilisticFactorisation::new(1)
        .noise(0.05)
        .posterior(FactorPosterior::Gibbs { draws: 200, warm_up: 50 });
    let fitted =
        model.table(13, 10).fit_ratings(&Ratings::of(13, 10, table.entries().to_vec()).unwrap()).unwrap();
    let (_, variance) = fitted.distribution(array![[1.0, 0.0], [12.0, 0.0]]).unwrap();
    assert!(variance[1] > 2.0 * variance[0] && variance[0] > 0.05, "{variance}");
    assert_eq!(fitted.draws(), 200);
}
