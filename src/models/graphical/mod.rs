//! Networks of discrete variables: what depends on what, and what an observation says of the rest.
//!
//! | to do | use |
//! |---|---|
//! | a table over some variables | [`Factor`] |
//! | a directed network of conditional tables: sampling, d-separation, learning, interventions | [`BayesNet`], [`Node`], [`Dag`] |
//! | learn the tables, with priors, ties and gaps | [`NetLearner`] |
//! | an undirected one, of numbered or named variables: separation, exact answers by enumeration, Gibbs sampling | [`MarkovField`], [`Graph`] |
//! | exact answers on trees, approximate ones on loops | [`BeliefPropagation`] |
//! | exact answers on anything of small width | [`JunctionTree`] |
//! | weights of features from moments | [`LogLinear`] |
//! | spins on a lattice, images that are to be denoised | [`Ising`] |
//!
//! All of it works on the CPU, whatever the device.

mod bayes_net;
mod belief_propagation;
mod dag;
mod factor;
mod field;
mod graph;
mod ising;
mod ising_exact;
mod junction_tree;
mod learn;
mod log_linear;
mod names;

pub use bayes_net::{BayesNet, Node};
pub use belief_propagation::{BeliefPropagation, Beliefs, Messages};
pub use dag::Dag;
pub use factor::Factor;
pub use field::{Exact, MarkovField};
pub use graph::Graph;
pub use ising::{Ising, Spins};
pub use ising_exact::IsingExact;
pub use junction_tree::JunctionTree;
pub use learn::{Estimate, NetLearner};
pub use log_linear::LogLinear;
