//! Newton, proximal and coordinate methods, interior points, variance reduction, evolution, bounds.

use mercer::learn::loss::{EmpiricalRisk, Loss};
use mercer::optim::{
    CoordinateDescent, EvolutionStrategy, Majorise, Majoriser, Newton, Penalty, PiecewiseLinear, Proximal,
    Reduction, Schedule, Sgd, Stop, Subgradient, VarianceReduced, check_bound, evolution_gradient,
};
use mercer::{Error, Result};
use ndarray::{Array1, Array2, array, aview1};

use crate::data::{design, least_squares, loss_of_rows};

/// L.6: a quadratic in one step, and quadratic convergence on the logistic loss.
#[test]
fn newton() {
    let (x, y) = design();
    let hessian = x.t().dot(&x) / 40.0;
    let rows: Vec<usize> = (0..40).collect();
    let found = Newton::new()
        .run(&[3.0, -1.0, 2.0], |w| {
            let (value, gradient) = loss_of_rows(&x, &y, w, &rows);
            Ok((value, gradient.into(), hessian.clone()))
        })
        .unwrap();
    assert!(
        found.iterations <= 2
            && (&Array1::from(found.point) - &least_squares(&x, &y)).iter().all(|e| e.abs() < 1e-12)
    );
    let labels =
        Array1::from_shape_fn(40, |i| if x[[i, 1]] + (23.0 * i as f64).sin() > 0.0 { 1.0 } else { -1.0 });
    let risk = EmpiricalRisk::new(Loss::Logistic, x.view(), labels.view()).unwrap();
    let f = |w: &[f64]| Ok((risk.value(aview1(w))?, risk.gradient(aview1(w))?, risk.hessian(aview1(w))?));
    let found = Newton::new().run(&[0.0; 3], f).unwrap();
    assert!(
        found.stop == Stop::Gradient
            && found.iterations < 12
            && found.gradient.iter().all(|g| g.abs() < 1e-12)
    );
    let errors: Vec<f64> = found.trace.iter().map(|v| v - found.value).collect();
    // Each error is at most a multiple of the square of the last, near the end.
    let near: Vec<&f64> = errors.iter().filter(|e| **e < 1e-2 && **e > 1e-15).collect();
    assert!(near.windows(2).all(|e| *e[1] < 20.0 * e[0].powf(1.9)), "{errors:?}");
    // From a place where the Hessian is not positive it still goes down.
    let f = |p: &[f64]| {
        Ok((
            p[0].powi(4) - p[0] * p[0],
            array![4.0 * p[0].powi(3) - 2.0 * p[0]],
            array![[12.0 * p[0] * p[0] - 2.0]],
        ))
    };
    let found = Newton::new().run(&[0.1], f).unwrap();
    assert!((found.point[0].abs() - 0.5f64.sqrt()).abs() < 1e-8);
    // Nor where the diagonal says nothing of the size: 1000 xy + (x⁴ + y⁴)/4, least at x = -y = ±√1000.
    let f = |p: &[f64]| {
        let (x, y) = (p[0], p[1]);
        let value = 1000.0 * x * y + 0.25 * (x.powi(4) + y.powi(4));
        let gradient = array![1000.0 * y + x.powi(3), 1000.0 * x + y.powi(3)];
        Ok((value, gradient, array![[3.0 * x * x, 1000.0], [1000.0, 3.0 * y * y]]))
    };
    let found = Newton::new().run(&[0.1, 0.0], f).unwrap();
    assert!((found.value + 500_000.0).abs() < 1e-6, "{found:?}");
    assert!(Newton::new().run(&[1.0], |_| Ok((0.0, array![1.0, 2.0], array![[1.0]]))).is_err());
}

