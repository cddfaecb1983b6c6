//! Invertible maps with the logarithm of their Jacobian's determinant: planar and affine coupling.

use ndarray::{Array1, Array2, ArrayView2};

use crate::Result;
use crate::check::require;
use crate::learn::Inputs;
use crate::models::neural::activation::{sigmoid, softplus};
use crate::models::neural::network::Network;
use crate::models::neural::pass::{self, Tape};

/// One invertible map of rows of d numbers, a function of its parameters.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlowMap {
    /// `z = x + û tanh(wᵀx + b)`, with û the u that is nearest to invertible, `wᵀû > -1`. Parameters: u, w, b.
    Planar {
        /// The number d.
        width: usize,
    },
    /// `z_A = x_A e^{s(x_P)} + t(x_P)`, `z_P = x_P`: the active numbers A are scaled and shifted by what a network makes of the
    /// passive ones. Parameters are the network's; `s = tanh` of its first half.
    Coupling {
        /// Which numbers are passive.
        passive: Vec<bool>,
        /// From the passive ones to a scale and a shift for each active one.
        network: Network,
    },
}

/// What a forward pass leaves for the backward one.
pub(super) enum Trace {
    Planar { x: Array2<f64> },
    Coupling { x: Array2<f64>, tape: Tape },
}

/// û and how it depends on u and w.
struct Planar<'a> {
    u: &'a [f64],
    w: &'a [f64],
    b: f64,
    bent: Vec<f64>,
    /// `û = u + c w`, with `c = (m(s) - s)/r`, `s = wᵀu`, `r = ‖w‖²`, `m(s) = softplus(s) - 1`.
    c: f64,
    r: f64,
    slope: f64,
}

impl<'a> Planar<'a> {
    fn new(width: usize, parameters: &'a [f64]) -> Self {
        let (u, rest) = parameters.split_at(width);
        let (w, b) = rest.split_at(width);
        let s: f64 = u.iter().zip(w).map(|(u, w)| u * w).sum();
        let r = w.iter().map(|w| w * w).sum::<f64>().max(1e-300);
        let c = (softplus(s) - 1.0 - s) / r;
        let bent = u.iter().zip(w).map(|(u, w)| u + c * w).collect();
        Planar { u, w, b: b[0], bent, c, r, slope: (sigmoid(s) - 1.0) / r }
    }

    fn inner(&self) -> f64 {
        self.w.iter().zip(&self.bent).map(|(w, u)| w * u).sum()
    }

    fn at(&self, x: ndarray::ArrayView1<f64>) -> f64 {
        self.b + x.iter().zip(self.w).map(|(x, w)| x * w).sum::<f64>()
    }
}

impl FlowMap {
    /// The width of its rows.
    pub fn width(&self) -> usize {
        match self {
            FlowMap::Planar { width } => *width,
            FlowMap::Coupling { passive, .. } => passive.len(),
        }
    }

    /// How many parameters it has.
    pub fn parameters(&self) -> usize {
        match self {
            FlowMap::Planar { width } => 2 * width + 1,
            FlowMap::Coupling { network, .. } => network.parameters(),
        }
    }

    /// z of each row, and `ln |det ∂z/∂x|`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for rows of another width or another number of parameters.
    pub fn forward(&self, parameters: &[f64], x: impl Inputs) -> Result<(Array2<f64>, Array1<f64>)> {
        let x = x.inputs();
        self.fits(parameters, x.view())?;
        let (z, log_det, _) = self.record(parameters, x.to_owned());
        Ok((z, log_det))
    }

    /// x of each row z.
    ///
    /// # Errors
    /// As [`FlowMap::forward`].
    pub fn inverse(&self, parameters: &[f64], z: impl Inputs) -> Result<Array2<f64>> {
        let z = z.inputs();
        self.fits(parameters, z.view())?;
        Ok(self.back(parameters, z.view()))
    }

    fn fits(&self, parameters: &[f64], x: ArrayView2<f64>) -> Result<()> {
        if let FlowMap::Coupling { passive, network } = self {
            let (known, active) = Self::places(passive);
            let sizes = (network.inputs(), network.outputs());
            require("FlowMap", sizes == (known.len(), 2 * active.len()), || {
                format!(
                    "a network from {} to {} for {} to {}",
                    sizes.0,
                    sizes.1,
                    known.len(),
                    2 * active.len()
                )
            })?;
        }
        let fits = parameters.len() == self.parameters() && x.ncols() == self.width();
        require("FlowMap", fits, || {
            format!(
                "{} parameters and rows of {} for {} and {}",
                parameters.len(),
                x.ncols(),
                self.parameters(),
                self.width()
            )
        })
    }

    /// Passive and active places.
    fn places(passive: &[bool]) -> (Vec<usize>, Vec<usize>) {
        (0..passive.len()).partition(|&i| passive[i])
    }

