//! Empirical and expected risks, and the minimiser over any loss and penalty.

use mercer::learn::loss::{EmpiricalRisk, Loss, PopulationRisk, expected_squared_loss};
use mercer::learn::{Pipeline, Polynomial};
use mercer::linalg::eigh;
use mercer::models::linear::{ElasticNet, LeastSquares, QuantileRegression, Ridge, RiskMinimiser};
use mercer::optim::Penalty;
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::support::random;
use crate::{five, near, sin10};

const SMOOTH: [Loss; 5] = [Loss::Logistic, Loss::Exponential, Loss::Probit, Loss::Squared, Loss::Huber(0.4)];

fn labelled() -> (Array2<f64>, Array1<f64>) {
    let x = random(30, 3, 1);
    let y = x
        .rows()
        .into_iter()
        .map(|r| if r[0] - 0.5 * r[1] + 0.4 * r[2].sin() > 0.1 { 1.0 } else { -1.0 })
        .collect();
    (x, y)
}

/// LS-01: the mean over repeated data is the mean; fresh data estimate the risk.
#[test]
fn repeating_the_data_changes_nothing() {
    let (x, y) = labelled();
    let w = array![0.3, -0.7, 0.2];
    let twice = concatenate![Axis(0), x, x];
    let y2 = concatenate![Axis(0), y, y];
    let doubled = Array1::from_elem(30, 2.0);
    for loss in [Loss::Hinge, Loss::Logistic, Loss::Squared, Loss::ZeroOne] {
        let one = EmpiricalRisk::new(loss, x.view(), y.view()).unwrap();
        let two = EmpiricalRisk::new(loss, twice.view(), y2.view()).unwrap();
        let weighted = one.clone().weighted(doubled.view()).map(|r| r.value(w.view()));
        assert!((one.value(w.view()).unwrap() - two.value(w.view()).unwrap()).abs() < 1e-14);
        assert!((one.value(w.view()).unwrap() - weighted.unwrap().unwrap()).abs() < 1e-14);
    }
    let errors = EmpiricalRisk::new(Loss::ZeroOne, x.view(), y.view()).unwrap().value(w.view()).unwrap();
    let counted = x.dot(&w).iter().zip(&y).filter(|(f, y)| *f * *y <= 0.0).count();
    assert!((errors - counted as f64 / 30.0).abs() < 1e-15);
    // y = 2x + e, both uniform on [-1, 1]: the expected squared loss of w is (w - 2)²/3 + 1/3.
    let fresh = random(20_000, 2, 5);
    let (x, y) = (fresh.slice(ndarray::s![.., ..1]), 2.0 * &fresh.column(0) + fresh.column(1));
    for w in [0.5, 2.0] {
        let risk = EmpiricalRisk::new(Loss::Squared, x, y.view()).unwrap().value(array![w].view()).unwrap();
        let expected = ((w - 2.0_f64).powi(2) + 1.0) / 3.0;
        assert!((risk - expected).abs() < 5.0 * (6.25 * expected / 20_000.0).sqrt(), "{risk} {expected}");
    }
}

