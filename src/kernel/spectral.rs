//! Bochner's theorem: `k(x, x') = k(0) E cos(ωᵀ(x - x'))` for a stationary kernel, with ω from its spectral measure.
//!
//! Every leaf here is a Gaussian whose scale is random, or a lattice; sums mix measures, products add frequencies.

use std::collections::HashMap;
use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, Gamma, Poisson, StandardNormal};

use super::Kernel;
use super::expr::{Expr, Kind, Leaf};
use crate::check::parameter;
use crate::{Error, Result};

/// Most draws that one frequency may cost.
const MOST: f64 = 1e5;

impl Kernel {
    /// k(0) and `m` frequencies of `d` features each, from the kernel's spectral measure.
    ///
    /// With `orthogonal` the Gaussians behind each d successive frequencies point in orthogonal directions; their
    /// lengths, and so the law of each one, stay what they are.
    pub(crate) fn frequencies(
        &self,
        op: &'static str,
        d: usize,
        m: usize,
        orthogonal: bool,
        seed: u64,
    ) -> Result<(f64, Vec<Vec<f64>>)> {
        self.check()?;
        self.fits(op, d)?;
        let Some(amplitude) = amplitude(&self.expr) else {
            return Err(Error::Unsupported {
                op,
                what: format!("a spectral measure of {self}"),
                device: "any device".to_owned(),
                instead: "use Nyström features, which take any kernel",
            });
        };
        let each = draws(&self.expr);
        let requirement = "a frequency of so high a power is a sum of more draws than anyone waits for";
        parameter("power", each, each <= MOST, requirement)?;
        let mut draw =
            Draw { rng: ChaCha8Rng::seed_from_u64(seed), orthogonal, most: m, waiting: HashMap::new() };
        let mut drawn = Vec::new();
        drawn.try_reserve_exact(m).map_err(|_| Error::Parameter {
            name: "frequencies".to_owned(),
            value: m as f64,
            requirement: "memory has no room for so many",
        })?;
        drawn.extend((0..m).map(|_| draw.frequency(&self.expr, d, 1)));
        Ok((amplitude, drawn))
    }
}

/// Draws that one frequency costs.
fn draws(e: &Expr) -> f64 {
    let most = |parts: &[Expr]| parts.iter().map(draws).fold(0.0, f64::max);
    match e {
        Expr::Product(parts) => parts.iter().map(draws).sum(),
        Expr::Pow(m, k) => f64::from(*m) * draws(k),
        Expr::PolynomialOf(c, k) => c.len() as f64 * draws(k),
        Expr::Leaf(_) => 1.0,
        other => most(other.children()),
    }
}

/// k(0), if the spectral measure is known.
fn amplitude(e: &Expr) -> Option<f64> {
    let all = |parts: &[Expr]| parts.iter().map(amplitude).collect::<Option<Vec<f64>>>();
    match e {
        Expr::Leaf(leaf) => match leaf.kind {
            Kind::Constant => Some(leaf.scalar(0)),
            Kind::Rbf
            | Kind::Laplacian
            | Kind::Matern12
            | Kind::Matern32
            | Kind::Matern52
            | Kind::Matern(_)
            | Kind::RationalQuadratic
            | Kind::RationalQuadraticBeta
            | Kind::Periodic => Some(1.0),
            _ => None,
        },
        Expr::Sum(parts) => Some(all(parts)?.iter().sum()),
        Expr::Product(parts) => Some(all(parts)?.iter().product()),
        Expr::Scaled(c, k) => Some(c.value * amplitude(k)?),
        Expr::Pow(m, k) => Some(amplitude(k)?.powf(f64::from(*m))),
        Expr::PolynomialOf(c, k) => {
            let a = amplitude(k)?;
            Some(c.iter().rev().fold(0.0, |sum, c| sum * a + c.value))
        }
        Expr::Project(_, k) | Expr::On(_, k) => amplitude(k),
        Expr::Exp(_) | Expr::Warp(..) | Expr::Map(..) | Expr::Quadratic(_) => None,
    }
}

/// Draws frequencies. `key` names a place in the tree: each has its own orthogonal directions, independent of others'.
struct Draw {
    rng: ChaCha8Rng,
    orthogonal: bool,
    /// No block of directions need be larger.
    most: usize,
    waiting: HashMap<u64, Vec<Vec<f64>>>,
}

fn below(key: u64, index: usize) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(index as u64 + 1)
}

impl Draw {
    fn frequency(&mut self, e: &Expr, d: usize, key: u64) -> Vec<f64> {
        match e {
            Expr::Leaf(leaf) => self.leaf(leaf, d, key),
            Expr::Sum(parts) => {
                let weights: Vec<f64> = parts.iter().map(|k| amplitude(k).unwrap_or(0.0)).collect();
                let i = self.pick(&weights);
                self.frequency(&parts[i], d, below(key, i))
            }
            Expr::Product(parts) => {
                let mut sum = vec![0.0; d];
                for (i, k) in parts.iter().enumerate() {
                    add(&mut sum, &self.frequency(k, d, below(key, i)));
                }
                sum
            }
            Expr::Pow(m, k) => self.power(k, *m as usize, d, key),
            Expr::PolynomialOf(c, k) => {
                let a = amplitude(k).unwrap_or(0.0);
                let weights: Vec<f64> =
                    c.iter().enumerate().map(|(r, c)| c.value * a.powf(r as f64)).collect();
                let r = self.pick(&weights);
                self.power(k, r, d, key)
            }
            Expr::Project(b, k) => {
                let inner = self.frequency(k, b.rows, below(key, 0));
                (0..d).map(|j| (0..b.rows).map(|i| b.at(i, j) * inner[i]).sum()).collect()
            }
            Expr::On(columns, k) => {
                let inner = self.frequency(k, columns.len(), below(key, 0));
                let mut out = vec![0.0; d];
                columns.iter().zip(inner).for_each(|(&c, w)| out[c] += w);
                out
            }
            Expr::Scaled(_, k) => self.frequency(k, d, below(key, 0)),
            // `amplitude` has refused these.
            Expr::Exp(_) | Expr::Warp(..) | Expr::Map(..) | Expr::Quadratic(_) => vec![0.0; d],
        }
    }

