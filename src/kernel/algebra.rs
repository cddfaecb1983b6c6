//! The construction rules: what turns kernels into kernels.

use std::ops::{Add, Mul};

use ndarray::Array2;

use super::Kernel;
use super::expr::{Expr, Table};
use super::hyper::Hyper;
use super::map::MapFn;

/// Rules that make new kernels from old ones; all keep positive definiteness.
impl Kernel {
    /// c·k, c > 0; the factor is a hyper-parameter. Scaling twice multiplies the factors into one.
    #[must_use]
    pub fn scaled(self, c: f64) -> Self {
        let expr = match self.expr {
            Expr::Scaled(h, k) => Expr::Scaled(Hyper { value: h.value * c, ..h }, k),
            k => Expr::Scaled(Hyper::positive(c), Box::new(k)),
        };
        Kernel { expr }
    }

    /// k^m with an integer m ≥ 1.
    #[must_use]
    pub fn pow(self, m: u32) -> Self {
        Kernel { expr: Expr::Pow(m, Box::new(self.expr)) }
    }

    /// exp(k).
    #[must_use]
    pub fn exp(self) -> Self {
        Kernel { expr: Expr::Exp(Box::new(self.expr)) }
    }

    /// Σᵣ cᵣ kʳ with coefficients cᵣ ≥ 0, lowest power first; they are hyper-parameters.
    #[must_use]
    pub fn polynomial_of(self, coefficients: &[f64]) -> Self {
        let c = coefficients.iter().map(|&c| Hyper::non_negative(c)).collect();
        Kernel { expr: Expr::PolynomialOf(c, Box::new(self.expr)) }
    }

    /// f(x) k(x, x') f(x').
    #[must_use]
    pub fn warp(self, name: &str, f: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Kernel { expr: Expr::Warp(MapFn::new(name, 1, move |x| vec![f(x)]), Box::new(self.expr)) }
    }

    /// k(φ(x), φ(x')) with a map φ into `out_dim` dimensions.
    #[must_use]
    pub fn map(
        self,
        name: &str,
        out_dim: usize,
        f: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        Kernel { expr: Expr::Map(MapFn::new(name, out_dim, f), Box::new(self.expr)) }
    }

    /// k(Bx, Bx').
    #[must_use]
    pub fn project(self, b: Array2<f64>) -> Self {
        Kernel { expr: Expr::Project(Table::new(&b), Box::new(self.expr)) }
    }

    /// k on the sub-vector of the given columns (of what the kernel would see without this).
    #[must_use]
    pub fn on(self, columns: impl Into<Vec<usize>>) -> Self {
        Kernel { expr: Expr::On(columns.into(), Box::new(self.expr)) }
    }
}

impl Add for Kernel {
    type Output = Kernel;

    fn add(self, other: Kernel) -> Kernel {
        let mut terms = match self.expr {
            Expr::Sum(t) => t,
            k => vec![k],
        };
        match other.expr {
            Expr::Sum(t) => terms.extend(t),
            k => terms.push(k),
        }
        Kernel { expr: Expr::Sum(terms) }
    }
}

impl Mul for Kernel {
    type Output = Kernel;

    fn mul(self, other: Kernel) -> Kernel {
        let mut factors = match self.expr {
            Expr::Product(t) => t,
            k => vec![k],
        };
        match other.expr {
            Expr::Product(t) => factors.extend(t),
            k => factors.push(k),
        }
        Kernel { expr: Expr::Product(factors) }
    }
}

/// `k1 op k2` also where either is borrowed.
macro_rules! by_reference {
    ($($op:ident $name:ident),*) => { $(
        impl $op<&Kernel> for &Kernel {
            type Output = Kernel;

            fn $name(self, other: &Kernel) -> Kernel {
                self.clone().$name(other.clone())
            }
        }

        impl $op<&Kernel> for Kernel {
            type Output = Kernel;

            fn $name(self, other: &Kernel) -> Kernel {
                self.$name(other.clone())
            }
        }

        impl $op<Kernel> for &Kernel {
            type Output = Kernel;

            fn $name(self, other: Kernel) -> Kernel {
                self.clone().$name(other)
            }
        }
    )* };
}

/// A number times a kernel scales it, a number plus a kernel adds a constant kernel: from either side.
macro_rules! with_numbers {
    ($($kernel:ty),*) => { $(
        impl Mul<$kernel> for f64 {
            type Output = Kernel;

            fn mul(self, k: $kernel) -> Kernel {
                Kernel::from(k).scaled(self)
            }
        }

        impl Mul<f64> for $kernel {
            type Output = Kernel;

            fn mul(self, c: f64) -> Kernel {
                Kernel::from(self).scaled(c)
            }
        }

        impl Add<$kernel> for f64 {
            type Output = Kernel;

            fn add(self, k: $kernel) -> Kernel {
                Kernel::constant(self) + k
            }
        }

        impl Add<f64> for $kernel {
            type Output = Kernel;

            fn add(self, c: f64) -> Kernel {
                self + Kernel::constant(c)
            }
        }
    )* };
}

by_reference!(Add add, Mul mul);
with_numbers!(Kernel, &Kernel);

impl From<&Kernel> for Kernel {
    fn from(k: &Kernel) -> Kernel {
        k.clone()
    }
}