/// L.7: the fixed point satisfies the conditions of the lasso; ISTA never rises; FISTA needs fewer steps.
#[test]
fn proximal_gradients() {
    let (x, y) = design();
    let rows: Vec<usize> = (0..40).collect();
    let penalty = 0.3;
    let f = |w: &[f64]| Ok(loss_of_rows(&x, &y, w, &rows));
    let run = |accelerated: bool| {
        Proximal::new()
            .accelerated(accelerated)
            .tolerance(1e-12)
            .run_penalised(&[0.0; 3], &Penalty::L1(penalty), f)
            .unwrap()
    };
    let (ista, fista) = (run(false), run(true));
    assert!(ista.trace.windows(2).all(|t| t[1] <= t[0] + 1e-15));
    assert!(ista.stop == Stop::Gradient && fista.stop == Stop::Gradient);
    for found in [&ista, &fista] {
        for (w, g) in found.point.iter().zip(f(&found.point).unwrap().1) {
            if *w == 0.0 {
                assert!(g.abs() <= penalty + 1e-9);
            } else {
                assert!((g + penalty * w.signum()).abs() < 1e-9);
            }
        }
    }
    assert!(ista.point.iter().zip(&fista.point).all(|(a, b)| (a - b).abs() < 1e-9));
    // ½(1/40)Σr² + λ|w| by coordinate descent: 40 times both.
    let descent = CoordinateDescent::new()
        .run(x.view(), y.view(), (40.0 * penalty, 0.0), Array1::zeros(3).view())
        .unwrap();
    assert!(descent.coefficients.iter().zip(&fista.point).all(|(a, b)| (a - b).abs() < 1e-8));
    // On a long valley acceleration pays.
    let valley =
        |p: &[f64]| Ok((0.5 * (p[0] * p[0] + 1000.0 * p[1] * p[1]) - p[0], vec![p[0] - 1.0, 1000.0 * p[1]]));
    let steps = |a: bool| {
        Proximal::new()
            .accelerated(a)
            .run_penalised(&[5.0, 5.0], &Penalty::L1(0.1), valley)
            .unwrap()
            .iterations
    };
    assert!(steps(true) < steps(false), "{} {}", steps(true), steps(false));
}

/// Screening drops features and changes nothing; the gap bounds the error.
#[test]
fn screened_features_are_zero() {
    let (n, d) = (30, 80);
    let x = Array2::from_shape_fn((n, d), |(i, j)| ((3 * i + 1) as f64 * (j + 2) as f64 * 0.37).sin());
    let y = Array1::from_shape_fn(n, |i| 2.0 * x[[i, 3]] - x[[i, 40]] + 0.1 * (i as f64).cos());
    let largest = x.t().dot(&y).iter().fold(0f64, |m, v| m.max(v.abs()));
    for share in [0.7, 0.3, 0.05] {
        let run = |screening: bool, b: f64| {
            CoordinateDescent::new()
                .screening(screening)
                .run(x.view(), y.view(), (share * largest, b), Array1::zeros(d).view())
                .unwrap()
        };
        for b in [0.0, 0.5, 5.0, 50.0] {
            let (with, without) = (run(true, b), run(false, b));
            assert!(with.converged && without.converged && without.screened == 0);
            assert!((&with.coefficients - &without.coefficients).iter().all(|e| e.abs() < 1e-5));
            assert!((with.objective - without.objective).abs() <= with.gap + without.gap + 1e-12);
            if share > 0.2 && b < 1.0 {
                assert!(with.screened > d / 3, "{share}: {}", with.screened);
            }
            // The gap bounds what is left to gain at every look.
            assert!(with.gaps[0] >= 0.5 * y.dot(&y) - with.objective - 1e-9);
        }
    }
    let zero =
        CoordinateDescent::new().run(x.view(), y.view(), (largest, 0.0), Array1::zeros(d).view()).unwrap();
    assert!(zero.coefficients.iter().all(|w| *w == 0.0) && zero.passes == 0);
    assert!(CoordinateDescent::new().run(x.view(), y.view(), (-1.0, 0.0), Array1::zeros(d).view()).is_err());
}

