//! Information measures. Checked in `tests/probability/information.rs`, `divergences.rs` and `coding.rs`.
//!
//! | to do | use |
//! |---|---|
//! | entropy, cross-entropy, KL, mutual information of tables | [`entropy`], [`cross_entropy`], [`divergence`], [`mutual_information`], [`conditional_mutual_information`] |
//! | the same for other losses | [`PointLoss`], [`distributional_entropy`] |
//! | f-, alpha, Rényi, Jensen-Shannon divergences | [`FDivergence`], [`alpha_divergence`], [`renyi_divergence`], [`jensen_shannon`] |
//! | the variational form, with a discriminator | [`Discriminator`] |
//! | convex conjugates, Jensen's gap | [`fenchel_conjugate`], [`jensen_gap`] |
//! | capacity of a channel = minimax redundancy | [`channel_capacity`] |
//! | code lengths, description lengths | [`code_lengths`], [`description_length`] |
//! | Wasserstein distances | [`wasserstein`], [`sliced_wasserstein`] |
//! | from samples | [`histogram_entropy`], [`neighbour_entropy`], [`neighbour_divergence`], [`histogram_mutual_information`] |
//!
//! All in nats; [`bits`] converts.

mod capacity;
mod coding;
mod convex;
mod divergences;
mod entropy;
mod generalised;
mod samples;
mod transport;
mod variational;

pub use capacity::{Capacity, channel_capacity};
pub use coding::{code_lengths, description_length, kraft_sum};
pub use convex::{fenchel_conjugate, jensen_gap};
pub use divergences::{
    FDivergence, alpha_divergence, bhattacharyya, chernoff, f_divergence, jensen_shannon, renyi_divergence,
};
pub use entropy::{
    bits, conditional_entropy, conditional_mutual_information, cross_entropy, divergence, entropy, log_ratio,
    mutual_information, normal_divergence,
};
pub use generalised::{PointLoss, distributional_entropy};
pub use samples::{histogram_entropy, histogram_mutual_information, neighbour_divergence, neighbour_entropy};
pub use transport::{sliced_wasserstein, wasserstein};
pub use variational::Discriminator;

use crate::Result;
use crate::check::{parameter, require};

/// Two lists of masses, not negative and finite, of the same length; they need not sum to one.
fn masses(op: &'static str, p: &[f64], q: &[f64]) -> Result<()> {
    require(op, p.len() == q.len() && !p.is_empty(), || format!("{} outcomes and {}", p.len(), q.len()))?;
    for (name, all) in [("p", p), ("q", q)] {
        for (k, &v) in all.iter().enumerate() {
            parameter(
                &format!("{name}[{k}]"),
                v,
                v >= 0.0 && v.is_finite(),
                "must be finite and not negative",
            )?;
        }
    }
    Ok(())
}

/// Two distributions over the same outcomes.
fn pair(op: &'static str, p: &[f64], q: &[f64]) -> Result<()> {
    masses(op, p, q)?;
    for (name, all) in [("sum of p", p), ("sum of q", q)] {
        let sum: f64 = all.iter().sum();
        parameter(name, sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
    }
    Ok(())
}
