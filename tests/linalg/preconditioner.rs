use mercer::linalg::{
    CgParams, Identity, Jacobi, Jitter, KernelOperator, LowRankPlusDiagonal, Preconditioner, Stored,
    conjugate_gradients, landmarks, nystrom, pivoted_cholesky, refined_conjugate_gradients,
};
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array1, Array2, Axis, array};

use crate::everywhere;
use crate::support::{on, random, spd};

#[test]
fn a_low_rank_preconditioner_saves_most_iterations() {
    let n = 300;
    let x = random(n, 2, 61);
    let b = random(n, 1, 62);
    let exact = KernelOperator::new(&Kernel::rbf(0.6), &on(&Device::cpu(), &x), 1e-4).unwrap();
    for device in everywhere() {
        let a = KernelOperator::new(&Kernel::rbf(0.6), &on(&device, &x), 1e-4).unwrap();
        let lenient = CgParams::new()
            .tolerance(Some(1e-6))
            .max_iterations(400)
            .accept_unconverged(true)
            .progress(Progress::none());
        let run = |m: &dyn Preconditioner| {
            refined_conjugate_gradients(&a, &exact, b.view(), m, &lenient).unwrap().info
        };
        let plain = run(&Identity);
        let k = a.without_noise();
        let chosen = pivoted_cholesky(&k, 60, 0.0).unwrap();
        let pivoted = run(&LowRankPlusDiagonal::new(&chosen, a.noise().view()).unwrap());
        let drawn = nystrom(&k, &landmarks(n, 60, 1).unwrap(), Jitter::ladder()).unwrap();
        let drawn = run(&LowRankPlusDiagonal::new(&drawn, a.noise().view()).unwrap());
        println!(
            "iterations: none {}, pivoted Cholesky {}, Nystrom {}, on {device}",
            plain.iterations, pivoted.iterations, drawn.iterations
        );
        assert!(pivoted.converged && drawn.converged, "{device}: {pivoted:?} {drawn:?}");
        assert!(5 * pivoted.iterations < plain.iterations, "{device}");
        assert!(3 * drawn.iterations < plain.iterations, "{device}");
    }
}

#[test]
fn the_inverse_is_that_of_the_low_rank_plus_diagonal_matrix() {
    let x = random(50, 2, 63);
    let k = KernelOperator::new(&Kernel::matern32(0.5), &on(&Device::cpu(), &x), 0.0).unwrap();
    let low = pivoted_cholesky(&k, 7, 0.0).unwrap();
    let diagonal = Array1::from_shape_fn(50, |i| 0.01 + 0.1 * i as f64);
    let m = LowRankPlusDiagonal::new(&low, diagonal.view()).unwrap();
    let dense = low.factor.dot(&low.factor.t()) + Array2::from_diag(&diagonal);
    let back = m.solve(dense.view()).unwrap();
    assert!(crate::relative(&back, &Array2::eye(50)) < 1e-12);
}

#[test]
fn jacobi_undoes_bad_scaling() {
    let n = 100;
    let scale = Array1::from_shape_fn(n, |i| 10f64.powf(4.0 * i as f64 / n as f64));
    let a = spd(n, 64) * scale.view().insert_axis(Axis(1)) * &scale;
    let op = Stored::new(&on(&Device::cpu(), &a)).unwrap();
    let b = random(n, 1, 65);
    let params = CgParams::new().tolerance(Some(1e-8)).accept_unconverged(true);
    let run = |m: &dyn Preconditioner| conjugate_gradients(&op, b.view(), m, &params).unwrap().info;
    let (plain, jacobi) = (run(&Identity), run(&Jacobi::new(&op).unwrap()));
    println!("iterations: none {}, Jacobi {}", plain.iterations, jacobi.iterations);
    assert!(jacobi.converged && 5 * jacobi.iterations < plain.iterations);
}

#[test]
fn a_singular_preconditioner_is_refused() {
    let x = on(&Device::cpu(), &random(9, 1, 66));
    let k = KernelOperator::new(&Kernel::rbf(1.0), &x, 0.0).unwrap();
    let low = pivoted_cholesky(&k, 3, 0.0).unwrap();
    for bad in [0.0, -1.0, f64::NAN] {
        let mut d = Array1::ones(9);
        d[4] = bad;
        let e = LowRankPlusDiagonal::new(&low, d.view());
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
    }
    assert!(matches!(LowRankPlusDiagonal::new(&low, Array1::ones(8).view()), Err(Error::Shape { .. })));
    let a = on(&Device::cpu(), &array![[1.0, 0.0], [0.0, -1.0]]);
    let e = Jacobi::new(&Stored::new(&a).unwrap());
    assert!(matches!(e, Err(Error::NotPositiveDefinite { pivot: 1, .. })), "{e:?}");
    let m = Jacobi::new(&Stored::new(&on(&Device::cpu(), &spd(3, 1))).unwrap()).unwrap();
    assert!(matches!(m.solve(Array2::zeros((4, 1)).view()), Err(Error::Shape { .. })));
}
