//! How much a network can say, by counting. Checked in `tests/neural/symmetries.rs`.

use super::network::Network;
use crate::Result;
use crate::check::{parameter, require, room};

/// The order of magnitude of the number of linear regions of a network of rectifiers, `width^(depth · inputs)`, as its logarithm.
/// It is no bound: one hidden layer on one input has up to `width + 1` pieces.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a width, depth or number of inputs of 0.
pub fn log_regions(width: usize, depth: usize, inputs: usize) -> Result<f64> {
    for (name, count) in [("width", width), ("depth", depth), ("inputs", inputs)] {
        parameter(name, count as f64, count > 0, "must be at least 1")?;
    }
    Ok(depth as f64 * inputs as f64 * (width as f64).ln())
}

/// The order of magnitude of its parameters, `width² · depth`.
///
/// # Errors
/// As [`log_regions`].
pub fn approximate_parameters(width: usize, depth: usize) -> Result<f64> {
    log_regions(width, depth, 1)?;
    Ok((width as f64).powi(2) * depth as f64)
}

/// How many slopes a piecewise linear network of one input and one output has along `from..to`, seen on a grid: changes of
/// slope between neighbouring cells of so many, plus one.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for a network of more than one input or output,
/// [`Error::Parameter`](crate::Error::Parameter) for fewer than two cells, more than memory has room for, or
/// an interval that is none.
pub fn count_pieces(
    network: &Network,
    parameters: &[f64],
    from: f64,
    to: f64,
    cells: usize,
) -> Result<usize> {
    let sizes = (network.inputs(), network.outputs());
    require("count_pieces", sizes == (1, 1), || format!("the network is {} to {}", sizes.0, sizes.1))?;
    parameter("cells", cells as f64, cells > 1, "must be at least 2")?;
    room("cells", cells.saturating_add(1), 64)?;
    parameter("from", from, from.is_finite() && from < to, "must be finite, and less than `to`")?;
    parameter("to", to, to.is_finite(), "must be finite")?;
    let step = (to - from) / cells as f64;
    let x = ndarray::Array2::from_shape_fn((cells + 1, 1), |(i, _)| from + step * i as f64);
    let y = network.forward(parameters, &x)?;
    let slopes: Vec<f64> = (0..cells).map(|i| (y[[i + 1, 0]] - y[[i, 0]]) / step).collect();
    let size = slopes.iter().fold(1e-300f64, |m, s| m.max(s.abs()));
    // A kink within a cell makes a slope between its neighbours: two changes in a row are one.
    let (mut pieces, mut i) = (1, 1);
    while i < cells {
        if (slopes[i] - slopes[i - 1]).abs() > 1e-9 * size {
            pieces += 1;
            i += 1;
        }
        i += 1;
    }
    Ok(pieces)
}

/// The number of weight vectors that give the same function, `M! 2^M` for M hidden units of an odd activation, `M!` for any
/// other, as its logarithm: hidden units may trade places, and an odd one may change the sign of all its weights.
pub fn log_symmetries(hidden: usize, odd: bool) -> f64 {
    let orders = statrs::function::gamma::ln_gamma(hidden as f64 + 1.0);
    orders + if odd { hidden as f64 * 2f64.ln() } else { 0.0 }
}
