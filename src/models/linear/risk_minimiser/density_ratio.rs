//! The ratio of two densities from samples of both.

use ndarray::{Array1, Axis, concatenate};

use super::model::RiskMinimiser;
use crate::check::{positive, two_samples};
use crate::learn::loss::importance_weights;
use crate::learn::{Inputs, Loss};
use crate::optim::Penalty;
use crate::{Device, Result};

/// `p_test(x_i)/p_train(x_i)` at the rows of `train`, scaled to a mean of one, without knowing either density: the odds of a
/// logistic regression that tells the two samples apart, with the penalty `λ‖w‖²`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad samples, [`Error::Parameter`](crate::Error::Parameter) for a penalty that is not positive.
pub fn density_ratio(train: impl Inputs, test: impl Inputs, penalty: f64) -> Result<Array1<f64>> {
    let (train, test) = (train.inputs(), test.inputs());
    two_samples("density_ratio", train.view(), test.view(), 1)?;
    positive("penalty", penalty)?;
    let x = concatenate![Axis(0), train, test];
    let (n, m) = (train.nrows(), test.nrows());
    let y = Array1::from_shape_fn(n + m, |i| if i < n { -1.0 } else { 1.0 });
    let fit = RiskMinimiser::new(Loss::Logistic, Penalty::L2(penalty)).fit(&Device::cpu(), &x, &y)?;
    // The intercept and n/m are the same for all rows, and go with the scale.
    let score = fit.predict(&train)?;
    importance_weights(score.view(), Array1::zeros(n).view())
}
