//! Gradient steps: schedules, rules, batches, early stopping, shards.

use mercer::optim::{
    AdaGrad, Adam, Batches, EarlyStopping, FirstOrder, Order, RmsProp, Schedule, Sgd, StepRule, Stop,
    largest_eigenvalue, sum_of_parts,
};
use mercer::{Error, Result};
use ndarray::{Array1, Array2, array, aview1};

use crate::bowl;
use crate::data::{design, least_squares, loss_of_rows};

/// L.2 and E9: 1/i satisfies Robbins and Monro, 1/√i does not.
#[test]
fn robbins_monro() {
    let power = |exponent: f64| Schedule::Power { rate: 0.5, exponent }.robbins_monro();
    for a in [0.51, 0.75, 1.0] {
        assert!(power(a).holds(), "{a}");
    }
    assert!(!power(0.5).holds() && power(0.5).reaches && !power(1.01).holds() && power(1.01).settles);
    assert!(
        !Schedule::Constant(0.1).robbins_monro().holds()
            && Schedule::Inverse { rate: 1.0, decay: 0.1 }.robbins_monro().holds()
    );
    assert!(!Schedule::Exponential { rate: 1.0, factor: 0.9 }.robbins_monro().reaches);
    assert!(!Schedule::Steps { rate: 1.0, factor: 0.5, every: 10 }.robbins_monro().reaches);
    let cosine = Schedule::Cosine { rate: 1.0, last: 0.1, warm_up: 4, total: 14 };
    assert!((cosine.at(2) - 0.5).abs() < 1e-15 && cosine.at(4) == 1.0 && (cosine.at(14) - 0.1).abs() < 1e-15);
    assert!((cosine.at(9) - 0.55).abs() < 1e-12 && (cosine.at(400) - 0.1).abs() < 1e-15);
    assert_eq!(Schedule::Steps { rate: 1.0, factor: 0.5, every: 3 }.at(7), 0.25);
    assert!(
        Schedule::Constant(0.0).check().is_err()
            && Schedule::Exponential { rate: 1.0, factor: 1.5 }.check().is_err()
    );
}

/// L.2: with γ = 1/i on (θ - x)²/2 the iterate is exactly the running mean.
#[test]
fn one_over_i_is_the_running_mean() {
    let data: Vec<f64> = (0..20).map(|i| (f64::from(i) * 0.7).sin() * 3.0).collect();
    let mut rule = Sgd::new(Schedule::Power { rate: 1.0, exponent: 1.0 });
    let mut theta = vec![100.0];
    let mut sum = 0.0;
    for (i, x) in data.iter().enumerate() {
        let away = theta[0] - x;
        rule.step(&mut theta, &[away]).unwrap();
        sum += x;
        assert!((theta[0] - sum / (i + 1) as f64).abs() < 1e-13);
    }
    // And on a strictly convex quadratic with noisy rows it converges to the minimiser.
    let (x, y) = design();
    let want = least_squares(&x, &y);
    let rule = Sgd::new(Schedule::Inverse { rate: 0.2, decay: 0.02 });
    let found = FirstOrder::new(rule)
        .max_iterations(400)
        .run_batches(&[0.0; 3], &Batches::new(40, 1).seed(3), |w, r| Ok(loss_of_rows(&x, &y, w, r)))
        .unwrap();
    assert!((&Array1::from(found.parameters) - &want).iter().all(|e| e.abs() < 0.01));
}

/// R-07 and L.3: monotone with 1/L, geometric, diverging beyond 2/L, and its limit is least squares.
#[test]
fn lipschitz_steps() {
    let (x, y) = design();
    let rows: Vec<usize> = (0..40).collect();
    let hessian = x.t().dot(&x) / 40.0;
    let l = largest_eigenvalue(hessian.view()).unwrap();
    let values = mercer::linalg::eigh(hessian.view()).unwrap().values;
    assert!((l - values[0]).abs() < 1e-12 * l);
    let f = |w: &[f64]| Ok(loss_of_rows(&x, &y, w, &rows));
    let run = |rate: f64, most: usize| {
        FirstOrder::new(Sgd::new(rate)).max_iterations(most).tolerance(1e-10).run(&[0.0; 3], f)
    };
    let found = run(1.0 / l, 5000).unwrap();
    assert_eq!(found.stop, Stop::Gradient);
    assert!(found.trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-14)));
    assert!((&Array1::from(found.point) - &least_squares(&x, &y)).iter().all(|e| e.abs() < 1e-9));
    // The error falls by at least 1 - μ/L a step.
    let (least, rate) = (found.value, 1.0 - values[2] / l);
    for (k, v) in found.trace.iter().enumerate().take(50) {
        assert!(v - least <= rate.powf(k as f64) * (found.trace[0] - least) + 1e-14);
    }
    let wild = run(2.2 / l, 200).unwrap();
    assert!(wild.trace[200] > 1e3 * wild.trace[0]);
    assert!(matches!(run(1e6 / l, 5000), Err(Error::NoConvergence { .. } | Error::NotFinite { .. })));
}

