//! Shattering and VC dimension by trying every labelling.

use ndarray::{ArrayView2, Axis};

use crate::Result;
use crate::check::{finite, parameter};

/// A class of two-valued hypotheses that can say whether it contains one with these labels.
pub trait Hypotheses {
    /// Whether some hypothesis gives each row of `x` its label.
    ///
    /// # Errors
    /// For points of another number of features than the class is about.
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool>;
}

/// Most points whose labellings are tried.
const MOST: usize = 20;

/// Whether every one of the `2^n` labellings of the points is some hypothesis'.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for more than 20 points, [`Error::Shape`](crate::Error::Shape).
///
/// ```
/// use mercer::stats::theory::{Intervals, shatters};
/// assert!(shatters(&Intervals, ndarray::array![[0.0], [1.0]].view())?);
/// assert!(!shatters(&Intervals, ndarray::array![[0.0], [1.0], [2.0]].view())?); // in, out, in
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn shatters(class: &impl Hypotheses, x: ArrayView2<f64>) -> Result<bool> {
    finite("shatters", "x", x)?;
    let n = x.nrows();
    parameter("points", n as f64, n <= MOST, "2^n labellings are tried: at most 20 points")?;
    for code in 0..1u32 << n {
        let labels: Vec<bool> = (0..n).map(|i| code >> i & 1 == 1).collect();
        if !class.realises(x, &labels)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The size of the largest subset of these points that is shattered: a lower bound of the VC dimension, and the VC dimension
/// itself if the points are rich enough.
///
/// # Errors
/// As [`shatters`].
pub fn vc_dimension(class: &impl Hypotheses, x: ArrayView2<f64>) -> Result<usize> {
    finite("vc_dimension", "x", x)?;
    let n = x.nrows();
    parameter("points", n as f64, n <= MOST, "all subsets are tried: at most 20 points")?;
    let mut best = 0;
    // What is not shattered is in no larger set that is: sizes are tried one after the other.
    loop {
        let found = (0..1u32 << n).filter(|s| s.count_ones() as usize == best + 1).map(|subset| {
            let rows: Vec<usize> = (0..n).filter(|i| subset >> i & 1 == 1).collect();
            shatters(class, x.select(Axis(0), &rows).view())
        });
        let mut any = false;
        for shattered in found {
            if shattered? {
                any = true;
                break;
            }
        }
        if !any {
            return Ok(best);
        }
        best += 1;
    }
}
