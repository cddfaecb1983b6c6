//! What makes a source not Gaussian: contrasts of `FastICA`, densities of `InfoMax`.

use ndarray::{Array1, Axis};

use crate::ops::{Along, Map, Reduction, Zip, map, reduce, zip};
use crate::{Matrix, Result};

/// The function whose expectation `FastICA` drives away from that of a Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contrast {
    /// `log cosh y`: for all occasions.
    LogCosh,
    /// `-e^(-y²/2)`: for heavy tails and outliers.
    Exp,
    /// `y⁴/4`, the kurtosis: for light tails; an outlier ruins it.
    Cube,
}

impl Contrast {
    /// The derivative g at each entry, and the mean of `g'` over each column.
    pub(super) fn slopes(self, y: &Matrix) -> Result<(Matrix, Array1<f64>)> {
        let n = y.rows() as f64;
        match self {
            Contrast::LogCosh => {
                let g = map(y, Map::Tanh)?;
                let curve = columns(&g, Reduction::SumSquares)?.mapv(|s| 1.0 - s / n);
                Ok((g, curve))
            }
            Contrast::Exp => {
                let exponent = map(&map(y, Map::Square)?, Map::Affine { scale: -0.5, shift: 0.0 })?;
                let bell = map(&exponent, Map::Exp)?;
                let g = zip(y, &bell, Zip::Mul)?;
                let curve =
                    columns(&bell, Reduction::Mean)? - columns(&zip(y, &g, Zip::Mul)?, Reduction::Mean)?;
                Ok((g, curve))
            }
            Contrast::Cube => {
                let g = zip(y, &map(y, Map::Square)?, Zip::Mul)?;
                let curve = columns(y, Reduction::SumSquares)? * (3.0 / n);
                Ok((g, curve))
            }
        }
    }
}

/// What `InfoMax` takes the sources to be distributed like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Density {
    /// `1 / (π cosh y)`: heavier tails than a Gaussian, as speech has.
    SuperGaussian,
    /// `(N(y; 1, 1) + N(y; -1, 1)) / 2`: lighter tails, or two modes.
    SubGaussian,
    /// One of the two for each source, by the sign of `E[1 - tanh² y] E[y²] - E[y tanh y]`.
    Extended,
}

/// Which density each source has: `true` for the sub-Gaussian one.
pub(super) type Kinds = Vec<bool>;

/// White data seen through an unmixing, as `InfoMax` needs it.
pub(super) struct Seen {
    /// `-d/dy log p` at each entry.
    pub score: Matrix,
    /// Its mean derivative in each column.
    pub curve: Array1<f64>,
    /// `E[y²]`.
    pub power: Array1<f64>,
    /// `Σ_columns E[log p(y)]`.
    pub log_density: f64,
    /// What the sources look like now.
    pub kinds: Kinds,
}

pub(super) fn seen(y: &Matrix, kinds: &[bool]) -> Result<Seen> {
    let n = y.rows() as f64;
    let device = y.device();
    let tanh = map(y, Map::Tanh)?;
    let flat = columns(&tanh, Reduction::SumSquares)? / n;
    let power = columns(y, Reduction::SumSquares)? / n;
    let across = columns(&zip(y, &tanh, Zip::Mul)?, Reduction::Mean)?;
    let log_cosh = columns(&log_cosh(y)?, Reduction::Mean)?;
    let row = |f: &dyn Fn(bool) -> f64| -> Result<Matrix> {
        let values: Array1<f64> = kinds.iter().map(|k| f(*k)).collect();
        Matrix::from_array(&device, values.insert_axis(Axis(0)).view())
    };
    // tanh y, or y - tanh y.
    let signed = zip(&tanh, &row(&|sub| if sub { -1.0 } else { 1.0 })?, Zip::Mul)?;
    let score = zip(&zip(y, &row(&|sub| f64::from(u8::from(sub)))?, Zip::Mul)?, &signed, Zip::Add)?;
    let mut log_density = 0.0;
    let mut curve = Array1::zeros(kinds.len());
    for (j, &sub) in kinds.iter().enumerate() {
        curve[j] = if sub { flat[j] } else { 1.0 - flat[j] };
        log_density += if sub {
            log_cosh[j] - 0.5 * power[j] - 0.5 - 0.5 * std::f64::consts::TAU.ln()
        } else {
            -log_cosh[j] - std::f64::consts::PI.ln()
        };
    }
    let kinds = (0..kinds.len()).map(|j| (1.0 - flat[j]) * power[j] < across[j]).collect();
    Ok(Seen { score, curve, power, log_density, kinds })
}

/// `log cosh y = |y| + log(1 + e^(-2|y|)) - log 2`: no overflow.
fn log_cosh(y: &Matrix) -> Result<Matrix> {
    let size = map(y, Map::Abs)?;
    let tail = map(&map(&size, Map::Affine { scale: -2.0, shift: 0.0 })?, Map::Exp)?;
    let tail = map(&map(&tail, Map::Affine { scale: 1.0, shift: 1.0 })?, Map::Log)?;
    let whole = zip(&size, &tail, Zip::Add)?;
    map(&whole, Map::Affine { scale: 1.0, shift: -std::f64::consts::LN_2 })
}

fn columns(a: &Matrix, how: Reduction) -> Result<Array1<f64>> {
    Ok(reduce(a, Along::EachColumn, how)?.to_array()?.row(0).to_owned())
}
