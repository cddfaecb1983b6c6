//! Classes of hypotheses whose VC dimension is known.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::shattering::Hypotheses;
use crate::Result;
use crate::check::require;

fn labelled(x: ArrayView2<f64>, labels: &[bool]) -> Result<()> {
    require("Hypotheses", labels.len() == x.nrows(), || {
        format!("{} rows, {} labels", x.nrows(), labels.len())
    })
}

fn features(x: ArrayView2<f64>, labels: &[bool], d: usize) -> Result<()> {
    labelled(x, labels)?;
    require("Hypotheses", x.ncols() == d, || format!("the class is about {d} features, x has {}", x.ncols()))
}

/// The smallest and the largest of some numbers.
fn ends(all: impl Iterator<Item = f64>) -> (f64, f64) {
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

/// `1(x ≥ θ)` on a line: VC dimension 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds;

impl Hypotheses for Thresholds {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        features(x, labels, 1)?;
        let of = |yes: bool| {
            ends(x.column(0).into_iter().zip(labels).filter(|(_, l)| **l == yes).map(|(x, _)| *x))
        };
        Ok(of(false).1 < of(true).0)
    }
}

/// `1(a ≤ x ≤ b)` on a line: VC dimension 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals;

/// Boxes with sides along the axes, of any number of features d: VC dimension 2d.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangles;

/// Whether no point without the label lies in the smallest box around those with it.
fn boxed(x: ArrayView2<f64>, labels: &[bool]) -> bool {
    let box_of: Vec<(f64, f64)> = x
        .columns()
        .into_iter()
        .map(|c| ends(c.into_iter().zip(labels).filter(|(_, l)| **l).map(|(x, _)| *x)))
        .collect();
    let inside = |row: ArrayView1<f64>| row.iter().zip(&box_of).all(|(v, (l, h))| v >= l && v <= h);
    !x.rows().into_iter().zip(labels).any(|(row, l)| !l && inside(row))
}

impl Hypotheses for Intervals {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        features(x, labels, 1)?;
        Ok(boxed(x, labels))
    }
}

impl Hypotheses for Rectangles {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        labelled(x, labels)?;
        Ok(boxed(x, labels))
    }
}

/// `1(wᵀx + b > 0)` of d features: VC dimension d + 1.
///
/// Separability is decided by the distance between the convex hulls of the two sides, by Gilbert's method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halfplanes;

impl Hypotheses for Halfplanes {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        labelled(x, labels)?;
        let of = |yes: bool| -> Array2<f64> {
            let rows: Vec<usize> = (0..x.nrows()).filter(|&i| labels[i] == yes).collect();
            x.select(ndarray::Axis(0), &rows)
        };
        let (yes, no) = (of(true), of(false));
        if yes.is_empty() || no.is_empty() {
            return Ok(true);
        }
        // The point of the difference of the hulls that is nearest to the origin; w is that point if there is a gap.
        let mut w: Array1<f64> = &yes.row(0) - &no.row(0);
        let size = x.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        for _ in 0..10_000 {
            let least = |rows: &Array2<f64>, sign: f64| {
                let dots = rows.dot(&w) * sign;
                (0..rows.nrows()).fold(0, |b, i| if dots[i] < dots[b] { i } else { b })
            };
            let s = &yes.row(least(&yes, 1.0)) - &no.row(least(&no, -1.0));
            // The smallest of wᵀ(yes - no): positive if w separates.
            if w.dot(&s) > 0.0 {
                return Ok(true);
            }
            if w.dot(&w) <= (1e-9 * size).powi(2) {
                return Ok(false);
            }
            let step = &s - &w;
            let t = (-w.dot(&step) / step.dot(&step)).clamp(0.0, 1.0);
            w.scaled_add(t, &step);
        }
        Ok(false)
    }
}

/// `1(sin(wx) > 0)` on a line: one parameter, and no finite VC dimension.
///
/// Labels are realised by the w of the textbook proof, which is for points `10^-1, 10^-2, ...` in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sines;

impl Hypotheses for Sines {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        features(x, labels, 1)?;
        let digits = labels.iter().zip(1..).filter(|(l, _)| !**l).map(|(_, i)| 10f64.powi(i));
        let w = std::f64::consts::PI * (1.0 + digits.sum::<f64>());
        Ok(x.column(0).iter().zip(labels).all(|(x, l)| ((w * x).sin() > 0.0) == *l))
    }
}

/// A two-valued function of a row.
pub type Hypothesis<'a> = Box<dyn Fn(ArrayView1<f64>) -> bool + 'a>;

/// Hypotheses that are listed: VC dimension at most `log₂|H|`.
pub struct FiniteClass<'a> {
    hypotheses: Vec<Hypothesis<'a>>,
}

impl<'a> FiniteClass<'a> {
    /// The class of these hypotheses.
    pub fn new(hypotheses: Vec<Hypothesis<'a>>) -> Self {
        FiniteClass { hypotheses }
    }
}

impl std::fmt::Debug for FiniteClass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "FiniteClass of {}", self.hypotheses.len())
    }
}

impl Hypotheses for FiniteClass<'_> {
    fn realises(&self, x: ArrayView2<f64>, labels: &[bool]) -> Result<bool> {
        labelled(x, labels)?;
        let agrees = |h: &dyn Fn(ArrayView1<f64>) -> bool| {
            x.rows().into_iter().zip(labels).all(|(row, l)| h(row) == *l)
        };
        Ok(self.hypotheses.iter().any(|h| agrees(h.as_ref())))
    }
}
