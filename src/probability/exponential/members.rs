//! Twelve families by name.

use ndarray::{Array1, Array2, array};

use super::family::{ExponentialFamily, newton};
use crate::Result;
use crate::check::{entries, parameter, positive, require};
use crate::probability::special::{
    digamma, log_choose, log_factorial, log_gamma, log_multivariate_beta, log_sum_exp, logit, sigmoid,
    softmax, softplus, trigamma,
};

/// A family by name. A row x is one number, but for categories' counts and proportions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    /// `u = (x, x²)`, `η = (ν/σ², -1/(2σ²))`.
    Normal,
    /// A normal of this known variance σ²: `u = x`, `η = ν/σ²`, `A = σ²η²/2`.
    NormalMean {
        /// σ².
        variance: f64,
    },
    /// `u = x`, `η = ln μ/(1 - μ)`, `A = ln(1 + e^η)`.
    Bernoulli,
    /// x = 0 .. C-1; `u` its 1-of-K coding without the first, `η_k = ln μ_k/μ_0`: the minimal form.
    Categorical {
        /// C.
        categories: usize,
    },
    /// `u = x`, `η = logit μ`, of so many trials.
    Binomial {
        /// n.
        trials: u32,
    },
    /// Rows of C counts that sum to n; `u` are all but the first.
    Multinomial {
        /// n.
        trials: u32,
        /// C.
        categories: usize,
    },
    /// `u = x`, `η = ln l`, `A = e^η`.
    Poisson,
    /// `u = x`, `η = -l`, `A = -ln(-η)`.
    Exponential,
    /// `u = |x - c|`, `η = -1/b`, `A = ln(-2/η)`.
    Laplace {
        /// c.
        location: f64,
    },
    /// `u = (ln x, x)`, `η = (k - 1, -l)`.
    Gamma,
    /// `u = (ln x, ln(1 - x))`, `η = (a - 1, b - 1)`.
    Beta,
    /// Rows of K probabilities; `u = ln x`, `η = α - 1`.
    Dirichlet {
        /// K.
        categories: usize,
    },
}

/// `ln(1 + Σ e^η)`.
fn log_partition_of_categories(eta: &[f64]) -> f64 {
    log_sum_exp(&[&[0.0], eta].concat())
}

/// `μ_1 .. μ_{C-1}`.
fn shares(eta: &[f64]) -> Vec<f64> {
    softmax(&[&[0.0], eta].concat()).split_off(1)
}

fn whole(x: f64) -> bool {
    x >= 0.0 && x.fract() == 0.0
}

/// η plus one: α, or (a, b), or the shape.
fn raised(eta: &[f64]) -> Vec<f64> {
    eta.iter().map(|e| e + 1.0).collect()
}

impl ExponentialFamily for Member {
    fn dimension(&self) -> usize {
        match *self {
            Member::Normal | Member::Gamma | Member::Beta => 2,
            Member::Categorical { categories } | Member::Multinomial { categories, .. } => {
                categories.max(2) - 1
            }
            Member::Dirichlet { categories } => categories,
            _ => 1,
        }
    }

    fn features(&self) -> usize {
        match *self {
            Member::Multinomial { categories, .. } | Member::Dirichlet { categories } => categories,
            _ => 1,
        }
    }

    fn check_family(&self) -> Result<()> {
        let many = |c: usize| parameter("categories", c as f64, c > 1, "must be at least 2");
        let tries = |n: u32| parameter("trials", f64::from(n), n > 0, "must be at least 1");
        match *self {
            Member::NormalMean { variance } => positive("variance", variance),
            Member::Categorical { categories } | Member::Dirichlet { categories } => many(categories),
            Member::Binomial { trials } => tries(trials),
            Member::Multinomial { trials, categories } => tries(trials).and(many(categories)),
            Member::Laplace { location } => {
                parameter("location", location, location.is_finite(), "must be finite")
            }
            _ => Ok(()),
        }
    }

