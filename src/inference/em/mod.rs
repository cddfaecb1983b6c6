//! Expectation-maximisation: one driver for every latent-variable model of the crate, and for yours.
//!
//! `F(θ, q) = E_q[log p(x, z | θ)] + H(q) <= log p(x | θ)` is raised in turn over q (the E-step) and over θ (the
//! M-step). A model says what its two steps are ([`EmModel`]); [`Em`] runs them: it records the objective, stops when an
//! iteration gains too little, starts again from other seeds and keeps the best, reports, and can be cancelled.
//!
//! The E-step of a part of the data gives [`Statistics`], values that add. Data may therefore come in parts that are
//! larger than memory together ([`Batches`]), be visited part by part with an M-step after each ([`Mode::Stepwise`]), or
//! lie on several machines that send each other their sums.
//!
//! ```
//! use mercer::inference::em::{Em, EmModel, Statistics};
//!
//! /// Counts from two Poisson distributions, mixed half and half; their rates are wanted.
//! struct TwoRates;
//!
//! #[derive(Clone, Default)]
//! struct Sums { count: [f64; 2], total: [f64; 2], log_likelihood: f64 }
//!
//! impl Statistics for Sums {
//!     fn add(&mut self, other: &Self) {
//!         for k in 0..2 {
//!             self.count[k] += other.count[k];
//!             self.total[k] += other.total[k];
//!         }
//!         self.log_likelihood += other.log_likelihood;
//!     }
//!     fn scale(&mut self, by: f64) {
//!         self.count.iter_mut().chain(&mut self.total).for_each(|v| *v *= by);
//!         self.log_likelihood *= by;
//!     }
//!     fn mass(&self) -> f64 { self.count.iter().sum() }
//! }
//!
//! impl EmModel for TwoRates {
//!     const NAME: &'static str = "TwoRates";
//!     type Batch = Vec<f64>;
//!     type Params = [f64; 2];
//!     type Stats = Sums;
//!     fn expect(&self, rates: &[f64; 2], batch: &Vec<f64>) -> mercer::Result<Sums> {
//!         let mut sums = Sums::default();
//!         for &x in batch {
//!             let p = rates.map(|r| 0.5 * (x * r.ln() - r).exp()); // up to x!
//!             let all = p[0] + p[1];
//!             for k in 0..2 {
//!                 sums.count[k] += p[k] / all;
//!                 sums.total[k] += p[k] / all * x;
//!             }
//!             sums.log_likelihood += all.ln();
//!         }
//!         Ok(sums)
//!     }
//!     fn maximise(&self, _: &[f64; 2], s: &Sums) -> mercer::Result<[f64; 2]> {
//!         Ok([s.total[0] / s.count[0], s.total[1] / s.count[1]])
//!     }
//!     fn objective(&self, _: &[f64; 2], s: &Sums) -> f64 { s.log_likelihood }
//! }
//!
//! let parts = [vec![0.0, 1.0, 1.0, 2.0], vec![7.0, 8.0, 10.0]];
//! let run = Em::new().run(&TwoRates, &parts, |_seed| Ok([1.5, 6.0]))?;
//! assert!(run.report.converged() && (run.params[1] - 8.3).abs() < 0.1);
//! # Ok::<(), mercer::Error>(())
//! ```

mod batches;
mod company;
mod driver;
mod files;
mod model;
mod observations;
mod setters;
mod start;
mod uploaded;

pub use batches::{Batches, stacked};
pub use driver::{Em, Mode, Outcome};
pub use files::CsvBatches;
#[cfg(feature = "npy")]
pub use files::NpyBatches;
pub use model::{EmModel, Statistics};
pub(crate) use observations::Observations;
pub(crate) use setters::{em_setter, em_setters};
pub(crate) use uploaded::{Uploaded, first_part};
