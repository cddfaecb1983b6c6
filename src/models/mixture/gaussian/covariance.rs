//! Covariances of mixture components: what they share, and how small they may become.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};

use super::sufficient::GaussianStatistics;
use crate::check::{parameter, positive, require, room};
use crate::linalg::eigh;
use crate::models::mixture::factors::lower_cholesky;
use crate::saved::{Wire, garbled};
use crate::{Error, Result};

/// What the covariances of the components may be.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CovarianceKind {
    /// Each its own, any.
    #[default]
    Full,
    /// One for all.
    Tied,
    /// Each its own, without correlations.
    Diagonal,
    /// Each its own, the same in every direction.
    Spherical,
    /// These, which are not learned.
    Fixed(Covariance),
}

/// The covariances of K components in d dimensions.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Covariance {
    /// `K x d x d`.
    Full(#[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))] Array3<f64>),
    /// `d x d`, of every component.
    Tied(#[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))] Array2<f64>),
    /// Variances, `K x d`.
    Diagonal(#[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))] Array2<f64>),
    /// Variances, of length K.
    Spherical(#[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))] Array1<f64>),
}

impl Wire for Covariance {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Covariance::Full(a) => (0u8, a.clone()).write(to),
            Covariance::Tied(a) => (1u8, a.clone()).write(to),
            Covariance::Diagonal(a) => (2u8, a.clone()).write(to),
            Covariance::Spherical(a) => (3u8, a.clone()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        match u8::read(from)? {
            0 => Wire::read(from).map(Covariance::Full),
            1 => Wire::read(from).map(Covariance::Tied),
            2 => Wire::read(from).map(Covariance::Diagonal),
            3 => Wire::read(from).map(Covariance::Spherical),
            _ => Err(garbled()),
        }
    }
}

impl Covariance {
    /// The covariance of component k in d dimensions, written out: `d x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no such component, or memory has no room for it; [`Error::Shape`] if the
    /// covariances are for another number of dimensions.
    pub fn matrix(&self, k: usize, d: usize) -> Result<Array2<f64>> {
        let (count, own) = match self {
            Covariance::Full(a) => (a.shape()[0], a.shape()[1]),
            Covariance::Tied(a) => (usize::MAX, a.nrows()),
            Covariance::Diagonal(a) => a.dim(),
            Covariance::Spherical(a) => (a.len(), d),
        };
        parameter("component", k as f64, k < count, "must be below the number of components")?;
        require("Covariance::matrix", own == d, || format!("covariances of {own} dimensions, not {d}"))?;
        room("dimensions", d, d.saturating_mul(size_of::<f64>()))?;
        Ok(self.at(k, d))
    }

    /// The largest variance of any component along any column.
    pub(super) fn largest(&self) -> f64 {
        let most = |m: f64, v: &f64| m.max(*v);
        match self {
            Covariance::Full(all) => all.iter().fold(0.0, most),
            Covariance::Tied(all) | Covariance::Diagonal(all) => all.iter().fold(0.0, most),
            Covariance::Spherical(all) => all.iter().fold(0.0, most),
        }
    }

    /// [`matrix`](Self::matrix) once k and d are known to fit.
    pub(in crate::models::mixture) fn at(&self, k: usize, d: usize) -> Array2<f64> {
        match self {
            Covariance::Full(all) => all.index_axis(Axis(0), k).to_owned(),
            Covariance::Tied(one) => one.clone(),
            Covariance::Diagonal(all) => Array2::from_diag(&all.row(k)),
            Covariance::Spherical(all) => Array2::from_diag_elem(d, all[k]),
        }
    }

    /// Free parameters of K covariances in d dimensions.
    pub(super) fn parameters(kind: &CovarianceKind, k: usize, d: usize) -> usize {
        match kind {
            CovarianceKind::Full => k * d * (d + 1) / 2,
            CovarianceKind::Tied => d * (d + 1) / 2,
            CovarianceKind::Diagonal => k * d,
            CovarianceKind::Spherical => k,
            CovarianceKind::Fixed(_) => 0,
        }
    }

    /// `Ok` if it is for k components in d dimensions, finite, symmetric and positive on its diagonals.
    pub(in crate::models::mixture) fn check(&self, op: &'static str, k: usize, d: usize) -> Result<()> {
        let (shape, wanted) = match self {
            Covariance::Full(a) => (a.shape().to_vec(), vec![k, d, d]),
            Covariance::Tied(a) => (a.shape().to_vec(), vec![d, d]),
            Covariance::Diagonal(a) => (a.shape().to_vec(), vec![k, d]),
            Covariance::Spherical(a) => (a.shape().to_vec(), vec![k]),
        };
        require(op, shape == wanted, || format!("the covariances are {shape:?}, not {wanted:?}"))?;
        let above_zero =
            |own: usize, i: usize, value: f64| positive(&format!("covariance {own}[{i}, {i}]"), value);
        // Where only variances are held no matrix of d x d is made of them.
        match self {
            Covariance::Diagonal(a) => {
                return a.indexed_iter().try_for_each(|((own, i), &v)| above_zero(own, i, v));
            }
            Covariance::Spherical(a) => {
                return a.indexed_iter().try_for_each(|(own, &v)| above_zero(own, 0, v));
            }
            Covariance::Full(_) | Covariance::Tied(_) => {}
        }
        for own in 0..k {
            let c = self.at(own, d);
            if let Some(((row, col), &value)) = c.indexed_iter().find(|(_, v)| !v.is_finite()) {
                return Err(Error::NotFinite { op, what: "a covariance", value, row, col });
            }
            for ((i, j), &value) in c.indexed_iter() {
                let scale = (c[[i, i]] * c[[j, j]]).abs().sqrt();
                let gap = value - c[[j, i]];
                let name = || format!("covariance {own}[{i}, {j}] - [{j}, {i}]");
                if gap.abs() > 1e-8 * scale {
                    parameter(&name(), gap, false, "must be zero")?;
                }
            }
            c.diag().indexed_iter().try_for_each(|(i, &value)| above_zero(own, i, value))?;
        }
        Ok(())
    }

    /// The M-step: the covariances of most likelihood among those with no eigenvalue below `floor`.
    ///
    /// That constraint is met by raising the eigenvalues of the unconstrained solution to the floor, so that EM stays
    /// EM. Components without mass keep what they had. Also returns the components that needed it.
    pub(super) fn maximise(
        kind: &CovarianceKind,
        before: &Covariance,
        stats: &GaussianStatistics,
        floor: f64,
    ) -> Result<(Covariance, Vec<usize>)> {
        let (k, d) = stats.first.dim();
        let mut floored = Vec::new();
        let learned = match kind {
            CovarianceKind::Fixed(given) => given.clone(),
            CovarianceKind::Full => {
                let mut all = Array3::zeros((k, d, d));
                for own in 0..k {
                    let c = if stats.alive(own) {
                        let (c, raised) = raise(&stats.scatter(own) / stats.mass[own], floor)?;
                        floored.extend(raised.then_some(own));
                        c
                    } else {
                        before.at(own, d)
                    };
                    all.index_axis_mut(Axis(0), own).assign(&c);
                }
                Covariance::Full(all)
            }
            CovarianceKind::Tied => {
                let mut sum = Array2::zeros((d, d));
                for own in (0..k).filter(|&own| stats.alive(own)) {
                    sum += &stats.scatter(own);
                }
                let (c, raised) = raise(sum / stats.mass.sum(), floor)?;
                if raised {
                    floored.extend(0..k);
                }
                Covariance::Tied(c)
            }
            CovarianceKind::Diagonal => {
                let mut all = Array2::zeros((k, d));
                for own in 0..k {
                    let was = before.at(own, d);
                    let var = if stats.alive(own) { stats.variances(own) } else { was.diag().to_owned() };
                    floored.extend(var.iter().any(|&v| v < floor).then_some(own));
                    all.row_mut(own).assign(&var.mapv(|v| v.max(floor)));
                }
                Covariance::Diagonal(all)
            }
            CovarianceKind::Spherical => {
                let mean = |own: usize| stats.variances(own).mean().unwrap_or(0.0);
                let was = |own: usize| before.at(own, d)[[0, 0]];
                let all = Array1::from_shape_fn(k, |own| if stats.alive(own) { mean(own) } else { was(own) });
                floored.extend((0..k).filter(|&own| all[own] < floor));
                Covariance::Spherical(all.mapv(|v| v.max(floor)))
            }
        };
        Ok((learned, floored))
    }
}

/// The matrix with its eigenvalues raised to the floor, and whether any was below.
fn raise(c: Array2<f64>, floor: f64) -> Result<(Array2<f64>, bool)> {
    let above =
        |c: &Array2<f64>| lower_cholesky((c - &Array2::from_diag_elem(c.nrows(), floor)).view()).is_ok();
    if above(&c) || floor == 0.0 {
        return Ok((c, false));
    }
    let e = eigh(c.view())?;
    let scaled: Array2<f64> = &e.vectors * &e.values.mapv(|v| v.max(floor));
    Ok((symmetric(scaled.dot(&e.vectors.t()).view()), true))
}

fn symmetric(c: ArrayView2<f64>) -> Array2<f64> {
    (&c + &c.t()) * 0.5
}
