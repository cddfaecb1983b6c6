//! Values are the same bits on the other side, and what is cut short is refused.

use mercer::Error;
use mercer::saved::Wire;
use ndarray::{Array1, Array2, Array3};

fn returns<T: Wire + PartialEq + std::fmt::Debug>(value: T) {
    let bytes = value.bytes();
    let mut rest = &bytes[..];
    assert_eq!(T::read(&mut rest).unwrap(), value);
    assert!(rest.is_empty());
    for cut in 0..bytes.len() {
        assert!(T::read(&mut &bytes[..cut]).is_err(), "{cut} of {} bytes", bytes.len());
    }
}

#[test]
fn values_return() {
    returns(-0.1f64);
    returns(usize::MAX);
    returns(vec![1u8, 2, 3]);
    returns((true, "Müller-Thurgau".to_owned(), Some(-3i32)));
    returns("a text of the program");
    returns(Array1::linspace(0.0, 1.0, 7));
    returns(Array2::from_shape_fn((3, 2), |(i, j)| (i * 2 + j) as f64 / 3.0));
    returns(Array3::from_shape_fn((2, 1, 3), |(i, _, j)| (i + j) as f64));
    let turned = Array2::from_shape_fn((3, 2), |(i, j)| (i * 2 + j) as f64).reversed_axes();
    let bytes = turned.bytes();
    assert_eq!(Array2::<f64>::read(&mut &bytes[..]).unwrap().strides(), turned.strides());
    returns(turned);
    let nan = f64::NAN.bytes();
    assert_eq!(f64::read(&mut &nan[..]).unwrap().to_bits(), f64::NAN.to_bits());
}

#[test]
fn every_error_returns() {
    let (op, what, text) = ("an op", "x", "words".to_owned());
    for error in [
        Error::Shape { op, what: text.clone() },
        Error::Overflow { op, what, value: f64::INFINITY, row: 1, col: 2 },
        Error::NotFinite { op, what, value: f64::NEG_INFINITY, row: 3, col: 4 },
        Error::Parameter { name: text.clone(), value: 0.5, requirement: "no" },
        Error::UnknownName { kind: "kernel", name: text.clone(), known: text.clone() },
        Error::DeviceMismatch { op, left: text.clone(), right: text.clone() },
        Error::NotPositiveDefinite { op, pivot: 3, value: -1.0 },
        Error::Separable { op },
        Error::Singular { op, index: 2, value: 0.0 },
        Error::NoConvergence { op, iterations: 5, residual: 0.1, tolerance: 0.01 },
        Error::Cancelled { op, iterations: 7 },
        Error::Unsupported { op, what: text.clone(), device: text.clone(), instead: "else" },
        Error::TooLarge { what: text.clone(), need: 5, limit: 4 },
        Error::OverBudget { op, need: 6, budget: 5, instead: "less" },
        Error::MissingFeature { adapter: text.clone(), feature: text.clone() },
        Error::Gpu { op, message: text.clone() },
        Error::OutOfMemory { op, message: text.clone() },
        Error::Timeout { seconds: 9 },
        Error::Exchange { what: text.clone() },
        Error::File { path: text.clone(), what: text.clone() },
        Error::NoGpu(text.clone()),
        Error::DeviceLost(text.clone()),
        Error::OnRank { rank: 3, error: Box::new(Error::Separable { op }) },
    ] {
        returns(error);
    }
}
