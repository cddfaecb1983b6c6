//! The verbs of a process that was fitted to what a mean leaves of y: those of the residual, raised by the mean. Checked in
//! `tests/probability/gp.rs`.

/// Verbs of a struct with a `residual` and an `offset(x)`, `m x 1` or `m x q`.
macro_rules! raised {
    ($name:ident, $residual:ident, $out:ty) => {
        impl<D: TargetDim, F: Fn(ArrayView1<f64>) -> $out> $name<F, D> {
            fn lifted(
                &self,
                mean: &ndarray::Array<f64, D>,
                x: ArrayView2<f64>,
            ) -> Result<ndarray::Array<f64, D>> {
                let raised = D::shaped(&D::columns(mean) + &self.offset(x)?);
                $crate::learn::answer::answered(concat!(stringify!($name), "::predict"), Ok(raised))
            }

            /// The means at each row of `x`.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($residual), "::predict`](crate::models::gp::", stringify!($residual), "::predict), and where the mean is not finite.")]
            pub fn predict(&self, x: impl Inputs) -> Result<ndarray::Array<f64, D>> {
                let x = x.inputs();
                self.lifted(&self.residual.predict(x.view())?, x.view())
            }

            /// The distribution of the function at each row of `x`.
            ///
            /// # Errors
            /// As [`predict_with`](Self::predict_with).
            pub fn predict_latent(&self, x: impl Inputs) -> Result<$crate::models::gp::Prediction<D>> {
                self.predict_with(x, $crate::models::gp::Predictive::Latent)
            }

            /// Mean and variance at each row of `x`, of the function or of an observation.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($residual), "::predict_with`](crate::models::gp::", stringify!($residual), "::predict_with), and where the mean is not finite.")]
            pub fn predict_with(
                &self,
                x: impl Inputs,
                what: $crate::models::gp::Predictive,
            ) -> Result<$crate::models::gp::Prediction<D>> {
                let x = x.inputs();
                let mut found = self.residual.predict_with(x.view(), what)?;
                found.mean = self.lifted(&found.mean, x.view())?;
                Ok(found)
            }

            /// Mean and covariance between all rows of `x`.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($residual), "::predict_joint`](crate::models::gp::", stringify!($residual), "::predict_joint), and where the mean is not finite.")]
            pub fn predict_joint(
                &self,
                x: impl Inputs,
                what: $crate::models::gp::Predictive,
            ) -> Result<$crate::models::gp::JointPrediction<D>> {
                let x = x.inputs();
                let mut found = self.residual.predict_joint(x.view(), what)?;
                found.mean = self.lifted(&found.mean, x.view())?;
                Ok(found)
            }

            /// Functions, or observations, drawn from the posterior at the rows of `x`: `count x m x q`; the seed decides.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($residual), "::sample`](crate::models::gp::", stringify!($residual), "::sample), and where the mean is not finite.")]
            pub fn sample(
                &self,
                x: impl Inputs,
                what: $crate::models::gp::Predictive,
                count: usize,
                seed: u64,
            ) -> Result<$crate::models::gp::Samples> {
                let x = x.inputs();
                let mut drawn = self.residual.sample(x.view(), what, count, seed)?;
                drawn.values += &self.offset(x.view())?;
                Ok(drawn)
            }
        }
    };
}

pub(super) use raised;
