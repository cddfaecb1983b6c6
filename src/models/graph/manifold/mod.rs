//! Functions from few labels and many points: a kernel's penalty and a graph's. Checked in `tests/graph/manifold.rs`.

mod classifier;
mod deformed;
mod logistic;
mod margin;
mod rls;
mod svm;

pub use logistic::{FittedLaplacianLogistic, LaplacianLogistic};
pub use margin::MarginCertificate;
pub use rls::{FittedLaplacianRls, LaplacianRls};
pub use svm::{FittedLaplacianSvm, LaplacianSvm};

/// The setters that all three share.
macro_rules! manifold_setters {
    ($model:ident) => {
        crate::learn::configure::setters!($model {
            /// The kernel.
            kernel => penalties.kernel: crate::Kernel,
            /// The penalty λ > 0 of the function's norm.
            penalty => penalties.norm: f64,
            /// The penalty η >= 0 of its change along edges.
            manifold => penalties.manifold: f64,
            /// How points are joined; the 10 nearest of either by default.
            neighbourhood => penalties.neighbourhood: into Option<crate::models::graph::Neighbourhood>,
            /// The graph itself, of the labelled points followed by the unlabelled ones, instead of a neighbourhood.
            graph => penalties.graph: into Option<crate::models::graph::Graph>,
            /// The points without a label.
            unlabelled => penalties.unlabelled: into Option<ndarray::Array2<f64>>,
        });
    };
}

pub(super) use manifold_setters;
