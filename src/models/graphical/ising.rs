//! Spins on a lattice: Gibbs sampling on a checkerboard, mean field, enumeration, denoising. Checked in
//! `tests/graphical/ising.rs`.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::check::{finite, parameter, require};
use crate::configure::getters;
use crate::inference::logs::xlogx;
use crate::ops::{Lattice, lattice_gibbs, lattice_mean_field, lattice_means};
use crate::random::Philox;
use crate::{Device, Result};

/// `p(z) ∝ exp(η Σ_{edges} z_i z_j + Σ_i h_i z_i)`, `z_i = ±1`, on a lattice of four neighbours.
///
/// With `h_i = η₂ x_i` it is the posterior of an image z seen as x through a channel that flips pixels with probability
/// `σ(-2η₂)`.
///
/// ```
/// use mercer::models::graphical::Ising;
/// use ndarray::Array2;
/// // A white square with one black pixel.
/// let mut seen = Array2::from_elem((6, 6), 1.0);
/// seen[[2, 3]] = -1.0;
/// let clean = Ising::denoiser(0.6, 1.0, &seen)?.mean_field(20, None)?.mapv(f64::signum);
/// assert_eq!(clean[[2, 3]], 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ising {
    coupling: f64,
    field: Array2<f64>,
    periodic: bool,
    device: Device,
}

getters!(Ising {
    /// η.
    coupling: f64,
    /// h.
    field: &Array2<f64>,
    /// Whether the lattice closes on itself.
    is_periodic => periodic: bool,
});

/// Spins of a chain, and where in its randomness it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Spins {
    sites: Array2<i8>,
    seed: u64,
    sweeps: u64,
}

getters!(Spins {
    /// ±1 at every site.
    sites: &Array2<i8>,
    /// Sweeps made so far.
    sweeps: u64,
});

impl Spins {
    /// The mean spin.
    pub fn magnetisation(&self) -> f64 {
        self.sites.iter().map(|s| f64::from(*s)).sum::<f64>() / self.sites.len() as f64
    }
}

const OP: &str = "Ising";

impl Ising {
    /// A lattice with this coupling and these fields, its borders free.
    ///
    /// # Errors
    /// An empty lattice, NaN.
    pub fn new(coupling: f64, field: Array2<f64>) -> Result<Self> {
        parameter("coupling", coupling, coupling.is_finite(), "must be finite")?;
        finite(OP, "field", field.view())?;
        Ok(Ising { coupling, field, periodic: false, device: Device::cpu() })
    }

    /// The posterior of an image of ±1 seen through noise: fields `η₂ x`.
    ///
    /// # Errors
    /// As [`Ising::new`]; pixels that are not ±1.
    pub fn denoiser(coupling: f64, trust: f64, seen: &Array2<f64>) -> Result<Self> {
        let bad = seen.iter().find(|v| v.abs() != 1.0);
        bad.map_or(Ok(()), |v| parameter("pixel", *v, false, "must be 1 or -1"))?;
        parameter("trust", trust, trust.is_finite(), "must be finite")?;
        Self::new(coupling, seen * trust)
    }

    /// Whether the lattice closes on itself; its borders are free unless it does.
    ///
    /// # Errors
    /// Odd sides, whose checkerboard does not close, or sides below 4.
    pub fn periodic(mut self, periodic: bool) -> Result<Self> {
        Lattice::new(self.coupling, self.field.view(), periodic)?;
        self.periodic = periodic;
        Ok(self)
    }

    /// Where sweeps are made: the CPU unless said otherwise. Spins are the same everywhere.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The device of the sweeps.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The sum of a site's neighbours.
    fn around<T: Copy>(&self, a: &Array2<T>, i: usize, j: usize, mut add: impl FnMut(T)) {
        let (n, m) = self.field.dim();
        if self.periodic {
            for (i, j) in [((i + n - 1) % n, j), ((i + 1) % n, j), (i, (j + m - 1) % m), (i, (j + 1) % m)] {
                add(a[[i, j]]);
            }
        } else {
            if i > 0 {
                add(a[[i - 1, j]]);
            }
            if i + 1 < n {
                add(a[[i + 1, j]]);
            }
            if j > 0 {
                add(a[[i, j - 1]]);
            }
            if j + 1 < m {
                add(a[[i, j + 1]]);
            }
        }
    }

    /// `Σ_{edges} z_i z_j`.
    pub fn agreement(&self, spins: ArrayView2<i8>) -> f64 {
        let spins = spins.as_standard_layout();
        let (n, m) = spins.dim();
        let pairs =
            |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>();
        let row = |i: usize| spins.row(i).to_slice().unwrap_or_default();
        let rows: i64 = (0..n)
            .into_par_iter()
            .map(|i| {
                let (own, below) = (row(i), if i + 1 < n || self.periodic { row((i + 1) % n) } else { &[] });
                let across = if self.periodic { pairs(&own[m.saturating_sub(1)..], own) } else { 0 };
                i64::from(pairs(own, &own[1.min(m)..]) + across + pairs(own, below))
            })
            .sum();
        rows as f64
    }

