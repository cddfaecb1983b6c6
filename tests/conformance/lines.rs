//! One line a model. `tests/house/conformance.rs` fails when a public type with a `fit` has none.

use std::ops::ControlFlow;

use mercer::models::kernel_methods::Solver;
use mercer::prelude::*;
use ndarray::Axis;

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

conforms!(kernel_ridge, data::curve(), KernelRidge::new(Kernel::rbf(1.0), 0.1),
    |f, x| Ok(f.predict(x)?.insert_axis(Axis(1))); 1e-6, weights, unordered, saved,
    cancel(KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(Solver::MatrixFree).progress(enough())));
conforms!(kernel_ridge_of_several, data::curves(), KernelRidge::new(Kernel::linear() + Kernel::constant(1.0), 0.1),
    |f, x| f.predict(x); 1e-6, weights, unordered, saved);
