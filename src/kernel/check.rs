//! What must hold before a kernel is used: parameters in their domains, columns that exist.

use super::Kernel;
use super::expr::{Expr, Kind, Leaf, Table};
use super::factor::semidefinite_root;
use super::map::MapFn;
use crate::{Error, Result};

impl Kernel {
    /// Whether every parameter lies in its domain and every part is well formed.
    ///
    /// # Errors
    /// [`Error::Parameter`] or [`Error::Shape`], naming the first part that is not.
    pub fn check(&self) -> Result<()> {
        structure(&self.expr, 0)?;
        for (name, h) in self.hypers() {
            h.admit(&name, h.value)?;
            let (lo, hi) = h.bounds();
            h.admit(&name, lo)?;
            h.admit(&name, hi)?;
            if lo > hi {
                let requirement = "the lower bound must not be above the upper bound";
                return Err(Error::Parameter { name, value: lo, requirement });
            }
        }
        Ok(())
    }

    /// Whether points with `d` features fit this kernel.
    pub(crate) fn fits(&self, op: &'static str, d: usize) -> Result<()> {
        fits(&self.expr, op, d)
    }
}

/// Most levels of a kernel: every one of them is a call on the stack, and a step of a shader.
const DEEPEST: usize = 256;

fn refuse<T>(what: String) -> Result<T> {
    Err(Error::Shape { op: "kernel", what })
}

fn structure(e: &Expr, depth: usize) -> Result<()> {
    if depth > DEEPEST {
        return refuse(format!("the kernel is nested more than {DEEPEST} levels deep"));
    }
    match e {
        Expr::Leaf(l) => leaf(l)?,
        Expr::Sum(t) | Expr::Product(t) if t.is_empty() => {
            return refuse("a sum or product of nothing".into());
        }
        Expr::Pow(0, _) => {
            let requirement = "a power of a kernel must be at least 1";
            return Err(Error::Parameter { name: "pow".into(), value: 0.0, requirement });
        }
        Expr::Pow(m, _) if i32::try_from(*m).is_err() => {
            let requirement = "a power of a kernel must be less than 2^31";
            return Err(Error::Parameter { name: "pow".into(), value: f64::from(*m), requirement });
        }
        Expr::PolynomialOf(c, _) if c.is_empty() => {
            return refuse("polynomial_of needs at least one coefficient".into());
        }
        Expr::Map(f, _) if f.out_dim == 0 => return refuse(format!("the map {:?} has no output", f.name)),
        Expr::Project(b, _) => table("project", b)?,
        Expr::Quadratic(a) => {
            table("quadratic_form", a)?;
            symmetric("quadratic_form", a)?;
            semidefinite_root(a)?;
        }
        Expr::On(cols, _) => {
            if cols.is_empty() {
                return refuse("on: no columns selected".into());
            }
            if let Some(twice) = cols.iter().enumerate().find(|(i, c)| cols[..*i].contains(c)) {
                return refuse(format!("on: column {} is listed twice", twice.1));
            }
        }
        _ => {}
    }
    e.children().iter().try_for_each(|k| structure(k, depth + 1))
}

