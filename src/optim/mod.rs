//! Smooth minimisation in a box: L-BFGS with restarts, for objectives that may fail to evaluate.
//!
//! | to do | use |
//! |---|---|
//! | minimise a function with its gradient | [`Minimiser::run`] |
//! | step by gradients, all data at once or a batch at a time | [`FirstOrder`] with [`Sgd`], [`AdaGrad`], [`RmsProp`], [`Adam`]; [`Schedule`], [`Batches`], [`EarlyStopping`] |
//! | the same without the noise of batches | [`VarianceReduced`] |
//! | step by a Hessian that is known | [`Newton`] |
//! | minimise what has kinks | [`Proximal`], [`CoordinateDescent`], [`PiecewiseLinear`], [`Subgradient`] |
//! | minimise what has no gradient | [`EvolutionStrategy`] |
//! | minimise by bounds | [`Majorise`], [`check_bound`] |
//! | learn without giving rows away | [`PrivateGradient`] |
//! | penalise coefficients | [`Penalty`], [`soft_threshold`] |
//! | know what happened | [`Minimum`], [`Stop`] |
//! | minimise a convex quadratic with linear constraints | [`QuadraticProgram`] |
//! | look at Lagrangians, dual functions and optimality conditions | [`ConvexProgram`], [`Kkt`], [`max_min`], [`on_equalities`] |
//!
//! L-BFGS (`lbfgs.rs`) by the two-loop recursion; its line search (`line_search.rs`) knows that an evaluation may
//! fail: a covariance matrix that is not positive definite at some hyper-parameters is +∞, a place to turn back from.
//!
//! Bounds are a change of variable (`bounds.rs`): `x = m + h sin u` for a finite interval, `x = a - 1 + √(1 + u²)` for
//! a half-line; in an interval that is much wider than the start is large, `x = c + s sinh(m + h sin u)`. The search for u has no bounds, its objective is as smooth as the one given, and every x evaluated
//! lies in the box, which a domain may demand. A minimum at a bound is an ordinary minimum in u. The price is that the
//! derivative by u vanishes at a bound whichever way f slopes there; so convergence is judged by the gradient in x, and
//! a search that starts or ends at a bound which f falls away from is set off from a little further inside.

mod bounds;
mod coordinate;
mod duality;
mod evolution;
mod first_order;
mod interior_point;
mod lbfgs;
mod line_search;
mod majorise;
mod minimiser;
mod newton;
mod objective;
mod penalty;
mod piecewise;
mod private;
mod proximal;
mod quadratic;
mod schedule;
mod slater;
mod variance_reduced;

pub(crate) use coordinate::Columns;
pub use coordinate::{CoordinateDescent, CoordinateMinimum};
pub use duality::{ConvexProgram, Kkt, max_min, on_equalities};
pub use evolution::{EvolutionStrategy, evolution_gradient};
pub use first_order::*;
pub use majorise::{BoundCheck, Majorise, Majoriser, check_bound};
pub use minimiser::{Minimiser, Minimum, Stop};
pub use newton::{Newton, SecondOrder};
pub use penalty::{Penalty, soft_threshold};
pub use piecewise::{PiecewiseLinear, PiecewiseMinimum};
pub use private::PrivateGradient;
pub use proximal::{Proximal, Subgradient};
pub use quadratic::{QuadraticProgram, QuadraticSolution};
pub use schedule::{RobbinsMonro, Schedule};
pub use slater::FritzJohn;
pub use variance_reduced::{Reduction, VarianceReduced};
