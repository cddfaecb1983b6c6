use mercer::device::{DeviceOptions, LimitPolicy, ProductShape};
use mercer::ops::{
    Side, Trans, Triangle, Weights, cholesky, gemm, gram_sum, gram_vec, nearest, solve_triangular, syrk,
    transpose,
};
use mercer::{Device, Kernel, Matrix};
use ndarray::Array2;

use crate::support::{adapters, on, random};

/// A device that no other test uses, so that its counters are ours.
fn own(shared: &Device) -> Device {
    Device::nth(shared.adapter().unwrap().index).unwrap()
}

#[test]
fn nothing_is_read_back_until_asked_and_a_chain_is_one_submission() {
    for shared in adapters() {
        let device = own(shared);
        let a = on(&device, &random(50, 50, 1));
        let before = device.counters();
        let mut b = a.clone();
        for _ in 0..10 {
            b = gemm(0.1, &a, Trans::No, &b, Trans::No).unwrap();
        }
        let chained = device.counters();
        assert_eq!(chained.bytes_down, before.bytes_down, "{device}");
        assert_eq!(chained.bytes_up, before.bytes_up, "{device}");
        assert_eq!(chained.submissions, before.submissions, "recorded, not yet submitted, on {device}");
        assert_eq!(chained.dispatches, before.dispatches + 10, "{device}");
        b.to_array().unwrap();
        let after = device.counters();
        assert_eq!(after.submissions, before.submissions + 1, "{device}");
        assert_eq!(after.bytes_down, before.bytes_down + 50 * 52 * 4, "{device}");
    }
}

#[test]
fn buffers_and_pipelines_are_used_again() {
    for shared in adapters() {
        let device = own(shared);
        let a = on(&device, &random(64, 64, 1));
        let work =
            || transpose(&gemm(1.0, &a, Trans::No, &a, Trans::No).unwrap()).unwrap().to_array().unwrap();
        let first = work();
        let settled = device.counters();
        for _ in 0..20 {
            assert_eq!(work(), first, "{device}");
        }
        let after = device.counters();
        assert_eq!(after.peak_device_bytes, settled.peak_device_bytes, "{device}");
        assert_eq!(after.pipelines, settled.pipelines, "{device}");
    }
}

/// What is idle is held and not in use.
#[test]
fn bytes_in_use_are_those_of_living_matrices() {
    for shared in adapters() {
        let device = own(shared);
        let bytes = 4 * 64 * 64;
        let (a, b) = (on(&device, &random(64, 64, 1)), on(&device, &random(64, 64, 2)));
        assert_eq!(device.counters().used_bytes, 2 * bytes, "{device}");
        drop(b);
        let after = device.counters();
        assert_eq!((after.used_bytes, after.peak_used_bytes), (bytes, 2 * bytes), "{device}");
        assert_eq!(after.device_bytes, 2 * bytes, "idle, not freed, on {device}");
        drop(a);
        assert_eq!(device.counters().used_bytes, 0, "{device}");
    }
}

/// A buffer taken from the pool may still be read by recorded work: an upload into it must not overtake that.
#[test]
fn an_upload_does_not_overtake_recorded_work() {
    for shared in adapters() {
        let device = own(shared);
        let a = random(40, 40, 1);
        for round in 0..30 {
            let kept = {
                let x = on(&device, &(&a * f64::from(round + 1)));
                transpose(&x).unwrap()
                // x is dropped here, with the transpose recorded and not submitted
            };
            let other = on(&device, &(&a * -1.0));
            let got = kept.to_array().unwrap();
            assert!(
                (got[[3, 5]] - a[[5, 3]] * f64::from(round + 1)).abs() < 1e-4,
                "round {round} on {device}"
            );
            drop(other);
        }
    }
}

#[test]
fn threads_share_a_device() {
    for shared in adapters() {
        let device = own(shared);
        std::thread::scope(|scope| {
            for t in 0..4 {
                let device = device.clone();
                scope.spawn(move || {
                    let a = random(33, 20, t);
                    for _ in 0..10 {
                        let m = on(&device, &a);
                        let got = gemm(1.0, &m, Trans::No, &m, Trans::Yes).unwrap().to_array().unwrap();
                        let worst = (&got - &a.dot(&a.t())).iter().fold(0f64, |w, e| w.max(e.abs()));
                        assert!(worst < 1e-5, "{worst} on {device}");
                    }
                });
            }
        });
    }
}

#[test]
fn the_cpu_counts_nothing() {
    let cpu = Device::cpu();
    Matrix::column(&cpu, &[1.0]).unwrap();
    assert_eq!(cpu.counters().dispatches, 0);
    assert!(cpu.shaders().is_empty() && cpu.sync().is_ok());
}

