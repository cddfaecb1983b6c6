//! What every estimator promises, whichever it is: one line each.
//!
//! `conforms!(name, data, model, ask; extra...)`: `data` makes inputs and targets, `ask` turns what was fitted into numbers
//! to compare. Every line checks bad input of every kind, a single row, duplicates and constant columns, the same bits
//! twice, `Debug`, `Clone`, `Send` and `Sync`, and the CPU's answer on every adapter: on the data as they are, shifted by
//! a billion spreads, and scaled by 1e-25 and 1e25. Extras hold where a model can: `weights` (a weight of 2 is that row
//! twice), `unordered` (the order of rows does not matter), `saved` (what is loaded is what was saved), `cancel`.

#[path = "../support/mod.rs"]
mod support;

mod checks;
mod data;
mod refusals;

macro_rules! conforms {
    ($name:ident, $data:expr, $model:expr, $ask:expr; $tolerance:expr $(, $extra:ident $(($with:expr))?)*) => {
        #[test]
        fn $name() {
            let ((x, y), model) = ($data, $model);
            let y = mercer::learn::Targets::targets(&y);
            let line = crate::checks::line(stringify!($name), &model, x, &*y, $ask);
            line.bad_input_is_an_error();
            line.degenerate_data_do_no_harm();
            line.the_same_bits_twice();
            line.every_adapter_agrees($tolerance);
            $(conforms!(@ line, $extra $(($with))?);)*
        }
    };
    (@ $line:ident, cancel($stopped:expr)) => {
        crate::checks::Line { model: &$stopped, x: $line.x.clone(), ..$line }.cancel();
    };
    (@ $line:ident, $extra:ident) => { $line.$extra(); };
}

mod classify;
mod energy;
mod graph;
mod kernel_machines;
mod lines;
mod neural;
mod recommend;
mod regression;
