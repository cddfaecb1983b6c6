//! What principal component analysis is to find, and how.

use ndarray::ArrayView2;

use super::fitted::FittedPca;
use super::routes;
use crate::check::{parameter, require, rows};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{Meeting, across};
use crate::linalg::EigenParams;
use crate::matrix::points::suited;
use crate::models::latent::StreamedMoments;
use crate::{Device, Result};

/// Problems up to this size are decomposed whole, whatever is asked of them.
const SMALL: usize = 1000;

/// How many components to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Components {
    /// As many as there can be: `min(n, d)`.
    All,
    /// This many.
    Count(usize),
    /// The fewest that explain at least this share of the variance, between 0 and 1.
    Variance(f64),
}

impl From<usize> for Components {
    fn from(count: usize) -> Self {
        Components::Count(count)
    }
}

impl From<f64> for Components {
    fn from(share: f64) -> Self {
        Components::Variance(share)
    }
}

/// The way to the eigenvectors. All lead to the same ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Route {
    /// By sizes: the Gram matrix where there are fewer rows than columns, Lanczos where both are large and few
    /// components are wanted, otherwise the covariance.
    Auto,
    /// Eigenvectors of the `d x d` covariance. Data is read once, in blocks, and not copied.
    Covariance,
    /// Eigenvectors of the `n x n` matrix of inner products, carried over by `v = X^T u / sqrt(κ)`.
    Gram,
    /// Singular vectors of the centred data itself, `X = UDVᵀ`: components of small variance keep their digits, which squares
    /// lose. In f64 on the CPU, whatever the device.
    Svd,
    /// A few leading eigenvectors from products with the centred data alone: neither matrix is formed.
    Lanczos(EigenParams),
}

/// Principal component analysis: the orthonormal `v_1, v_2, ...` that maximise `v^T S v`, S being the covariance.
///
/// `S v_j = λ_j v_j` with `λ_1 >= λ_2 >= ...`; scores are `z_j = v_j^T (x - m)` and have variance `λ_j`. The entry of
/// a component that is largest in size is positive, which fixes its sign.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[2., 0., 1.], [0., 1., -1.], [-1., -1., 0.], [1., 2., 2.], [-2., -1., -1.], [0., -1., -1.]];
/// let pca = Pca::new(2).fit(&Device::cpu(), &x)?;
/// assert!((pca.explained_variance()[0] - 3.886767149).abs() < 1e-9);
/// assert!((pca.explained_variance_ratio()[0] - 0.7474552211).abs() < 1e-10);
/// let lost = &x - &pca.reconstruct(&x)?;
/// assert!((lost.mapv(|v| v * v).sum() - 2.663093559).abs() < 1e-9);
/// assert_eq!(Pca::new(0.95).fit(&Device::cpu(), &x)?.components().nrows(), 3); // 95 % of the variance
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Shape`](crate::Error::Shape) if there are not more than `ddof` rows;
/// [`Error::Parameter`](crate::Error::Parameter) for more components than `min(n, d)` or for Lanczos without a number of
/// them; [`Error::Singular`](crate::Error::Singular) to whiten a component without variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pca {
    components: Components,
    route: Route,
    whiten: bool,
    ddof: usize,
}

setters!(Pca {
    /// How many components to find, or what share of the variance.
    components: into Components,
    /// The way to the eigenvectors; by sizes unless said otherwise.
    route: Route,
    /// Whether scores are divided by their standard deviations.
    whiten: bool,
    /// Variances are sums over `n - ddof`: 1 unless said otherwise, 0 for maximum likelihood.
    ddof: usize,
});

fits!(Pca: Fit -> FittedPca);
across!(Pca: Fit -> FittedPca);

impl Fit for Pca {
    type Fitted = FittedPca;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedPca> {
        rows("Pca::fit", "x", x, self.ddof.saturating_add(1))?;
        let (n, d) = x.dim();
        let count = self.check(n.min(d))?;
        let device = &suited(device, x, 2.0 * x.len() as f64 * n.min(d) as f64);
        let spectrum = match self.resolve(n, d, count) {
            Route::Gram => routes::gram(device, x)?,
            Route::Svd => routes::svd(x)?,
            Route::Lanczos(params) => {
                let k = count.unwrap_or(0);
                let requirement = "Lanczos needs a number of components, not a share of the variance";
                parameter("components", k as f64, count.is_some(), requirement)?;
                routes::lanczos(device, x, k, &params)?
            }
            _ => routes::covariance(&StreamedMoments::of_view(device, x)?)?,
        };
        self.finish(device, spectrum)
    }
}

impl Pca {
    /// To find `components`: a number of them, or a share of the variance such as 0.95; or see [`Components`].
    pub fn new(components: impl Into<Components>) -> Self {
        Pca { components: components.into(), route: Route::Auto, whiten: false, ddof: 1 }
    }

    /// The components of data that is known by its moments, by the covariance. Scores are computed on the CPU unless
    /// [`FittedPca::on`] says otherwise.
    ///
    /// # Errors
    /// As `fit`.
    pub fn fit_moments(&self, moments: &StreamedMoments) -> Result<FittedPca> {
        let n = moments.count();
        require("Pca::fit", n > self.ddof, || format!("{n} rows, of which {} are spent", self.ddof))?;
        self.check(n.min(moments.columns()))?;
        self.finish(&Device::cpu(), routes::covariance(moments)?)
    }

    /// By the covariance, whose parts add; alone by any route.
    fn run_across(&self, all: &Meeting, device: &Device, x: ArrayView2<f64>) -> Result<FittedPca> {
        if all.alone() {
            return Fit::fit(self, device, x, &());
        }
        let by_parts = matches!(self.route, Route::Auto | Route::Covariance);
        require("Pca::fit", by_parts, || "ranks add covariances: choose Route::Covariance".to_owned())?;
        Ok(self.fit_moments(&StreamedMoments::of_all(all, device, x)?)?.on(device))
    }

    /// The number of components, if it is known beforehand.
    fn check(&self, most: usize) -> Result<Option<usize>> {
        match self.components {
            Components::All => Ok(Some(most)),
            Components::Count(k) => {
                let requirement = "must be between 1 and the smaller of rows and columns";
                parameter("components", k as f64, (1..=most).contains(&k), requirement)?;
                Ok(Some(k))
            }
            Components::Variance(share) => {
                let requirement = "the share of variance must be above 0 and not above 1";
                parameter("components", share, share > 0.0 && share <= 1.0, requirement)?;
                Ok(None)
            }
        }
    }

    fn resolve(&self, n: usize, d: usize, count: Option<usize>) -> Route {
        let least = n.min(d);
        match self.route {
            Route::Auto if least > SMALL && count.is_some_and(|k| 20 * k < least) => {
                Route::Lanczos(EigenParams::default())
            }
            Route::Auto if n < d => Route::Gram,
            Route::Auto => Route::Covariance,
            given => given,
        }
    }

    fn finish(&self, device: &Device, spectrum: routes::Spectrum) -> Result<FittedPca> {
        FittedPca::new(device, spectrum, self.components, self.whiten, self.ddof)
    }
}