/// LS-08: differences, curvature that is nowhere negative, chords above the function.
#[test]
fn gradients_and_hessians_of_risks() {
    let (x, y) = labelled();
    let (a, b) = (array![0.3, -0.7, 0.2], array![-1.0, 0.4, 0.9]);
    let h = 1e-5;
    for loss in SMOOTH {
        let risk = EmpiricalRisk::new(loss, x.view(), y.view()).unwrap();
        let (gradient, hessian) = (risk.gradient(a.view()).unwrap(), risk.hessian(a.view()).unwrap());
        for j in 0..3 {
            let moved = |by: f64| {
                let mut w = a.clone();
                w[j] += by;
                w
            };
            let at = |by: f64| risk.value(moved(by).view()).unwrap();
            assert!((gradient[j] - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-8);
            let slope = |by: f64| risk.gradient(moved(by).view()).unwrap();
            let want = (slope(h) - slope(-h)) / (2.0 * h);
            if loss != Loss::Huber(0.4) {
                near(hessian.column(j), &want, 1e-7, "Hessian");
            }
        }
        let sum: Array1<f64> =
            (0..30).map(|i| risk.gradient_of(i, a.view()).unwrap()).fold(Array1::zeros(3), |s, g| s + g);
        near(&(sum / 30.0), &gradient, 1e-14, "the mean of the summands' gradients");
        assert!(eigh(hessian.view()).unwrap().values.iter().all(|v| *v >= -1e-15));
        let middle = risk.value((0.5 * (&a + &b)).view()).unwrap();
        assert!(middle <= 0.5 * (risk.value(a.view()).unwrap() + risk.value(b.view()).unwrap()) + 1e-15);
    }
}

/// LS-02: φ(x)ᵀφ(y) = xᵀy + (xᵀy)².
#[test]
fn the_quadratic_map_of_the_notes() {
    let phi = |x: &[f64]| array![x[0], x[1], x[0] * x[0], 2f64.sqrt() * x[0] * x[1], x[1] * x[1]];
    let made = Polynomial::new(2).bias(false).fit(&Device::cpu(), array![[0.3, -1.2], [2.0, 0.7]]).unwrap();
    let rows = made.transform(array![[0.3, -1.2], [2.0, 0.7]]).unwrap();
    let scale = array![1.0, 1.0, 1.0, 2f64.sqrt(), 1.0];
    near(&(&rows.row(0) * &scale), &phi(&[0.3, -1.2]), 1e-15, "φ");
    let (p, q) = (&rows.row(0) * &scale, &rows.row(1) * &scale);
    let inner: f64 = 0.3 * 2.0 - 1.2 * 0.7;
    assert!((p.dot(&q) - inner - inner * inner).abs() < 1e-14);
    // A function of these features that is linear in them is found.
    let x = random(20, 2, 3);
    let y: Array1<f64> = x.rows().into_iter().map(|r| 1.0 + r[0] - 2.0 * r[0] * r[1]).collect();
    let fit = Pipeline::new(Polynomial::new(2).bias(false), LeastSquares::new())
        .fit(&Device::cpu(), &x, &y)
        .unwrap();
    near(&fit.predict(&x).unwrap(), &y, 1e-12, "recovered");
}

/// Any loss behind a feature map: margins are linear in the features and stationary, whatever the loss.
#[test]
fn any_loss_behind_a_feature_map() {
    let (x, cpu) = (random(60, 2, 71), Device::cpu());
    let y: Array1<f64> = x
        .rows()
        .into_iter()
        .map(|r| if r[0] * r[1] > 0.1 * (9.0 * r[0]).sin() { 1.0 } else { -1.0 })
        .collect();
    let features = Polynomial::new(2).bias(false).fit(&cpu, &x).unwrap().transform(&x).unwrap();
    for loss in [Loss::Logistic, Loss::Exponential, Loss::Squared, Loss::SquaredHinge] {
        let model = RiskMinimiser::new(loss, Penalty::L2(0.05));
        let piped = Pipeline::new(Polynomial::new(2).bias(false), model.clone()).fit(&cpu, &x, &y).unwrap();
        let direct = model.fit(&cpu, &features, &y).unwrap();
        near(&piped.predict(&x).unwrap(), &direct.predict(&features).unwrap(), 1e-9, "behind a map");
        let f = features.dot(&direct.coefficients().column(0)) + direct.intercept()[0];
        let slopes: Array1<f64> = f.iter().zip(&y).map(|(f, y)| loss.derivative(*y, *f)).collect();
        let pull = features.t().dot(&slopes) / 60.0;
        assert!((slopes.sum() / 60.0).abs() < 1e-6, "{loss:?}");
        // λ‖w‖² or half of it: the same factor for every coefficient.
        let ratio: Vec<f64> = pull.iter().zip(direct.coefficients()).map(|(g, w)| -g / w).collect();
        let same = ratio.iter().all(|r| (r - ratio[0]).abs() < 1e-4 && *r > 0.0);
        assert!(same, "{loss:?} {ratio:?}");
        // x₀x₁ is what tells the labels apart.
        assert!(direct.coefficients()[[3, 0]].abs() > 2.0 * direct.coefficients()[[0, 0]].abs(), "{loss:?}");
    }
}

/// D-01: the identity on a finite table, and the conditional mean as the minimiser.
#[test]
fn expected_squared_loss_of_a_table() {
    let joint = array![[0.1, 0.2, 0.05], [0.25, 0.1, 0.3]];
    let (t, y) = (array![-1.0, 0.5, 2.0], array![0.3, 0.9]);
    let found = expected_squared_loss(joint.view(), t.view(), y.view()).unwrap();
    assert!((found.total - found.excess - found.noise).abs() < 1e-14);
    let best = expected_squared_loss(joint.view(), t.view(), found.best.view()).unwrap();
    assert!(best.excess < 1e-30 && (best.total - found.noise).abs() < 1e-14);
    assert!((found.best[0] - (-0.1 + 0.1 + 0.1) / 0.35).abs() < 1e-14);
    for shift in [-0.1, 0.1] {
        let other = &found.best + shift;
        assert!(expected_squared_loss(joint.view(), t.view(), other.view()).unwrap().total > best.total);
    }
    assert!(expected_squared_loss(joint.view(), array![1.0].view(), y.view()).is_err());
}

/// `E[φφᵀ]`, `E[φt]` of t = sin 2πx + noise of variance 0.1, x uniform on [0, 1], φ = (1, x, ..., x^M).
fn population(order: usize) -> PopulationRisk {
    let second = Array2::from_shape_fn((order + 1, order + 1), |(i, j)| 1.0 / (i + j + 1) as f64);
    let tau = std::f64::consts::TAU;
    // ∫ x^j sin τx and ∫ x^j cos τx by parts.
    let (mut sines, mut cosines) = (vec![0.0], vec![0.0]);
    for j in 1..=order {
        sines.push((-1.0 + j as f64 * cosines[j - 1]) / tau);
        cosines.push(-(j as f64) * sines[j - 1] / tau);
    }
    PopulationRisk::new(second.view(), Array1::from(sines).view(), 0.6, 0.1).unwrap()
}

/// B.5 and B.6.
#[test]
fn population_optimal_weights() {
    let pi = std::f64::consts::PI;
    let at = |order: usize| {
        let r = population(order);
        let w = r.optimum().unwrap();
        let v = r.value(w.view()).unwrap();
        (w, v)
    };
    near(&at(1).0, &array![3.0 / pi, -6.0 / pi], 1e-13, "M = 1");
    assert!((at(1).1 - 0.2960364).abs() < 1e-7 && (at(2).1 - at(1).1).abs() < 1e-12);
    near(&at(3).0, &array![-0.2033, 11.989, -34.7473, 23.1648], 2e-6, "M = 3");
    assert!((at(3).1 - 0.1043901).abs() < 1e-7 && (at(5).1 - 0.1000185).abs() < 1e-7);
    assert!((at(7).1 - 0.1000000245).abs() < 1e-9 && (at(9).1 - 0.1).abs() < 1e-8);
    // The weights of ten observations lose to these, and the three parts add up.
    let (x, t) = sin10();
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &t).unwrap();
    let w = array![fit.intercept()[0], fit.coefficients()[[0, 0]]];
    let (risk, parts) = (population(1), population(1).decompose(w.view()).unwrap());
    assert!((parts.bias - 0.1960364).abs() < 1e-7 && parts.minimum == 0.1 && parts.estimation > 0.0);
    assert!((parts.minimum + parts.bias + parts.estimation - risk.value(w.view()).unwrap()).abs() < 1e-13);
    // More data, the same bias, less to estimate.
    let x = Array2::from_shape_fn((4000, 1), |(i, _)| (i as f64 + 0.5) / 4000.0);
    let noise = random(4000, 1, 8);
    let t = Array1::from_shape_fn(4000, |i| (2.0 * pi * x[[i, 0]]).sin() + 0.5477 * noise[[i, 0]]);
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &t).unwrap();
    let more = risk.decompose(array![fit.intercept()[0], fit.coefficients()[[0, 0]]].view()).unwrap();
    assert!((more.bias - parts.bias).abs() < 1e-12 && more.estimation < 0.02 * parts.estimation);
}

