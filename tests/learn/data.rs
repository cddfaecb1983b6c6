//! Every form that data may have, and the same answer for all of them.

#![allow(clippy::needless_borrows_for_generic_args, reason = "references are forms too")]

use std::borrow::Cow;

use mercer::learn::{Inputs, Rows, Targets, Weights};
use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix1, Ix2, ShapeBuilder, array, s};

fn points() -> (Array2<f64>, Array1<f64>) {
    (array![[-2.0, 0.5], [-1.0, 1.0], [0.5, -1.5], [2.0, 0.25]], array![0.5, 1.0, -0.25, -1.0])
}

fn model() -> KernelRidge {
    KernelRidge::new(Kernel::rbf(1.0), 0.1)
}

/// What the plain form predicts at the training rows.
fn wanted() -> Array1<f64> {
    let (x, y) = points();
    model().fit(&Device::cpu(), &x, &y).unwrap().predict(&x).unwrap()
}

fn fits(x: impl Inputs + Clone, y: impl Targets<Of = ndarray::ArrayRef<f64, Ix1>>) {
    let fitted = model().fit(&Device::cpu(), x.clone(), y).unwrap();
    assert_eq!(fitted.predict(x).unwrap(), wanted());
}

#[test]
fn inputs_in_every_form() {
    let (x, y) = points();
    fits(x.clone(), &y);
    fits(&x, &y);
    fits(&&x, &y);
    fits(x.view(), &y);
    fits(CowArray::<f64, Ix2>::from(&x), &y);
    fits(x.clone().into_shared(), &y);
    // Dyadic numbers lose nothing as f32.
    let single = x.mapv(|v| v as f32);
    fits(single.clone(), &y);
    fits(single.view(), &y);
    // By columns, and as every second row and column of something larger, backwards.
    let mut fortran = Array2::zeros((4, 2).f());
    fortran.assign(&x);
    assert!(!fortran.is_standard_layout());
    fits(&fortran, &y);
    let mut large = Array2::from_elem((8, 5), f64::NAN);
    large.slice_mut(s![..;-2, 1..;2]).assign(&x);
    fits(large.slice(s![..;-2, 1..;2]), &y);
    fits(x.t().to_owned().t(), &y);
}

#[test]
fn numbers_in_every_form_come_back_in_kind() {
    let (x, y) = points();
    fits(&x, y.clone());
    fits(&x, y.view());
    fits(&x, &&y);
    fits(&x, y.mapv(|v| v as f32));
    fits(&x, y.iter().rev().copied().collect::<Array1<f64>>().slice(s![..;-1]));
    let column = y.clone().insert_axis(Axis(1));
    let fitted = model().fit(&Device::cpu(), &x, &column).unwrap();
    let predicted: Array2<f64> = fitted.predict(&x).unwrap();
    assert_eq!(predicted, wanted().insert_axis(Axis(1)));
    let two = ndarray::stack![Axis(1), y, y.mapv(|v| 2.0 * v)];
    let predicted = model().fit(&Device::cpu(), &x, two.view()).unwrap().predict(&x).unwrap();
    assert_eq!(predicted.dim(), (4, 2));
    assert!(
        (fitted.score(&x, &column).unwrap() - r2(&column, &fitted.predict(&x).unwrap()).unwrap()).abs()
            < 1e-15
    );
}

