//! The expression tree behind a [`Kernel`](crate::Kernel).

use std::sync::Arc;

use super::custom::Custom;
use super::hyper::{Hyper, Lengthscale};
use super::map::MapFn;

/// A kernel as an expression; `Kernel` is a checked wrapper around it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub(crate) enum Expr {
    Leaf(Leaf),
    /// k₁ + k₂ + ...; sums inside sums are flattened.
    Sum(Vec<Expr>),
    /// k₁ · k₂ · ...; products inside products are flattened.
    Product(Vec<Expr>),
    /// c·k; never directly inside another one, because two factors could not be told apart.
    Scaled(Hyper, Box<Expr>),
    /// k^m.
    Pow(u32, Box<Expr>),
    /// exp(k).
    Exp(Box<Expr>),
    /// Σᵣ cᵣ kʳ.
    PolynomialOf(Vec<Hyper>, Box<Expr>),
    /// f(x) k(x, x') f(x').
    Warp(MapFn, Box<Expr>),
    /// k(φ(x), φ(x')).
    Map(MapFn, Box<Expr>),
    /// k(Bx, Bx').
    Project(Arc<Table>, Box<Expr>),
    /// xᵀAx'.
    Quadratic(Arc<Table>),
    /// k on some of the columns.
    On(Vec<usize>, Box<Expr>),
}

/// A kernel that is not made of others.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Leaf {
    pub kind: Kind,
    /// Length scales or weights: none, one for all features, or (`ard`) one for each.
    pub scales: Vec<Hyper>,
    pub ard: bool,
    /// The other parameters, in the order of [`Kind::scalar_names`].
    pub scalars: Vec<Hyper>,
}

/// Which function a leaf is.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Kind {
    Linear,
    Polynomial(u32),
    ExponentialDot,
    Rbf,
    Laplacian,
    Matern12,
    Matern32,
    Matern52,
    Matern(f64),
    RationalQuadratic,
    RationalQuadraticBeta,
    Periodic,
    Cosine,
    Arcsine,
    Constant,
    White,
    Sigmoid,
    Precomputed(Arc<Table>),
    Custom(Arc<Custom>),
}

/// A dense row-major matrix of constants inside an expression.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Table {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f64>,
}

impl Table {
    pub fn new(a: &ndarray::Array2<f64>) -> Arc<Self> {
        Arc::new(Table { rows: a.nrows(), cols: a.ncols(), data: a.iter().copied().collect() })
    }

    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.cols + j]
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Bx.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| self.row(i).iter().zip(x).map(|(b, x)| b * x).sum()).collect()
    }
}

impl Kind {
    /// The name under which the leaf appears in parameter names and in print.
    pub fn name(&self) -> &str {
        match self {
            Kind::Linear => "linear",
            Kind::Polynomial(_) => "polynomial",
            Kind::ExponentialDot => "exponential_dot",
            Kind::Rbf => "rbf",
            Kind::Laplacian => "laplacian",
            Kind::Matern12 => "matern12",
            Kind::Matern32 => "matern32",
            Kind::Matern52 => "matern52",
            Kind::Matern(_) => "matern",
            Kind::RationalQuadratic => "rational_quadratic",
            Kind::RationalQuadraticBeta => "rational_quadratic_beta",
            Kind::Periodic => "periodic",
            Kind::Cosine => "cosine",
            Kind::Arcsine => "arcsine",
            Kind::Constant => "constant",
            Kind::White => "white",
            Kind::Sigmoid => "sigmoid",
            Kind::Precomputed(_) => "precomputed",
            Kind::Custom(c) => &c.name,
        }
    }

    /// What the entries of `scales` are called.
    pub fn scales_name(&self) -> &'static str {
        match self {
            Kind::Linear => "weight",
            Kind::Arcsine => "weight_variance",
            _ => "lengthscale",
        }
    }

    /// What the entries of `scalars` are called.
    pub fn scalar_names(&self) -> Vec<String> {
        let names: &[&str] = match self {
            Kind::Polynomial(_) => &["offset"],
            Kind::RationalQuadratic => &["alpha"],
            Kind::RationalQuadraticBeta => &["alpha", "beta"],
            Kind::Periodic => &["period"],
            Kind::Arcsine => &["bias_variance"],
            Kind::Constant => &["value"],
            Kind::White => &["variance"],
            Kind::Sigmoid => &["scale", "offset"],
            Kind::Custom(c) => return c.params.iter().map(|(name, _)| name.clone()).collect(),
            _ => &[],
        };
        names.iter().map(ToString::to_string).collect()
    }

    /// Whether the leaf has length scales or weights.
    pub fn has_scales(&self) -> bool {
        matches!(
            self,
            Kind::ExponentialDot
                | Kind::Rbf
                | Kind::Laplacian
                | Kind::Matern12
                | Kind::Matern32
                | Kind::Matern52
                | Kind::Matern(_)
                | Kind::RationalQuadratic
                | Kind::Periodic
                | Kind::Arcsine
        )
    }
}

impl Leaf {
    pub fn new(kind: Kind, scales: Option<Lengthscale>, scalars: Vec<Hyper>) -> Self {
        let (ard, scales) = match scales {
            None => (false, Vec::new()),
            Some(Lengthscale::Shared(l)) => (false, vec![Hyper::positive(l)]),
            Some(Lengthscale::PerFeature(l)) => (true, l.into_iter().map(Hyper::positive).collect()),
        };
        Leaf { kind, scales, ard, scalars }
    }

    /// The length scale or weight of feature `f`; one where there is none.
    pub fn scale_of(&self, f: usize) -> f64 {
        match (self.ard, self.scales.as_slice()) {
            (_, []) => 1.0,
            (false, [one, ..]) => one.value,
            (true, all) => all[f].value,
        }
    }

    pub fn scalar(&self, i: usize) -> f64 {
        self.scalars[i].value
    }
}

impl Expr {
    /// The parts of a node.
    pub fn children(&self) -> &[Expr] {
        match self {
            Expr::Leaf(_) | Expr::Quadratic(_) => &[],
            Expr::Sum(parts) | Expr::Product(parts) => parts,
            Expr::Scaled(_, k)
            | Expr::Pow(_, k)
            | Expr::Exp(k)
            | Expr::PolynomialOf(_, k)
            | Expr::Warp(_, k)
            | Expr::Map(_, k)
            | Expr::Project(_, k)
            | Expr::On(_, k) => std::slice::from_ref(&**k),
        }
    }
}
