//! Kernels in print, as mathematics: `2.5·rbf(ℓ=0.7) + white(variance=0.01)`.

use std::fmt;

use super::Kernel;
use super::expr::{Expr, Leaf};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.expr, 0)
    }
}

/// Precedence: a sum is 0, a product 1, anything that stands alone 2.
fn write(f: &mut fmt::Formatter<'_>, e: &Expr, around: u8) -> fmt::Result {
    let own = match e {
        Expr::Sum(_) | Expr::PolynomialOf(..) => 0,
        Expr::Product(_) | Expr::Scaled(..) | Expr::Warp(..) => 1,
        _ => 2,
    };
    if own < around {
        f.write_str("(")?;
    }
    match e {
        Expr::Leaf(l) => leaf(f, l)?,
        Expr::Sum(t) => join(f, t, " + ", 0)?,
        Expr::Product(t) => join(f, t, "·", 2)?,
        Expr::Scaled(c, k) => {
            write!(f, "{}·", c.value)?;
            write(f, k, 1)?;
        }
        Expr::Pow(m, k) => {
            write(f, k, 2)?;
            write!(f, "^{m}")?;
        }
        Expr::Exp(k) => {
            f.write_str("exp(")?;
            write(f, k, 0)?;
            f.write_str(")")?;
        }
        Expr::PolynomialOf(c, k) => {
            for (r, c) in c.iter().enumerate() {
                let plus = if r == 0 { "" } else { " + " };
                write!(f, "{plus}{}", c.value)?;
                if r > 0 {
                    f.write_str("·")?;
                    write(f, k, 2)?;
                }
                if r > 1 {
                    write!(f, "^{r}")?;
                }
            }
        }
        Expr::Warp(w, k) => {
            write!(f, "{}(x)·", w.name)?;
            write(f, k, 2)?;
            write!(f, "·{}(x')", w.name)?;
        }
        Expr::Map(m, k) => {
            write(f, k, 2)?;
            write!(f, "∘{}", m.name)?;
        }
        Expr::Project(b, k) => {
            write(f, k, 2)?;
            write!(f, "∘matrix[{}x{}]", b.rows, b.cols)?;
        }
        Expr::Quadratic(a) => write!(f, "quadratic_form[{}x{}]", a.rows, a.cols)?,
        Expr::On(cols, k) => {
            write(f, k, 2)?;
            let cols: Vec<String> = cols.iter().map(ToString::to_string).collect();
            write!(f, "[{}]", cols.join(","))?;
        }
    }
    if own < around {
        f.write_str(")")?;
    }
    Ok(())
}

fn join(f: &mut fmt::Formatter<'_>, parts: &[Expr], sign: &str, around: u8) -> fmt::Result {
    for (i, k) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(sign)?;
        }
        write(f, k, around)?;
    }
    Ok(())
}

fn leaf(f: &mut fmt::Formatter<'_>, l: &Leaf) -> fmt::Result {
    use super::expr::Kind;
    f.write_str(l.kind.name())?;
    let mut parts = Vec::new();
    match &l.kind {
        Kind::Polynomial(m) => parts.push(format!("degree={m}")),
        Kind::Matern(nu) => parts.push(format!("ν={nu}")),
        Kind::Precomputed(t) => parts.push(format!("{}x{}", t.rows, t.cols)),
        _ => {}
    }
    let scales: Vec<String> = l.scales.iter().map(|h| h.value.to_string()).collect();
    if let [first, ..] = scales.as_slice() {
        let name = if l.kind.scales_name() == "lengthscale" { "ℓ" } else { l.kind.scales_name() };
        parts.push(if l.ard { format!("{name}=[{}]", scales.join(", ")) } else { format!("{name}={first}") });
    }
    parts.extend(l.kind.scalar_names().iter().zip(&l.scalars).map(|(n, h)| format!("{n}={}", h.value)));
    if parts.is_empty() { Ok(()) } else { write!(f, "({})", parts.join(", ")) }
}
