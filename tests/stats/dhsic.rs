use mercer::stats::{Hsic, JointHsic, Null};
use mercer::{Device, Error, Kernel};
use ndarray::Array2;

use crate::loops::gpus;
use crate::loops::{close, gram, normal};

fn three(n: usize) -> [Array2<f64>; 3] {
    let (x, y) = (normal(n, 2, 0.0, 1), normal(n, 1, 0.0, 2));
    // The sign of the third is the product of the others' signs: pairs are independent, the three are not.
    let noise = normal(n, 1, 0.0, 3);
    let z = Array2::from_shape_fn((n, 1), |(i, _)| noise[[i, 0]].abs() * (x[[i, 0]] * y[[i, 0]]).signum());
    [x, y, z]
}

#[test]
fn the_definition() {
    let n = 17;
    let data = three(n);
    let kernels = vec![Kernel::rbf(1.0), Kernel::laplacian(1.0), Kernel::rbf(0.5)];
    let grams: Vec<_> = kernels.iter().zip(&data).map(|(k, x)| gram(k, x.view(), x.view())).collect();
    let m = n as f64;
    let (mut joint, mut cross) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n {
            joint += grams.iter().map(|k| k[[i, j]]).product::<f64>() / (m * m);
        }
        cross += grams.iter().map(|k| k.row(i).sum() / m).product::<f64>() / m;
    }
    let product: f64 = grams.iter().map(|k| k.sum() / (m * m)).product();
    let want = joint + product - 2.0 * cross;
    let views: Vec<_> = data.iter().map(|x| x.view()).collect();
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let tolerance = if device.is_gpu() { 1e-5 } else { 1e-10 };
        let got = JointHsic::new(kernels.clone()).value(&device, &views).unwrap();
        close(got, want, tolerance, &format!("on {device}"));
    }
}

#[test]
fn two_variables_are_hsic() {
    let [x, y, _] = three(25);
    let cpu = Device::cpu();
    let joint = JointHsic::new(vec![Kernel::rbf(1.0); 2]).value(&cpu, &[x.view(), y.view()]).unwrap();
    let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0)).biased(&cpu, x.view(), y.view()).unwrap();
    close(joint, hsic, 1e-10, "HSIC");
}

#[test]
fn a_dependence_of_three_that_no_pair_has() {
    let [x, y, z] = three(120);
    let cpu = Device::cpu();
    let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]).null(Null::Permutations(99)).seed(1);
    let all = test.run(&cpu, &[&x, &y, &z]).unwrap();
    assert!(all.rejects(), "{all}");
    for device in gpus() {
        let there = test.run(device, &[&x, &y, &z]).unwrap();
        assert_eq!(there.p_value, all.p_value, "on {device}");
    }
    let misfit = test.value(&cpu, &[x.view(), y.view()]);
    assert!(matches!(misfit, Err(Error::Shape { op: "JointHsic", .. })));
    let short = normal(5, 1, 0.0, 1);
    assert!(matches!(test.value(&cpu, &[x.view(), y.view(), short.view()]), Err(Error::Shape { .. })));
    assert!(matches!(
        test.null(Null::Permutations(0)).run(&cpu, &[&x, &y, &z]),
        Err(Error::Parameter { .. })
    ));
}