/// A factor brings the inverses of its diagonal blocks along: a solve is two products a block, for any number of columns.
#[test]
fn a_solve_with_a_factor_inverts_nothing() {
    let device = DeviceOptions::new().pretend().products(ProductShape::Tiled).open().unwrap();
    for n in [64, 131, 512] {
        let l = cholesky(&on(&device, &Array2::eye(n))).unwrap();
        let b = on(&device, &random(n, 5, 1));
        for op in [Trans::No, Trans::Yes] {
            let before = device.counters().dispatches;
            solve_triangular(&l, Triangle::Lower, op, Side::Left, &b).unwrap();
            let spent = device.counters().dispatches - before;
            assert!(spent < 2 * n.div_ceil(64) as u64, "{spent} dispatches at n = {n}");
        }
    }
}

/// A system resets a GPU that is busy with one submission for too long: what is large is handed over in pieces.
#[test]
fn no_submission_is_beyond_the_budget() {
    let device = DeviceOptions::new().pretend().open().unwrap();
    let n = 1_000_000;
    let x = Matrix::from_array(&device, Array2::<f32>::zeros((n, 3)).view()).unwrap();
    let v = Matrix::from_array(&device, Array2::<f32>::zeros((n, 1)).view()).unwrap();
    let kernel = Kernel::rbf(1.0);
    gram_vec(&kernel, &x, None, &v).unwrap();
    gram_sum(&kernel, &x, None, Weights::LowRank { u: &v, v: &v }).unwrap();
    nearest(&x, &x).unwrap();
    let spent = device.counters();
    // Three times 1e12 pairs of twenty multiply-adds each.
    assert!(spent.submissions >= 300, "{} submissions", spent.submissions);
    assert!(spent.largest_submission <= 200_000_000_000, "{:e}", spent.largest_submission as f64);

    let device = DeviceOptions::new().pretend().budget(2e8).open().unwrap();
    let a = Matrix::from_array(&device, Array2::<f32>::zeros((2000, 1638)).view()).unwrap();
    gemm(1.0, &a, Trans::No, &a, Trans::Yes).unwrap();
    syrk(1.0, &a, Trans::No).unwrap();
    device.sync().unwrap();
    let spent = device.counters();
    assert!(spent.submissions >= 64, "{} submissions", spent.submissions);
    assert!(spent.largest_submission <= 200_000_000, "{:e}", spent.largest_submission as f64);
}

/// What has run once costs a verb one scope for errors: no pipeline, no set of bindings, nothing else of the driver's.
#[test]
fn a_verb_is_one_scope_and_binds_nothing_anew() {
    for shared in adapters() {
        let device = own(shared);
        let a = on(&device, &random(64, 64, 1));
        let work = || drop(gemm(1.0, &a, Trans::No, &a, Trans::No).unwrap());
        work();
        let before = device.counters();
        (0..20).for_each(|_| work());
        let after = device.counters();
        assert_eq!(after.error_scopes - before.error_scopes, 20, "{device}");
        assert_eq!(after.bind_groups, before.bind_groups, "{device}");
        assert_eq!(after.pipelines, before.pipelines, "{device}");
        assert_eq!(after.device_bytes, before.device_bytes, "{device}");
    }
}

/// How much stays idle follows the adapter; what no longer fits pushes out the sizes that were not asked for longest.
#[test]
fn the_pool_is_as_large_as_the_adapter_allows() {
    let n = 5120;
    let matrix = 4 * (n * n) as u64;
    for (policy, limit) in [(LimitPolicy::Adapter, u64::MAX), (LimitPolicy::WebGpuDefaults, 256 << 20)] {
        let device = DeviceOptions::new().pretend().limits(policy).products(ProductShape::Tiled);
        let device = device.open().unwrap();
        let a = Matrix::from_array(&device, Array2::<f32>::zeros((n, 4)).view()).unwrap();
        let idle = || device.counters().device_bytes - device.counters().used_bytes;
        let square = || gemm(1.0, &a, Trans::No, &a, Trans::Yes).unwrap();
        let three = [square(), square(), square()];
        drop(three);
        let kept = if limit == u64::MAX { 3 } else { 2 };
        assert_eq!(idle(), kept * matrix, "{policy:?}");
        assert!(device.counters().device_bytes <= limit, "{policy:?}");
        // Another size, until the first has had to go for it.
        let narrow = || gemm(1.0, &a, Trans::Yes, &a, Trans::No).unwrap();
        drop(narrow());
        let settled = device.counters().device_bytes;
        drop(narrow());
        assert_eq!(device.counters().device_bytes, settled, "{policy:?}");
    }
}
