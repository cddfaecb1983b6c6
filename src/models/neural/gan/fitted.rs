//! Generators, and what told them from the data.

use ndarray::{Array1, Array2};

use crate::Result;
use crate::check::{inputs, numbers, require, room};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Report, Reported, Sample};
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::random::gaussians;
use crate::saved::Format;

/// An implicit generator: `x = G(z)`, `z ~ N(0, I)`. It can be drawn from, and has no density. A linear one, `Wz + μ`,
/// draws from `N(μ, WWᵀ)`.
///
/// ```
/// use mercer::prelude::*;
/// let line = Generator::new(Network::mlp(1, &[], 2, Activation::Tanh)?, vec![1.0, 2.0, 0.5, 0.5])?;
/// let x = line.sample(10, 3)?;
/// assert!(x.rows().into_iter().all(|r| ((r[1] - 0.5) - 2.0 * (r[0] - 0.5)).abs() < 1e-12));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Generator {
    network: Network,
    parameters: Vec<f64>,
}

getters!(Generator {
    /// The network G.
    network: &Network,
    /// Its parameters.
    parameters: &[f64],
});

inherent!(Generator: Sample);

impl Generator {
    /// A network and its parameters.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of parameters, or some that are not finite.
    pub fn new(network: Network, parameters: Vec<f64>) -> Result<Self> {
        let want = network.parameters();
        let fits = parameters.len() == want && parameters.iter().all(|v| v.is_finite());
        require("Generator::new", fits, || {
            format!("{} finite numbers for {want} parameters", parameters.len())
        })?;
        Ok(Generator { network, parameters })
    }

    /// `G(z)` of each row.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for rows of another width.
    pub fn generate(&self, z: impl Inputs) -> Result<Array2<f64>> {
        self.network.forward(&self.parameters, z)
    }
}

impl Sample for Generator {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        room("count", count, 8 * (self.network.inputs() + 4 * self.network.outputs()))?;
        let mut normal = gaussians(seed, 0);
        let z = Array2::from_shape_simple_fn((count, self.network.inputs()), &mut normal);
        let x = pass::forward(&self.network, &self.parameters, z.view());
        numbers("Generator::sample", "what is generated", x.view())?;
        Ok(x)
    }
}

/// A fitted [`Gan`](super::Gan).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedGan {
    format: Format,
    generator: Generator,
    critic: Network,
    parameters: Vec<f64>,
    report: Report,
}

getters!(FittedGan {
    /// The generator.
    generator: &Generator,
    /// The network of the discriminator.
    critic: &Network,
    /// The parameters of the discriminator.
    critic_parameters => parameters: &[f64],
    /// How the game went; the trace is its value at each round.
    report: &Report,
});

inherent!(FittedGan: Sample);

impl FittedGan {
    pub(super) fn new(generator: Generator, critic: Network, parameters: Vec<f64>, report: Report) -> Self {
        FittedGan { format: Format, generator, critic, parameters, report }
    }

    /// What the discriminator says of rows: the logit of D for the first adversarial game, T for the others. It was not trained
    /// if the loss was the maximum mean discrepancy.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for rows of another width, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn criticise(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        inputs("FittedGan::criticise", x.view(), self.critic.inputs())?;
        let found = pass::forward(&self.critic, &self.parameters, x.view());
        numbers("FittedGan::criticise", "what is said", found.view())?;
        Ok(found.column(0).to_owned())
    }
}

impl Sample for FittedGan {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Sample::sample(&self.generator, count, seed)
    }
}

impl Reported for FittedGan {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedGan);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedGan {
    fn check(&self) -> Result<()> {
        self.generator.network.holds(&self.generator.parameters)?;
        self.critic.holds(&self.parameters)?;
        let (a, b) = (self.generator.network.outputs(), self.critic.inputs());
        require("a saved FittedGan", a == b, || format!("rows of {a} are made, and rows of {b} judged"))
    }
}
