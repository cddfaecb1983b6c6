//! What must hold of every machine.

use mercer::optim::QuadraticProgram;
use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::{all_near, alphas, cpu, eight, near};

/// Two classes that overlap.
fn overlapping(n: usize, seed: u64) -> (Array2<f64>, Vec<bool>) {
    let (x, noise) = (random(n, 3, seed) * 2.0, random(n, 1, seed + 1));
    let y = (0..n).map(|i| x[[i, 0]] * x[[i, 1]] + 0.5 * x[[i, 2]] + 0.6 * noise[[i, 0]] > 0.0).collect();
    (x, y)
}

/// The dual by the interior point method.
fn dual(k: &Array2<f64>, y: &[f64], upper: f64, offset: bool) -> mercer::optim::QuadraticSolution {
    let n = y.len();
    let q = Array2::from_shape_fn((n, n), |(i, j)| y[i] * y[j] * k[[i, j]]);
    let program =
        QuadraticProgram::new(q, -Array1::ones(n)).bounds(Array1::zeros(n), Array1::from_elem(n, upper));
    let e = Array2::from_shape_fn((1, n), |(_, i)| y[i]);
    if offset { program.equal(e, array![0.0]).solve().unwrap() } else { program.solve().unwrap() }
}

#[test]
fn the_interior_point_method_finds_the_same() {
    let (x, labels) = overlapping(40, 1);
    let y: Vec<f64> = labels.iter().map(|l| if *l { 1.0 } else { -1.0 }).collect();
    for kernel in [Kernel::rbf(0.8), Kernel::polynomial(2, 1.0), Kernel::laplacian(1.0) + Kernel::white(0.3)]
    {
        let points = mercer::Matrix::from_array(&cpu(), x.view()).unwrap();
        let k = mercer::ops::gram(&kernel, &points, None).unwrap().to_array().unwrap();
        for (c, offset) in [(0.5, true), (20.0, true), (0.5, false), (20.0, false)] {
            let want = dual(&k, &y, c, offset);
            let model = SvmClassifier::new(kernel.clone(), c).offset(offset).tolerance(1e-9);
            let fitted = model.fit(&cpu(), &x, &labels).unwrap();
            let proof = &fitted.certificates()[0];
            near(proof.dual, -want.primal, 1e-6 * want.primal.abs(), "the dual objective");
            assert!(proof.gap().abs() < 1e-5 * proof.primal, "{kernel} {c} {offset}: {proof}");
            assert!(proof.violation <= 1e-9 || proof.stalled);
        }
    }
}

#[test]
fn the_optimality_conditions_hold() {
    let (x, labels) = overlapping(60, 3);
    let c = 2.0;
    let fitted = SvmClassifier::new(Kernel::rbf(1.0), c).tolerance(1e-9).fit(&cpu(), &x, &labels).unwrap();
    let (a, f) = (alphas(&fitted, 60), fitted.decision(&x).unwrap());
    let (mut slacks, mut errors) = (0.0, 0);
    for i in 0..60 {
        let margin = if labels[i] { f[[i, 0]] } else { -f[[i, 0]] };
        match a[i] {
            0.0 => assert!(margin >= 1.0 - 1e-7),
            v if v >= c => assert!(margin <= 1.0 + 1e-7),
            _ => near(margin, 1.0, 1e-7, "a free support vector"),
        }
        slacks += (1.0 - margin).max(0.0);
        errors += usize::from(margin < 0.0);
    }
    assert!(slacks >= errors as f64);
    // Without what has no coefficient the machine is the same.
    let kept = x.select(ndarray::Axis(0), fitted.support());
    let kept_labels: Vec<bool> = fitted.support().iter().map(|&i| labels[i]).collect();
    let again =
        SvmClassifier::new(Kernel::rbf(1.0), c).tolerance(1e-9).fit(&cpu(), kept, kept_labels).unwrap();
    all_near(&again.decision(&x).unwrap(), f.as_slice().unwrap(), 1e-6, "without the others");
    // Labels the other way round, and the decision is the other way round.
    let flipped: Vec<bool> = labels.iter().map(|l| !l).collect();
    let other = SvmClassifier::new(Kernel::rbf(1.0), c).tolerance(1e-9).fit(&cpu(), &x, flipped).unwrap();
    all_near(&-other.decision(&x).unwrap(), f.as_slice().unwrap(), 1e-6, "flipped");
}

