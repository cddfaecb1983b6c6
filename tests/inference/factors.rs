//! Bayesian matrix factorisation: the bound against quadrature, and alternating ridge regressions in the limit.

use mercer::inference::variational::{BayesianFactors, Cavi};

use crate::near;

#[test]
fn the_bound_is_below_the_evidence_of_one_entry() {
    let (y, noise) = (1.5, 0.4);
    let model = BayesianFactors::new(1, 1, 1, &[(0, 0, y)], noise).unwrap();
    let found = Cavi::new().run(&model, model.start(1).unwrap()).unwrap();
    let (n, step) = (400, 0.04);
    let mut evidence = 0.0;
    for i in 0..n {
        for j in 0..n {
            let (a, b) = ((f64::from(i) - 199.5) * step, (f64::from(j) - 199.5) * step);
            let log = -0.5 * (a * a + b * b) - 0.5 * (y - a * b).powi(2) / noise;
            evidence += log.exp() * step * step;
        }
    }
    let tau = 2.0 * std::f64::consts::PI;
    let evidence = (evidence / (tau * (tau * noise).sqrt())).ln();
    assert!(found.elbo() < evidence && found.elbo() > evidence - 1.5, "{} {evidence}", found.elbo());
    assert!(found.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-10));
}

#[test]
fn without_uncertainty_it_is_alternating_least_squares() {
    let observed = [(0, 0, 5.0), (0, 1, 3.0), (1, 0, 4.0), (1, 2, 1.0), (2, 1, 2.0), (2, 2, 1.5)];
    let (lambda, tiny) = (0.5, 1e-7);
    // Noise and prior shrink together: their ratio, the penalty, stays.
    let model =
        BayesianFactors::new(3, 3, 1, &observed, tiny).unwrap().priors(tiny / lambda, tiny / lambda).unwrap();
    let start: Vec<Vec<f64>> = (0..6).map(|b| vec![(1.0 + 0.1 * f64::from(b)) * 1e12, -0.5e12]).collect();
    let found = Cavi::new().max_sweeps(60).tolerance(0.0).run(&model, start).unwrap();
    let mut f: Vec<f64> = (0..6).map(|b| 1.0 + 0.1 * f64::from(b)).collect();
    for _ in 0..60 {
        for b in 0..6 {
            let (mut top, mut below) = (0.0, lambda);
            for (i, j, y) in observed {
                let (own, other) = if b < 3 { (i, 3 + j) } else { (3 + j, i) };
                if own == b {
                    top += y * f[other];
                    below += f[other] * f[other];
                }
            }
            f[b] = top / below;
        }
    }
    for b in 0..6 {
        near(found.expected()[b][0], f[b], 1e-4);
    }
    // A prediction is the product of the means, also where nothing was observed.
    for (i, j) in (0..9).map(|c| (c / 3, c % 3)) {
        let guess = model.predict(&found, i, j).unwrap();
        near(guess, found.expected()[i][0] * found.expected()[3 + j][0], 1e-12);
        near(guess, f[i] * f[3 + j], 1e-3);
    }
    assert!(model.predict(&found, 3, 0).is_err() && model.predict(&found, 0, 3).is_err());
    let other = BayesianFactors::new(2, 2, 1, &[(0, 0, 1.0)], 1.0).unwrap();
    assert!(other.predict(&found, 0, 0).is_err(), "factors of another model");
    assert!(BayesianFactors::new(2, 2, 1, &[(2, 0, 1.0)], 1.0).is_err());
    assert!(BayesianFactors::new(2, 2, 1, &[], 1.0).is_err());
}

/// Of rank two the prediction is the inner product of both means.
#[test]
fn a_prediction_is_the_inner_product_of_the_means() {
    let observed = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, 0.5), (1, 1, 1.0), (2, 0, 1.5)];
    let model = BayesianFactors::new(3, 2, 2, &observed, 0.2).unwrap();
    let found = Cavi::new().max_sweeps(20).run(&model, model.start(3).unwrap()).unwrap();
    let e = found.expected();
    let want = e[2][0] * e[4][0] + e[2][1] * e[4][1];
    near(model.predict(&found, 2, 1).unwrap(), want, 1e-12);
    assert!(e[2][1].abs() > 1e-3 && want.abs() > 1e-3, "both ranks have a part");
}
