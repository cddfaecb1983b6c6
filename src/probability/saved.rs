//! What a distribution must satisfy when it comes from a file: what its constructor asks for. Checked in
//! `tests/saved/probability.rs`.

use ndarray::{Array2, ArrayView2};

use super::distributions::{
    Bernoulli, Beta, Binomial, Categorical, Dirichlet, Exponential, Gamma, InverseGamma, InverseWishart,
    Laplace, Multinomial, Normal, NormalInverseGamma, NormalInverseWishart, Poisson, StudentT, VonMises,
    Wishart,
};
use super::gaussian::{LinearGaussian, MultivariateNormal, MultivariateT};
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::saved::{Checked, saved};

/// The check that a type's own constructor makes of what its getters say.
macro_rules! checked {
    ($($own:ident: $of:expr;)+) => {
        $(
            saved!($own);

            impl Checked for $own {
                fn check(&self) -> Result<()> {
                    let again: fn(&$own) -> Result<()> = $of;
                    again(self)
                }
            }
        )+
    };
}

fn finite(name: &str, value: f64) -> Result<()> {
    parameter(name, value, value.is_finite(), "must be finite")
}

/// A factor that is saved beside its matrix must be that of it.
pub(super) fn factored(factor: &Array2<f64>, of: ArrayView2<f64>) -> Result<()> {
    require("a saved distribution", factor.dim() == of.dim(), || "a factor of another size".to_owned())?;
    let again = factor.dot(&factor.t());
    let largest = of.iter().fold(0f64, |m, v| m.max(v.abs()));
    let near = again.iter().zip(&of).all(|(a, b)| (a - b).abs() <= 1e-8 * largest);
    let lower = factor.indexed_iter().all(|((i, j), v)| j <= i || *v == 0.0);
    require("a saved distribution", near && lower, || "a factor that is not that of the matrix".to_owned())
}

checked! {
    Normal: |d| finite("location", d.location()).and_then(|()| positive("scale", d.scale()));
    Laplace: |d| finite("location", d.location()).and_then(|()| positive("scale", d.scale()));
    StudentT: |d| StudentT::new(d.degrees(), d.location(), d.scale()).map(drop);
    Binomial: |d| Binomial::new(d.trials(), d.probability()).map(drop);
    Categorical: |d| Categorical::new(d.probabilities()).map(drop);
    Multinomial: |d| Multinomial::new(d.trials(), d.probabilities()).map(drop);
    Poisson: |d| Poisson::new(d.rate()).map(drop);
    Exponential: |d| Exponential::new(d.rate()).map(drop);
    Gamma: |d| Gamma::new(d.shape(), d.rate()).map(drop);
    InverseGamma: |d| InverseGamma::new(d.shape(), d.scale()).map(drop);
    Beta: |d| Beta::new(d.a(), d.b()).map(drop);
    Dirichlet: |d| Dirichlet::new(d.alpha()).map(drop);
    VonMises: |d| VonMises::new(d.location(), d.concentration()).map(drop);
    NormalInverseGamma: |d| NormalInverseGamma::new(d.mean(), d.strength(), d.shape(), d.scale()).map(drop);
    NormalInverseWishart: |d| {
        NormalInverseWishart::new(d.mean().view(), d.strength(), d.degrees(), d.scale().view()).map(drop)
    };
    MultivariateT: |d| positive("degrees", d.degrees());
    MultivariateNormal: |d| {
        MultivariateNormal::new(d.mean().view(), d.covariance().view())?;
        factored(d.factor(), d.covariance().view())
    };
    Bernoulli: Bernoulli::whole;
    Wishart: Wishart::whole;
    InverseWishart: InverseWishart::whole;
    LinearGaussian: LinearGaussian::whole;
}
