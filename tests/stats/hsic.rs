use mercer::stats::Hsic;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, concatenate, s};

use crate::loops::gpus;
use crate::loops::{centred, close, column, gram, mmd, normal};

fn both() -> Hsic {
    Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0))
}

const X: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];

#[test]
fn reference_values() {
    let cpu = Device::cpu();
    let cases = [
        ([0.1, 0.8, 2.2, 2.9, 4.1], 0.131_692_749_3),
        ([2.0, -1.0, 0.5, 3.0, -2.0], 0.070_908_706_86),
        ([4.0, 1.0, 0.0, 1.0, 4.0], 0.068_219_836_36),
    ];
    for (y, want) in cases {
        close(both().biased(&cpu, column(&X).view(), column(&y).view()).unwrap(), want, 1e-9, "HSIC");
    }
    let terms = both().terms(&cpu, column(&X).view(), column(&cases[0].0).view()).unwrap();
    close(terms.joint, 0.321_976_457_5, 1e-9, "joint");
    close(terms.product, 0.182_896_824_1, 1e-9, "product");
    close(terms.cross, 0.186_590_266_2, 1e-9, "cross");
    let linear = Hsic::new(Kernel::linear(), Kernel::linear());
    let got = linear.biased(&cpu, column(&X).view(), column(&cases[0].0).view()).unwrap();
    close(got, 4.0804, 1e-12, "the squared covariance");
}

fn sample(n: usize) -> (Array2<f64>, Array2<f64>) {
    let x = normal(n, 2, 0.0, 1);
    let noise = normal(n, 3, 0.0, 2);
    let y = Array2::from_shape_fn((n, 3), |(i, j)| x[[i, 0]].powi(2) * j as f64 + noise[[i, j]]);
    (x, y)
}

/// `tr(K H L H) / n²`, the three-term form, and the U-statistic, each by its own loops.
#[test]
fn three_forms_of_the_definition() {
    for n in [4, 5, 33, 130] {
        let (x, y) = sample(n);
        let hsic = Hsic::new(Kernel::rbf(1.5) + 0.1 * Kernel::linear(), Kernel::laplacian(2.0));
        let k = gram(&(Kernel::rbf(1.5) + 0.1 * Kernel::linear()), x.view(), x.view());
        let l = gram(&Kernel::laplacian(2.0), y.view(), y.view());
        let trace = (&centred(&k) * &l).sum() / (n * n) as f64;
        let unbiased = u_statistic(&k, &l);
        let scale = (centred(&k).mapv(|v| v * v).sum() * centred(&l).mapv(|v| v * v).sum()).sqrt();
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let gpu = device.is_gpu();
            let what = format!("n = {n} on {device}");
            let tolerance = if gpu { 1e-5 } else { 1e-10 };
            close(hsic.biased(&device, x.view(), y.view()).unwrap(), trace, tolerance, &what);
            let terms = hsic.terms(&device, x.view(), y.view()).unwrap();
            // Three numbers of order one: what f32 leaves of their difference is relative to them.
            let allowed = if gpu { 1e-6 * terms.joint / trace } else { 1e-10 };
            close(terms.value(), trace, allowed, &format!("terms, {what}"));
            let got = hsic.unbiased(&device, x.view(), y.view()).unwrap();
            assert!(
                (got - unbiased).abs() <= tolerance * unbiased.abs().max(trace),
                "{got} {unbiased}, {what}"
            );
            let cka = hsic.cka(&device, x.view(), y.view()).unwrap();
            close(cka, trace * (n * n) as f64 / scale, tolerance, &format!("CKA, {what}"));
        }
    }
}

