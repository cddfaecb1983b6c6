//! Spins on a lattice of four neighbours, drawn or averaged colour by colour of a checkerboard: the stencil of `Ising`.
//!
//! Every decision compares a word of Philox at (seed, sweep, site) with an integer made once on the host, so that all devices
//! have the same spins. Checked in `tests/ops/lattice.rs` against a loop over sites.

mod on_cpu;
mod on_gpu;

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2};

use super::require;
use crate::check::{finite, parameter};
use crate::device::Place;
use crate::gpu::Gpu;
use crate::random::Threshold;
use crate::{Device, Result};

pub(super) const OP: &str = "lattice";

/// A lattice of spins ±1 with `p(z) ∝ exp(η Σ_{edges} z_i z_j + Σ_i h_i z_i)`.
#[derive(Debug, Clone, Copy)]
pub struct Lattice<'a> {
    coupling: f64,
    field: ArrayView2<'a, f64>,
    periodic: bool,
}

impl<'a> Lattice<'a> {
    /// The lattice with coupling η and fields h, its borders free or, if it is periodic, joined.
    ///
    /// # Errors
    /// An empty lattice, NaN; a periodic lattice whose sides are odd or below 4, whose checkerboard does not close.
    pub fn new(coupling: f64, field: ArrayView2<'a, f64>, periodic: bool) -> Result<Self> {
        parameter("coupling", coupling, coupling.is_finite(), "must be finite")?;
        finite(OP, "field", field)?;
        let (n, m) = field.dim();
        let closes = n % 2 == 0 && m % 2 == 0 && n >= 4 && m >= 4;
        require(OP, !periodic || closes, || {
            format!("a periodic lattice of {n} x {m}: sides must be even, and 4 or more")
        })?;
        Ok(Lattice { coupling, field, periodic })
    }

    /// The thresholds of `p(z_i = 1 | Σ z_j) = σ(2(η Σ z_j + h_i))`.
    fn thresholds(&self) -> Thresholds {
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut table = Vec::new();
        let first = self.field[[0, 0]];
        let mut made = |h: f64| {
            *known.entry(h.to_bits()).or_insert_with(|| {
                let odds = |sum: f64| 2.0 * (self.coupling * sum + h);
                table.push(std::array::from_fn(|q| {
                    Threshold::rounded(1.0 / (1.0 + (-odds(q as f64 - 4.0)).exp())).words()
                }));
                table.len() as u32 - 1
            })
        };
        let equal = self.field.iter().all(|h| *h == first);
        let levels = if equal {
            made(first);
            vec![]
        } else {
            self.field.iter().map(|h| made(*h)).collect()
        };
        Thresholds { table, levels }
    }

    fn fits(&self, what: &str, rows: usize, cols: usize, holds: bool) -> Result<()> {
        require(OP, (rows, cols) == self.field.dim() && holds, || {
            format!("a lattice of {:?}, {what} of {:?}, or not such", self.field.dim(), (rows, cols))
        })
    }

    /// The device, unless a binding of it does not hold the lattice: the CPU then, whose spins are the same.
    fn gpu<'d>(&self, device: &'d Device, levels: usize) -> Option<&'d Gpu> {
        let most = (4 * self.field.len()).max(levels * size_of::<[u64; 9]>()) as u64;
        match device.place() {
            Place::Gpu(gpu) if most <= gpu.limits().binding_bytes => Some(gpu),
            _ => None,
        }
    }
}

/// For each value that the field has, how many words say yes at a sum of -4 to 4.
struct Thresholds {
    table: Vec<[u64; 9]>,
    /// The value's number at each site; nothing if there is only one.
    levels: Vec<u32>,
}

