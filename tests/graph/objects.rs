use mercer::kernel::structures::{ObjectKernel, Objects, StringKernel};
use mercer::ops::gram;
use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::close;
use crate::support::adapters;

const NAMES: [&str; 10] =
    ["anna", "johanna", "hannah", "susanna", "otto", "ottokar", "lotto", "motte", "annabel", "ottilie"];

fn names(count: usize) -> Objects<str, String, mercer::kernel::structures::Normalised<StringKernel>> {
    let kernel = StringKernel::by_length([1.0, 1.0]).normalised();
    Objects::new(kernel, NAMES[..count].iter().map(|s| (*s).to_owned()).collect()).unwrap()
}

fn later() -> Vec<String> {
    NAMES[8..].iter().map(|s| (*s).to_owned()).collect()
}

const KIND: [bool; 8] = [true, true, true, true, false, false, false, false];

/// What comes after the fit is predicted as if it had been in the table from the beginning.
#[test]
fn new_objects_are_predicted_as_by_the_whole_table() {
    let y = array![1.0_f64, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
    let (some, all) = (names(8), names(10));
    let fit = KernelRidge::new(some.kernel(), 0.1).fit(&Device::cpu(), some.rows(), &y).unwrap();
    let new = some.add(later()).unwrap();
    assert_eq!(new, array![[8.0], [9.0]]);
    let got = fit.predict(&new).unwrap();
    let whole = KernelRidge::new(all.table(), 0.1).fit(&Device::cpu(), names(8).rows(), &y).unwrap();
    close(&got, &whole.predict(&new).unwrap(), 1e-12, "the same prediction");
    // And as by the cross matrix alone.
    let kernel = StringKernel::by_length([1.0, 1.0]).normalised();
    let cross = ObjectKernel::<str>::cross(&kernel, &later(), &NAMES[..8]).unwrap();
    close(cross.dot(fit.dual_coefficients()).column(0), &got, 1e-12, "by hand");
    assert!(got[0] > 0.0 && got[1] < 0.0);
}

/// Every kind of kernel method that is there takes strings.
#[test]
fn strings_work_in_every_kernel_method() {
    let all = names(8);
    let (x, new) = (all.rows(), all.add(later()).unwrap());
    let y = array![1.0_f64, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
    let cpu = Device::cpu();
    for kernel in [all.kernel(), all.table()] {
        let gp =
            GpRegressor::new(kernel.clone()).noise(0.1).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
        assert!(gp[0] > 0.0 && gp[1] < 0.0);
        let classifier = GpClassifier::new(kernel.clone().scaled(9.0)).fit(&cpu, &x, KIND).unwrap();
        assert_eq!(classifier.predict(&new).unwrap(), [true, false]);
        let few = LaplacianSvm::new(kernel.clone(), 0.05, 0.0).fit(&cpu, &x, KIND).unwrap();
        assert_eq!(few.predict(&new).unwrap(), [true, false]);
        let features = Nystrom::new(kernel.clone(), 5).fit(&cpu, &x).unwrap().transform(&new).unwrap();
        assert_eq!(features.dim(), (2, 5));
    }
    // Two samples of strings that differ are farther apart than two that do not.
    let (a, b) = (x.select(Axis(0), &[0, 1, 2, 3]), x.select(Axis(0), &[4, 5, 6, 7]));
    let mmd = Mmd::new(all.table()).unbiased(&cpu, &a, &b).unwrap();
    let mixed = (x.select(Axis(0), &[0, 2, 4, 6]), x.select(Axis(0), &[1, 3, 5, 7]));
    assert!(mmd > Mmd::new(all.table()).unbiased(&cpu, &mixed.0, &mixed.1).unwrap());
}

#[test]
fn tables_are_the_same_on_every_adapter() {
    let all = names(10);
    let want: Array2<f64> = all.gram();
    for device in adapters() {
        let rows = Matrix::from_array(device, all.rows().view()).unwrap();
        let got = gram(&all.table(), &rows, None).unwrap().to_array().unwrap();
        close(&got, &want, 1e-6, &format!("on {device}"));
    }
}

#[test]
fn objects_that_do_not_exist_are_errors() {
    let all = names(8);
    let y = array![1.0_f64, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
    let fit = KernelRidge::new(all.kernel(), 0.1).fit(&Device::cpu(), all.rows(), &y).unwrap();
    for bad in [8.0, -1.0, 0.5] {
        let said = fit.predict(array![[bad]]);
        assert!(said.is_err(), "object {bad}: {said:?}");
    }
    assert!(Objects::<str, String, _>::new(StringKernel::spectrum(2), vec![]).is_err());
    assert!(Objects::<str, String, _>::new(StringKernel::spectrum(0), vec!["a".to_owned()]).is_err());
    assert_eq!((all.count(), all.add(vec![]).unwrap().dim()), (8, (0, 1)));
}

/// Strings in every kernel method, and strings that come after the fit: the answer is that of the whole table.
#[test]
fn new_strings_in_every_kernel_method() {
    let cpu = Device::cpu();
    let y = array![1.0_f64, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
    let all = names(10);
    macro_rules! same {
        ($name:literal, |$kernel:ident, $x:ident| $fit:expr, |$f:ident, $new:ident| $ask:expr) => {{
            let some = names(8);
            let ($kernel, $x) = (some.kernel(), some.rows());
            let $f = $fit.unwrap();
            let $new = some.add(later()).unwrap();
            let got: Vec<f64> = $ask.unwrap().iter().copied().collect();
            let ($kernel, $x) = (all.table(), names(8).rows());
            let $f = $fit.unwrap();
            let want: Vec<f64> = $ask.unwrap().iter().copied().collect();
            assert!(!got.is_empty() && got.iter().all(|v| v.is_finite()), $name);
            // A name like "anna" is not one like "otto".
            assert!(got.iter().any(|v| (v - got[0]).abs() > 1e-6), "{}: {got:?}", $name);
            close(&got, &want, 1e-9, $name);
        }};
    }
    same!("SvmClassifier", |k, x| SvmClassifier::new(k, 2.0).fit(&cpu, &x, KIND), |f, n| f.decision(&n));
    same!("SvmRegressor", |k, x| SvmRegressor::new(k, 2.0, 0.05).fit(&cpu, &x, &y), |f, n| f.predict(&n));
    same!("OneClassSvm", |k, x| OneClassSvm::new(k, 0.4).fit(&cpu, &x), |f, n| f.decision(&n));
    same!("EnclosingBall", |k, x| EnclosingBall::new(k).fit(&cpu, &x), |f, n| f.distance(&n));
    same!("LeastSquaresSvm", |k, x| LeastSquaresSvm::new(k, 2.0).fit(&cpu, &x, KIND), |f, n| f.decision(&n));
    same!("RelevanceVectorMachine", |k, x| RelevanceVectorMachine::new(k).fit(&cpu, &x, &y), |f, n| f
        .predict(&n));
    same!(
        "RelevanceVectorClassifier",
        |k, x| RelevanceVectorClassifier::new(k).fit(&cpu, &x, KIND),
        |f, n| f.predict_proba(&n)
    );
    same!("KernelPca", |k, x| KernelPca::new(k, 2).fit(&cpu, &x), |f, n| f.transform(&n));
    same!("KernelKMeans", |k, x| KernelKMeans::new(k, 2).fit(&cpu, &x), |f, n| f.transform(&n));
    same!("KernelLogistic", |k, x| KernelLogistic::new(k, 0.1).fit(&cpu, &x, KIND), |f, n| f.decision(&n));
    same!("KernelRisk", |k, x| KernelRisk::new(k, SmoothLoss::Squared, 0.1).fit(&cpu, &x, &y), |f, n| f
        .predict(&n));
    same!("KernelDiscriminant", |k, x| KernelDiscriminant::new(k, 0.1).fit(&cpu, &x, KIND), |f, n| f
        .decision(&n));
    same!("KernelPerceptron", |k, x| KernelPerceptron::new(k).fit(&cpu, &x, KIND), |f, n| f.decision(&n));
    same!("LaplacianRls", |k, x| LaplacianRls::new(k, 0.1, 0.0).fit(&cpu, &x, &y), |f, n| f.predict(&n));
    same!("LaplacianLogistic", |k, x| LaplacianLogistic::new(k, 0.1, 0.0).fit(&cpu, &x, KIND), |f, n| f
        .decision(&n));
    same!("LaplacianSvm", |k, x| LaplacianSvm::new(k, 0.1, 0.0).fit(&cpu, &x, KIND), |f, n| f.decision(&n));
    same!("Nystrom", |k, x| Nystrom::new(k, 5).fit(&cpu, &x), |f, n| f.transform(&n));
    // Names depend on their kind, and not on whether their place is even.
    let kind = Array2::from_shape_fn((8, 1), |(i, _)| y[i]);
    let even = Array2::from_shape_fn((8, 1), |(i, _)| (i % 2) as f64);
    let hsic = |with: &Array2<f64>| {
        Hsic::new(all.kernel(), Kernel::linear()).biased(&cpu, names(8).rows(), with).unwrap()
    };
    assert!(hsic(&kind) > 4.0 * hsic(&even), "{} {}", hsic(&kind), hsic(&even));
    assert_eq!(
        KernelKMeans::new(all.table(), 2).fit(&cpu, names(8).rows()).unwrap().labels()[..4].iter().max(),
        KernelKMeans::new(all.table(), 2).fit(&cpu, names(8).rows()).unwrap().labels()[..4].iter().min()
    );
}
