//! A fitted classifier as it is saved. Checked in `tests/saved/classify.rs`.

use std::borrow::Cow;
use std::sync::Arc;

use ndarray::Array1;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::Error as _};

use super::binary::{OneFactor, ScaledFactor, scaled};
use super::fitted::{Body, FittedGpClassifier};
use super::laplace::{Laplace, times};
use super::likelihood::Link;
use super::softmax::{ManyFactors, total};
use crate::check::{finite, not_negative, parameter, require};
use crate::learn::{Label, Labels};
use crate::linalg::SavedFactor;
use crate::ops::gram;
use crate::optim::Minimum;
use crate::saved::{Column, Format, Grid};
use crate::{Device, Kernel, Matrix, Result};

const OP: &str = "a saved FittedGpClassifier";
/// What the rounding of Newton's steps may leave of `f - Ka`, relative to the sum's terms.
const ROUNDING: f64 = 1e-6;

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedGpClassifier")]
#[serde(bound(deserialize = "L: Label + Deserialize<'de>"))]
struct Saved<'a, L: Label> {
    format: Format,
    labels: Cow<'a, Labels<L>>,
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

impl<L: Label + Serialize> Serialize for FittedGpClassifier<L> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        Saved::of(self).map_err(S::Error::custom)?.serialize(to)
    }
}

impl<'de, L: Label + Deserialize<'de>> Deserialize<'de> for FittedGpClassifier<L> {
    fn deserialize<F: Deserializer<'de>>(from: F) -> std::result::Result<Self, F::Error> {
        Saved::deserialize(from)?.restored().map_err(de::Error::custom)
    }
}

impl<'a, L: Label> Saved<'a, L> {
    fn of(own: &'a FittedGpClassifier<L>) -> Result<Self> {
        let (x, body) = match &*own.body {
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
        let (labels, searches) = (Cow::Borrowed(&own.labels), Cow::Borrowed(&own.searches[..]));
        Ok(Saved { format: Format, labels, x: Grid::owned(x), body, searches })
    }

    /// Once everything in it is known to be in order.
    fn restored(self) -> Result<FittedGpClassifier<L>> {
        let (labels, searches) = (self.labels.into_owned(), self.searches.into_owned());
        let names = labels.classes();
        let ordered = names.len() > 1 && names.windows(2).all(|two| two[0] < two[1]);
        require(OP, ordered, || format!("{} classes, which are to be at least two, in order", names.len()))?;
        let classes = names.len();
        let x = self.x.into_array();
        finite(OP, "x", x.view())?;
        let x = Matrix::from_host(x);
        let body = match self.body {
            SavedBody::Binary(each, link) => {
                let functions = if classes == 2 { 1 } else { classes };
                require(OP, each.len() == functions, || {
                    format!("{classes} classes, {} latent functions", each.len())
                })?;
                let each = each.into_iter().map(|l| l.restored(&x, 1, SavedOne::restored));
                Body::Binary(each.collect::<Result<_>>()?, link)
            }
            SavedBody::Softmax(all) => {
                let all = all.restored(&x, classes, |c, k| c.restored(k, classes))?;
                Body::Softmax(Box::new(all))
            }
        };
        Ok(FittedGpClassifier { labels, body: Arc::new(body), searches, device: Device::cpu() })
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

#[derive(Serialize, Deserialize)]
#[serde(rename = "OneFactor")]
struct SavedOne<'a> {
    root: Column<'a>,
    factor: SavedFactor<'a>,
    drift: Column<'a>,
}

impl<'a> SavedOne<'a> {
    fn of(own: &'a OneFactor) -> Result<Self> {
        let (root, drift) = (Column::new(&own.scaled.root), Column::new(&own.drift));
        Ok(SavedOne { root, factor: own.scaled.factor.saved(true)?, drift })
    }

    fn restored(self, k: &Matrix) -> Result<OneFactor> {
        let root = self.root.checked(OP, "the roots of the curvature", k.rows())?;
        let drift = self.drift.checked(OP, "the drift of the curvature", k.rows())?;
        Ok(OneFactor { scaled: scaled_factor(k, root, self.factor)?, drift })
    }
}

/// B is made of K again, and the factor must be that of it.
fn scaled_factor(k: &Matrix, root: Array1<f64>, saved: SavedFactor) -> Result<ScaledFactor> {
    root.iter().try_for_each(|v| not_negative("a root of the curvature", *v))?;
    let factor = saved.of_matrix(OP, scaled(k, &root)?)?;
    Ok(ScaledFactor { root, factor })
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "ManyFactors")]
struct SavedMany<'a> {
    pi: Grid<'a>,
    each: Vec<SavedFactor<'a>>,
    e: Vec<Grid<'a>>,
    inner: Vec<Column<'a>>,
    sum: SavedFactor<'a>,
}

impl<'a> SavedMany<'a> {
    fn of(own: &'a ManyFactors) -> Result<Self> {
        Ok(SavedMany {
            pi: Grid::new(&own.pi),
            each: own.each.iter().map(|each| each.factor.saved(true)).collect::<Result<_>>()?,
            e: own.e.iter().map(Matrix::to_array).map(|e| e.map(Grid::owned)).collect::<Result<_>>()?,
            inner: own.inner.iter().map(|v| Column::owned(v.clone().into())).collect(),
            sum: own.sum.saved(true)?,
        })
    }

    fn restored(self, k: &Matrix, classes: usize) -> Result<ManyFactors> {
        let n = k.rows();
        require(OP, [self.each.len(), self.e.len(), self.inner.len()] == [classes; 3], || {
            format!("{classes} classes, {} factors", self.each.len())
        })?;
        let pi = self.pi.checked(OP, "the class probabilities", (n, classes))?;
        let each = self.each.into_iter().zip(pi.columns());
        let each = each.map(|(saved, p)| scaled_factor(k, p.mapv(f64::sqrt), saved));
        let each = each.collect::<Result<Vec<_>>>()?;
        let e = self.e.into_iter().map(|e| e.checked(OP, "a block of (W⁻¹ + K)⁻¹", (n, n)));
        let e: Vec<Matrix> = e.map(|e| e.map(Matrix::from_host)).collect::<Result<_>>()?;
        let inner = self.inner.into_iter().map(|v| Ok(v.checked(OP, "a diagonal of B⁻¹", n)?.to_vec()));
        let inner = inner.collect::<Result<_>>()?;
        let sum = total(&e, n)?;
        Ok(ManyFactors { pi, each, e, inner, sum: self.sum.of_matrix(OP, sum)? })
    }
}