    /// The energy `-η Σ z_i z_j - Σ h_i z_i`.
    ///
    /// # Errors
    /// Spins of another shape.
    pub fn energy(&self, spins: &Spins) -> Result<f64> {
        require(OP, spins.sites.dim() == self.field.dim(), || format!("spins of {:?}", spins.sites.dim()))?;
        let outer: f64 = spins.sites.iter().zip(&self.field).map(|(s, h)| f64::from(*s) * h).sum();
        Ok(-self.coupling * self.agreement(spins.sites.view()) - outer)
    }

    /// Spins to begin with: fair coins of this seed.
    pub fn start(&self, seed: u64) -> Spins {
        let mut words = vec![0; self.field.len()];
        Philox::new(seed, u64::MAX).fill(&mut words);
        let mut sites = Array2::ones(self.field.dim());
        sites.iter_mut().zip(words).filter(|(_, word)| word >> 31 != 0).for_each(|(site, _)| *site = -1);
        Spins { sites, seed, sweeps: 0 }
    }

    /// The lattice as the verbs of [`ops`](crate::ops) see it, and the device for so many visits of a site.
    fn lattice(&self, visits: usize) -> Result<(Lattice<'_>, Device)> {
        let flops = 60.0 * self.field.len() as f64 * visits as f64;
        Ok((Lattice::new(self.coupling, self.field.view(), self.periodic)?, self.device.suited_to(flops)))
    }

    /// Gibbs sampling: a sweep draws all black sites given the white ones, then all white sites:
    /// `p(z_i = 1 | rest) = σ(2(η Σ z_j + h_i))`.
    ///
    /// Each decision compares a word of [`Philox`] at (seed, sweep, site) with an integer: the order in which sites of one
    /// colour are visited does not matter, and no device can decide otherwise.
    ///
    /// # Errors
    /// Spins of another shape.
    pub fn sweep(&self, from: &Spins, sweeps: usize) -> Result<Spins> {
        let (lattice, device) = self.lattice(sweeps)?;
        let sites = lattice_gibbs(&device, &lattice, from.sites.view(), from.seed, from.sweeps, sweeps)?;
        Ok(Spins { sites, seed: from.seed, sweeps: from.sweeps + sweeps as u64 })
    }

    /// `E[z_i]` by Gibbs sampling: the mean of `E[z_i | rest]` over `sweeps` sweeps after `burn_in`; in f32 on a GPU, with
    /// the spins of the CPU.
    ///
    /// # Errors
    /// No sweeps.
    pub fn sampled_magnetisation(&self, burn_in: usize, sweeps: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("sweeps", sweeps as f64, sweeps > 0, "must be at least 1")?;
        let spins = self.sweep(&self.start(seed), burn_in)?;
        let (lattice, device) = self.lattice(sweeps)?;
        Ok(lattice_means(&device, &lattice, spins.sites.view(), seed, spins.sweeps, sweeps)?.1)
    }

    /// Mean field: `μ_i ← tanh(η Σ μ_j + h_i)`, site after site, so many sweeps from `start` (zero unless given), on the
    /// CPU. The free energy never rises.
    ///
    /// # Errors
    /// A start of another shape, or outside [-1, 1].
    pub fn mean_field(&self, sweeps: usize, start: Option<&Array2<f64>>) -> Result<Array2<f64>> {
        let mut mu = start.cloned().unwrap_or_else(|| Array2::zeros(self.field.dim()));
        self.means(&mu)?;
        let (n, m) = mu.dim();
        for _ in 0..sweeps {
            for i in 0..n {
                for j in 0..m {
                    let mut sum = 0.0;
                    self.around(&mu, i, j, |v: f64| sum += v);
                    mu[[i, j]] = (self.coupling * sum + self.field[[i, j]]).tanh();
                }
            }
        }
        Ok(mu)
    }

    /// [`Ising::mean_field`] in another order, all black sites and then all white ones, which are independent of each
    /// other: on the device. The fixed points are the same.
    ///
    /// # Errors
    /// As [`Ising::mean_field`].
    pub fn checkerboard_mean_field(&self, sweeps: usize, start: Option<&Array2<f64>>) -> Result<Array2<f64>> {
        let zero = Array2::zeros(self.field.dim());
        let (lattice, device) = self.lattice(sweeps)?;
        lattice_mean_field(&device, &lattice, start.unwrap_or(&zero).view(), sweeps)
    }

    fn means(&self, mu: &Array2<f64>) -> Result<()> {
        let fits = mu.dim() == self.field.dim() && mu.iter().all(|v| (-1.0..=1.0).contains(v));
        require(OP, fits, || format!("means of {:?}, or outside [-1, 1]", mu.dim()))
    }

    /// The free energy `-E_q[log weight] - H(q)` of independent spins with means μ: at least `-log Z`, by `KL(q || p)`.
    ///
    /// # Errors
    /// Means of another shape, or outside [-1, 1].
    pub fn free_energy(&self, mu: &Array2<f64>) -> Result<f64> {
        self.means(mu)?;
        let (mut twice, mut rest) = (0.0, 0.0);
        for ((i, j), m) in mu.indexed_iter() {
            self.around(mu, i, j, |v| twice += m * v);
            let p = 0.5 * (1.0 + m);
            rest += self.field[[i, j]] * m - xlogx(p) - xlogx(1.0 - p);
        }
        Ok(-0.5 * self.coupling * twice - rest)
    }
}
