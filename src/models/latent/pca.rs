//! Principal component analysis.

mod fitted;
mod routes;

pub use fitted::FittedPca;

use ndarray::ArrayView2;

use crate::check::{rows, parameter};
use super::moments::Moments;
use crate::linalg::EigenParams;
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

/// The way to the eigenvectors. All three lead to the same ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Route {
    /// By sizes: the Gram matrix where there are fewer rows than columns, Lanczos where both are large and few
    /// components are wanted, otherwise the covariance.
    Auto,
    /// Eigenvectors of the `d x d` covariance. Data is read once, in blocks, and not copied.
    Covariance,
    /// Eigenvectors of the `n x n` matrix of inner products, carried over by `v = X^T u / sqrt(κ)`.
    Gram,
    /// A few leading eigenvectors from products with the centred data alone: neither matrix is formed.
    Lanczos(EigenParams),
}

/// Principal component analysis: the orthonormal `v_1, v_2, ...` that maximise `v^T S v`, S being the covariance.
///
/// `S v_j = λ_j v_j` with `λ_1 >= λ_2 >= ...`; scores are `z_j = v_j^T (x - m)` and have variance `λ_j`. The entry of
/// a component that is largest in size is positive, which fixes its sign.
///
/// ```
/// use mercer::{Device, models::latent::Pca};
/// let x = ndarray::array![[2., 0., 1.], [0., 1., -1.], [-1., -1., 0.], [1., 2., 2.], [-2., -1., -1.], [0., -1., -1.]];
/// let pca = Pca::new(2).fit(&Device::cpu(), x.view())?;
/// assert!((pca.explained_variance[0] - 3.886767149).abs() < 1e-9);
/// assert!((pca.explained_variance_ratio()[0] - 0.7474552211).abs() < 1e-10);
/// let lost = &x - &pca.reconstruct(x.view())?;
/// assert!((lost.mapv(|v| v * v).sum() - 2.663093559).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pca {
    components: Components,
    route: Route,
    whiten: bool,
    ddof: usize,
}

impl Pca {
    /// To find `components`: a number, or see [`Components`].
    pub fn new(components: impl Into<Components>) -> Self {
        Pca { components: components.into(), route: Route::Auto, whiten: false, ddof: 1 }
    }

    /// The way to the eigenvectors.
    #[must_use]
    pub fn route(mut self, route: Route) -> Self {
        self.route = route;
        self
    }

    /// Whether scores are divided by their standard deviations.
    #[must_use]
    pub fn whiten(mut self, whiten: bool) -> Self {
        self.whiten = whiten;
        self
    }

    /// Variances are sums over `n - ddof`: 1 unless said otherwise, 0 for maximum likelihood.
    #[must_use]
    pub fn ddof(mut self, ddof: usize) -> Self {
        self.ddof = ddof;
        self
    }

    /// The components of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not more than `ddof` rows;
    /// [`Error::Parameter`](crate::Error::Parameter) for more components than `min(n, d)` or for Lanczos without a
    /// number of them; [`Error::NotFinite`](crate::Error::NotFinite); [`Error::Singular`](crate::Error::Singular) to
    /// whiten a component without variance; those of the device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedPca> {
        rows("Pca::fit", "x", x, self.ddof + 1)?;
        let (n, d) = x.dim();
        let count = self.check(n.min(d))?;
        let spectrum = match self.resolve(n, d, count) {
            Route::Gram => routes::gram(device, x)?,
            Route::Lanczos(params) => {
                let k = count.unwrap_or(0);
                let requirement = "Lanczos needs a number of components, not a share of the variance";
                parameter("components", k as f64, count.is_some(), requirement)?;
                routes::lanczos(device, x, k, &params)?
            }
            _ => routes::covariance(&Moments::of(device, x)?)?,
        };
        self.finish(device, spectrum)
    }

    /// The components of data that is known by its moments, by the covariance. Scores are computed on the CPU unless
    /// [`FittedPca::on`] says otherwise.
    ///
    /// # Errors
    /// As [`Pca::fit`].
    pub fn fit_moments(&self, moments: &Moments) -> Result<FittedPca> {
        let n = moments.count();
        crate::check::require("Pca::fit", n > self.ddof, || {
            format!("{n} rows, of which {} are spent", self.ddof)
        })?;
        self.check(n.min(moments.columns()))?;
        self.finish(&Device::cpu(), routes::covariance(moments)?)
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
