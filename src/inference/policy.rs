//! Policy gradients: what to do, learned from rewards alone. Checked in `tests/inference/policy.rs`.

use ndarray::Array2;

use crate::check::{parameter, positive, require, room};
use crate::configure::{getters, setters};
use crate::inference::logs::normalise;
use crate::learn::Report;
use crate::random::Philox;
use crate::{Progress, Result};

/// What is acted upon: finitely many states and actions.
pub trait Environment {
    /// The number of states.
    fn states(&self) -> usize;

    /// The number of actions in every state.
    fn actions(&self) -> usize;

    /// The state that an episode begins in.
    fn start(&self, rng: &mut Philox) -> usize;

    /// The next state, none if the episode is over, and the reward.
    fn act(&self, state: usize, action: usize, rng: &mut Philox) -> (Option<usize>, f64);
}

/// One state, one action an episode: arm k pays 1 with probability `p_k`.
#[derive(Debug, Clone)]
pub struct Bandit {
    chances: Vec<f64>,
}

impl Bandit {
    /// A bandit with an arm for each probability of a reward.
    ///
    /// # Errors
    /// No arms, a probability outside [0, 1].
    pub fn new(chances: &[f64]) -> Result<Self> {
        require("Bandit", !chances.is_empty(), || "there are no arms".to_owned())?;
        for p in chances {
            parameter("chance of a reward", *p, (0.0..=1.0).contains(p), "must lie in [0, 1]")?;
        }
        Ok(Bandit { chances: chances.to_vec() })
    }
}

impl Environment for Bandit {
    fn states(&self) -> usize {
        1
    }

    fn actions(&self) -> usize {
        self.chances.len()
    }

    fn start(&self, _: &mut Philox) -> usize {
        0
    }

    fn act(&self, _: usize, action: usize, rng: &mut Philox) -> (Option<usize>, f64) {
        (None, f64::from(u8::from(rng.bernoulli(self.chances[action]))))
    }
}

/// A board of cells with a goal in the last corner: four moves, a cost of one each, walls that are not passed.
#[derive(Debug, Clone)]
pub struct GridWorld {
    rows: usize,
    columns: usize,
    walls: Vec<bool>,
}

impl GridWorld {
    /// A board that is left at its last cell, with walls at these (row, column).
    ///
    /// # Errors
    /// A board of fewer than two cells, a wall outside it or at its first or last cell.
    pub fn new(rows: usize, columns: usize, walls: &[(usize, usize)]) -> Result<Self> {
        require("GridWorld", rows.saturating_mul(columns) > 1, || format!("a board of {rows} x {columns}"))?;
        room("rows", rows.saturating_mul(columns), 1)?;
        let mut blocked = vec![false; rows * columns];
        for &(i, j) in walls {
            let inside = i < rows && j < columns && (i, j) != (0, 0) && (i, j) != (rows - 1, columns - 1);
            require("GridWorld", inside, || format!("a wall at ({i}, {j})"))?;
            blocked[i * columns + j] = true;
        }
        Ok(GridWorld { rows, columns, walls: blocked })
    }
}

impl Environment for GridWorld {
    fn states(&self) -> usize {
        self.rows * self.columns
    }

    /// Up, down, left, right.
    fn actions(&self) -> usize {
        4
    }

    fn start(&self, _: &mut Philox) -> usize {
        0
    }

    fn act(&self, state: usize, action: usize, _: &mut Philox) -> (Option<usize>, f64) {
        let (i, j) = (state / self.columns, state % self.columns);
        let (i, j) = match action {
            0 => (i.saturating_sub(1), j),
            1 => ((i + 1).min(self.rows - 1), j),
            2 => (i, j.saturating_sub(1)),
            _ => (i, (j + 1).min(self.columns - 1)),
        };
        let next = i * self.columns + j;
        let next = if self.walls[next] { state } else { next };
        (Some(next).filter(|s| *s + 1 != self.states()), -1.0)
    }
}

/// REINFORCE with a softmax policy `p(a | s) ∝ exp θ_sa`: `∇ E[R] = E[Σ_t ∇ log p(a_t | s_t) (R_t - b_s)]`, where `R_t` is the
/// reward from t on and `b_s` a running mean of it.
///
/// ```
/// use mercer::inference::policy::{Bandit, PolicyGradient};
/// let learned = PolicyGradient::new().seed(1).train(&Bandit::new(&[0.2, 0.8])?)?;
/// assert!(learned.probabilities()[[0, 1]] > 0.9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PolicyGradient {
    episodes: usize,
    most_steps: usize,
    step: f64,
    discount: f64,
    baseline: bool,
    seed: u64,
    progress: Progress,
}

