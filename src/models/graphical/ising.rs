//! Spins on a lattice: Gibbs sampling on a checkerboard, mean field, enumeration, denoising. Checked in
//! `tests/graphical/ising.rs`.

use ndarray::{Array2, ArrayView2};

use crate::Result;
use crate::check::{finite, parameter, require};
use crate::configure::getters;
use crate::inference::logs::{sigmoid, xlogx};
use crate::random::{Threshold, philox};

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
        Ok(Ising { coupling, field, periodic: false })
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
        let (n, m) = self.field.dim();
        let closes = n % 2 == 0 && m % 2 == 0 && n >= 4 && m >= 4;
        require(OP, !periodic || closes, || {
            format!("a periodic lattice of {n} x {m}: sides must be even, and 4 or more")
        })?;
        self.periodic = periodic;
        Ok(self)
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
        let own = spins.to_owned();
        let mut twice = 0i64;
        for ((i, j), s) in own.indexed_iter() {
            self.around(&own, i, j, |t| twice += i64::from(*s) * i64::from(t));
        }
        twice as f64 / 2.0
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
        let columns = self.field.ncols();
        let spin =
            |(i, j): (usize, usize)| if word(seed, u64::MAX, i * columns + j) >> 31 == 0 { 1 } else { -1 };
        Spins { sites: Array2::from_shape_fn(self.field.dim(), spin), seed, sweeps: 0 }
    }

    /// Gibbs sampling: a sweep draws all black sites given the white ones, then all white sites:
    /// `p(z_i = 1 | rest) = σ(2(η Σ z_j + h_i))`.
    ///
    /// Each decision compares a word of [`philox`] at (seed, sweep, site) with an integer: the order in which sites of one
    /// colour are visited does not matter, and no device can decide otherwise.
    ///
    /// # Errors
    /// Spins of another shape.
    pub fn sweep(&self, from: &Spins, sweeps: usize) -> Result<Spins> {
        require(OP, from.sites.dim() == self.field.dim(), || format!("spins of {:?}", from.sites.dim()))?;
        let mut next = from.clone();
        let (n, m) = self.field.dim();
        // Without fields that differ there are five thresholds, else one is made for each decision.
        let first = self.field[[0, 0]];
        let equal = self.field.iter().all(|h| *h == first);
        let threshold =
            |sum: i32, h: f64| Threshold::rounded(sigmoid(2.0 * (self.coupling * f64::from(sum) + h)));
        let table: Vec<Threshold> = (-4..=4).map(|sum| threshold(sum, first)).collect();
        for _ in 0..sweeps {
            for colour in 0..2 {
                for i in 0..n {
                    let mut j = (i + colour) % 2;
                    while j < m {
                        let mut sum = 0i32;
                        self.around(&next.sites, i, j, |s| sum += i32::from(s));
                        let t = if equal {
                            table[(sum + 4) as usize]
                        } else {
                            threshold(sum, self.field[[i, j]])
                        };
                        let up = t.says_yes(word(next.seed, next.sweeps, i * m + j));
                        next.sites[[i, j]] = if up { 1 } else { -1 };
                        j += 2;
                    }
                }
            }
            next.sweeps += 1;
        }
        Ok(next)
    }

    /// `E[z_i]` by Gibbs sampling: the mean of `p(z_i = 1 | rest)` over `sweeps` sweeps after `burn_in`.
    ///
    /// # Errors
    /// No sweeps.
    pub fn sampled_magnetisation(&self, burn_in: usize, sweeps: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("sweeps", sweeps as f64, sweeps > 0, "must be at least 1")?;
        let mut spins = self.sweep(&self.start(seed), burn_in)?;
        let mut sum = Array2::<f64>::zeros(self.field.dim());
        for _ in 0..sweeps {
            spins = self.sweep(&spins, 1)?;
            for ((i, j), s) in sum.indexed_iter_mut() {
                let mut around = 0.0;
                self.around(&spins.sites, i, j, |s| around += f64::from(s));
                *s += (self.coupling * around + self.field[[i, j]]).tanh();
            }
        }
        Ok(sum / sweeps as f64)
    }

    /// Mean field: `μ_i ← tanh(η Σ μ_j + h_i)`, site after site, so many sweeps from `start` (zero unless given). The free
    /// energy never rises.
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

/// The word of a site in a sweep.
fn word(seed: u64, sweep: u64, site: usize) -> u32 {
    let counter = [(site as u64 >> 2) as u32, (site as u64 >> 34) as u32, sweep as u32, (sweep >> 32) as u32];
    philox(counter, [seed as u32, (seed >> 32) as u32])[site & 3]
}
