//! Transfer: tasks that share their lower layers. Checked in `tests/neural/transfer.rs`.

use ndarray::{Array2, ArrayView2};

use super::loss::OutputLoss;
use super::network::Network;
use super::supervised::Supervised;
use super::training::{Objective, Training};
use crate::check::{pairs, parameter, require};
use crate::learn::{Inputs, Report};
use crate::{Device, Result};

/// Tasks with common lower layers: `y_k = head_k(trunk(x))`. Parameters are those of the trunk, then of each head.
///
/// A trunk that was trained on some tasks can be given a new head with few data: [`SharedLayers::adapt`] trains the head
/// alone. Runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let trunk = Network::mlp(1, &[4], 3, Activation::Tanh)?;
/// let head = Network::mlp(3, &[], 1, Activation::Tanh)?;
/// let tasks = SharedLayers::new(trunk, vec![(head.clone(), OutputLoss::Gaussian), (head, OutputLoss::Gaussian)])?;
/// let (x, a, b) = (array![[0.0], [1.0], [2.0]], array![[0.0], [1.0], [4.0]], array![[1.0], [0.0], [-3.0]]);
/// let (w, _) = tasks.fit_tasks(&[(x.view(), a.view()), (x.view(), b.view())], &Training::default())?;
/// assert_eq!(tasks.predict(&w, 1, &x)?.dim(), (3, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLayers {
    trunk: Network,
    heads: Vec<(Network, OutputLoss)>,
}

/// Inputs and targets of one task.
pub type Task<'a> = (ArrayView2<'a, f64>, ArrayView2<'a, f64>);

impl SharedLayers {
    /// A trunk, and a head with its loss for each task.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no head, or one that does not take what the trunk makes.
    pub fn new(trunk: Network, heads: Vec<(Network, OutputLoss)>) -> Result<Self> {
        require("SharedLayers::new", !heads.is_empty(), || "there are no heads".to_owned())?;
        let width = trunk.outputs();
        let fits = heads.iter().all(|(head, _)| head.inputs() == width);
        require("SharedLayers::new", fits, || {
            format!("a head does not take the {width} outputs of the trunk")
        })?;
        Ok(SharedLayers { trunk, heads })
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.trunk.parameters() + self.heads.iter().map(|(head, _)| head.parameters()).sum::<usize>()
    }

    /// Parameters to begin with.
    pub fn initial(&self, seed: u64) -> Vec<f64> {
        let heads = self.heads.iter().enumerate();
        let own = heads.flat_map(|(k, (head, _))| head.initial(seed.wrapping_add(1 + k as u64)));
        self.trunk.initial(seed).into_iter().chain(own).collect()
    }

    /// Where the parameters of a head begin.
    fn head(&self, task: usize) -> Result<(usize, &Network, OutputLoss)> {
        parameter("task", task as f64, task < self.heads.len(), "must be below the number of heads")?;
        let before: usize = self.heads[..task].iter().map(|(head, _)| head.parameters()).sum();
        let (head, loss) = &self.heads[task];
        Ok((self.trunk.parameters() + before, head, *loss))
    }

    /// The loss of one task, the mean over its rows, and its gradient by all parameters: zero for the heads of others.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for data that do not fit.
    pub fn gradient(&self, parameters: &[f64], task: usize, data: Task) -> Result<(f64, Vec<f64>)> {
        let (start, head, loss) = self.head(task)?;
        let want = self.parameters();
        require("SharedLayers", parameters.len() == want, || {
            format!("{} parameters for {want}", parameters.len())
        })?;
        let (x, t) = data;
        pairs("SharedLayers", x, t)?;
        let fits = t.ncols() == head.outputs();
        require("SharedLayers", fits, || format!("{} targets, {} outputs", t.ncols(), head.outputs()))?;
        let (lower, upper) =
            (&parameters[..self.trunk.parameters()], &parameters[start..start + head.parameters()]);
        let below = self.trunk.record(lower, x, None)?;
        let above = head.record(upper, below.output(), None)?;
        let scale = 1.0 / x.nrows() as f64;
        let value = scale * loss.total(above.output().view(), t, None);
        let delta = loss.slope(above.output().view(), t, None) * scale;
        let of_head = head.backward(upper, &above, &delta)?;
        let of_trunk = self.trunk.backward(lower, &below, &of_head.inputs)?;
        let mut gradient = vec![0.0; want];
        gradient[..lower.len()].copy_from_slice(&of_trunk.parameters);
        gradient[start..start + head.parameters()].copy_from_slice(&of_head.parameters);
        Ok((value, gradient))
    }

