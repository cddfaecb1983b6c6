//! A factor with more rows: what is known is kept, only the new rows are worked out.
//!
//! Checked in `tests/linalg/spd_kernel.rs` against the factor of everything.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::factor::{Factor, positive};
use super::reference::{Entries, Reference};
use super::scaling::power;
use super::spd_factor::SpdFactor;
use crate::check::{block, finite, require};
use crate::host::memory::zeros;
use crate::linalg::iterative::kernel_operator::Noise;
use crate::ops::{cholesky, gram};
use crate::{Error, Kernel, Matrix, Result};

const OP: &str = "SpdFactor::extended";

impl SpdFactor {
    /// The factor of `K + diag(noise)` over `x` and `new` together, from this one over `x`: `O(n²k)` for k new points.
    ///
    /// With `K[i, j] = k(x_i, x_j)` as in [`SpdFactor::of_kernel`], `[L 0; W M]` where `W = k(new, x) L⁻ᵀ` and
    /// `M Mᵀ = k(new, new) + noise - W Wᵀ`. Where that is not positive definite everything is factored anew, with
    /// whatever jitter is allowed; the jitter there is already is given to the new points too.
    ///
    /// # Errors
    /// As [`SpdFactor::of_kernel`]; [`Error::Shape`] if `x` has not n rows.
    pub fn extended(
        &self,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        new: ArrayView2<f64>,
        noise: impl Into<Noise>,
    ) -> Result<Self> {
        block(OP, "x", x, self.dim())?;
        finite(OP, "new", new)?;
        require(OP, x.ncols() == new.ncols(), || {
            format!("x has {} features, new has {}", x.ncols(), new.ncols())
        })?;
        let noise = noise.into().variances(OP, new.nrows())?;
        let (old, own) = (Matrix::from_host(x.to_owned()), Matrix::from_host(new.to_owned()));
        let cross = gram(kernel, &old, Some(&own))?.into_array()?;
        let mut corner = gram(kernel, &own, None)?.into_array()?;
        corner.diag_mut().zip_mut_with(&noise, |d, v| *d += v + self.jitter());
        finite(OP, "the kernel matrix", corner.view())?;
        finite(OP, "the kernel matrix", cross.view())?;
        let reference = self.grown_reference(new, &noise, &cross, &corner)?;
        if let Some(factor) = self.grown(&cross, &corner)? {
            let factor = Factor { moved: if factor.is_f64() { 0.0 } else { reference.moved()? }, ..factor };
            let grown =
                Self::around(reference.clone(), factor, self.jitter(), self.fallback(), &self.params)?;
            if grown.distrust().is_none() {
                return Ok(grown);
            }
        }
        let anew = Self::of(&self.factor().device(), reference, &self.params)?;
        let (jitter, condition) = (anew.jitter() + self.jitter(), anew.condition());
        Ok(anew.known(jitter, condition))
    }

    /// What is to be solved with, in f64.
    fn grown_reference(
        &self,
        new: ArrayView2<f64>,
        noise: &Array1<f64>,
        cross: &Array2<f64>,
        corner: &Array2<f64>,
    ) -> Result<Reference> {
        let (n, k) = cross.dim();
        match self.reference().entries() {
            Entries::Stored(a) => {
                let mut all = zeros(n + k, n + k);
                if let Some(a) = a.matrix().host() {
                    all.slice_mut(s![..n, ..n]).assign(a);
                }
                all.diag_mut().slice_mut(s![..n]).assign(&self.reference().operator().diagonal()?);
                all.slice_mut(s![..n, n..]).assign(cross);
                all.slice_mut(s![n.., ..n]).assign(&cross.t());
                all.slice_mut(s![n.., n..]).assign(corner);
                Reference::of_matrix(all, 0.0)
            }
            Entries::Kernel(op, points) => {
                let misfit = |e: ndarray::ShapeError| Error::Shape { op: OP, what: e.to_string() };
                let x = concatenate(Axis(0), &[points.host(), new]).map_err(misfit)?;
                let old = op.noise().iter().copied();
                let all: Vec<f64> = old.chain(noise.iter().map(|v| v + self.jitter())).collect();
                Reference::of_kernel(OP, &self.factor().device(), op.kernel(), x.view(), all)
            }
        }
    }

    /// `[L 0; W M]`, or none if what is left of the corner is not positive.
    fn grown(&self, cross: &Array2<f64>, corner: &Array2<f64>) -> Result<Option<Factor>> {
        let (n, k) = cross.dim();
        let known = self.current();
        let unit = |d: f64| power(-(d.log2() / 2.0).round());
        let new_scale = known.s.as_ref().map(|_| corner.diag().mapv(unit));
        let mut across = known.whiten(Matrix::from_host(cross.clone()))?.into_array()?;
        let mut left = corner.clone();
        if let Some(s) = &new_scale {
            across *= s;
            left *= s;
            left *= &s.view().insert_axis(Axis(1));
        }
        let own = left.diag().to_owned();
        left -= &across.t().dot(&across);
        let last = match cholesky(&Matrix::from_host(left)) {
            Ok(l) => l.into_array()?,
            Err(Error::NotPositiveDefinite { .. }) => return Ok(None),
            Err(e) => return Err(e),
        };
        let unit = if known.is_f64() { f64::EPSILON } else { f64::from(f32::EPSILON) };
        if positive(own.view(), last.diag(), n + k, unit).is_some() {
            return Ok(None);
        }
        let mut l = zeros(n + k, n + k).reversed_axes();
        l.slice_mut(s![..n, ..n]).assign(&known.l.to_array()?);
        l.slice_mut(s![n.., ..n]).assign(&across.t());
        l.slice_mut(s![n.., n..]).assign(&last);
        let l = if known.is_f64() {
            Matrix::from_host(l)
        } else {
            Matrix::upload(OP, &known.l.device(), l.view())?
        };
        let s = known.s.as_ref().zip(new_scale).map(|(s, new)| s.iter().copied().chain(new).collect());
        Ok(Some(Factor { l, s, moved: known.moved, inverse: None }))
    }
}
