//! Resampling: relabellings of the data, the statistic of each, and the p-value among them.

mod aggregate;
mod configuration;
mod forms;
mod labels;
mod law;
mod null;
mod permutations;
mod quantile;
mod steps;
mod trusted;

pub use aggregate::Combine;
pub(super) use aggregate::{Values, combine};
pub use configuration::Resampling;
pub(super) use configuration::resampling_setters;
pub(super) use forms::{Forms, forms};
pub(super) use labels::Labels;
pub(super) use law::{NOTHING, chi_squares, gamma, normal, outcome, varies};
pub use null::{Null, p_value};
pub(super) use null::{judged, threshold};
pub(super) use permutations::{all_permutations, drawn_signs, permuted, stream};
pub use permutations::{permutation, signs};
pub(super) use quantile::upper_quantile;
pub(super) use steps::Steps;
pub(super) use trusted::{finite, number_on, origin_of, rounding, same_device, trusted};
