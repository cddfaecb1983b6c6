//! What the columns of the inputs are shifted and scaled by.

use ndarray::{Array1, ArrayView2, Zip};
use rayon::prelude::*;

/// The least and the largest value of each column, and its weighted mean.
pub(super) struct Columns {
    pub low: Array1<f64>,
    pub high: Array1<f64>,
    pub mean: Array1<f64>,
}

impl Columns {
    fn of_nothing(d: usize) -> Self {
        let all = |v| Array1::from_elem(d, v);
        Columns { low: all(f64::INFINITY), high: all(f64::NEG_INFINITY), mean: all(0.0) }
    }
}

/// In one pass on every core; the mean about the first value of its column, exact far from the origin.
pub(super) fn columns(x: ArrayView2<f64>, weights: &Array1<f64>) -> Columns {
    let (n, d) = x.dim();
    let rows = n.div_ceil(64).max(1);
    let part = |first: usize| {
        let mut all = Columns::of_nothing(d);
        for i in first..n.min(first + rows) {
            let w = weights[i];
            let Columns { low, high, mean } = &mut all;
            Zip::from(low).and(x.row(i)).for_each(|low, &v| *low = low.min(v));
            Zip::from(high).and(x.row(i)).for_each(|high, &v| *high = high.max(v));
            Zip::from(mean).and(x.row(i)).and(x.row(0)).for_each(|m, &v, &origin| *m += w * (v - origin));
        }
        all
    };
    let starts: Vec<usize> = (0..n).step_by(rows).collect();
    let parts: Vec<Columns> = starts.into_par_iter().map(part).collect();
    let mut all = Columns::of_nothing(d);
    for part in parts {
        all.low.zip_mut_with(&part.low, |a, b| *a = a.min(*b));
        all.high.zip_mut_with(&part.high, |a, b| *a = a.max(*b));
        all.mean += &part.mean;
    }
    if n > 0 {
        all.mean = &x.row(0) + &(all.mean / weights.sum());
    }
    all
}
