//! Wasserstein distances of samples: on a line, and averaged over lines.

use ndarray::{Array1, ArrayView2};

use crate::Result;
use crate::check::{numbers, parameter, require, two_samples, weights};
use crate::probability::gaussian::standard;

/// `W₁ = ∫ |F_x - F_y|` between weighted numbers: what it costs to move one heap to the other.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no numbers or other than a weight for each,
/// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for bad weights.
///
/// ```
/// use mercer::probability::information::wasserstein;
/// let moved = wasserstein((&[0.0, 1.0], &[1.0, 1.0]), (&[2.5, 3.5], &[1.0, 1.0]))?;
/// assert_eq!(moved, 2.5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn wasserstein((x, wx): (&[f64], &[f64]), (y, wy): (&[f64], &[f64])) -> Result<f64> {
    const OP: &str = "wasserstein";
    let mut all = Vec::with_capacity(x.len() + y.len());
    for (v, w, sign) in [(x, wx, 1.0), (y, wy, -1.0)] {
        require(OP, !v.is_empty(), || "there are no numbers".to_owned())?;
        numbers(OP, "x", ndarray::ArrayView1::from(v).insert_axis(ndarray::Axis(0)))?;
        weights(OP, ndarray::ArrayView1::from(w), v.len())?;
        let total: f64 = w.iter().sum();
        all.extend(v.iter().zip(w).map(|(&v, w)| (v, sign * w / total)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut gap, mut sum) = (0.0f64, 0.0);
    for pair in all.windows(2) {
        gap += pair[0].1;
        sum += gap.abs() * (pair[1].0 - pair[0].0);
    }
    Ok(sum)
}

/// The mean of `W₁` over `lines` random directions that both samples are projected on: for points. The seed decides.
///
/// # Errors
/// As [`wasserstein`], and [`Error::Parameter`](crate::Error::Parameter) for no lines.
pub fn sliced_wasserstein(x: ArrayView2<f64>, y: ArrayView2<f64>, lines: usize, seed: u64) -> Result<f64> {
    two_samples("sliced_wasserstein", x, y, 1)?;
    parameter("lines", lines as f64, lines > 0, "must be at least 1")?;
    let directions = standard(lines, x.ncols(), seed)?;
    let ones = |n: usize| vec![1.0; n];
    let mut sum = 0.0;
    for direction in directions.rows() {
        let unit: Array1<f64> = &direction / direction.dot(&direction).sqrt();
        let (a, b) = (x.dot(&unit).to_vec(), y.dot(&unit).to_vec());
        sum += wasserstein((&a, &ones(a.len())), (&b, &ones(b.len())))?;
    }
    Ok(sum / lines as f64)
}
