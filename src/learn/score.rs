//! How good predictions are, as one number: `R²`.

use ndarray::{ArrayView2, Axis};

use crate::check::{finite, require};
use crate::Result;

/// `1 - Σ(y - ŷ)² / Σ(y - ȳ)²`, the mean over the columns of y. Of a column without spread it is 1 if it is met
/// exactly and 0 if not.
pub(crate) fn r_squared(
    op: &'static str,
    y: ArrayView2<f64>,
    predicted: ArrayView2<f64>,
) -> Result<f64> {
    finite(op, "y", y)?;
    require(op, y.dim() == predicted.dim(), || {
        format!("the predictions are {:?}, y is {:?}", predicted.dim(), y.dim())
    })?;
    require(op, y.nrows() > 1, || "a score takes at least two observations".to_owned())?;
    let of = |(y, p): (ndarray::ArrayView1<f64>, ndarray::ArrayView1<f64>)| {
        let mean = y.sum() / y.len() as f64;
        let total: f64 = y.iter().map(|v| (v - mean) * (v - mean)).sum();
        let rest: f64 = y.iter().zip(p).map(|(v, p)| (v - p) * (v - p)).sum();
        // The mean of equal numbers may be off by a rounding.
        let spread = y.iter().any(|v| *v != y[0]);
        if spread { 1.0 - rest / total } else { f64::from(u8::from(rest == 0.0)) }
    };
    let columns = y.axis_iter(Axis(1)).zip(predicted.axis_iter(Axis(1)));
    Ok(columns.map(of).sum::<f64>() / y.ncols() as f64)
}

/// The share of labels that are predicted as they are.
pub(crate) fn accuracy<L: PartialEq>(op: &'static str, y: &[L], predicted: &[L]) -> Result<f64> {
    require(op, !y.is_empty() && y.len() == predicted.len(), || {
        format!("{} predictions, {} labels", predicted.len(), y.len())
    })?;
    let met = y.iter().zip(predicted).filter(|(y, p)| y == p).count();
    Ok(met as f64 / y.len() as f64)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::r_squared;

    #[test]
    fn as_by_hand() {
        let y = array![[3.0, 1.0], [-0.5, 1.0], [2.0, 1.0], [7.0, 1.0]];
        let p = array![[2.5, 1.0], [0.0, 1.0], [2.0, 1.0], [8.0, 1.0]];
        let one = r_squared("score", y.slice(ndarray::s![.., ..1]), p.slice(ndarray::s![.., ..1])).unwrap();
        assert!((one - (1.0 - 1.5 / 29.1875)).abs() < 1e-15);
        let both = r_squared("score", y.view(), p.view()).unwrap();
        assert!((both - 0.5 * (one + 1.0)).abs() < 1e-15);
        let off = r_squared("score", y.view(), (&p + 1.0).view()).unwrap();
        assert!(off < 0.5 * one);
        let tenths = ndarray::Array2::from_elem((10, 1), 0.1);
        assert_eq!(r_squared("score", tenths.view(), (&tenths + 1.0).view()), Ok(0.0));
        assert_eq!(r_squared("score", tenths.view(), tenths.view()), Ok(1.0));
        assert!(r_squared("score", y.view(), p.slice(ndarray::s![.., ..1])).is_err());
        assert!(r_squared("score", y.slice(ndarray::s![..1, ..]), p.slice(ndarray::s![..1, ..])).is_err());
        assert!(r_squared("score", array![[f64::NAN], [1.0]].view(), array![[1.0], [1.0]].view()).is_err());
    }
}