    /// Trains all tasks at once: the sum of their losses, all rows at each step.
    ///
    /// # Errors
    /// As [`SharedLayers::gradient`], for another number of tasks than heads, and those of training.
    pub fn fit_tasks(&self, tasks: &[Task], training: &Training) -> Result<(Vec<f64>, Report)> {
        let (n, heads) = (tasks.len(), self.heads.len());
        require("SharedLayers::fit_tasks", n == heads, || format!("{n} tasks, {heads} heads"))?;
        let all = AllTasks { layers: self, tasks };
        let heads = self.heads.iter().flat_map(|(head, _)| head.decaying());
        let decaying: Vec<bool> = self.trunk.decaying().into_iter().chain(heads).collect();
        let start = |seed| Ok(self.initial(seed));
        let learned = training.run("SharedLayers::fit_tasks", 1, None, start, &decaying, &all)?;
        Ok((learned.parameters, learned.report))
    }

    /// Trains a new head on the trunk as it is: its parameters, to be used with [`SharedLayers::features`].
    ///
    /// # Errors
    /// As [`SharedLayers::fit_tasks`].
    pub fn adapt(
        &self,
        parameters: &[f64],
        head: &Network,
        loss: OutputLoss,
        data: Task,
        training: &Training,
    ) -> Result<Vec<f64>> {
        pairs("SharedLayers::adapt", data.0, data.1)?;
        let x = self.features(parameters, data.0)?;
        let fits = head.inputs() == x.ncols() && head.outputs() == data.1.ncols();
        require("SharedLayers::adapt", fits, || {
            "the head fits neither the trunk nor the targets".to_owned()
        })?;
        let cpu = Device::cpu();
        let objective =
            Supervised { device: &cpu, network: head, loss, x: x.view(), targets: data.1, weights: None };
        let start = |seed| Ok(head.initial(seed));
        let found =
            training.run("SharedLayers::adapt", x.nrows(), None, start, &head.decaying(), &objective)?;
        Ok(found.parameters)
    }

    /// What the trunk makes of rows.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn features(&self, parameters: &[f64], x: impl Inputs) -> Result<Array2<f64>> {
        let (held, need) = (parameters.len(), self.trunk.parameters());
        require("SharedLayers", held >= need, || format!("{held} parameters for a trunk of {need}"))?;
        self.trunk.forward(&parameters[..need], x)
    }

    /// The outputs of one task.
    ///
    /// # Errors
    /// As [`SharedLayers::features`].
    pub fn predict(&self, parameters: &[f64], task: usize, x: impl Inputs) -> Result<Array2<f64>> {
        let (start, head, loss) = self.head(task)?;
        let want = self.parameters();
        require("SharedLayers", parameters.len() == want, || {
            format!("{} parameters for {want}", parameters.len())
        })?;
        let a = head.forward(&parameters[start..start + head.parameters()], self.features(parameters, x)?)?;
        Ok(loss.outputs(a.view()))
    }
}

struct AllTasks<'a> {
    layers: &'a SharedLayers,
    tasks: &'a [Task<'a>],
}

impl Objective for AllTasks<'_> {
    fn batch(&self, parameters: &[f64], _: &[usize], _: u64) -> Result<(f64, Vec<f64>)> {
        let (mut sum, mut all) = (0.0, vec![0.0; parameters.len()]);
        for (k, &task) in self.tasks.iter().enumerate() {
            let (value, gradient) = self.layers.gradient(parameters, k, task)?;
            sum += value;
            all.iter_mut().zip(&gradient).for_each(|(a, g)| *a += g);
        }
        Ok((sum, all))
    }
}