/// L.4: ρ = 0 is plain descent; on a long valley both are faster.
#[test]
fn momentum_is_faster_in_a_valley() {
    let f = |p: &[f64]| Ok(bowl(&[1.0, 100.0], &[0.0, 0.0], p));
    let steps = |rule: Sgd| {
        let found = FirstOrder::new(rule).max_iterations(5000).tolerance(1e-8).run(&[1.0, 1.0], f).unwrap();
        assert_eq!(found.stop, Stop::Gradient);
        found.iterations
    };
    let plain = steps(Sgd::new(0.01));
    assert!(2 * steps(Sgd::new(0.01).momentum(0.8)) < plain);
    assert!(2 * steps(Sgd::new(0.01).momentum(0.8).nesterov(true)) < plain);
    assert_eq!(steps(Sgd::new(0.01).momentum(0.0).nesterov(true)), plain);
    // By hand: v ← ρv - γg(θ + ρv).
    let mut rule = Sgd::new(0.1).momentum(0.5).nesterov(true);
    let mut theta = vec![1.0];
    rule.step(&mut theta, &[1.0]).unwrap();
    assert_eq!(rule.look_ahead(&theta), [0.9 - 0.05]);
    rule.step(&mut theta, &[0.85]).unwrap();
    assert!((theta[0] - (0.9 - 0.05 - 0.085)).abs() < 1e-15);
}