impl Default for PolicyGradient {
    fn default() -> Self {
        let progress = Progress::none();
        PolicyGradient {
            episodes: 2000,
            most_steps: 200,
            step: 0.1,
            discount: 1.0,
            baseline: true,
            seed: 0,
            progress,
        }
    }
}

impl PolicyGradient {
    /// Two thousand episodes of at most two hundred steps.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(PolicyGradient {
    /// The number of episodes: 2000.
    episodes: usize,
    /// The most steps of an episode: 200.
    most_steps: usize,
    /// The step along each gradient: 0.1.
    step: f64,
    /// What a reward one step later is worth, in (0, 1]: 1.
    discount: f64,
    /// Whether a running mean of the rewards of earlier episodes is subtracted, which lowers the variance of the gradient and
    /// not its mean; the first episode that comes to a state then teaches nothing but that mean.
    baseline: bool,
    /// Seed of all random decisions; episode e uses stream e.
    seed: u64,
    /// Called after every episode with its reward; it can cancel the training.
    progress: Progress,
});

/// A policy, and the rewards that it was learned from.
#[derive(Debug, Clone)]
pub struct FittedPolicy {
    probabilities: Array2<f64>,
    report: Report,
}

getters!(FittedPolicy {
    /// The probability of each action (column) in each state (row).
    probabilities: &Array2<f64>,
    /// Episodes, and the reward of each.
    report: &Report,
});

impl PolicyGradient {
    /// Learns by acting.
    ///
    /// # Errors
    /// Settings out of their domain, an environment without states or actions, [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn train(&self, environment: &impl Environment) -> Result<FittedPolicy> {
        const OP: &str = "PolicyGradient::train";
        positive("step", self.step)?;
        parameter(
            "discount",
            self.discount,
            self.discount > 0.0 && self.discount <= 1.0,
            "must lie in (0, 1]",
        )?;
        parameter("most_steps", self.most_steps as f64, self.most_steps > 0, "must be at least 1")?;
        let (states, actions) = (environment.states(), environment.actions());
        require(OP, states > 0 && actions > 0, || format!("{states} states, {actions} actions"))?;
        let mut theta = crate::check::zeros("states", states, actions)?;
        let (mut baseline, mut seen) = (vec![0.0; states], vec![0.0; states]);
        let mut trace = Vec::new();
        let policy = |theta: &Array2<f64>, s: usize| {
            let mut p = theta.row(s).to_vec();
            normalise(&mut p);
            p
        };
        for episode in 0..self.episodes {
            let mut rng = Philox::new(self.seed, episode as u64);
            let mut steps: Vec<(usize, usize, f64)> = Vec::new();
            let mut at = Some(environment.start(&mut rng));
            while let Some(s) = at.filter(|_| steps.len() < self.most_steps) {
                let action = rng.categorical(&policy(&theta, s));
                let (next, reward) = environment.act(s, action, &mut rng);
                parameter("reward", reward, reward.is_finite(), "must be finite")?;
                require(OP, next.is_none_or(|n| n < states), || "a state beyond the last".to_owned())?;
                steps.push((s, action, reward));
                at = next;
            }
            let (mut later, mut returns) = (0.0, Vec::with_capacity(steps.len()));
            let mut change = Array2::<f64>::zeros((states, actions));
            for &(s, action, reward) in steps.iter().rev() {
                later = reward + self.discount * later;
                // A state that no earlier episode came to has no baseline yet: this one gives it.
                let advantage = match (self.baseline, seen[s] > 0.0) {
                    (false, _) => later,
                    (true, true) => later - baseline[s],
                    (true, false) => 0.0,
                };
                for (a, p) in policy(&theta, s).iter().enumerate() {
                    change[[s, a]] += advantage * (f64::from(u8::from(a == action)) - p);
                }
                returns.push((s, later));
            }
            // The mean over the visits so far, of which the last hundred count; those of an episode come after its gradient,
            // because they depend on its actions.
            for (s, later) in returns {
                seen[s] = (seen[s] + 1.0_f64).min(100.0);
                baseline[s] += (later - baseline[s]) / seen[s];
            }
            theta.scaled_add(self.step, &change);
            let total = steps.iter().map(|s| s.2).sum();
            trace.push(total);
            self.progress.report(OP, episode + 1, self.episodes, total)?;
        }
        let mut probabilities = theta.clone();
        for (s, mut row) in probabilities.rows_mut().into_iter().enumerate() {
            row.assign(&ndarray::Array1::from(policy(&theta, s)));
        }
        crate::check::finite(OP, "the policy", probabilities.view())?;
        let end = trace.last().copied().unwrap_or(f64::NAN);
        Ok(FittedPolicy { probabilities, report: Report::new(trace, self.episodes, false, vec![end]) })
    }
}
