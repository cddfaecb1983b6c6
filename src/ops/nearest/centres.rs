//! Nearest centres on the CPU: a search in f32 proposes, the sum of squares in f64 decides.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use pulp::{Arch, Simd, WithSimd};

use super::search::{BATCH, Batch, Panels};

/// Running sums of a distance: as many as the widest vectors hold, on every machine.
const LANES: usize = 8;

/// Rows to be near to, as the CPU compares with them.
pub(crate) struct Centres {
    y: Array2<f64>,
    mean: Vec<f64>,
    /// `1 / max |y - mean|`: in these units no centre is longer than 1, which f32 can hold whatever the data.
    scale: f64,
    panels: Panels,
}

impl Centres {
    pub fn new(y: ArrayView2<f64>) -> Self {
        let y = y.as_standard_layout().into_owned();
        let mean = y.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(y.ncols()));
        let mut centred = &y - &mean;
        let widest = centred.rows().into_iter().map(|c| c.dot(&c)).fold(0.0, f64::max).sqrt();
        // Where squares leave the range of f64 nothing is proposed: without a scale all scores are equal.
        let scale = if (1e-140..1e140).contains(&widest) { 1.0 / widest } else { 0.0 };
        centred *= scale;
        Centres { y, mean: mean.to_vec(), scale, panels: Panels::new(centred.view()) }
    }

    /// The nearest row of y, the lowest of equals, and its squared distance, for each of the rows in `x`. What is in
    /// `scratch` does not matter; it is there to be used again.
    pub fn nearest(
        &self,
        x: &[f64],
        scratch: &mut Vec<f32>,
        index: &mut [usize],
        squared_distance: &mut [f64],
    ) {
        scratch.resize(BATCH * self.mean.len(), 0.0);
        Arch::new().dispatch(Nearest { centres: self, x, scratch, index, squared_distance });
    }
}

struct Nearest<'a> {
    centres: &'a Centres,
    x: &'a [f64],
    scratch: &'a mut [f32],
    index: &'a mut [usize],
    squared_distance: &'a mut [f64],
}

impl WithSimd for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, simd: S) {
        let Centres { y, mean, scale, panels } = self.centres;
        let ((m, d), y) = (y.dim(), y.as_slice().expect("made row after row"));
        let results = self.index.chunks_mut(BATCH).zip(self.squared_distance.chunks_mut(BATCH));
        for (x, (index, squared_distance)) in self.x.chunks(BATCH * d).zip(results) {
            let mut batch = Batch::new(self.scratch);
            batch.pack::<S>(x, mean, *scale);
            batch.search(simd, panels);
            for (i, x) in x.chunks_exact(d).enumerate() {
                let j = batch.first[i] as usize;
                let distance = squares(x, &y[j * d..(j + 1) * d]);
                (index[i], squared_distance[i]) = if batch.is_sure(i, panels, scale * scale * distance) {
                    (j, distance)
                } else {
                    // Infinite distances name nobody: then the first row stands.
                    let mut best = (0, f64::INFINITY);
                    for j in 0..m {
                        let distance = squares(x, &y[j * d..(j + 1) * d]);
                        if distance < best.1 {
                            best = (j, distance);
                        }
                    }
                    best
                };
            }
        }
    }
}

/// `|x - y|^2`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn squares(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (whole_x, whole_y) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let mut rest = 0.0;
    for (x, y) in whole_x.remainder().iter().zip(whole_y.remainder()) {
        rest += (x - y) * (x - y);
    }
    for (x, y) in whole_x.zip(whole_y) {
        for l in 0..LANES {
            lanes[l] += (x[l] - y[l]) * (x[l] - y[l]);
        }
    }
    for half in [4, 2, 1] {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
    }
    rest + lanes[0]
}