#[test]
fn it_minimises_the_hinge_risk() {
    // (1/n) Σ max(0, 1 - y f) + λ‖w‖², λ = 1/(2nC), is the primal over nC; nearby machines are worse.
    let (x, labels) = overlapping(50, 5);
    let c = 0.7;
    let fitted = SvmClassifier::new(Kernel::linear(), c).tolerance(1e-10).fit(&cpu(), &x, &labels).unwrap();
    let (w, b) = (fitted.coefficients().unwrap().row(0).to_owned(), fitted.intercept()[0]);
    let risk = |w: &Array1<f64>, b: f64| {
        let hinge = |i: usize| (1.0 - (x.row(i).dot(w) + b) * if labels[i] { 1.0 } else { -1.0 }).max(0.0);
        (0..50).map(hinge).sum::<f64>() / 50.0 + w.dot(w) / (2.0 * 50.0 * c)
    };
    let least = risk(&w, b);
    near(least * 50.0 * c, fitted.certificates()[0].primal, 1e-9, "the same objective");
    let moves = random(200, 4, 9);
    for m in moves.rows() {
        assert!(risk(&(&w + &(0.05 * &m.slice(ndarray::s![..3]))), b + 0.05 * m[3]) >= least - 1e-12);
    }
    // The 0/1-penalised objective is below the hinge objective at every (w, b).
    for m in moves.rows() {
        let (w, b) = (m.slice(ndarray::s![..3]).to_owned(), m[3]);
        let score = |i: usize| (x.row(i).dot(&w) + b) * if labels[i] { 1.0 } else { -1.0 };
        let wrong = (0..50).filter(|&i| score(i) <= 0.0).count() as f64;
        let hinge: f64 = (0..50).map(|i| (1.0 - score(i)).max(0.0)).sum();
        assert!(0.5 * w.dot(&w) + c * wrong <= 0.5 * w.dot(&w) + c * hinge + 1e-12);
    }
}

#[test]
fn a_constant_feature_is_a_penalised_offset() {
    let (x, labels) = overlapping(40, 7);
    let wide = ndarray::concatenate![ndarray::Axis(1), x, Array2::ones((40, 1))];
    let explicit = SvmClassifier::new(Kernel::linear(), 1.0).offset(false).tolerance(1e-10);
    let explicit = explicit.fit(&cpu(), &wide, &labels).unwrap().decision(&wide).unwrap();
    let model =
        SvmClassifier::new(Kernel::linear() + Kernel::constant(1.0), 1.0).offset(false).tolerance(1e-10);
    let implicit = model.fit(&cpu(), &x, &labels).unwrap().decision(&x).unwrap();
    all_near(&implicit, explicit.as_slice().unwrap(), 1e-7, "k + 1");
    // A linear machine without offset is antisymmetric.
    let model = SvmClassifier::new(Kernel::linear(), 1.0)
        .offset(false)
        .tolerance(1e-10)
        .fit(&cpu(), &x, &labels)
        .unwrap();
    all_near(&-model.decision(-&x).unwrap(), model.decision(&x).unwrap().as_slice().unwrap(), 1e-12, "f(-x)");
}

#[test]
fn the_bounds_of_nu() {
    let (x, labels) = overlapping(80, 11);
    for nu in [0.1, 0.3, 0.6] {
        for offset in [true, false] {
            let model = SvmClassifier::nu(Kernel::rbf(1.0), nu).offset(offset).tolerance(1e-8);
            let fitted = model.fit(&cpu(), &x, &labels).unwrap();
            let proof = &fitted.certificates()[0];
            assert!(proof.bounded as f64 <= nu * 80.0 + 1e-6, "{proof}");
            assert!(proof.support as f64 >= nu * 80.0 - 1e-6, "{proof}");
            assert!(proof.gap().abs() < 1e-7 * proof.primal.abs().max(1e-3), "{proof}");
            assert!(fitted.margin()[0] > 0.0);
        }
    }
    let one_class = OneClassSvm::new(Kernel::rbf(1.0), 0.2).tolerance(1e-9).fit(&cpu(), &x).unwrap();
    let outside = one_class.decision(&x).unwrap().iter().filter(|f| **f < -1e-7).count();
    assert!(outside as f64 <= 0.2 * 80.0 && one_class.support().len() as f64 >= 0.2 * 80.0);
    let y = x.column(0).mapv(f64::sin) + 0.3 * random(80, 1, 12).column(0).to_owned();
    let tube = SvmRegressor::nu(Kernel::rbf(1.0), 5.0, 0.25).tolerance(1e-8).fit(&cpu(), &x, &y).unwrap();
    let off = &tube.predict(&x).unwrap() - &y;
    let beyond = off.iter().filter(|e| e.abs() > tube.epsilon()[0] + 1e-6).count();
    assert!(beyond as f64 <= 0.25 * 80.0 && tube.support().len() as f64 >= 0.25 * 80.0);
    assert!(tube.certificates()[0].gap().abs() < 1e-5, "{}", tube.certificates()[0]);
}

