//! What every classifier shares: labels as indices, rows that weigh nothing left out, and the methods of what was fitted.
//!
//! A classifier is `run(&self, device, &Task) -> Result<Body>`; [`classifier_fits!`] writes `fit` and `fit_weighted`,
//! [`fitted_classifier!`] the fitted value with its labels. Checked by `tests/conformance/classify.rs`.

mod task;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use crate::Result;
pub(crate) use task::Task;

/// What was learned of classes that are indices.
pub(crate) trait Body {
    /// Features of a row.
    fn features(&self) -> usize;

    /// One column, positive for the second class, if there are two, else one for each: the largest wins.
    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;

    /// The error of a file that holds no such model of so many classes.
    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()>;
}

/// What was learned gives probabilities.
pub(crate) trait Probable: Body {
    /// One column for each class; rows sum to one.
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// What was learned gives joint log-densities.
pub(crate) trait Joint: Body {
    /// `ln p(x, class)`, one column for each class.
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// The column that wins each row: of one column the sign decides, else the largest, the first of equals.
pub(crate) fn winners(scores: ArrayView2<f64>) -> Vec<usize> {
    if scores.ncols() == 1 {
        return scores.column(0).iter().map(|s| usize::from(*s > 0.0)).collect();
    }
    super::labels::most_probable(scores)
}

/// Of two columns the second less the first; more columns as they are.
pub(crate) fn contrast(scores: Array2<f64>) -> Array2<f64> {
    if scores.ncols() == 2 {
        return (&scores.column(1) - &scores.column(0)).insert_axis(Axis(1));
    }
    scores
}

/// `log Σ_k e^{a_k}`; minus infinity if all are.
pub(crate) fn log_sum_exp(row: ArrayView1<f64>) -> f64 {
    let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top.is_finite() { top + row.iter().map(|v| (v - top).exp()).sum::<f64>().ln() } else { top }
}

/// Each row a becomes `e^a / Σ e^a`.
pub(crate) fn softmax_rows(mut a: Array2<f64>) -> Array2<f64> {
    for mut row in a.rows_mut() {
        let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        row.mapv_inplace(|v| (v - top).exp());
        let sum = row.sum();
        row /= sum;
    }
    a
}

/// `σ(a) = 1/(1 + e^{-a})`, without overflow.
pub(crate) fn sigmoid(a: f64) -> f64 {
    if a >= 0.0 {
        1.0 / (1.0 + (-a).exp())
    } else {
        let e = a.exp();
        e / (1.0 + e)
    }
}

/// `ln(1 + e^a) = -ln σ(-a)`.
pub(crate) fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}

/// `classifier_fits!(Model: FittedModel)`: `fit`, `fit_weighted` and their traits from `run(&self, device, &Task)`.
macro_rules! classifier_fits {
    ($own:ident: $fitted:ident) => {
        $crate::learn::classify::classifier_fits!(@ $own: $fitted, ());
    };
    (@ $own:ident: $fitted:ident, ($($all:expr,)?)) => {
        $crate::learn::inherent::fits!($own: Classify -> $fitted, ClassifyWeighted -> $fitted);

        impl<L: Ord + Clone> crate::learn::Fit<[L]> for $own {
            type Fitted = $fitted<L>;

            fn fit(&self, device: &crate::Device, x: ndarray::ArrayView2<f64>, y: &[L]) -> crate::Result<$fitted<L>> {
                const OP: &str = concat!(stringify!($own), "::fit");
                let (labels, task) = crate::learn::classify::Task::new(OP, x, y, None)?;
                Ok($fitted { format: crate::saved::Format, labels, found: self.run($($all,)? device, &task)? })
            }
        }

        impl<L: Ord + Clone> crate::learn::FitWeighted<[L]> for $own {
            fn fit_weighted(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &[L],
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted<L>> {
                const OP: &str = concat!(stringify!($own), "::fit");
                let (labels, task) = crate::learn::classify::Task::new(OP, x, y, Some(w))?;
                Ok($fitted { format: crate::saved::Format, labels, found: self.run($($all,)? device, &task)? })
            }
        }
    };
}

/// The fitted value of a classifier: its labels and a [`Body`]; `Probable` and `Joint` are said where it has them.
macro_rules! fitted_classifier {
    ($(#[$doc:meta])* $own:ident($found:ty) $(: $($what:ident),+)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
        pub struct $own<L = usize> {
            pub(super) format: crate::saved::Format,
            pub(super) labels: crate::learn::Labels<L>,
            pub(super) found: $found,
        }

        impl<L> $own<L> {
            /// The distinct labels in ascending order: the order of the columns of scores and probabilities.
            pub fn classes(&self) -> &[L] {
                self.labels.classes()
            }
        }

        impl<L> crate::learn::Classes for $own<L> {
            type Label = L;

            fn classes(&self) -> &[L] {
                self.labels.classes()
            }
        }

        crate::learn::inherent::inherent!($own<L: crate::learn::Label>: Predict -> Vec<L>, Decision, Accuracy);

        impl<L: crate::learn::Label> crate::learn::Decision for $own<L> {
            fn decision(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<ndarray::Array2<f64>> {
                const OP: &str = concat!(stringify!($own), "::decision");
                crate::check::inputs(OP, x, crate::learn::classify::Body::features(&self.found))?;
                crate::learn::classify::Body::scores(&self.found, x)
            }
        }

        impl<L: crate::learn::Label> crate::learn::Predict for $own<L> {
            type Output = Vec<L>;

            fn predict(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<Vec<L>> {
                const OP: &str = concat!(stringify!($own), "::predict");
                crate::check::inputs(OP, x, crate::learn::classify::Body::features(&self.found))?;
                let scores = crate::learn::classify::Body::scores(&self.found, x)?;
                self.labels.names(&crate::learn::classify::winners(scores.view()))
            }
        }

        #[cfg(feature = "serde")]
        crate::saved::saved!($own<L>);

        #[cfg(feature = "serde")]
        impl<L: Ord + Clone> crate::saved::Checked for $own<L> {
            fn check(&self) -> crate::Result<()> {
                const OP: &str = concat!("a saved ", stringify!($own));
                let classes = self.labels.classes();
                let ordered = classes.len() > 1 && classes.is_sorted_by(|a, b| a < b);
                crate::check::require(OP, ordered, || "labels that are not in order, or fewer than two".to_owned())?;
                crate::learn::classify::Body::check(&self.found, OP, classes.len())
            }
        }

        $($(crate::learn::classify::fitted_classifier!(@ $own, $what);)+)?
    };
    (@ $own:ident, Probable) => {
        crate::learn::inherent::inherent!($own<L: crate::learn::Label>: PredictProba);

        impl<L: crate::learn::Label> crate::learn::PredictProba for $own<L> {
            fn predict_proba(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<ndarray::Array2<f64>> {
                const OP: &str = concat!(stringify!($own), "::predict_proba");
                crate::check::inputs(OP, x, crate::learn::classify::Body::features(&self.found))?;
                crate::learn::classify::Probable::probabilities(&self.found, x)
            }
        }
    };
    (@ $own:ident, Joint) => {
        impl<L: crate::learn::Label> $own<L> {
            /// `ln p(x, class)`, one row for each row of `x`, one column for each class.
            ///
            /// # Errors
            /// As `predict`.
            pub fn log_joint(&self, x: impl crate::learn::Inputs) -> crate::Result<ndarray::Array2<f64>> {
                crate::learn::LogJoint::log_joint(self, x.inputs().view())
            }

            /// `ln p(x) = ln Σ p(x, class)` of each row.
            ///
            /// # Errors
            /// As `predict`.
            pub fn score_samples(&self, x: impl crate::learn::Inputs) -> crate::Result<ndarray::Array1<f64>> {
                crate::learn::LogDensity::log_density(self, x.inputs().view())
            }
        }

        impl<L: crate::learn::Label> crate::learn::LogJoint for $own<L> {
            fn log_joint(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<ndarray::Array2<f64>> {
                const OP: &str = concat!(stringify!($own), "::log_joint");
                crate::check::inputs(OP, x, crate::learn::classify::Body::features(&self.found))?;
                crate::learn::classify::Joint::log_joint(&self.found, x)
            }
        }

        impl<L: crate::learn::Label> crate::learn::LogDensity for $own<L> {
            fn log_density(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<ndarray::Array1<f64>> {
                let joint = crate::learn::LogJoint::log_joint(self, x)?;
                Ok(joint.rows().into_iter().map(crate::learn::classify::log_sum_exp).collect())
            }
        }
    };
}

pub(crate) use {classifier_fits, fitted_classifier};