/// L.5: the first step of Adam is γ sign(g); `AdaGrad` and Adam do not mind the scale of gradients.
#[test]
fn adaptive_rules() {
    let gradients = [[3.0, -0.2], [1.0, 0.4], [-2.0, 0.1]];
    let walk = |rule: &mut dyn StepRule, scale: f64| {
        let mut theta = vec![0.5, -0.5];
        for g in gradients {
            rule.step(&mut theta, &[g[0] * scale, g[1] * scale]).unwrap();
        }
        theta
    };
    let mut first = vec![0.0, 0.0];
    Adam::new(0.1).epsilon(0.0).step(&mut first, &[5.0, -1e-9]).unwrap();
    assert!((first[0] + 0.1).abs() < 1e-15 && (first[1] - 0.1).abs() < 1e-15);
    for scale in [1e-6, 1e6] {
        let pairs = [
            (walk(&mut Adam::new(0.1).epsilon(0.0), 1.0), walk(&mut Adam::new(0.1).epsilon(0.0), scale)),
            (
                walk(&mut AdaGrad::new(0.1).epsilon(0.0), 1.0),
                walk(&mut AdaGrad::new(0.1).epsilon(0.0), scale),
            ),
            (
                walk(&mut RmsProp::new(0.1).epsilon(0.0), 1.0),
                walk(&mut RmsProp::new(0.1).epsilon(0.0), scale),
            ),
        ];
        for (a, b) in pairs {
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
    // AdaGrad by hand.
    let mut theta = vec![0.0];
    let mut rule = AdaGrad::new(1.0).epsilon(0.0);
    rule.step(&mut theta, &[3.0]).unwrap();
    rule.step(&mut theta, &[4.0]).unwrap();
    assert!((theta[0] + 1.0 + 0.8).abs() < 1e-15);
    // RMSprop by hand: v = 0.1 · 9, then 0.9 · 0.9 + 0.1 · 16.
    let mut theta = vec![0.0];
    let mut rule = RmsProp::new(1.0).epsilon(0.0);
    rule.step(&mut theta, &[3.0]).unwrap();
    rule.step(&mut theta, &[4.0]).unwrap();
    assert!((theta[0] + 3.0 / 0.9f64.sqrt() + 4.0 / 2.41f64.sqrt()).abs() < 1e-14);
    // AdamW decays without dividing: with no gradient only the decay is left.
    let mut theta = vec![2.0];
    Adam::new(0.1).weight_decay(0.5).step(&mut theta, &[0.0]).unwrap();
    assert!((theta[0] - 2.0 * (1.0 - 0.05)).abs() < 1e-15);
    // All of them find a minimum.
    let f = |p: &[f64]| Ok(bowl(&[1.0, 30.0], &[0.3, -0.7], p));
    for found in [
        FirstOrder::new(Adam::new(0.05)).max_iterations(4000).run(&[2.0, 2.0], f).unwrap(),
        FirstOrder::new(AdaGrad::new(0.5)).max_iterations(4000).run(&[2.0, 2.0], f).unwrap(),
        FirstOrder::new(RmsProp::new(Schedule::Power { rate: 0.1, exponent: 0.6 }))
            .max_iterations(4000)
            .run(&[2.0, 2.0], f)
            .unwrap(),
    ] {
        assert!(found.value < 1e-4, "{}", found.value);
    }
}

/// L.1: batches of all rows are full descent, of one row the LMS rule; the mean over all batches is the gradient.
#[test]
fn batches() {
    let (x, y) = design();
    let all: Vec<usize> = (0..40).collect();
    let f = |w: &[f64], rows: &[usize]| -> Result<(f64, Vec<f64>)> { Ok(loss_of_rows(&x, &y, w, rows)) };
    let full = FirstOrder::new(Sgd::new(0.05))
        .max_iterations(7)
        .tolerance(0.0)
        .run(&[0.0; 3], |w| f(w, &all))
        .unwrap();
    let sequential = Batches::new(40, 40).order(Order::Sequential);
    let batch =
        FirstOrder::new(Sgd::new(0.05)).max_iterations(7).run_batches(&[0.0; 3], &sequential, f).unwrap();
    assert_eq!(full.point, batch.parameters);
    // w + η(t - wᵀφ)φ, one row after the other.
    let mut w = Array1::<f64>::zeros(3);
    for i in 0..40 {
        let left = y[i] - w.dot(&x.row(i));
        w.scaled_add(0.05 * left, &x.row(i));
    }
    let lms = FirstOrder::new(Sgd::new(0.05))
        .max_iterations(1)
        .run_batches(&[0.0; 3], &Batches::new(40, 1).order(Order::Sequential), f)
        .unwrap();
    assert!((&aview1(&lms.parameters) - &w).iter().all(|e| e.abs() < 1e-14));
    assert_eq!(lms.steps, 40);
    let theta = [0.3, -0.2, 0.9];
    let gradient = f(&theta, &all).unwrap().1;
    let parts = Batches::new(40, 8).seed(5).epoch(2).unwrap();
    let mean = parts.iter().fold(vec![0.0; 3], |s, rows| {
        s.iter().zip(f(&theta, rows).unwrap().1).map(|(a, b)| a + b / 5.0).collect()
    });
    assert!(mean.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-13));
    // Every row once an epoch; the seed decides, and another epoch has another order.
    let mut rows: Vec<usize> = parts.concat();
    rows.sort_unstable();
    assert_eq!(rows, all);
    assert_eq!(parts, Batches::new(40, 8).seed(5).epoch(2).unwrap());
    assert!(
        parts != Batches::new(40, 8).seed(6).epoch(2).unwrap()
            && parts != Batches::new(40, 8).seed(5).epoch(3).unwrap()
    );
    let drawn = Batches::new(40, 8).order(Order::Replacement);
    let mut counts = [0.0; 40];
    (0..500).flat_map(|e| drawn.epoch(e).unwrap().concat()).for_each(|i| counts[i] += 1.0);
    assert!(counts.iter().all(|c| (c / 500.0 - 1.0f64).abs() < 0.25));
    let poisson = Batches::new(40, 8).order(Order::Poisson);
    let sizes: Vec<usize> = (0..200).flat_map(|e| poisson.epoch(e).unwrap()).map(|b| b.len()).collect();
    let mean = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
    assert!((mean - 8.0).abs() < 0.4 && sizes.iter().any(|s| *s != 8));
    assert!(Batches::new(40, 0).epoch(0).is_err() && Batches::new(40, 41).epoch(0).is_err());
    // Data that a function meets: constant steps reach zero.
    let exact = x.dot(&array![1.0, -2.0, 0.5]);
    let g = |w: &[f64], rows: &[usize]| -> Result<(f64, Vec<f64>)> { Ok(loss_of_rows(&x, &exact, w, rows)) };
    let found = FirstOrder::new(Sgd::new(0.2))
        .max_iterations(300)
        .run_batches(&[0.0; 3], &Batches::new(40, 1), g)
        .unwrap();
    assert!(found.trace[299] < 1e-20);
}

/// B.11: the iterate returned has the lowest validation loss seen, and is no longer than the limit.
#[test]
fn early_stopping() {
    let (x, y) = design();
    let (train, validation): (Vec<usize>, Vec<usize>) = ((0..10).collect(), (10..40).collect());
    let y = 0.2 * &y;
    let noisy = &y + &Array1::from_shape_fn(40, |i| 1.5 * (17.0 * i as f64).sin());
    let f = |w: &[f64], rows: &[usize]| -> Result<(f64, Vec<f64>)> {
        let rows: Vec<usize> = rows.iter().map(|i| train[*i]).collect();
        Ok(loss_of_rows(&x, &noisy, w, &rows))
    };
    let v = |w: &[f64]| Ok(loss_of_rows(&x, &y, w, &validation).0);
    let batches = Batches::new(10, 10);
    let mut watch = EarlyStopping::new(20).unwrap();
    let found = FirstOrder::new(Sgd::new(0.05))
        .max_iterations(5000)
        .run_validated(&[0.0; 3], &batches, f, v, &mut watch)
        .unwrap();
    let lowest = watch.trace().iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(v(&found.parameters).unwrap(), lowest);
    assert!(watch.trace().len() < 5001);
    let end =
        FirstOrder::new(Sgd::new(0.05)).max_iterations(5000).run_batches(&[0.0; 3], &batches, f).unwrap();
    let norm = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
    assert!(norm(&found.parameters) <= norm(&end.parameters));
    assert!(lowest < v(&end.parameters).unwrap(), "{lowest} {}", v(&end.parameters).unwrap());
    assert!(EarlyStopping::new(0).is_err());
}

/// L.10: the gradient of all rows is the sum of those of the shards.
#[test]
fn shards_add_up() {
    let (x, y) = design();
    let theta = [0.3, -0.2, 0.9];
    let (value, gradient) = loss_of_rows(&x, &y, &theta, &(0..40).collect::<Vec<_>>());
    let (sum, sums) = sum_of_parts(4, |k| {
        let rows: Vec<usize> = (10 * k..10 * k + 10).collect();
        let (v, g) = loss_of_rows(&x, &y, &theta, &rows);
        Ok((0.25 * v, g.iter().map(|g| 0.25 * g).collect()))
    })
    .unwrap();
    assert!((sum - value).abs() < 1e-14 && sums.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-14));
    assert!(sum_of_parts(2, |k| Ok((0.0, vec![0.0; k + 1]))).is_err());
}

