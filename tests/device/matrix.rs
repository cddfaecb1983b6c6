use mercer::ops::{Map, Trans, cholesky, gemm, gram, map, syrk, transpose};
use mercer::{Device, Error, Kernel, Matrix, Precision, Result};
use ndarray::{Array2, array};

use crate::support::{adapters, gpus, on, random};

#[test]
fn what_goes_up_comes_back() {
    for (rows, cols) in [(1, 1), (3, 4), (5, 7), (64, 65)] {
        let a = random(rows, cols, 1);
        for device in gpus() {
            let m = on(device, &a);
            assert_eq!((m.shape(), m.precision()), ((rows, cols), Precision::Single));
            assert_eq!(m.to_array().unwrap(), a.mapv(|v| f64::from(v as f32)), "{device}");
            assert_eq!(m.device(), *device);
        }
        assert_eq!(on(&Device::cpu(), &a).to_array().unwrap(), a);
    }
}

#[test]
fn any_layout_and_either_float_type() {
    let a = random(6, 5, 2);
    let narrow = a.mapv(|v| v as f32);
    for device in adapters().cloned().chain([Device::cpu()]) {
        let turned = Matrix::from_array(&device, a.t()).unwrap().to_array().unwrap();
        assert!((&turned - &a.t()).iter().all(|e| e.abs() < 1e-7));
        let single = Matrix::from_array(&device, narrow.view()).unwrap().to_array().unwrap();
        assert_eq!(single, narrow.mapv(f64::from), "f32 is exact on {device}");
    }
}

#[test]
fn bad_values_are_refused_with_their_place() {
    for device in adapters().cloned().chain([Device::cpu()]) {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut a = random(4, 3, 1);
            a[[2, 1]] = bad;
            let e = Matrix::from_array(&device, a.view());
            assert!(matches!(e, Err(Error::NotFinite { row: 2, col: 1, .. })), "{e:?}");
        }
        let e = Matrix::from_array(&device, Array2::<f64>::zeros((0, 3)).view());
        assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
        assert!(Matrix::column::<f64>(&device, &[]).is_err());
    }
    // Too large for f32, and fine in f64.
    let huge = array![[1e39]];
    assert!(matches!(Matrix::from_array(&gpus()[0], huge.view()), Err(Error::NotFinite { .. })));
    assert!(Matrix::from_array(&Device::cpu(), huge.view()).is_ok());
}

#[test]
fn moving_to_the_same_device_copies_nothing() {
    let device = Device::nth(gpus()[0].adapter().unwrap().index).unwrap();
    let m = on(&device, &random(9, 9, 1));
    let before = device.counters();
    let same = m.to_device(&device).unwrap();
    assert_eq!(device.counters(), before);
    assert_eq!(same.to_device(&Device::cpu()).unwrap().to_array().unwrap(), m.to_array().unwrap());
}

/// Large buffers of the host are used again as they are: whatever was in them is in no result.
#[test]
fn memory_that_was_used_before_is_in_no_result() {
    let (cpu, n) = (Device::cpu(), 2049); // 32 MiB and a little
    let x = on(&cpu, &random(n, 30, 1));
    let k = gram(&(Kernel::rbf(1.0) + Kernel::white(1.0)), &x, None).unwrap();
    let verbs: [&dyn Fn() -> Result<Matrix>; 7] = [
        &|| gram(&Kernel::rbf(1.0), &x, None),
        &|| gemm(1.0, &x, Trans::No, &x, Trans::Yes),
        &|| gemm(1.0, &k, Trans::No, &k, Trans::Yes),
        &|| syrk(1.0, &x, Trans::No),
        &|| cholesky(&k),
        &|| transpose(&k),
        &|| map(&k, Map::Sqrt),
    ];
    for (i, verb) in verbs.iter().enumerate() {
        let results = [0.5, 1e300].map(|rubbish| {
            drop(on(&cpu, &Array2::from_elem((n, n), rubbish)));
            verb().unwrap().to_array().unwrap()
        });
        assert!(results[0] == results[1], "verb {i} leaves entries as they were");
        assert!(results[0].iter().all(|v| v.abs() < 1e6), "verb {i}");
    }
}
