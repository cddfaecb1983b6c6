//! Methods that take inputs in any form, made from the traits: `inherent!(FittedKMeans: Predict -> Vec<usize>, Transform)`.
//!
//! A model implements a trait over `ArrayView2<f64>`, which is where its mathematics is; this writes the method of the
//! same name that a user calls without an import, with one documentation for all models.

mod methods;

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
    ([$own:ident $(<$param:ident: $bound:path>)?] Fit -> $fitted:ty) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
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
    ([$own:ident $(<$param:ident: $bound:path>)?] FitWeighted -> $fitted:ty) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
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

    // Both, and the traits behind them, from one `run(&self, device, x, weights)`.
    ([$own:ident] Weighed -> $fitted:ident) => {
        $crate::learn::inherent::fit!([$own] Fit -> $fitted);
        $crate::learn::inherent::fit!([$own] FitWeighted -> $fitted);

        impl crate::learn::Fit for $own {
            type Fitted = $fitted;

            fn fit(&self, device: &crate::Device, x: ndarray::ArrayView2<f64>, (): &()) -> crate::Result<$fitted> {
                self.run(device, x, None)
            }
        }

        impl crate::learn::FitWeighted for $own {
            fn fit_weighted(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted> {
                crate::check::weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                self.run(device, x, Some(w))
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
        $crate::learn::inherent::fit!(
            @weighted $own [<D: crate::learn::TargetDim>] ndarray::ArrayRef<f64, D> => $fitted<D>
        );
    };

    // What is fitted to one number a row.
    ([$own:ident] Numbers -> $fitted:ident) => {
        impl $own {
            /// Learns to predict `y`, n numbers, from the rows of `x`, `n x d`.
            ///
            /// # Errors
            /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data,
            /// [`Error::Parameter`](crate::Error::Parameter) for settings out of their domain,
            /// [`Error::Cancelled`](crate::Error::Cancelled) by its progress, and what the documentation of the model
            /// names.
            pub fn fit(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, ndarray::Ix1>>,
            ) -> crate::Result<$fitted> {
                crate::learn::Fit::fit(self, device, x.inputs().view(), &*y.targets())
            }
        }
    };
    ([$own:ident] NumbersWeighted -> $fitted:ident) => {
        $crate::learn::inherent::fit!(@weighted $own [] ndarray::ArrayRef<f64, ndarray::Ix1> => $fitted);
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
    ([$own:ident] ClassifyWeighted -> $fitted:ident) => {
        $crate::learn::inherent::fit!(@weighted $own [<L: Ord + Clone>] [L] => $fitted<L>);
    };

    // Both, and the traits behind them, from one `run(&self, device, x, y, weights)`; weights are one unless given.
    ([$own:ident] Classification -> $fitted:ident) => {
        $crate::learn::inherent::fit!([$own] Classify -> $fitted);
        $crate::learn::inherent::fit!([$own] ClassifyWeighted -> $fitted);

        impl<L: Ord + Clone> crate::learn::Fit<[L]> for $own {
            type Fitted = $fitted<L>;

            fn fit(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &[L],
            ) -> crate::Result<$fitted<L>> {
                self.run(device, x, y, ndarray::Array1::ones(y.len()).view())
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
                crate::check::weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                self.run(device, x, y, w)
            }
        }
    };

    (@weighted $own:ident [$($generic:tt)*] $y:ty => $fitted:ty) => {
        impl $own {
            /// `fit` with a weight for each row: a weight of 2 is that row twice.
            ///
            /// # Errors
            /// As `fit`, and for weights that are negative, not finite, all zero or not n.
            pub fn fit_weighted $($generic)* (
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = $y>,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted> {
                let (x, w) = (x.inputs(), weights.weights());
                crate::learn::FitWeighted::fit_weighted(self, device, x.view(), &*y.targets(), w.view())
            }
        }
    };
}

pub(crate) use methods::method;
pub(crate) use {fit, fits, inherent};
