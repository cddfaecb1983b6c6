//! Hyper-parameters by name, as a list, and as a vector for an optimiser.
//!
//! A name is the path to the parameter: `sum.i` and `product.i` for the i-th part, then the names of the wrappers
//! (`exp`, `pow`, `polynomial_of`, `warp`, `map`, `project`, `on`), the leaf and the parameter. A scaling adds only
//! its own parameter, `scale`. Example: in `2.0 * Kernel::rbf([1.0, 2.0]) + Kernel::linear().exp()`, the names are
//! `sum.0.scale`, `sum.0.rbf.lengthscale[0]` and `sum.0.rbf.lengthscale[1]`.

use super::Kernel;
use super::expr::Expr;
use super::hyper::{Hyper, Param};
use crate::{Error, Result};

/// Hyper-parameters.
impl Kernel {
    /// All hyper-parameters, in a fixed order: a node before its parts, parts from left to right.
    pub fn params(&self) -> Vec<Param> {
        self.hypers()
            .into_iter()
            .map(|(name, h)| Param {
                name,
                value: h.value,
                bounds: h.bounds(),
                fixed: h.fixed,
                scale: h.scale(),
            })
            .collect()
    }

    /// The same kernel with other values for all of [`Kernel::params`], fixed ones included.
    ///
    /// # Errors
    /// [`Error::Shape`] for the wrong number of values, [`Error::Parameter`] for one out of its domain.
    pub fn with_values(&self, values: &[f64]) -> Result<Self> {
        self.replace("with_values", values, |_| true, |_, v| v)
    }

    /// The free parameters on the scale of the optimiser: logarithms where the value must be positive.
    pub fn theta(&self) -> Vec<f64> {
        self.hypers().iter().filter(|(_, h)| !h.fixed).map(|(_, h)| h.transformed()).collect()
    }

    /// The inverse of [`Kernel::theta`].
    ///
    /// # Errors
    /// As [`Kernel::with_values`].
    pub fn with_theta(&self, theta: &[f64]) -> Result<Self> {
        self.replace("with_theta", theta, |h| !h.fixed, Hyper::natural)
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// [`Error::UnknownName`] or [`Error::Parameter`].
    pub fn set(&self, name: &str, value: f64) -> Result<Self> {
        self.edit(name, |h| {
            h.admit(name, value)?;
            h.value = value;
            Ok(())
        })
    }

    /// Bounds the search for one parameter, on the natural scale; the current value may lie outside.
    ///
    /// # Errors
    /// [`Error::UnknownName`], or [`Error::Parameter`] for bounds out of the domain or out of order.
    pub fn bounded(&self, name: &str, lower: f64, upper: f64) -> Result<Self> {
        self.edit(name, |h| {
            h.admit(name, lower)?;
            h.admit(name, upper)?;
            if lower > upper {
                let requirement = "the lower bound must not be above the upper bound";
                return Err(Error::Parameter { name: name.to_string(), value: lower, requirement });
            }
            h.bounds = Some((lower, upper));
            Ok(())
        })
    }

    /// Keeps one parameter out of optimisation.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn fixed(&self, name: &str) -> Result<Self> {
        self.edit(name, |h| {
            h.fixed = true;
            Ok(())
        })
    }