#[test]
fn bad_input() {
    let mut theta = vec![1.0, 2.0];
    for rule in [
        &mut Sgd::new(0.1) as &mut dyn StepRule,
        &mut Adam::new(0.1),
        &mut AdaGrad::new(0.1),
        &mut RmsProp::new(0.1),
    ] {
        assert!(matches!(rule.step(&mut theta, &[1.0]), Err(Error::Shape { .. })));
        assert!(matches!(rule.step(&mut theta, &[1.0, f64::NAN]), Err(Error::NotFinite { .. })));
        rule.step(&mut theta, &[0.1, 0.1]).unwrap();
        assert!(rule.step(&mut [1.0, 2.0, 3.0], &[0.0; 3]).is_err() && rule.steps() == 1);
        rule.reset();
        assert_eq!(rule.steps(), 0);
    }
    assert!(
        Sgd::new(-0.1).step(&mut theta, &[0.0; 2]).is_err()
            && Sgd::new(0.1).momentum(1.0).step(&mut theta, &[0.0; 2]).is_err()
    );
    assert!(Adam::new(0.1).second_memory(1.0).step(&mut theta, &[0.0; 2]).is_err());
    assert!(FirstOrder::new(Sgd::new(0.1)).run(&[], |_| Ok((0.0, vec![]))).is_err());
    assert!(largest_eigenvalue(Array2::<f64>::zeros((2, 3)).view()).is_err());
}
