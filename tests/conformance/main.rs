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
mod lines;
