//! What can be asked of what was fitted, one arm a trait.

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

pub(crate) use method;
