use mercer::ops::{gram, gram_diagonal};
use mercer::{Device, Kernel};

use crate::support::zoo::zoo;
use crate::support::{adapters, assert_close, cramped, edges, gpus, on, random};

#[test]
fn every_kernel_has_the_diagonal_of_its_matrix() {
    let x = random(67, 3, 1);
    let cpu = Device::cpu();
    for kernel in zoo() {
        let k = gram(&kernel, &on(&cpu, &x), None).unwrap().to_array().unwrap();
        let want = k.diag().to_owned().insert_axis(ndarray::Axis(1));
        for device in adapters().cloned().chain([Device::cpu()]) {
            let got = gram_diagonal(&kernel, &on(&device, &x)).unwrap();
            assert_close(&got, &want, 3e-6, &format!("{kernel} on {device}"));
        }
    }
}

#[test]
fn tile_edges_and_windows() {
    let kernel = Kernel::linear() + Kernel::white(0.5);
    for n in edges(64).into_iter().chain([9000]) {
        let x = random(n, 5, 2);
        let want = x.mapv(|v| v * v).sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)) + 0.5;
        for device in gpus().iter().chain(cramped()) {
            let got = gram_diagonal(&kernel, &on(device, &x)).unwrap();
            assert_close(&got, &want, 1e-6, &format!("n = {n} on {device}"));
        }
    }
}
