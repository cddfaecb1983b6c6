//! One line a model. `tests/house/conformance.rs` fails when a public type with a `fit` has none.

use std::ops::ControlFlow;

use mercer::prelude::*;
use ndarray::{Array2, Axis};

use crate::checks::{Line, line};
use crate::data;

macro_rules! conforms {
    ($name:ident, $data:expr, $model:expr, $ask:expr; $tolerance:expr $(, $extra:ident $(($with:expr))?)*) => {
        #[test]
        fn $name() {
            let ((x, y), model) = ($data, $model);
            let y = mercer::learn::Targets::targets(&y);
            let line = line(stringify!($name), &model, x, &*y, $ask);
            line.bad_input_is_an_error();
            line.degenerate_data_do_no_harm();
            line.the_same_bits_twice();
            line.every_adapter_agrees($tolerance);
            $(conforms!(@ line, $extra $(($with))?);)*
        }
    };
    (@ $line:ident, cancel($stopped:expr)) => {
        Line { model: &$stopped, x: $line.x.clone(), ..$line }.cancel();
    };
    (@ $line:ident, $extra:ident) => { $line.$extra(); };
}

fn enough() -> Progress {
    Progress::new(|_| ControlFlow::Break(()))
}

fn column(y: ndarray::Array1<f64>) -> Array2<f64> {
    y.insert_axis(Axis(1))
}

// Linear models.
conforms!(ridge, data::curve(), Ridge::new(0.1), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(ridge_of_several, data::curves(), Ridge::new(0.1), |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(least_squares, data::curve(), Ridge::new(0.0), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(ridge_cv, data::curve(), RidgeCv::new(&[0.01, 0.1, 1.0]), |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(bayesian_linear, data::curve(), BayesianLinearRegression::new(1.0, 20.0),
    |f, x| { let p = f.predict_distribution(x)?; Ok(ndarray::stack![Axis(1), p.mean(), p.variance()]) }; 1e-6, unordered, saved);

// Kernel methods.
conforms!(kernel_ridge, data::curve(), KernelRidge::new(Kernel::rbf(1.0), 0.1),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::MatrixFree).progress(enough())));
conforms!(kernel_ridge_of_several, data::curves(), KernelRidge::new(Kernel::linear() + Kernel::constant(1.0), 0.1),
    |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(kernel_ridge_cv, data::curve(), KernelRidgeCv::new([0.5, 1.0, 2.0].map(Kernel::rbf), &[0.01, 0.1]),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(falkon, data::curve(), Falkon::new(Kernel::rbf(1.0), 0.1, 20),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, saved, cancel(Falkon::new(Kernel::rbf(1.0), 0.1, 20).progress(enough())));
conforms!(falkon_cv, data::curve(), FalkonCv::new(Falkon::new(Kernel::rbf(1.0), 0.1, 20), [0.5, 1.0].map(Kernel::rbf), &[0.01, 0.1]),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, saved);
conforms!(nystrom, data::blobs(), Nystrom::new(Kernel::rbf(1.0), 10), |f, x| f.transform(x); 1e-6, saved);
conforms!(random_fourier, data::blobs(), RandomFourier::new(Kernel::rbf(1.0), 10), |f, x| f.transform(x); 1e-6, saved);