    /// The sum of m independent frequencies: that of k^m.
    fn power(&mut self, k: &Expr, m: usize, d: usize, key: u64) -> Vec<f64> {
        let mut sum = vec![0.0; d];
        (0..m).for_each(|i| add(&mut sum, &self.frequency(k, d, below(key, i))));
        sum
    }

    fn leaf(&mut self, leaf: &Leaf, d: usize, key: u64) -> Vec<f64> {
        if leaf.kind == Kind::Constant {
            return vec![0.0; d];
        }
        if leaf.kind == Kind::Periodic {
            // exp(-2 sin²(πδ/p)/ℓ²) has the Fourier coefficients e⁻ᶻ I_j(z), z = 1/ℓ²: the law of a difference of two
            // Poisson variables of mean z/2.
            return (0..d)
                .map(|f| {
                    let mean = 0.5 / leaf.scale_of(f).powi(2);
                    let count = match Poisson::new(mean) {
                        Ok(law) => law.sample(&mut self.rng) - law.sample(&mut self.rng),
                        // So large a mean that the difference is normal to the last digit.
                        Err(_) => (self.normal() / leaf.scale_of(f)).round(),
                    };
                    2.0 * PI * count / leaf.scalar(0)
                })
                .collect();
        }
        let g = self.gaussian(d, key);
        let nu = match leaf.kind {
            Kind::Matern12 => Some(0.5),
            Kind::Matern32 => Some(1.5),
            Kind::Matern52 => Some(2.5),
            Kind::Matern(nu) => Some(nu),
            _ => None,
        };
        let scale = match leaf.kind {
            // Gaussian over the root of a χ² of 2ν degrees of freedom, over them: Student's t.
            _ if nu.is_some() => {
                let freedom = 2.0 * nu.unwrap_or(0.5);
                (freedom / self.sample(ChiSquared::new(freedom).ok())).sqrt()
            }
            Kind::RationalQuadratic => {
                self.sample(Gamma::new(leaf.scalar(0), 1.0 / leaf.scalar(0)).ok()).sqrt()
            }
            Kind::RationalQuadraticBeta => {
                self.sample(Gamma::new(leaf.scalar(0), 2.0 / leaf.scalar(1)).ok()).sqrt()
            }
            _ => 1.0,
        };
        let laplacian = leaf.kind == Kind::Laplacian;
        let mut out = g;
        for (f, w) in out.iter_mut().enumerate() {
            // A ratio of two Gaussians is Cauchy's law, and each feature has its own.
            let own = if laplacian { 1.0 / self.normal().abs() } else { scale };
            *w *= own / leaf.scale_of(f);
        }
        out
    }

    /// A positive draw; one if the law does not exist, which the checks of the parameters exclude.
    fn sample(&mut self, law: Option<impl Distribution<f64>>) -> f64 {
        law.map_or(1.0, |law| law.sample(&mut self.rng).max(f64::MIN_POSITIVE))
    }

    fn normal(&mut self) -> f64 {
        self.rng.sample(StandardNormal)
    }

    fn pick(&mut self, weights: &[f64]) -> usize {
        let mut left = self.rng.random::<f64>() * weights.iter().sum::<f64>();
        let found = weights.iter().position(|w| {
            left -= w;
            left < 0.0
        });
        found.unwrap_or(weights.len() - 1)
    }

    /// A standard Gaussian vector; orthogonal to the last few of the same key, if asked for.
    fn gaussian(&mut self, d: usize, key: u64) -> Vec<f64> {
        if !self.orthogonal {
            return (0..d).map(|_| self.normal()).collect();
        }
        if let Some(next) = self.waiting.get_mut(&key).and_then(Vec::pop) {
            return next;
        }
        let mut block: Vec<Vec<f64>> = Vec::with_capacity(d);
        while block.len() < d.min(self.most) {
            let mut v: Vec<f64> = (0..d).map(|_| self.normal()).collect();
            // Twice, because cancellation may have left rounding along what was removed.
            for _ in 0..2 {
                for u in &block {
                    let along: f64 = u.iter().zip(&v).map(|(u, v)| u * v).sum();
                    v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
                }
            }
            let length = norm(&v);
            if length > 1e-8 {
                scale(&mut v, 1.0 / length);
                block.push(v);
            }
        }
        for v in &mut block {
            let length = norm(&(0..d).map(|_| self.normal()).collect::<Vec<_>>());
            scale(v, length);
        }
        let first = block.pop().unwrap_or_default();
        self.waiting.insert(key, block);
        first
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn scale(v: &mut [f64], by: f64) {
    for v in v {
        *v *= by;
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
}
