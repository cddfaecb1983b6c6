//! What the linear and the quadratic discriminant share: a [`Gaussians`](super::gaussians::Gaussians) of classes.

/// `discriminant!(Model -> FittedModel)`: all that follows from `found.gaussians` and from
/// `Model::learn(&self, all: &Meeting, device, task, moments)`.
macro_rules! discriminant {
    ($own:ident -> $fitted:ident) => {
        impl $own {
            /// With sums of a device where they tell enough, else with those of the CPU.
            fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
                let there = if self.ledoit_wolf { None } else { Moments::on_device(all, device, task)? };
                if let Some(there) = there
                    && let Ok(found) = self.learn(all, device, task, there)
                    && found.gaussians.resolved()
                {
                    return Ok(found);
                }
                self.learn(all, device, task, Moments::of(all, task)?)
            }
        }

        impl crate::learn::classify::Joint for Found {
            fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
                self.gaussians.log_joint(concat!(stringify!($fitted), "::predict"), x)
            }
        }

        impl crate::learn::classify::Probable for Found {
            fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
                Ok(crate::learn::classify::softmax_rows(self.log_joint(x)?))
            }
        }

        crate::models::generative::on_device::placed!($fitted: found.gaussians);

        getters!($fitted<L> {
            /// The means of classes, `K x d`.
            means => found.gaussians.means: &Array2<f64>,
            /// The probabilities of classes.
            priors => found.gaussians.priors: &ndarray::Array1<f64>,
        });

        crate::learn::inherent::inherent!($fitted<L: crate::learn::Label>: Sample);

        impl<L: crate::learn::Label> $fitted<L> {
            /// New rows and their labels: first the class, by its prior, then a row of it.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) for none, or more than memory has room for.
            pub fn sample_labelled(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<L>)> {
                let (x, classes) = self.found.gaussians.sample(count, seed)?;
                Ok((x, self.labels.names(&classes)?))
            }
        }

        impl<L: crate::learn::Label> crate::learn::Sample for $fitted<L> {
            fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
                Ok(self.found.gaussians.sample(count, seed)?.0)
            }
        }
    };
}

pub(super) use discriminant;