/// So many sweeps of Gibbs sampling from `spins` (±1) on, each of all black sites and then all white ones. Sweep number t,
/// from `first` on, draws site s by word s of stream t.
///
/// # Errors
/// Spins of another shape, or that are not ±1.
///
/// ```
/// use mercer::{Device, ops::{Lattice, lattice_gibbs}};
/// use ndarray::Array2;
/// let field = Array2::from_elem((4, 4), 50.0);
/// let lattice = Lattice::new(0.2, field.view(), false)?;
/// let drawn = lattice_gibbs(&Device::cpu(), &lattice, Array2::from_elem((4, 4), -1).view(), 7, 0, 1)?;
/// assert!(drawn.iter().all(|&s| s == 1));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn lattice_gibbs(
    device: &Device,
    lattice: &Lattice,
    spins: ArrayView2<i8>,
    seed: u64,
    first: u64,
    sweeps: usize,
) -> Result<Array2<i8>> {
    lattice.fits("spins", spins.nrows(), spins.ncols(), spins.iter().all(|s| s.abs() == 1))?;
    let (chain, made) = (Chain { seed, first, sweeps }, lattice.thresholds());
    match lattice.gpu(device, made.table.len()) {
        None => Ok(on_cpu::gibbs(lattice, &made, spins, chain)),
        Some(gpu) => gpu.guard(OP, || Ok(on_gpu::gibbs(gpu, lattice, &made, spins, chain, false)?.0)),
    }
}

/// [`lattice_gibbs`], and the mean over its sweeps of `E[z_i | neighbours] = tanh(η Σ z_j + h_i)`: in f32 on a GPU.
///
/// # Errors
/// As [`lattice_gibbs`]; no sweeps.
///
/// ```
/// use mercer::{Device, ops::{Lattice, lattice_means}};
/// use ndarray::Array2;
/// let lattice = Lattice::new(0.0, ndarray::aview2(&[[0.5, -0.5]]), false)?;
/// let (_, means) = lattice_means(&Device::cpu(), &lattice, Array2::ones((1, 2)).view(), 7, 0, 3)?;
/// assert!((means[[0, 1]] - (-0.5f64).tanh()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn lattice_means(
    device: &Device,
    lattice: &Lattice,
    spins: ArrayView2<i8>,
    seed: u64,
    first: u64,
    sweeps: usize,
) -> Result<(Array2<i8>, Array2<f64>)> {
    lattice.fits("spins", spins.nrows(), spins.ncols(), spins.iter().all(|s| s.abs() == 1))?;
    parameter("sweeps", sweeps as f64, sweeps > 0, "must be at least 1")?;
    let (chain, made) = (Chain { seed, first, sweeps }, lattice.thresholds());
    match lattice.gpu(device, made.table.len()) {
        None => Ok(on_cpu::means(lattice, &made, spins, chain)),
        Some(gpu) => gpu.guard(OP, || on_gpu::gibbs(gpu, lattice, &made, spins, chain, true)),
    }
}

/// So many sweeps of `μ_i ← tanh(η Σ μ_j + h_i)` from `mean` on, each of all black sites and then all white ones.
///
/// # Errors
/// Means of another shape, or outside [-1, 1].
///
/// ```
/// use mercer::{Device, ops::{Lattice, lattice_mean_field}};
/// use ndarray::Array2;
/// let lattice = Lattice::new(0.0, ndarray::aview2(&[[0.5, -0.5]]), false)?;
/// let means = lattice_mean_field(&Device::cpu(), &lattice, Array2::zeros((1, 2)).view(), 1)?;
/// assert!((means[[0, 1]] - (-0.5f64).tanh()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn lattice_mean_field(
    device: &Device,
    lattice: &Lattice,
    mean: ArrayView2<f64>,
    sweeps: usize,
) -> Result<Array2<f64>> {
    lattice.fits("means", mean.nrows(), mean.ncols(), mean.iter().all(|m| (-1.0..=1.0).contains(m)))?;
    match lattice.gpu(device, 0) {
        None => Ok(on_cpu::mean_field(lattice, mean, sweeps)),
        Some(gpu) => gpu.guard(OP, || on_gpu::mean_field(gpu, lattice, mean, sweeps)),
    }
}

/// Where in its randomness a chain is, and how far it goes.
#[derive(Debug, Clone, Copy)]
struct Chain {
    seed: u64,
    first: u64,
    sweeps: usize,
}