    /// Gives one parameter back to optimisation.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn freed(&self, name: &str) -> Result<Self> {
        self.edit(name, |h| {
            h.fixed = false;
            Ok(())
        })
    }

    pub(crate) fn hypers(&self) -> Vec<(String, &Hyper)> {
        let mut out = Vec::new();
        collect(&self.expr, "", &mut out);
        out
    }

    fn replace(
        &self,
        op: &'static str,
        values: &[f64],
        takes: impl Fn(&Hyper) -> bool,
        natural: impl Fn(&Hyper, f64) -> f64,
    ) -> Result<Self> {
        let names: Vec<String> =
            self.hypers().into_iter().filter(|(_, h)| takes(h)).map(|(name, _)| name).collect();
        if names.len() != values.len() {
            let what = format!("{} values given, the kernel takes {}", values.len(), names.len());
            return Err(Error::Shape { op, what });
        }
        let mut next = names.iter().zip(values);
        let mut k = self.clone();
        visit(&mut k.expr, &mut |h| {
            if takes(h)
                && let Some((name, &v)) = next.next()
            {
                let v = natural(h, v);
                h.admit(name, v)?;
                h.value = v;
            }
            Ok(())
        })?;
        Ok(k)
    }

    fn edit(&self, name: &str, change: impl Fn(&mut Hyper) -> Result<()>) -> Result<Self> {
        let names: Vec<String> = self.hypers().into_iter().map(|(n, _)| n).collect();
        let Some(at) = names.iter().position(|n| n == name) else {
            let kind = "kernel parameter";
            return Err(Error::UnknownName { kind, name: name.to_string(), known: names.join(", ") });
        };
        let mut k = self.clone();
        let mut i = 0;
        visit(&mut k.expr, &mut |h| {
            let hit = i == at;
            i += 1;
            if hit { change(h) } else { Ok(()) }
        })?;
        Ok(k)
    }
}

fn collect<'a>(e: &'a Expr, path: &str, out: &mut Vec<(String, &'a Hyper)>) {
    let below = |name: &str| format!("{path}{name}.");
    match e {
        Expr::Leaf(l) => {
            let path = below(l.kind.name());
            for (i, h) in l.scales.iter().enumerate() {
                let name = l.kind.scales_name();
                out.push((if l.ard { format!("{path}{name}[{i}]") } else { format!("{path}{name}") }, h));
            }
            out.extend(l.kind.scalar_names().iter().zip(&l.scalars).map(|(n, h)| (format!("{path}{n}"), h)));
        }
        Expr::Sum(t) => t.iter().enumerate().for_each(|(i, k)| collect(k, &format!("{path}sum.{i}."), out)),
        Expr::Product(t) => {
            t.iter().enumerate().for_each(|(i, k)| collect(k, &format!("{path}product.{i}."), out));
        }
        Expr::Scaled(c, k) => {
            out.push((format!("{path}scale"), c));
            collect(k, path, out);
        }
        Expr::PolynomialOf(c, k) => {
            let path = below("polynomial_of");
            out.extend(c.iter().enumerate().map(|(i, h)| (format!("{path}coefficient[{i}]"), h)));
            collect(k, &path, out);
        }
        Expr::Pow(_, k) => collect(k, &below("pow"), out),
        Expr::Exp(k) => collect(k, &below("exp"), out),
        Expr::Warp(_, k) => collect(k, &below("warp"), out),
        Expr::Map(_, k) => collect(k, &below("map"), out),
        Expr::Project(_, k) => collect(k, &below("project"), out),
        Expr::On(_, k) => collect(k, &below("on"), out),
        Expr::Quadratic(_) => {}
    }
}

/// Calls `f` on every parameter, in the order of [`collect`].
fn visit(e: &mut Expr, f: &mut impl FnMut(&mut Hyper) -> Result<()>) -> Result<()> {
    match e {
        Expr::Leaf(l) => l.scales.iter_mut().chain(&mut l.scalars).try_for_each(f),
        Expr::Sum(t) | Expr::Product(t) => t.iter_mut().try_for_each(|k| visit(k, f)),
        Expr::Scaled(c, k) => {
            f(c)?;
            visit(k, f)
        }
        Expr::PolynomialOf(c, k) => {
            c.iter_mut().try_for_each(&mut *f)?;
            visit(k, f)
        }
        Expr::Pow(_, k)
        | Expr::Exp(k)
        | Expr::Warp(_, k)
        | Expr::Map(_, k)
        | Expr::Project(_, k)
        | Expr::On(_, k) => visit(k, f),
        Expr::Quadratic(_) => Ok(()),
    }
}