    fn statistics(&self, x: &[f64]) -> Option<(Vec<f64>, f64)> {
        self.check_family().ok()?;
        if x.len() != self.features() || x.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let first = x[0];
        let one = |holds: bool, u: f64, log: f64| holds.then(|| (vec![u], log));
        match *self {
            Member::Normal => Some((vec![first, first * first], 0.0)),
            Member::NormalMean { variance } => {
                let log = -0.5 * (first * first / variance + (std::f64::consts::TAU * variance).ln());
                Some((vec![first], log))
            }
            Member::Bernoulli => one(first == 0.0 || first == 1.0, first, 0.0),
            Member::Categorical { categories } => (whole(first) && first < categories as f64).then(|| {
                let is = |k: usize| f64::from(u8::from(first == k as f64));
                ((1..categories).map(is).collect(), 0.0)
            }),
            Member::Binomial { trials } => {
                let n = f64::from(trials);
                let inside = whole(first) && first <= n;
                one(inside, first, if inside { log_choose(n, first) } else { 0.0 })
            }
            Member::Multinomial { trials, .. } => {
                let n = f64::from(trials);
                let inside = x.iter().all(|&x| whole(x)) && x.iter().sum::<f64>() == n;
                let log = log_factorial(n) - x.iter().map(|&x| log_factorial(x)).sum::<f64>();
                inside.then(|| (x[1..].to_vec(), log))
            }
            Member::Poisson => one(whole(first), first, -log_factorial(first.max(0.0))),
            Member::Exponential => one(first >= 0.0, first, 0.0),
            Member::Laplace { location } => Some((vec![(first - location).abs()], 0.0)),
            Member::Gamma => (first > 0.0).then(|| (vec![first.ln(), first], 0.0)),
            Member::Beta => (first > 0.0 && first < 1.0).then(|| (vec![first.ln(), (-first).ln_1p()], 0.0)),
            Member::Dirichlet { .. } => {
                let inside = x.iter().all(|&x| x > 0.0) && (x.iter().sum::<f64>() - 1.0).abs() < 1e-9;
                inside.then(|| (x.iter().map(|x| x.ln()).collect(), 0.0))
            }
        }
    }

    fn is_feasible(&self, eta: &[f64]) -> bool {
        match self {
            Member::Normal => eta[1] < 0.0,
            Member::Exponential | Member::Laplace { .. } => eta[0] < 0.0,
            Member::Gamma => eta[0] > -1.0 && eta[1] < 0.0,
            Member::Beta | Member::Dirichlet { .. } => eta.iter().all(|&e| e > -1.0),
            _ => eta.iter().all(|e| e.is_finite()),
        }
    }

    fn log_partition_at(&self, eta: &[f64]) -> f64 {
        let e = eta[0];
        match *self {
            Member::Normal => -e * e / (4.0 * eta[1]) - 0.5 * (-eta[1] / std::f64::consts::PI).ln(),
            Member::NormalMean { variance } => 0.5 * variance * e * e,
            Member::Bernoulli => softplus(e),
            Member::Categorical { .. } => log_partition_of_categories(eta),
            Member::Binomial { trials } => f64::from(trials) * softplus(e),
            Member::Multinomial { trials, .. } => f64::from(trials) * log_partition_of_categories(eta),
            Member::Poisson => e.exp(),
            Member::Exponential => -(-e).ln(),
            Member::Laplace { .. } => (-2.0 / e).ln(),
            Member::Gamma => log_gamma(e + 1.0) - (e + 1.0) * (-eta[1]).ln(),
            Member::Beta | Member::Dirichlet { .. } => log_multivariate_beta(&raised(eta)),
        }
    }

    fn gradient_at(&self, eta: &[f64]) -> Vec<f64> {
        let e = eta[0];
        match *self {
            Member::Normal => {
                let (mean, variance) = (-e / (2.0 * eta[1]), -0.5 / eta[1]);
                vec![mean, variance + mean * mean]
            }
            Member::NormalMean { variance } => vec![variance * e],
            Member::Bernoulli => vec![sigmoid(e)],
            Member::Categorical { .. } => shares(eta),
            Member::Binomial { trials } => vec![f64::from(trials) * sigmoid(e)],
            Member::Multinomial { trials, .. } => {
                shares(eta).into_iter().map(|p| f64::from(trials) * p).collect()
            }
            Member::Poisson => vec![e.exp()],
            Member::Exponential | Member::Laplace { .. } => vec![-1.0 / e],
            Member::Gamma => vec![digamma(e + 1.0) - (-eta[1]).ln(), -(e + 1.0) / eta[1]],
            Member::Beta | Member::Dirichlet { .. } => {
                let all = digamma(raised(eta).iter().sum());
                eta.iter().map(|e| digamma(e + 1.0) - all).collect()
            }
        }
    }

