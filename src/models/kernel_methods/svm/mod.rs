//! Support vector machines. Checked in `tests/svm` against LIBSVM, the quadratic programs of `optim`, and numbers by hand.
//!
//! | problem | machine |
//! |---|---|
//! | classes | [`SvmClassifier`], [`LeastSquaresSvm`], [`RelevanceVectorClassifier`] |
//! | numbers | [`SvmRegressor`], [`RelevanceVectorMachine`] |
//! | what is unusual | [`OneClassSvm`], [`EnclosingBall`] |
//!
//! Every machine is one quadratic program (`problem.rs`), solved by one solver (`smo.rs`, each of its blocks by
//! `local.rs`) on kernel rows in a bounded cache (`rows.rs`).

mod ball;
mod bounds;
mod certificate;
mod classifier;
mod duels;
mod evidence;
mod fitted;
mod fitted_regressor;
mod held_out;
mod lanes;
mod laplace_mode;
mod lazy;
mod least_squares;
mod local;
mod machine;
mod one_class;
mod platt;
mod problem;
mod regressor;
mod relevance;
mod relevance_classifier;
mod relevance_columns;
mod rows;
mod smo;
mod zero_one;

pub use ball::{EnclosingBall, FittedEnclosingBall};
pub use bounds::{VcBound, vc_dimension_bound};
pub use certificate::SvmCertificate;
pub use classifier::{SvmClasses, SvmClassifier};
pub use fitted::FittedSvm;
pub use fitted_regressor::FittedSvmRegressor;
pub use least_squares::{FittedLeastSquaresSvm, LeastSquaresSvm};
pub use machine::Margin;
pub use one_class::{FittedOneClassSvm, OneClassSvm};
pub use platt::Sigmoid;
pub use regressor::{SvmRegressor, Tube};
pub use relevance::{FittedRelevanceVectorMachine, RelevanceVectorMachine};
pub use relevance_classifier::{FittedRelevanceVectorClassifier, RelevanceVectorClassifier};
pub use zero_one::{fewest_errors, hinge_objective, zero_one_objective};
