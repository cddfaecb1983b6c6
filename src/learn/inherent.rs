//! Methods that take inputs in any form, made from the traits: `inherent!(FittedKMeans: Predict -> Vec<usize>, Transform)`.
//!
//! A model implements a trait over `ArrayView2<f64>`, which is where its mathematics is; this writes the method of the
//! same name that a user calls without an import, with one documentation for all models.

macro_rules! inherent {
    ($own:ident: $($what:ident $(-> $out:ty)?),+) => {
        $($crate::learn::inherent::method!([$own] $what $(-> $out)?);)+
    };
    ($own:ident<$param:ident: $bound:path>: $($what:ident $(-> $out:ty)?),+) => {
        $($crate::learn::inherent::method!([$own<$param: $bound>] $what $(-> $out)?);)+
    };
}

/// The same for `fit` and `fit_weighted`: `fits!(Ridge: Regression -> FittedRidge)`.
macro_rules! fits {
    ($own:ident: $($what:ident -> $fitted:ident),+) => {
        $($crate::learn::inherent::fit!([$own] $what -> $fitted);)+
    };
}

macro_rules! fit {
    // What is fitted to inputs alone.
    ([$own:ident] Fit -> $fitted:ident) => {
        impl $own {
            /// Learns from the rows of `x`, `n x d`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) for too few rows or none, [`Error::NotFinite`](crate::Error::NotFinite),
            /// [`Error::Parameter`](crate::Error::Parameter) for settings out of their domain,
            /// [`Error::Cancelled`](crate::Error::Cancelled) by its progress, and those of the device.
            pub fn fit(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
            ) -> crate::Result<$fitted> {
                crate::learn::Fit::fit(self, device, x.inputs().view(), &())
            }
        }
    };
    ([$own:ident] FitWeighted -> $fitted:ident) => {
        impl $own {
            /// `fit` with a weight for each row: a weight of 2 is that row twice.
            ///
            /// # Errors
            /// As `fit`, and for weights that are negative, not finite, all zero or not n.
            pub fn fit_weighted(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted> {
                crate::learn::FitWeighted::fit_weighted(
                    self,
                    device,
                    x.inputs().view(),
                    &(),
                    weights.weights().view(),
                )
            }
        }
    };

    // What is fitted to numbers, of one dimension or two.
    ([$own:ident] Regress -> $fitted:ident) => {
        impl $own {
            /// Learns to predict `y`, n numbers or `n x t`, from the rows of `x`, `n x d`. What is given as one-dimensional
            /// is predicted as one-dimensional.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data,
            /// [`Error::Parameter`](crate::Error::Parameter) for settings out of their domain, and what the
            /// documentation of the model names.
            pub fn fit<D: crate::learn::TargetDim>(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, D>>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::Fit::fit(self, device, x.inputs().view(), &*y.targets())
            }
        }
    };
    ([$own:ident] RegressWeighted -> $fitted:ident) => {
        impl $own {
            /// `fit` with a weight for each row: a weight of 2 is that row twice.
            ///
            /// # Errors
            /// As `fit`, and for weights that are negative, not finite, all zero or not n.
            pub fn fit_weighted<D: crate::learn::TargetDim>(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, D>>,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::FitWeighted::fit_weighted(
                    self,
                    device,
                    x.inputs().view(),
                    &*y.targets(),
                    weights.weights().view(),
                )
            }
        }
    };

    // Both, and the traits behind them, from one `run(&self, device, x, y, weights)` of a model whose targets are columns.
    ([$own:ident] Regression -> $fitted:ident) => {
        $crate::learn::inherent::fit!([$own] Regress -> $fitted);
        $crate::learn::inherent::fit!([$own] RegressWeighted -> $fitted);

        impl<D: crate::learn::TargetDim> crate::learn::Fit<ndarray::ArrayRef<f64, D>> for $own {
            type Fitted = $fitted<D>;

            fn fit(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
            ) -> crate::Result<$fitted<D>> {
                self.run(device, x, D::columns(y), None)
            }
        }

        impl<D: crate::learn::TargetDim> crate::learn::FitWeighted<ndarray::ArrayRef<f64, D>> for $own {
            fn fit_weighted(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted<D>> {
                crate::check::weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                self.run(device, x, D::columns(y), Some(w))
            }
        }
    };

    // What is fitted to labels.
    ([$own:ident] Classify -> $fitted:ident) => {
        impl $own {
            /// Learns to predict the labels `y`, n of any ordered type, from the rows of `x`, `n x d`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data,
            /// [`Error::Parameter`](crate::Error::Parameter) for settings out of their domain or fewer than two classes,
            /// and what the documentation of the model names.
            pub fn fit<L: Ord + Clone>(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = [L]>,
            ) -> crate::Result<$fitted<L>> {
                crate::learn::Fit::fit(self, device, x.inputs().view(), &*y.targets())
            }
        }
    };
}

macro_rules! method {
    // What can be asked of what was fitted.
    ([$own:ident $(<$param:ident: $bound:path>)?] Predict -> $output:ty) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// The prediction at each row of `x`, `m x d`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) for another number of features than the fit had,
            /// [`Error::NotFinite`](crate::Error::NotFinite), and those of the device.
            pub fn predict(&self, x: impl crate::learn::Inputs) -> crate::Result<$output> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::predict"),
                    crate::learn::Predict::predict(self, x.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] PredictDistribution -> $output:ty) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// The distribution of a new observation at each row of `x`, `m x d`: its noise is included.
            ///
            /// # Errors
            /// As `predict`.
            pub fn predict_distribution(&self, x: impl crate::learn::Inputs) -> crate::Result<$output> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::predict_distribution"),
                    crate::learn::PredictDistribution::predict_distribution(self, x.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] PredictProba) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// Probabilities, one row for each row of `x`, one column for each class, cluster or component; rows sum to one.
            ///
            /// # Errors
            /// As `predict`.
            pub fn predict_proba(&self, x: impl crate::learn::Inputs) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::predict_proba"),
                    crate::learn::PredictProba::predict_proba(self, x.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] Decision) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// Scores of classes, one row for each row of `x`: one column, positive for the second class, if there are two,
            /// else one for each.
            ///
            /// # Errors
            /// As `predict`.
            pub fn decision(&self, x: impl crate::learn::Inputs) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::decision"),
                    crate::learn::Decision::decision(self, x.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] Transform) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// The features of each row of `x`, `m x d`: `m x k`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) for another number of features than the fit had,
            /// [`Error::NotFinite`](crate::Error::NotFinite), and those of the device.
            pub fn transform(&self, x: impl crate::learn::Inputs) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::transform"),
                    crate::learn::Transform::transform(self, x.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] InverseTransform) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// Rows of the original space for each row of features `z`, `m x k`: `m x d`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) for another number of features than `transform` makes,
            /// [`Error::NotFinite`](crate::Error::NotFinite).
            pub fn inverse_transform(&self, z: impl crate::learn::Inputs) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::inverse_transform"),
                    crate::learn::InverseTransform::inverse_transform(self, z.inputs().view()),
                )
            }
        }
    };
    ([$own:ident $(<$param:ident: $bound:path>)?] Sample) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// New observations, `count x d`; the seed decides.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
            pub fn sample(&self, count: usize, seed: u64) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::sample"),
                    crate::learn::Sample::sample(self, count, seed),
                )
            }
        }
    };

    // Scores: of densities by hand, of regressions and classifiers the same for all.
    ([$own:ident $(<$param:ident: $bound:path>)?] Score) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// How well the rows of `x` are described, as one number: larger is better.
            ///
            /// # Errors
            /// As `predict`.
            pub fn score(&self, x: impl crate::learn::Inputs) -> crate::Result<f64> {
                crate::learn::answer::answered(
                    concat!(stringify!($own), "::score"),
                    crate::learn::Score::score(self, x.inputs().view(), &()),
                )
            }
        }
    };
    ([$own:ident<$dim:ident: $bound:path>] R2) => {
        impl<$dim: $bound> $own<$dim> {
            /// R² of the predictions at `x` against `y`, the mean over the targets.
            ///
            /// # Errors
            /// As `predict`, and [`Error::Shape`](crate::Error::Shape) for a `y` that does not fit or has fewer than two rows.
            pub fn score(
                &self,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, $dim>>,
            ) -> crate::Result<f64> {
                crate::learn::Score::score(self, x.inputs().view(), &*y.targets())
            }
        }

        impl<$dim: $bound> crate::learn::Score<ndarray::ArrayRef<f64, $dim>> for $own<$dim> {
            fn score(
                &self,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, $dim>,
            ) -> crate::Result<f64> {
                let predicted = crate::learn::Predict::predict(self, x)?;
                let (y, p) = ($dim::columns(y), $dim::columns(&predicted));
                crate::learn::metrics::r_squared(concat!(stringify!($own), "::score"), y, p)
            }
        }
    };
    ([$own:ident<$label:ident: $bound:path>] Accuracy) => {
        impl<$label: $bound + Clone> $own<$label> {
            /// The share of the rows of `x` whose label is predicted as in `y`.
            ///
            /// # Errors
            /// As `predict`, and [`Error::Shape`](crate::Error::Shape) for a `y` that does not fit.
            pub fn score(
                &self,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = [$label]>,
            ) -> crate::Result<f64> {
                crate::learn::Score::score(self, x.inputs().view(), &*y.targets())
            }
        }

        impl<$label: $bound + Clone> crate::learn::Score<[$label]> for $own<$label> {
            fn score(&self, x: ndarray::ArrayView2<f64>, y: &[$label]) -> crate::Result<f64> {
                let predicted = crate::learn::Predict::predict(self, x)?;
                crate::learn::metrics::matched(concat!(stringify!($own), "::score"), y, &predicted)
            }
        }
    };
}

pub(crate) use {fit, fits, inherent, method};