    fn hessian_at(&self, eta: &[f64]) -> Array2<f64> {
        let e = eta[0];
        let of_shares = |n: f64| {
            let p = Array1::from(shares(eta));
            let outer = p.view().insert_axis(ndarray::Axis(1)).dot(&p.view().insert_axis(ndarray::Axis(0)));
            (Array2::from_diag(&p) - outer) * n
        };
        match *self {
            Member::Normal => {
                let (mean, v) = (-e / (2.0 * eta[1]), -0.5 / eta[1]);
                let cross = 2.0 * mean * v;
                array![[v, cross], [cross, 2.0 * v * v + 4.0 * mean * mean * v]]
            }
            Member::NormalMean { variance } => array![[variance]],
            Member::Bernoulli => array![[sigmoid(e) * sigmoid(-e)]],
            Member::Categorical { .. } => of_shares(1.0),
            Member::Binomial { trials } => array![[f64::from(trials) * sigmoid(e) * sigmoid(-e)]],
            Member::Multinomial { trials, .. } => of_shares(f64::from(trials)),
            Member::Poisson => array![[e.exp()]],
            Member::Exponential | Member::Laplace { .. } => array![[1.0 / (e * e)]],
            Member::Gamma => {
                let (k, l) = (e + 1.0, -eta[1]);
                array![[trigamma(k), 1.0 / l], [1.0 / l, k / (l * l)]]
            }
            Member::Beta | Member::Dirichlet { .. } => {
                let own: Array1<f64> = eta.iter().map(|e| trigamma(e + 1.0)).collect();
                Array2::from_diag(&own) - trigamma(raised(eta).iter().sum())
            }
        }
    }

    fn start(&self) -> Vec<f64> {
        match self {
            Member::Normal => vec![0.0, -0.5],
            Member::Exponential | Member::Laplace { .. } => vec![-1.0],
            Member::Gamma => vec![0.0, -1.0],
            _ => vec![0.0; self.dimension()],
        }
    }

    fn natural_parameters(&self, mean: &[f64]) -> Result<Vec<f64>> {
        const OP: &str = "natural_parameters";
        let k = self.dimension();
        require(OP, mean.len() == k, || format!("{k} mean parameters, {} given", mean.len()))?;
        self.check_family()?;
        entries(OP, "mean", mean)?;
        let m = mean[0];
        let positive = |v: f64| parameter("mean[0]", v, v > 0.0 && v.is_finite(), "no member has this mean");
        let inside =
            |share: f64| parameter("mean[0]", m, share > 0.0 && share < 1.0, "no member has this mean");
        match *self {
            Member::Normal => {
                let variance = mean[1] - m * m;
                parameter("mean[1] - mean[0]^2", variance, variance > 0.0, "a variance must be positive")?;
                Ok(vec![m / variance, -0.5 / variance])
            }
            Member::NormalMean { variance } => Ok(vec![m / variance]),
            Member::Bernoulli => inside(m).map(|()| vec![logit(m)]),
            Member::Binomial { trials } => {
                let share = m / f64::from(trials);
                inside(share).map(|()| vec![logit(share)])
            }
            Member::Categorical { .. } | Member::Multinomial { .. } => {
                let n = if let Member::Multinomial { trials, .. } = *self { f64::from(trials) } else { 1.0 };
                let first = 1.0 - mean.iter().sum::<f64>() / n;
                parameter("mean of the first category", first, first > 0.0, "no member has this mean")?;
                mean.iter().try_for_each(|&m| positive(m))?;
                Ok(mean.iter().map(|m| (m / n / first).ln()).collect())
            }
            Member::Poisson => positive(m).map(|()| vec![m.ln()]),
            Member::Exponential | Member::Laplace { .. } => positive(m).map(|()| vec![-1.0 / m]),
            Member::Gamma | Member::Beta | Member::Dirichlet { .. } => newton(self, mean),
        }
    }
}
