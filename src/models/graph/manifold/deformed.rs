//! The kernel that has the graph's penalty in its norm: `K̃ = J K (λ I + η L K)⁻¹ Jᵀ`.
//!
//! A function `f = Σ_i α_i k(x_i, ·)` over labelled and unlabelled points that minimises `Σ loss + λ ‖f‖² + η fᵀLf` has
//! `α = (λ I + η L K)⁻¹ Jᵀ a` for some a, one number for each labelled point, and then is `K̃ a` there with the penalty
//! `aᵀ K̃ a`. So each loss is a plain kernel method with K̃.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};
use ndarray::{Array2, ArrayView2, s};

use crate::check::{not_negative, positive, require, room};
use crate::host::zero_upper::restored;
use crate::matrix::Points;
use crate::models::graph::label_spreading::together;
use crate::models::graph::spectral_clustering::usual;
use crate::models::graph::{Graph, Laplacian, Neighbourhood};
use crate::ops::{gram, gram_vec};
use crate::{Device, Error, Kernel, Matrix, Result};

/// What all models of this folder are configured by.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Penalties {
    pub kernel: Kernel,
    pub norm: f64,
    pub manifold: f64,
    pub neighbourhood: Option<Neighbourhood>,
    pub graph: Option<Graph>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub unlabelled: Option<Array2<f64>>,
}

impl Penalties {
    pub fn new(kernel: Kernel, norm: f64, manifold: f64) -> Self {
        Penalties { kernel, norm, manifold, neighbourhood: None, graph: None, unlabelled: None }
    }

    /// K̃ of the labelled points x and of the others.
    pub fn deform(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Deformed> {
        positive("penalty", self.norm)?;
        not_negative("manifold", self.manifold)?;
        let points = together(op, x, self.unlabelled.as_ref())?;
        let (all, n) = (points.nrows(), x.nrows());
        room("observations", all, all.saturating_mul(40))?;
        let graph = match &self.graph {
            Some(graph) => {
                let order = graph.order();
                require(op, order == all, || {
                    format!("the graph has {order} vertices, there are {all} points")
                })?;
                graph.clone()
            }
            // One point has no neighbours.
            None if all == 1 => Graph::from_edges(1, &[])?,
            None => usual(self.neighbourhood, all).build(points.view())?,
        };
        let k =
            gram(&self.kernel, &Matrix::from_array(&Device::cpu(), points.view())?, None)?.into_array()?;
        let mut system = graph.laplacian(Laplacian::Unnormalised)?.times(k.view())? * self.manifold;
        system.diag_mut().mapv_inplace(|v| v + self.norm);
        let mut unit = Array2::zeros((all, n));
        unit.diag_mut().fill(1.0);
        let back = solved(op, &system, &unit)?;
        let small = k.slice(s![..n, ..]).dot(&back);
        let small = (&small + &small.t()) * 0.5;
        Ok(Deformed { kernel: self.kernel.clone(), points, graph, gram: k, back, small })
    }
}

/// The kernel with the graph in its norm, at the labelled points.
pub(super) struct Deformed {
    kernel: Kernel,
    points: Array2<f64>,
    pub graph: Graph,
    /// K of all points.
    pub gram: Array2<f64>,
    /// `(λ I + η L K)⁻¹ Jᵀ`.
    back: Array2<f64>,
    /// K̃.
    pub small: Array2<f64>,
}

impl Deformed {
    /// The function with the coefficients a, one row for each labelled point.
    pub fn function(&self, a: &Array2<f64>) -> Function {
        Function { kernel: self.kernel.clone(), points: self.points.clone(), coefficients: self.back.dot(a) }
    }
}

/// `f(x) = Σ_i α_i k(x_i, x)` over all points.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Function {
    pub kernel: Kernel,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub points: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub coefficients: Array2<f64>,
}

impl Function {
    pub fn at(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        crate::check::inputs(op, x, self.points.ncols())?;
        let cpu = Device::cpu();
        let points = Points::new(op, &cpu, self.points.view(), self.kernel.origin(), 0.0)?;
        let a = Matrix::from_array(&cpu, self.coefficients.view())?;
        gram_vec(&self.kernel, &points.like(op, x)?, Some(points.matrix()?), &a)?.to_array()
    }

    #[cfg(feature = "serde")]
    pub fn check(&self) -> Result<()> {
        const OP: &str = "a saved function of a kernel and a graph";
        crate::check::finite(OP, "the points", self.points.view())?;
        crate::check::finite(OP, "the coefficients", self.coefficients.view())?;
        let (n, m) = (self.points.nrows(), self.coefficients.nrows());
        require(OP, n == m, || format!("{n} points, {m} coefficients"))?;
        crate::ops::gram_diagonal(&self.kernel, &Matrix::from_host(self.points.clone())).map(drop)
    }
}

/// `A⁻¹ B` by elimination with pivots: A is not symmetric, but its eigenvalues are at least λ.
fn solved(op: &'static str, a: &Array2<f64>, b: &Array2<f64>) -> Result<Array2<f64>> {
    let n = a.nrows();
    let a = a.as_standard_layout();
    let entries = a.as_slice().unwrap_or_default();
    let right = Mat::from_fn(n, b.ncols(), |i, j| b[[i, j]]);
    let x = restored(|| MatRef::from_row_major_slice(entries, n, n).partial_piv_lu().solve(&right));
    let x = Array2::from_shape_fn((n, b.ncols()), |(i, j)| x[(i, j)]);
    match x.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(x),
        Some(((index, _), &value)) => Err(Error::Singular { op, index, value }),
    }
}