/// A.5: squared loss is least squares; RG-01, B.10: with squares it is ridge, with absolute values the lasso.
#[test]
fn squared_loss_has_closed_forms() {
    let (x, y) = five();
    let cpu = Device::cpu();
    let least = LeastSquares::new().fit(&cpu, &x, &y).unwrap();
    let fit = RiskMinimiser::new(Loss::Squared, Penalty::None).fit(&cpu, &x, &y).unwrap();
    near(fit.coefficients(), least.coefficients(), 1e-10, "least squares");
    near(fit.intercept(), least.intercept(), 1e-10, "least squares");
    let ridge = Ridge::new(2.0).fit(&cpu, &x, &y).unwrap();
    let fit = RiskMinimiser::new(Loss::Squared, Penalty::L2(2.0 / 5.0)).fit(&cpu, &x, &y).unwrap();
    near(fit.coefficients(), ridge.coefficients(), 1e-10, "ridge");
    for (penalty, mix) in [(1.0, 1.0), (1.0, 0.5), (2.0, 1.0)] {
        let net = ElasticNet::new(penalty, mix).fit(&cpu, &x, &y).unwrap();
        let fit = RiskMinimiser::new(Loss::Squared, Penalty::ElasticNet { penalty, mix })
            .fit(&cpu, &x, &y)
            .unwrap();
        near(fit.coefficients(), net.coefficients(), 1e-7, "elastic net");
        assert!((fit.objective()[0] - net.objective()[0]).abs() < 1e-11);
    }
    // q = 2 is ridge, the penalty shrinks, and less than one makes zeros.
    let power = |q: f64, penalty: f64| {
        let fit = RiskMinimiser::new(Loss::Squared, Penalty::Power { penalty, power: q })
            .fit(&cpu, &x, &y)
            .unwrap();
        fit.coefficients().column(0).to_owned()
    };
    near(&power(2.0, 2.0 / 5.0), ridge.coefficients(), 1e-9, "L_2");
    for q in [0.5, 1.0, 1.5, 3.0] {
        let sizes: Vec<f64> =
            [0.0, 0.3, 1.0, 3.0].iter().map(|l| power(q, *l).mapv(f64::abs).sum()).collect();
        assert!(sizes.windows(2).all(|s| s[1] <= s[0] + 1e-9), "q = {q}: {sizes:?}");
    }
    assert!(power(0.5, 30.0).iter().all(|w| *w == 0.0));
    // 1.5: the subgradient condition, exactly.
    let w = power(1.5, 1.0);
    let b = y.mean().unwrap() - x.mean_axis(Axis(0)).unwrap().dot(&w);
    let left = &y - &(x.dot(&w) + b);
    let slope = -2.0 / 5.0 * x.t().dot(&left) + w.mapv(|w: f64| 1.5 * w.abs().sqrt() * w.signum());
    assert!(slope.iter().all(|g| g.abs() < 1e-7), "{slope}");
}

