//! Where EM starts: the clusters of k-means.

use ndarray::{Array1, Array2, ArrayView2};

use super::steps::{Component, Model, Sums, sums};
use crate::inference::em::{EmModel, Statistics};
use crate::models::cluster::KMeans;
use crate::models::latent::axes::orthonormal;
use crate::models::latent::gaussian::Subspace;
use crate::{Device, Matrix, Result};

/// The maximum-likelihood components of the clusters that k-means finds from this seed in `x`, whose blocks these are.
pub(super) fn start(
    model: &Model,
    device: &Device,
    blocks: &[Matrix],
    x: ArrayView2<f64>,
    count: usize,
    seed: u64,
) -> Result<Vec<Component>> {
    let clusters = KMeans::new(count).seed(seed).restarts(1).fit(device, x)?;
    let point = |mean: Array1<f64>| {
        let axes = orthonormal(Array2::zeros((model.latents, x.ncols())).view());
        let variances = Array1::from_elem(model.latents, model.floor);
        let gaussian = Subspace { mean, axes, variances, noise: model.floor };
        Component { weight: 1.0 / count as f64, gaussian, floored: true }
    };
    let points: Vec<Component> = clusters.centres().rows().into_iter().map(|c| point(c.to_owned())).collect();
    let mut labels = clusters.labels().iter();
    let mut whole: Option<Sums> = None;
    for block in blocks {
        let mut shares = Array2::zeros((block.rows(), count));
        shares.rows_mut().into_iter().zip(&mut labels).for_each(|(mut row, label)| row[*label] = 1.0);
        let part = sums(&points, block, shares, 0.0)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.add(&part),
        }
    }
    match whole {
        Some(whole) => model.maximise(&points, &whole),
        None => Ok(points),
    }
}
