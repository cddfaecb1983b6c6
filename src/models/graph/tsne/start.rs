//! Where t-SNE begins.

use ndarray::{Array2, ArrayView2, Axis, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::model::TSneStart;
use crate::Result;
use crate::check::{finite, require};
use crate::linalg::thin_svd;
use crate::models::graph::{LaplacianEigenmaps, Neighbourhood};

/// The deviation of the first coordinate at the start.
const SPREAD: f64 = 1e-4;

/// `n x k` coordinates to start from.
pub(super) fn start(
    op: &'static str,
    x: ArrayView2<f64>,
    k: usize,
    perplexity: f64,
    start: &TSneStart,
    seed: u64,
) -> Result<Array2<f64>> {
    let n = x.nrows();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut noise = |columns: usize| -> Array2<f64> {
        Array2::from_shape_simple_fn((n, columns), || {
            let z: f64 = StandardNormal.sample(&mut rng);
            SPREAD * z
        })
    };
    let found = match start {
        TSneStart::Given(y) => {
            require(op, y.dim() == (n, k), || {
                format!("the start is {:?} where {:?} is wanted", y.dim(), (n, k))
            })?;
            finite(op, "the start", y.view())?;
            return Ok(y.clone());
        }
        TSneStart::Random => return Ok(noise(k)),
        TSneStart::Pca => principal(x, k)?,
        TSneStart::Spectral => {
            let neighbours = ((3.0 * perplexity) as usize).clamp(1, n - 1);
            let maps =
                LaplacianEigenmaps::new(k.min(n - 1)).neighbourhood(Neighbourhood::nearest(neighbours));
            maps.fit(&crate::Device::cpu(), x)?.embedding().clone()
        }
    };
    let mut y = Array2::zeros((n, k));
    let have = found.ncols().min(k);
    // Points that are all the same have no component at all.
    let deviation = found.columns().into_iter().next().map_or(0.0, |first| {
        let mean = first.mean().unwrap_or(0.0);
        (first.mapv(|v| (v - mean) * (v - mean)).sum() / n as f64).sqrt()
    });
    if deviation > 0.0 {
        y.slice_mut(s![.., ..have]).assign(&(&found.slice(s![.., ..have]) * (SPREAD / deviation)));
    }
    // Coordinates that the data do not have would stay zero for ever.
    for mut column in y.columns_mut() {
        if column.iter().all(|v| *v == 0.0) {
            column.assign(&noise(1).column(0));
        }
    }
    Ok(y)
}

/// The scores of the leading principal components; the largest loading of each is positive.
fn principal(x: ArrayView2<f64>, k: usize) -> Result<Array2<f64>> {
    let mean = x.mean_axis(Axis(0)).unwrap_or_default();
    let svd = thin_svd((&x - &mean).view())?;
    let k = k.min(svd.values.len());
    let mut scores = svd.u.slice(s![.., ..k]).to_owned() * svd.values.slice(s![..k]);
    for (mut score, axis) in scores.columns_mut().into_iter().zip(svd.v.columns()) {
        let largest = axis.iter().copied().fold(0f64, |m, v| if v.abs() > m.abs() { v } else { m });
        if largest < 0.0 {
            score *= -1.0;
        }
    }
    Ok(scores)
}
