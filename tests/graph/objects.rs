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
