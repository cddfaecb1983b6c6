//! Projections of the mixture of the notes onto normal distributions.

use mercer::inference::variational::Grid;

use crate::near;

fn mixture(v: f64) -> Grid {
    let bump = move |x: f64, m: f64| (-(x - m).powi(2) / (2.0 * v)).exp();
    Grid::new(-9.0, 9.0, 9000, move |x| (0.3 * bump(x, -1.0) + 0.7 * bump(x, 1.0)).max(1e-300).ln()).unwrap()
}

#[test]
fn moments_are_matched() {
    for (v, variance, kl) in [(0.09, 0.93, 0.5579538), (0.3, 1.14, 0.1366030)] {
        let p = mixture(v);
        let q = p.moment_projection();
        near(q.mean, 0.4, 1e-7);
        near(q.variance, variance, 1e-6);
        near(q.divergence, kl, 1e-6);
        // Pythagoras: KL(p||r) - KL(p||q) = KL(q||r) for every other normal r.
        for (m, s) in [(0.0, 1.0), (1.0, 0.5), (-2.0, 3.0)] {
            let kl = 0.5 * (variance / s + (0.4 - m) * (0.4 - m) / s - 1.0 - (variance / s).ln());
            near(p.kl_to(m, s) - q.divergence, kl, 1e-5);
        }
    }
}

#[test]
fn information_projections_keep_to_modes() {
    let p = mixture(0.09);
    let near_fit = |start: (f64, f64), mean: f64, variance: f64, kl: f64| {
        let q = p.information_projection(start.0, start.1).unwrap();
        near(q.mean, mean, 1e-5);
        near(q.variance, variance, 1e-5);
        near(q.divergence, kl, 1e-6);
    };
    near_fit((1.1, 0.1), 0.9990784, 0.0909520, 0.3558598);
    near_fit((-1.1, 0.1), -0.9976867, 0.0922436, 1.2018760);
    let q = mixture(0.3).information_projection(0.5, 1.0).unwrap();
    near(q.mean, 0.3826507, 1e-5);
    near(q.variance, 0.9683280, 1e-5);
    near(q.divergence, 0.1725194, 1e-6);
}

#[test]
fn alpha_projections_jump_from_exclusive_to_inclusive() {
    let p = mixture(0.09);
    let want = [
        (0.1, 0.99894, 0.09111),
        (0.3, 0.99844, 0.09172),
        (0.5, 0.99678, 0.09394),
        (0.7, 0.40273, 0.89506),
        (0.9, 0.40066, 0.92066),
        (1.5, 0.39795, 0.95877),
    ];
    for (alpha, mean, variance) in want {
        // The better of the minima that a narrow and a wide start lead to.
        let found = [(1.0, 0.1), (0.4, 0.9)].map(|(m, v)| p.alpha_projection(alpha, m, v).unwrap());
        let best = if found[0].divergence <= found[1].divergence { found[0] } else { found[1] };
        near(best.mean, mean, 2e-5);
        near(best.variance, variance, 2e-5);
    }
    let one = p.alpha_projection(1.0, 0.0, 1.0).unwrap();
    near(one.variance, p.moment_projection().variance, 1e-9);
    assert!(p.alpha_projection(0.0, 0.0, 1.0).is_err());
    assert!(Grid::new(1.0, 0.0, 100, |_| 0.0).is_err());
}
