//! A fitted classifier as it is saved. Checked in `tests/saved/classify.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::binary::SavedOne;
use super::fitted::{Body, FittedGpClassifier};
use super::laplace::{Laplace, times};
use super::likelihood::Link;
use super::softmax::SavedMany;
use crate::check::{finite, require, parameter};
use crate::ops::gram;
use crate::optim::Minimum;
use crate::saved::{Format, Grid, Record, saved_as};
use crate::{Kernel, Matrix, Result};

const OP: &str = "a saved FittedGpClassifier";
/// What the rounding of Newton's steps may leave of `f - Ka`, relative to the sum's terms.
const ROUNDING: f64 = 1e-6;

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedGpClassifier")]
struct Saved<'a> {
    format: Format,
    names: Cow<'a, [usize]>,
    /// All latent functions are of the same points.
    x: Grid<'a>,
    body: SavedBody<'a>,
    searches: Cow<'a, [Minimum]>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Body")]
enum SavedBody<'a> {
    Binary(Vec<SavedLaplace<'a, SavedOne<'a>>>, Link),
    Softmax(Box<SavedLaplace<'a, SavedMany<'a>>>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Laplace")]
struct SavedLaplace<'a, C> {
    kernel: Cow<'a, Kernel>,
    f: Grid<'a>,
    a: Grid<'a>,
    curvature: C,
    log_evidence: f64,
    trace: Cow<'a, [f64]>,
}

saved_as!(FittedGpClassifier, Saved);

impl<'a> Record<'a, FittedGpClassifier> for Saved<'a> {
    fn of(own: &'a FittedGpClassifier) -> Result<Self> {
        let (x, body) = match &own.body {
            Body::Binary(each, link) => {
                let forms = each.iter().map(|l| Ok(SavedLaplace::of(l, SavedOne::of(&l.curvature)?)));
                let x = each.first().map(|l| l.x.to_array()).transpose()?.unwrap_or_default();
                (x, SavedBody::Binary(forms.collect::<Result<_>>()?, *link))
            }
            Body::Softmax(all) => {
                let form = SavedLaplace::of(all, SavedMany::of(&all.curvature)?);
                (all.x.to_array()?, SavedBody::Softmax(Box::new(form)))
            }
        };
        let (names, searches) = (Cow::Borrowed(&own.names[..]), Cow::Borrowed(&own.searches[..]));
        Ok(Saved { format: Format, names, x: Grid::owned(x), body, searches })
    }

    fn restored(self) -> Result<FittedGpClassifier> {
        let (names, searches) = (self.names.into_owned(), self.searches.into_owned());
        let ordered = names.len() > 1 && names.windows(2).all(|two| two[0] < two[1]);
        require(OP, ordered, || format!("classes {names:?}, which are to be at least two, in order"))?;
        let x = self.x.into_array();
        finite(OP, "x", x.view())?;
        let (x, classes) = (Matrix::from_host(x), names.len());
        let body = match self.body {
            SavedBody::Binary(each, link) => {
                let functions = if classes == 2 { 1 } else { classes };
                require(OP, each.len() == functions, || {
                    format!("{classes} classes, {} latent functions", each.len())
                })?;
                let each = each.into_iter().map(|l| l.restored(&x, 1, |c, k| c.restored(OP, k)));
                Body::Binary(each.collect::<Result<_>>()?, link)
            }
            SavedBody::Softmax(all) => {
                let all = all.restored(&x, classes, |c, k| c.restored(OP, k, classes))?;
                Body::Softmax(Box::new(all))
            }
        };
        Ok(FittedGpClassifier { names, body, searches })
    }
}

impl<'a, C> SavedLaplace<'a, C> {
    fn of<O>(own: &'a Laplace<O>, curvature: C) -> Self {
        SavedLaplace {
            kernel: Cow::Borrowed(&own.kernel),
            f: Grid::new(&own.f),
            a: Grid::new(&own.a),
            curvature,
            log_evidence: own.log_evidence,
            trace: Cow::Borrowed(&own.trace),
        }
    }

    /// For these points, and so many latent functions.
    fn restored<O>(
        self,
        x: &Matrix,
        functions: usize,
        curvature: impl FnOnce(C, &Matrix) -> Result<O>,
    ) -> Result<Laplace<O>> {
        let (kernel, shape) = (self.kernel.into_owned(), (x.rows(), functions));
        let (f, a) = (self.f.checked(OP, "the mode", shape)?, self.a.checked(OP, "the weights", shape)?);
        let log_evidence = self.log_evidence;
        parameter("log_evidence", log_evidence, log_evidence.is_finite(), "must be finite")?;
        let k = gram(&kernel, x, None)?;
        finite(OP, "the kernel matrix", k.cpu().view())?;
        let size = times(&Matrix::from_host(k.cpu().mapv(f64::abs)), a.mapv(f64::abs).view())?;
        let rest = &f - &times(&k, a.view())?;
        let off = rest.iter().zip(&size).zip(&f).position(|((r, s), f)| r.abs() > ROUNDING * (s + f.abs()));
        require(OP, off.is_none(), || "the mode is not that of its weights".to_owned())?;
        let curvature = curvature(self.curvature, &k)?;
        let (x, trace) = (x.clone(), self.trace.into_owned());
        Ok(Laplace { kernel, x, f, a, curvature, log_evidence, trace })
    }
}