/// The multipliers satisfy the conditions of the minimum, and the primal and dual objectives meet.
#[test]
fn interior_points() {
    let (x, y) = design();
    for tau in [0.2, 0.5] {
        let (high, low) = (Array1::from_elem(40, tau), Array1::from_elem(40, 1.0 - tau));
        for q in [0.0, 0.3] {
            let squares = Array1::from_elem(3, q);
            let found = PiecewiseLinear::new()
                .run(x.view(), y.view(), high.view(), low.view(), squares.view())
                .unwrap();
            assert!(found.converged && found.iterations < 40);
            // Xᵀa = qw and a in [-(1-τ), τ]; the dual objective is yᵀa - q‖w‖²/2.
            let left = x.t().dot(&found.multipliers) - q * &found.point;
            assert!(
                left.iter().all(|v| v.abs() < 1e-7)
                    && found.multipliers.iter().all(|a| *a <= tau && *a >= tau - 1.0)
            );
            let dual = y.dot(&found.multipliers) - 0.5 * q * found.point.dot(&found.point);
            assert!((found.objective - dual).abs() < 1e-7, "{} {dual}", found.objective);
        }
    }
    let bad = Array1::zeros(40);
    assert!(
        PiecewiseLinear::new()
            .run(x.view(), y.view(), bad.view(), bad.view(), Array1::zeros(3).view())
            .is_err()
    );
}

#[test]
fn subgradients_approach_the_median() {
    let data = [1.0, 2.0, 4.0, 7.0, 11.0];
    let f = |p: &[f64]| {
        let value = data.iter().map(|y| (y - p[0]).abs()).sum::<f64>() / 5.0;
        Ok((value, vec![data.iter().map(|y| Loss::Absolute.derivative(*y, p[0])).sum::<f64>() / 5.0]))
    };
    let run = Subgradient::new(Schedule::Power { rate: 2.0, exponent: 0.5 }).max_iterations(20_000);
    let (found, mean) = run.run(&[0.0], f).unwrap();
    assert!((found.point[0] - 4.0).abs() < 0.02 && (mean[0] - 4.0).abs() < 0.05);
    assert!(found.trace.windows(2).all(|t| t[1] <= t[0]));
}

/// L.8: unbiased, without variance at the snapshot, and linear with a constant step where plain steps stall.
#[test]
fn variance_reduction_is_linear() {
    let (x, y) = design();
    let f = |w: &[f64], i: usize| -> Result<(f64, Vec<f64>)> { Ok(loss_of_rows(&x, &y, w, &[i])) };
    let want = least_squares(&x, &y);
    for reduction in [Reduction::Svrg, Reduction::Saga] {
        let run = VarianceReduced::new(0.1).reduction(reduction).max_epochs(300).tolerance(1e-10).seed(2);
        let found = run.run(&[0.0; 3], 40, f).unwrap();
        assert_eq!(found.stop, Stop::Gradient, "{reduction:?}");
        assert!((&aview1(&found.point) - &want).iter().all(|e| e.abs() < 1e-9));
        let again = run.run(&[0.0; 3], 40, f).unwrap();
        assert_eq!(found.point, again.point);
        // From the minimum nothing moves: every step is ∇f_i(w) - ∇f_i(w) + 0.
        let still = run.clone().tolerance(0.0).max_epochs(3).run(want.as_slice().unwrap(), 40, f).unwrap();
        assert!((&aview1(&still.point) - &want).iter().all(|e| e.abs() < 1e-12));
    }
    // The mean over i of the corrected gradient is the full gradient.
    let (w, snapshot) = ([0.4, 0.1, -0.3], [1.0, -1.0, 0.2]);
    let rows: Vec<usize> = (0..40).collect();
    let (full, there) = (loss_of_rows(&x, &y, &w, &rows).1, loss_of_rows(&x, &y, &snapshot, &rows).1);
    let mean: Vec<f64> = (0..3)
        .map(|j| {
            rows.iter()
                .map(|&i| f(&w, i).unwrap().1[j] - f(&snapshot, i).unwrap().1[j] + there[j])
                .sum::<f64>()
                / 40.0
        })
        .collect();
    assert!(mean.iter().zip(&full).all(|(a, b)| (a - b).abs() < 1e-13));
    assert!(matches!(VarianceReduced::new(50.0).run(&[0.0; 3], 40, f), Err(Error::NoConvergence { .. })));
}

