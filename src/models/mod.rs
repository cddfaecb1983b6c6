//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | linear regression, its penalty, its posterior | [`linear`] |
//! | kernel ridge regression, exactly and for millions of points; features of kernels | [`kernel_methods`] |
//! | regression and classification with error bars, hyper-parameters from the evidence | [`gp`] |
//! | find the minimum of a costly function | [`bayes_opt`] |
//! | clusters without probabilities: k-means, k-medoids, DP-means | [`cluster`] |
//! | graphs: spectral clustering, embeddings, few labels, ranking | [`graph`] |
//! | mixtures of Gaussians, Bernoullis, categories and regressions | [`mixture`] |
//! | principal components, factors, independent components | [`latent`] |
//! | classes by their densities: discriminants, naive Bayes, any density | [`generative`] |
//! | classes and numbers by the nearest rows | [`neighbours`] |
//! | many weak rules as one: boosted stumps | [`boosting`] |
//! | hidden Markov models, linear state spaces | [`sequence`] |
//! | networks of discrete variables, lattices of spins | [`graphical`] |
//! | networks, autoencoders, generators | [`neural`] |
//! | predict ratings of items by users | [`recommend`] |
//! | Boltzmann machines and other energies | [`energy`] |
//! | topics of documents | [`topics`] |

pub mod bayes_opt;
pub mod boosting;
pub mod cluster;
pub mod energy;
pub mod generative;
pub mod gp;
pub mod graph;
pub mod graphical;
pub mod kernel_methods;
pub mod latent;
pub mod linear;
pub mod mixture;
pub mod neighbours;
pub mod neural;
pub mod recommend;
pub mod sequence;
pub mod topics;