#[test]
fn weights_of_classes_and_observations() {
    let (x, y) = eight();
    let weights = [1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 2.0];
    let model = SvmClassifier::new(Kernel::rbf(1.0), 1.0).tolerance(1e-10);
    let rows: Vec<usize> = weights.iter().enumerate().flat_map(|(i, w)| vec![i; *w as usize]).collect();
    let repeated: Vec<i32> = rows.iter().map(|&i| y[i]).collect();
    let again = model.fit(&cpu(), x.select(ndarray::Axis(0), &rows), &repeated).unwrap();
    let weighted = model.fit_weighted(&cpu(), &x, &y, weights).unwrap();
    all_near(
        &weighted.decision(&x).unwrap(),
        again.decision(&x).unwrap().as_slice().unwrap(),
        1e-8,
        "weights",
    );
    let by_class =
        model.clone().class_weights(ClassWeights::Each(vec![2.0, 0.5])).fit(&cpu(), &x, &y).unwrap();
    let each: Vec<f64> = y.iter().map(|y| if *y < 0 { 2.0 } else { 0.5 }).collect();
    let by_row = model.fit_weighted(&cpu(), &x, &y, each).unwrap();
    assert_eq!(by_class.decision(&x).unwrap(), by_row.decision(&x).unwrap());
    // n/(K n_k) of classes of two and four.
    let fewer = [2, 3, 4, 5, 6, 7];
    let (x6, y6) = (x.select(ndarray::Axis(0), &fewer), fewer.map(|i| y[i]));
    assert_eq!(y6.iter().filter(|y| **y > 0).count(), 2);
    let balanced = model.clone().class_weights(ClassWeights::Balanced).fit(&cpu(), &x6, y6).unwrap();
    let each = model.clone().class_weights(ClassWeights::Each(vec![0.75, 1.5])).fit(&cpu(), &x6, y6).unwrap();
    assert_eq!(balanced.decision(&x).unwrap(), each.decision(&x).unwrap());
    assert_ne!(balanced.decision(&x).unwrap(), model.fit(&cpu(), &x6, y6).unwrap().decision(&x).unwrap());
    assert!(model.clone().class_weights(ClassWeights::Each(vec![1.0])).fit(&cpu(), &x, &y).is_err());
}

#[test]
fn precomputed_kernels() {
    let (x, y) = eight();
    let points = mercer::Matrix::from_array(&cpu(), x.view()).unwrap();
    let table = mercer::ops::gram(&Kernel::rbf(1.0), &points, None).unwrap().to_array().unwrap();
    let index = Array2::from_shape_fn((8, 1), |(i, _)| i as f64);
    let by_table = SvmClassifier::new(Kernel::precomputed(table), 1.0).fit(&cpu(), &index, &y).unwrap();
    let by_kernel = SvmClassifier::new(Kernel::rbf(1.0), 1.0).fit(&cpu(), &x, &y).unwrap();
    all_near(
        &by_table.decision(&index).unwrap(),
        by_kernel.decision(&x).unwrap().as_slice().unwrap(),
        1e-12,
        "table",
    );
}

#[test]
fn probabilities() {
    let (x, labels) = overlapping(150, 21);
    let model = SvmClassifier::new(Kernel::rbf(1.0), 1.0).probabilities(5).seed(3);
    let fitted = model.fit(&cpu(), &x, &labels).unwrap();
    let p = fitted.predict_proba(&x).unwrap();
    assert!(
        p.rows()
            .into_iter()
            .all(|r| (r.sum() - 1.0).abs() < 1e-12 && r.iter().all(|v| (0.0..=1.0).contains(v)))
    );
    let share = labels.iter().filter(|l| **l).count() as f64 / 150.0;
    near(p.column(1).mean().unwrap(), share, 0.05, "calibrated on average");
    assert!(fitted.sigmoids()[0].slope < 0.0);
    // More decision, more probability.
    let f = fitted.decision(&x).unwrap();
    for i in 1..150 {
        assert_eq!(f[[i, 0]] > f[[0, 0]], p[[i, 1]] > p[[0, 1]]);
    }
    let three: Vec<usize> = (0..150)
        .map(|i| {
            if x[[i, 0]] < -0.5 {
                0
            } else if x[[i, 1]] < 0.0 {
                1
            } else {
                2
            }
        })
        .collect();
    for classes in [SvmClasses::OneVsOne, SvmClasses::OneVsRest] {
        let fitted = model.clone().classes(classes).fit(&cpu(), &x, &three).unwrap();
        let p = fitted.predict_proba(&x).unwrap();
        assert!(p.rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-9 && r.iter().all(|v| *v >= 0.0)));
        let agree =
            fitted.predict(&x).unwrap().into_iter().zip(p.rows()).filter(|(l, r)| r[*l] > 0.4).count();
        assert!(agree > 130, "{classes:?}: {agree}");
        assert!(fitted.score(&x, &three).unwrap() > 0.93);
    }
    let without = SvmClassifier::new(Kernel::rbf(1.0), 1.0).fit(&cpu(), &x, &labels).unwrap();
    assert!(matches!(without.predict_proba(&x), Err(Error::Unsupported { .. })));
}