/// RG-06's goldens by the generic minimiser, and b's stationarity.
#[test]
fn logistic_goldens() {
    let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
    let y = array![-1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
    for (penalty, w, b, objective) in [
        (0.0, 1.214027586, -3.035068965, 0.4129978058),
        (0.5, 0.7670537228, -1.917634307, 0.4874431239),
        (5.0, 0.2453054199, -0.6132635499, 0.6218651753),
    ] {
        let fit = RiskMinimiser::new(Loss::Logistic, Penalty::L2(penalty / 6.0))
            .fit(&Device::cpu(), &x, &y)
            .unwrap();
        assert!((fit.coefficients()[[0, 0]] - w).abs() < 1e-8 && (fit.intercept()[0] - b).abs() < 1e-8);
        assert!((fit.objective()[0] - objective).abs() < 1e-9);
        let f = fit.predict(&x).unwrap();
        let sum: f64 = f.iter().zip(&y).map(|(f, y)| y / (1.0 + (y * f).exp())).sum();
        assert!(sum.abs() < 1e-8);
    }
}

/// RG-08: piecewise linear losses, each against a theorem.
#[test]
fn piecewise_linear_losses() {
    let cpu = Device::cpu();
    let x = random(40, 2, 5);
    let noise = random(40, 1, 6);
    let y: Array1<f64> = (0..40).map(|i| x[[i, 0]] - 0.5 * x[[i, 1]] + noise[[i, 0]]).collect();
    let median = QuantileRegression::new(0.5).fit(&cpu, &x, &y).unwrap();
    let fit = RiskMinimiser::new(Loss::Absolute, Penalty::None).fit(&cpu, &x, &y).unwrap();
    near(fit.coefficients(), median.coefficients(), 1e-7, "least absolute deviations");
    // No other function has a lower risk, in any direction (A.5).
    let ones = concatenate![Axis(1), x, Array2::ones((40, 1))];
    for (loss, penalty) in [
        (Loss::Absolute, Penalty::None),
        (Loss::Pinball(0.2), Penalty::L1(0.05)),
        (Loss::EpsilonInsensitive(0.3), Penalty::L2(0.1)),
        (Loss::Hinge, Penalty::L2(0.05)),
        (Loss::Hinge, Penalty::ElasticNet { penalty: 0.1, mix: 0.5 }),
        (Loss::SquaredHinge, Penalty::L1(0.05)),
        (Loss::Huber(0.3), Penalty::None),
        (Loss::Power(1.5), Penalty::L2(0.1)),
        (Loss::Probit, Penalty::L2(0.1)),
    ] {
        let y = if loss.of_margin() { y.mapv(|v| if v > 0.0 { 1.0 } else { -1.0 }) } else { y.clone() };
        let fit = RiskMinimiser::new(loss, penalty)
            .fit(&cpu, &x, &y)
            .unwrap_or_else(|e| panic!("{loss:?} {penalty:?}: {e}"));
        assert!(
            fit.report().converged() && fit.report().iterations < 2000,
            "{loss:?} {penalty:?}: {}",
            fit.report()
        );
        let w = concatenate![Axis(0), fit.coefficients().column(0), *fit.intercept()];
        let risk = EmpiricalRisk::new(loss, ones.view(), y.view()).unwrap();
        let at = |w: &Array1<f64>| risk.value(w.view()).unwrap() + penalty.value(&w.to_vec()[..2]);
        assert!((at(&w) - fit.objective()[0]).abs() < 1e-12);
        for k in 0..60 {
            let away = random(1, 3, 100 + k).row(0).to_owned();
            for step in [1e-4, 1e-2, 1.0] {
                assert!(at(&(&w + &(step * &away))) >= at(&w) - 1e-9, "{loss:?} {penalty:?}");
            }
        }
    }
    // A tube wider than all residuals costs nothing.
    let wide = RiskMinimiser::new(Loss::EpsilonInsensitive(5.0), Penalty::L2(0.1)).fit(&cpu, &x, &y).unwrap();
    assert!(wide.objective()[0].abs() < 1e-9);
    let refused = RiskMinimiser::new(Loss::ZeroOne, Penalty::None).fit(&cpu, &x, &y.mapv(f64::signum));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    let power = Penalty::Power { penalty: 1.0, power: 0.5 };
    assert!(matches!(
        RiskMinimiser::new(Loss::Absolute, power).fit(&cpu, &x, &y),
        Err(Error::Unsupported { .. })
    ));
    assert!(matches!(
        RiskMinimiser::new(Loss::Hinge, Penalty::None).fit(&cpu, &x, &y),
        Err(Error::Parameter { .. })
    ));
}