/// `(tr K̃L̃ + 1ᵀK̃1 1ᵀL̃1/((n-1)(n-2)) - 2/(n-2) 1ᵀK̃L̃1) / (n(n-3))`, K̃ and L̃ without diagonals (Song et al. 2012).
fn u_statistic(k: &Array2<f64>, l: &Array2<f64>) -> f64 {
    let n = k.nrows();
    let hollow = |a: &Array2<f64>| {
        let mut a = a.clone();
        a.diag_mut().fill(0.0);
        a
    };
    let (k, l) = (hollow(k), hollow(l));
    let m = n as f64;
    let crossed = k.sum_axis(Axis(1)).dot(&l.sum_axis(Axis(1)));
    ((&k * &l).sum() + k.sum() * l.sum() / ((m - 1.0) * (m - 2.0)) - 2.0 * crossed / (m - 2.0))
        / (m * (m - 3.0))
}

/// HSIC is the biased MMD² between the n pairs and the n² pairs of the product, under k l.
#[test]
fn it_is_a_discrepancy_between_joint_and_product() {
    let n = 7;
    let (x, y) = sample(n);
    let joint = concatenate(Axis(1), &[x.view(), y.view()]).unwrap();
    let mut product = Array2::zeros((n * n, 5));
    for i in 0..n {
        for j in 0..n {
            product.slice_mut(s![i * n + j, ..2]).assign(&x.row(i));
            product.slice_mut(s![i * n + j, 2..]).assign(&y.row(j));
        }
    }
    let kernel = Kernel::rbf(1.0).on(vec![0, 1]) * Kernel::rbf(1.0).on(vec![2, 3, 4]);
    let pooled = concatenate(Axis(0), &[joint.view(), product.view()]).unwrap();
    let k = gram(&kernel, pooled.view(), pooled.view());
    let (first, second): (Vec<_>, Vec<_>) = (0..n + n * n).partition(|&i| i < n);
    let got = both().biased(&Device::cpu(), x.view(), y.view()).unwrap();
    close(got, mmd(&k, &first, &second).0, 1e-10, "MMD of joint and product");
}

/// Symmetric, unmoved by reordering, zero for a constant, and one with itself when normalised.
#[test]
fn what_a_dependence_measure_does() {
    let cpu = Device::cpu();
    let (x, y) = sample(30);
    let value = both().biased(&cpu, x.view(), y.view()).unwrap();
    close(both().biased(&cpu, y.view(), x.view()).unwrap(), value, 1e-12, "symmetric");
    let order: Vec<usize> = (0..30).map(|i| i * 7 % 30).collect();
    let (xs, ys) = (x.select(Axis(0), &order), y.select(Axis(0), &order));
    close(both().biased(&cpu, xs.view(), ys.view()).unwrap(), value, 1e-12, "reordered");
    let constant = Array2::<f64>::ones((30, 1));
    assert!(both().biased(&cpu, x.view(), constant.view()).unwrap().abs() < 1e-16);
    assert_eq!(both().cka(&cpu, x.view(), constant.view()).unwrap(), 0.0);
    close(both().cka(&cpu, x.view(), x.view()).unwrap(), 1.0, 1e-12, "with itself");
    close(both().cka_unbiased(&cpu, x.view(), x.view()).unwrap(), 1.0, 1e-12, "with itself, unbiased");
}

/// `⟨f, C g⟩` is the sample covariance of `f(x_i)` and `g(y_i)`.
#[test]
fn the_cross_covariance_operator() {
    let n = 20;
    let (x, y) = sample(n);
    let (a, b) = (normal(n, 1, 0.0, 5), normal(n, 1, 0.0, 6));
    let f = gram(&Kernel::rbf(1.0), x.view(), x.view()).dot(&a);
    let g = gram(&Kernel::rbf(1.0), y.view(), y.view()).dot(&b);
    let mean = |v: &Array2<f64>| v.sum() / n as f64;
    let want = f.iter().zip(&g).map(|(f, g)| f * g).sum::<f64>() / n as f64 - mean(&f) * mean(&g);
    let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().collect(), b.into_iter().collect());
    let got = both().cross_covariance(&Device::cpu(), x.view(), y.view(), &a, &b).unwrap();
    close(got, want, 1e-10, "covariance");
}