#[test]
fn counted_errors_are_below_the_hinge_and_its_fewest_are_found() {
    use mercer::models::kernel_methods::{fewest_errors, hinge_objective, zero_one_objective};
    let (x, y) = crate::eight();
    let y: Vec<bool> = y.iter().map(|y| *y > 0).collect();
    for seed in 0..50 {
        let r = crate::support::random(1, 3, 900 + seed) * 4.0;
        let w = r.slice(ndarray::s![0, ..2]);
        let f: ndarray::Array1<f64> = x.dot(&w) + r[[0, 2]];
        let norm = w.iter().map(|v| v * v).sum::<f64>();
        let (count, hinge) =
            (zero_one_objective(norm, f.view(), &y, 2.0), hinge_objective(norm, f.view(), &y, 2.0));
        assert!(count.unwrap() <= hinge.unwrap() + 1e-12);
    }
    // The notes' eight points are separable; with one label turned they are not, and a curved kernel separates all.
    assert_eq!(fewest_errors(&Kernel::linear(), &x, &y).unwrap(), 0);
    let mut turned = y.clone();
    turned[0] = false;
    assert_eq!(fewest_errors(&Kernel::linear(), &x, &turned).unwrap(), 1);
    assert_eq!(fewest_errors(&Kernel::rbf(0.5), &x, &turned).unwrap(), 0);
    let cross = ndarray::array![[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    assert_eq!(fewest_errors(&Kernel::linear(), &cross, &[true, true, false, false]).unwrap(), 1);
    assert!(fewest_errors(&Kernel::linear(), ndarray::Array2::<f64>::zeros((13, 1)), &[true; 13]).is_err());
}

/// The linear kernel has weights: f = wᵀx + b at new rows, of every machine, and of the points that it stands on.
#[test]
fn linear_machines_have_weights() {
    let (x, new) =
        (ndarray::concatenate![ndarray::Axis(1), random(40, 2, 51), random(40, 1, 52)], random(9, 3, 53));
    let z =
        Array2::from_shape_fn((40, 2), |(i, t)| x[[i, t]] - 0.5 * x[[i, 2]] + 0.1 * (9.0 * x[[i, 1]]).sin());
    let line = SvmRegressor::new(Kernel::linear(), 3.0, 0.05).fit(&cpu(), &x, &z).unwrap();
    let w = line.coefficients().unwrap();
    let want = new.dot(&w.t()) + line.intercept();
    all_near(&line.predict(&new).unwrap(), want.as_slice().unwrap(), 1e-12, "regression");
    all_near(
        &line.dual_coefficients().t().dot(line.support_points()),
        w.as_standard_layout().as_slice().unwrap(),
        1e-12,
        "w is a sum of support vectors",
    );
    assert_eq!(*line.support_points(), x.select(ndarray::Axis(0), line.support()));
    let far = &x + 2.0;
    let region = OneClassSvm::new(Kernel::linear(), 0.3).tolerance(1e-8).fit(&cpu(), &far).unwrap();
    let w = region.coefficients().unwrap();
    assert_eq!(w.dim(), (1, 3));
    let want = new.dot(&w.t()) - region.threshold();
    all_near(&region.decision(&new).unwrap(), want.as_slice().unwrap(), 1e-12, "one class");
    assert_eq!(*region.support_points(), far.select(ndarray::Axis(0), region.support()));
    let curved = OneClassSvm::new(Kernel::rbf(1.0), 0.3).fit(&cpu(), &far).unwrap();
    assert!(curved.coefficients().is_none());
    let y: Vec<usize> =
        (0..40).map(|i| usize::from(x[[i, 0]] > 0.0) + usize::from(x[[i, 1]] > 0.4)).collect();
    let three = SvmClassifier::new(Kernel::linear(), 3.0).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(*three.support_points(), x.select(ndarray::Axis(0), three.support()));
}