/// L.9: the estimate tends to the gradient, and the 0/1 loss can be minimised.
#[test]
fn evolution() {
    let f = |p: &[f64]| Ok((p[0] - 1.0).powi(2) + 3.0 * p[1] * p[1] + p[0] * p[1]);
    let gradient = |p: &[f64]| [2.0 * (p[0] - 1.0) + p[1], 6.0 * p[1] + p[0]];
    let at = [0.3, -0.8];
    let got = evolution_gradient(&at, 1e-3, 20_000, 1, f).unwrap();
    assert!(got.iter().zip(gradient(&at)).all(|(a, b)| (a - b).abs() < 0.15), "{got:?}");
    assert_eq!(got, evolution_gradient(&at, 1e-3, 20_000, 1, f).unwrap());
    let (x, y) = design();
    let labels = y.mapv(f64::signum);
    let risk = EmpiricalRisk::new(Loss::ZeroOne, x.view(), labels.view()).unwrap();
    let (best, value) = EvolutionStrategy::new(0.5)
        .pairs(20)
        .iterations(200)
        .run(&[0.0, 0.0, 0.0], Sgd::new(0.5), |w| risk.value(aview1(w)))
        .unwrap();
    assert!(value <= 0.1 && best.len() == 3, "{value}");
    assert!(evolution_gradient(&at, 0.0, 1, 1, f).is_err() && evolution_gradient(&at, 1.0, 0, 1, f).is_err());
}

/// `Σ|y - θ|` below parabolas: weighted means that find the median.
struct Median<'a>(&'a [f64], f64);

impl Majoriser for Median<'_> {
    fn value(&self, theta: &[f64]) -> Result<f64> {
        Ok(self.0.iter().map(|y| (y - theta[0]).abs()).sum())
    }

    fn bound(&self, theta: &[f64], at: &[f64]) -> Result<f64> {
        let one = |y: &f64| {
            let r = (y - at[0]).abs();
            self.1 * ((y - theta[0]).powi(2) / r + r) / 2.0
        };
        Ok(self.0.iter().map(one).sum())
    }

    fn minimiser(&self, at: &[f64]) -> Result<Vec<f64>> {
        let w: Vec<f64> = self.0.iter().map(|y| 1.0 / (y - at[0]).abs()).collect();
        Ok(vec![w.iter().zip(self.0).map(|(w, y)| w * y).sum::<f64>() / w.iter().sum::<f64>()])
    }
}

/// What is no bound: it leads away.
struct Away;
impl Majoriser for Away {
    fn value(&self, t: &[f64]) -> Result<f64> {
        Ok(t[0] * t[0])
    }
    fn bound(&self, t: &[f64], _: &[f64]) -> Result<f64> {
        Ok(t[0] * t[0])
    }
    fn minimiser(&self, at: &[f64]) -> Result<Vec<f64>> {
        Ok(vec![2.0 * at[0]])
    }
}

/// L.11: the bound touches, agrees in slope and is nowhere below; the objective never rises; no bound is found out.
#[test]
fn majorise_and_minimise() {
    let data = [1.0, 2.0, 4.0, 7.0, 11.0, 3.2];
    let good = Median(&data, 1.0);
    let check = check_bound(&good, &[5.1], 2.0, 200, 1).unwrap();
    assert!(check.touch < 1e-12 && check.slope < 1e-6 && check.violation < 1e-12, "{check:?}");
    let found = Majorise::new().run(&[9.3], &good).unwrap();
    assert!(found.trace.windows(2).all(|t| t[1] <= t[0] + 1e-9) && (3.19..=4.01).contains(&found.point[0]));
    let low = check_bound(&Median(&data, 0.9), &[5.1], 2.0, 200, 1).unwrap();
    assert!(low.touch > 0.1 && low.violation > 0.1);
    assert!(matches!(Majorise::new().run(&[1.0], &Away), Err(Error::NoConvergence { .. })));
}