    pub(super) fn record(&self, parameters: &[f64], x: Array2<f64>) -> (Array2<f64>, Array1<f64>, Trace) {
        match self {
            FlowMap::Planar { width } => {
                let p = Planar::new(*width, parameters);
                let inner = p.inner();
                let mut z = x.clone();
                let mut log_det = Array1::zeros(x.nrows());
                for ((row, mut out), l) in x.rows().into_iter().zip(z.rows_mut()).zip(&mut log_det) {
                    let h = p.at(row).tanh();
                    out.iter_mut().zip(&p.bent).for_each(|(z, u)| *z += u * h);
                    *l = (1.0 + (1.0 - h * h) * inner).ln();
                }
                (z, log_det, Trace::Planar { x })
            }
            FlowMap::Coupling { passive, network } => {
                let (known, active) = Self::places(passive);
                let tape = pass::record(network, parameters, x.select(ndarray::Axis(1), &known), None);
                let (out, k) = (tape.output(), active.len());
                let mut z = x.clone();
                let mut log_det = Array1::zeros(x.nrows());
                for n in 0..x.nrows() {
                    for (j, &i) in active.iter().enumerate() {
                        let s = out[[n, j]].tanh();
                        z[[n, i]] = x[[n, i]] * s.exp() + out[[n, k + j]];
                        log_det[n] += s;
                    }
                }
                (z, log_det, Trace::Coupling { x, tape })
            }
        }
    }

    /// The gradient by x, given those by z and by the log-determinants; that by the parameters is added to `gradient`.
    pub(super) fn backward(
        &self,
        parameters: &[f64],
        trace: &Trace,
        by_z: &Array2<f64>,
        by_log: f64,
        gradient: &mut [f64],
    ) -> Array2<f64> {
        match (self, trace) {
            (FlowMap::Planar { width }, Trace::Planar { x }) => {
                let p = Planar::new(*width, parameters);
                let inner = p.inner();
                let mut by_x = by_z.clone();
                let mut by_bent = vec![0.0; *width];
                for ((row, g), mut out) in x.rows().into_iter().zip(by_z.rows()).zip(by_x.rows_mut()) {
                    let h = p.at(row).tanh();
                    let slope = 1.0 - h * h;
                    let det = 1.0 + slope * inner;
                    let along: f64 = g.iter().zip(&p.bent).map(|(g, u)| g * u).sum();
                    let by_a = along * slope + by_log * (-2.0 * h * slope) * inner / det;
                    for i in 0..*width {
                        by_bent[i] += g[i] * h + by_log * slope / det * p.w[i];
                        gradient[width + i] += by_a * row[i] + by_log * slope / det * p.bent[i];
                        out[i] += by_a * p.w[i];
                    }
                    gradient[2 * width] += by_a;
                }
                let along: f64 = by_bent.iter().zip(p.w).map(|(g, w)| g * w).sum();
                for i in 0..*width {
                    gradient[i] += by_bent[i] + p.slope * along * p.w[i];
                    gradient[width + i] +=
                        p.c * by_bent[i] + along * (p.slope * p.u[i] - 2.0 * p.c / p.r * p.w[i]);
                }
                by_x
            }
            (FlowMap::Coupling { passive, network }, Trace::Coupling { x, tape }) => {
                let (known, active) = Self::places(passive);
                let (out, k) = (tape.output(), active.len());
                let mut by_x = by_z.clone();
                let mut delta = Array2::zeros(out.raw_dim());
                for n in 0..x.nrows() {
                    for (j, &i) in active.iter().enumerate() {
                        let s = out[[n, j]].tanh();
                        by_x[[n, i]] = by_z[[n, i]] * s.exp();
                        delta[[n, j]] = (by_z[[n, i]] * x[[n, i]] * s.exp() + by_log) * (1.0 - s * s);
                        delta[[n, k + j]] = by_z[[n, i]];
                    }
                }
                let back = pass::backward(network, parameters, tape, delta.view());
                gradient.iter_mut().zip(&back.parameters).for_each(|(g, b)| *g += b);
                for n in 0..x.nrows() {
                    known.iter().enumerate().for_each(|(j, &i)| by_x[[n, i]] += back.inputs[[n, j]]);
                }
                by_x
            }
            _ => by_z.clone(),
        }
    }

    pub(super) fn back(&self, parameters: &[f64], z: ArrayView2<f64>) -> Array2<f64> {
        let mut x = z.to_owned();
        match self {
            FlowMap::Planar { width } => {
                let p = Planar::new(*width, parameters);
                let inner = p.inner();
                for (row, mut out) in z.rows().into_iter().zip(x.rows_mut()) {
                    // a + wᵀû tanh a = wᵀz + b rises with a: halve an interval that holds the root.
                    let target = p.at(row);
                    let (mut low, mut high) = (target - inner.abs() - 1.0, target + inner.abs() + 1.0);
                    for _ in 0..200 {
                        let middle = 0.5 * (low + high);
                        if middle + inner * middle.tanh() < target { low = middle } else { high = middle }
                    }
                    let h = (0.5 * (low + high)).tanh();
                    out.iter_mut().zip(&p.bent).for_each(|(x, u)| *x -= u * h);
                }
            }
            FlowMap::Coupling { passive, network } => {
                let (known, active) = Self::places(passive);
                let out = pass::forward(network, parameters, z.select(ndarray::Axis(1), &known).view());
                let k = active.len();
                for n in 0..z.nrows() {
                    for (j, &i) in active.iter().enumerate() {
                        x[[n, i]] = (z[[n, i]] - out[[n, k + j]]) * (-out[[n, j]].tanh()).exp();
                    }
                }
            }
        }
        x
    }
}