fn leaf(l: &Leaf) -> Result<()> {
    let name = l.kind.name();
    let scales = match l.kind {
        Kind::Linear => l.ard || l.scales.len() <= 1,
        _ => l.kind.has_scales() != l.scales.is_empty() && (l.ard || l.scales.len() <= 1),
    };
    if !scales || (l.ard && l.scales.is_empty()) {
        return refuse(format!("{name}: {} {} given", l.scales.len(), l.kind.scales_name()));
    }
    if l.scalars.len() != l.kind.scalar_names().len() {
        return refuse(format!("{name}: {} parameters given", l.scalars.len()));
    }
    match &l.kind {
        Kind::Polynomial(0) => Err(Error::Parameter {
            name: "polynomial.degree".into(),
            value: 0.0,
            requirement: "the degree must be at least 1",
        }),
        Kind::Matern(nu) if !(nu.is_finite() && *nu > 0.0) => Err(Error::Parameter {
            name: "matern.nu".into(),
            value: *nu,
            requirement: "it must be positive and finite",
        }),
        Kind::Precomputed(t) => {
            table("precomputed", t)?;
            symmetric("precomputed", t)
        }
        Kind::Custom(c) => {
            // Names become parts of parameter names, which must stay unique and readable.
            let mut seen = Vec::new();
            for n in std::iter::once(&c.name).chain(c.params.iter().map(|(n, _)| n)) {
                if n.is_empty() || n.contains(['.', '[', ']']) || seen.contains(&n) {
                    return refuse(format!("custom kernel {:?}: {n:?} is not a usable name", c.name));
                }
                seen.push(n);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn table(what: &str, t: &Table) -> Result<()> {
    if t.data.is_empty() || t.rows.checked_mul(t.cols) != Some(t.data.len()) {
        return refuse(format!("{what}: a matrix of {} x {}", t.rows, t.cols));
    }
    match t.data.iter().find(|v| !v.is_finite()) {
        Some(&value) => {
            Err(Error::Parameter { name: what.to_string(), value, requirement: "every entry must be finite" })
        }
        None => Ok(()),
    }
}

fn symmetric(what: &str, t: &Table) -> Result<()> {
    if t.rows != t.cols {
        return refuse(format!("{what}: the matrix is {} x {}, not square", t.rows, t.cols));
    }
    let largest = t.data.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for i in 0..t.rows {
        for j in 0..i {
            let gap = t.at(i, j) - t.at(j, i);
            if gap.abs() > 1e-10 * largest {
                let requirement =
                    "the matrix must be symmetric; this is the gap between two mirrored entries";
                return Err(Error::Parameter { name: what.to_string(), value: gap, requirement });
            }
        }
    }
    Ok(())
}

fn fits(e: &Expr, op: &'static str, d: usize) -> Result<()> {
    let wrong = |what: String| Err(Error::Shape { op, what });
    if d == 0 {
        return wrong("the points have no features".into());
    }
    match e {
        Expr::Leaf(l) if l.ard && l.scales.len() != d => wrong(format!(
            "{} has {} values of {}, the points have {d} features",
            l.kind.name(),
            l.scales.len(),
            l.kind.scales_name()
        )),
        Expr::Map(f, k) => fits(k, op, f.out_dim),
        Expr::Project(b, _) | Expr::Quadratic(b) if b.cols != d => {
            wrong(format!("a matrix with {} columns meets points with {d} features", b.cols))
        }
        Expr::Project(b, k) => fits(k, op, b.rows),
        Expr::On(cols, k) => match cols.iter().find(|&&c| c >= d) {
            Some(c) => wrong(format!("column {c} is selected, the points have {d} features")),
            None => fits(k, op, cols.len()),
        },
        other => other.children().iter().try_for_each(|k| fits(k, op, d)),
    }
}

impl MapFn {
    /// The map of one point, with its promise about its length checked.
    pub fn apply(&self, x: &[f64]) -> Result<Vec<f64>> {
        let out = self.call(x);
        if out.len() == self.out_dim {
            Ok(out)
        } else {
            refuse(format!("the map {:?} gave {} values, not {}", self.name, out.len(), self.out_dim))
        }
    }
}

impl Table {
    /// The row that a data value stands for.
    pub fn index(&self, op: &'static str, v: f64, row: usize, col: usize) -> Result<usize> {
        let ok = v >= 0.0 && v.fract() == 0.0 && v < self.rows as f64;
        if ok {
            return Ok(v as usize);
        }
        let what = format!(
            "row {row}, column {col} holds {v}, which is no index into a precomputed matrix of size {}",
            self.rows
        );
        Err(Error::Shape { op, what })
    }
}