#[test]
fn weights_in_every_form() {
    let (x, y) = points();
    let fitted = model().fit_weighted(&Device::cpu(), &x, &y, [1.0, 2.0, 0.5, 0.0]).unwrap();
    let all = fitted.predict(&x).unwrap();
    let w = array![1.0, 2.0, 0.5, 0.0];
    let again = |w: &dyn Weights| w.weights().to_owned();
    assert_eq!(again(&w), w);
    assert_eq!(again(&w.view()), w);
    assert_eq!(again(&w.mapv(|v| v as f32)), w);
    assert_eq!(again(&w.to_vec()), w);
    assert_eq!(again(&w.to_vec().as_slice()), w);
    let given = model().fit_weighted(&Device::cpu(), &x, &y, &w).unwrap().predict(&x).unwrap();
    assert_eq!(given, all);
    assert!(model().fit_weighted(&Device::cpu(), &x, &y, [1.0]).is_err());
    assert!(model().fit_weighted(&Device::cpu(), &x, &y, [0.0; 4]).is_err());
    assert!(model().fit_weighted(&Device::cpu(), &x, &y, [1.0, -1.0, 1.0, 1.0]).is_err());
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grape {
    Merlot,
    Barolo,
}

/// Labels of any type come back as they went in.
fn labelled<L: Ord + Clone + std::fmt::Debug>(y: impl Targets<Of = [L]>, first: &L, second: &L) {
    let x = array![[0.0], [0.1], [5.0], [5.1]];
    let fitted = Fit::<[L]>::fit(&crate::models::Centroid, &Device::cpu(), x.view(), &y.targets()).unwrap();
    let said = fitted.predict(array![[0.2], [4.9]].view()).unwrap();
    assert_eq!(said, [first.clone(), second.clone()]);
}

#[test]
fn labels_of_every_type() {
    labelled(["a", "a", "b", "b"], &"a", &"b");
    labelled(vec![true, true, false, false], &true, &false);
    labelled(&[1u8, 1, 0, 0], &1, &0);
    labelled(&[-7i64, -7, 9, 9][..], &-7, &9);
    labelled(["a", "a", "b", "b"].map(str::to_owned), &"a".to_owned(), &"b".to_owned());
    labelled([Grape::Merlot, Grape::Merlot, Grape::Barolo, Grape::Barolo], &Grape::Merlot, &Grape::Barolo);
    labelled(vec![(1, 'x'), (1, 'x'), (0, 'y'), (0, 'y')], &(1, 'x'), &(0, 'y'));
    // One-dimensional arrays of the usual types too.
    labelled(array!["a", "a", "b", "b"], &"a", &"b");
    labelled(array![3usize, 3, 4, 4].view(), &3, &4);
    labelled(&array![true, true, false, false], &true, &false);
    labelled(array!['u', 'u', 'v', 'v'], &'u', &'v');
    labelled(array!["a".to_owned(), "a".into(), "b".into(), "b".into()], &"a".to_owned(), &"b".to_owned());
}

#[test]
fn rows_are_selected_in_the_order_asked_for() {
    let (x, y) = points();
    assert_eq!(Rows::select(&*y.targets(), &[3, 0, 0]), array![-1.0, 0.5, 0.5]);
    assert_eq!(Rows::select(&*x.targets(), &[1]), array![[-1.0, 1.0]]);
    assert_eq!(Rows::select(&["a", "b"][..], &[1, 0]), ["b", "a"]);
    assert_eq!(
        (Rows::count(&*y.targets()), Rows::count(&["a"][..]), Rows::count(&())),
        (Some(4), Some(1), None)
    );
    Rows::select(&(), &[5]);
}

#[test]
fn what_is_of_that_form_is_not_copied() {
    let (x, _) = points();
    assert!(x.inputs().is_view());
    assert!(!x.mapv(|v| v as f32).inputs().is_view());
    let labels = vec!["a", "b"];
    assert!(matches!(labels.targets(), Cow::Borrowed(_)));
}

/// Whether a type implements a trait, asked without a bound: what the diagnostics of the traits speak of.
macro_rules! implements {
    ($type:ty: $($bound:tt)+) => {{
        struct Asked<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "one of the two is chosen")]
        trait No { fn is(&self) -> bool { false } }
        impl<T: ?Sized> No for &Asked<T> {}
        #[allow(dead_code, reason = "one of the two is chosen")]
        impl<T: ?Sized + $($bound)+> Asked<T> { fn is(&self) -> bool { true } }
        (&Asked::<$type>(std::marker::PhantomData)).is()
    }};
}

#[test]
fn what_is_no_data_is_none() {
    // The notes of the diagnostics: a 1-D array is no input, a vector of f64 no target, integers no input.
    assert!(implements!(Array2<f64>: Inputs));
    assert!(implements!(ArrayView2<'static, f32>: Inputs));
    assert!(!implements!(Array1<f64>: Inputs));
    assert!(!implements!(Array2<i32>: Inputs));
    assert!(!implements!(Vec<Vec<f64>>: Inputs));
    assert!(implements!(Array1<f64>: Targets));
    assert!(implements!(Array2<f32>: Targets));
    assert!(implements!(Vec<&'static str>: Targets));
    assert!(!implements!(Vec<f64>: Targets));
    assert!(!implements!(ndarray::Array3<f64>: Targets));
    assert!(!implements!(Array2<bool>: Targets));
    assert!(implements!([f64; 3]: Weights));
    assert!(!implements!(Array2<f64>: Weights));
    assert!(!implements!(Vec<usize>: Weights));
}
