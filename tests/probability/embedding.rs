//! Embeddings of normal distributions in closed form.

use mercer::probability::gaussian::MultivariateNormal;
use mercer::stats::{
    KernelMeanEmbedding, gaussian_embedding, gaussian_embedding_product, gaussian_squared_mmd,
};
use mercer::{Device, Kernel};
use ndarray::array;

use crate::near;

/// ME-01: the closed form of the notes, and the embedding of large samples.
#[test]
fn closed_form_of_gaussians() {
    let one = |m: f64, s: f64| MultivariateNormal::new(array![m].view(), array![[s * s]].view()).unwrap();
    let (p, q, gamma) = (one(0.3, 1.2), one(-0.8, 0.5), 1.5);
    let v: f64 = gamma * gamma + 1.44 + 0.25;
    let want = gamma / v.sqrt() * (-(1.1f64 * 1.1) / (2.0 * v)).exp();
    near(gaussian_embedding_product(gamma, &p, &q).unwrap(), want, 1e-14);
    let (cpu, k) = (Device::cpu(), Kernel::rbf(gamma));
    let a = KernelMeanEmbedding::new(&cpu, &k, p.sample(2000, 1).unwrap()).unwrap();
    let b = KernelMeanEmbedding::new(&cpu, &k, q.sample(2000, 2).unwrap()).unwrap();
    near(a.distance(&b).unwrap().powi(2), gaussian_squared_mmd(gamma, &p, &q).unwrap(), 0.02);
    let at = array![[0.0], [2.0]];
    let (seen, exact) = (a.evaluate(&at).unwrap(), gaussian_embedding(gamma, &p, at.view()).unwrap());
    crate::all_near(&seen.to_vec(), &exact.to_vec(), 0.02);
    near(gaussian_squared_mmd(gamma, &p, &p).unwrap(), 0.0, 1e-15);
}
