//! Fits that are the same alone and on several ranks, with weights and without: all of it from one method of the model.

/// `fit`, `fit_weighted`, `fit_across`, `fit_weighted_across` and their traits, from one method of the model:
/// `run(&self, all: &Meeting, device, x, w)` of a `Fit`, `run(&self, all, device, x, y, w)` of a `Regress`, whose targets
/// are columns, and `run(&self, all, device, &Task)` of a `Classify`. The weights were checked, and None if there are none.
macro_rules! fits_across {
    ($own:ident $(<$param:ident: $bound:path>)?: Fit -> $fitted:ty) => {
        $crate::learn::inherent::fit!([$own $(<$param: $bound>)?] Fit -> $fitted);
        $crate::learn::inherent::fit!([$own $(<$param: $bound>)?] FitWeighted -> $fitted);
        $crate::learn::ranks::across!(@methods $own $(<$param: $bound>)? -> $fitted);

        impl $(<$param: $bound>)? $own $(<$param>)? {
            /// `fit_weighted` of rows that lie on several ranks: see
            /// [`FitWeightedAcross`](crate::learn::ranks::FitWeightedAcross).
            ///
            /// # Errors
            /// As `fit_weighted`, the same on every rank. The weights of one rank may all be zero.
            pub fn fit_weighted_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted> {
                let (x, w) = (x.inputs(), weights.weights());
                crate::learn::ranks::FitWeightedAcross::fit_weighted_across(
                    self, ranks, device, x.view(), &(), w.view(),
                )
            }
        }

        impl $(<$param: $bound>)? crate::learn::Fit for $own $(<$param>)? {
            type Fitted = $fitted;

            fn fit(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
            ) -> crate::Result<$fitted> {
                self.run(&crate::learn::ranks::Meeting::alone_here(), device, x, None)
            }
        }

        impl $(<$param: $bound>)? crate::learn::FitWeighted for $own $(<$param>)? {
            fn fit_weighted(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted> {
                crate::check::weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                self.run(&crate::learn::ranks::Meeting::alone_here(), device, x, Some(w))
            }
        }

        impl $(<$param: $bound>)? crate::learn::ranks::FitAcross for $own $(<$param>)? {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
            ) -> crate::Result<$fitted> {
                crate::learn::ranks::meet(ranks, |all| self.run(all, device, x, None))
            }
        }

        impl $(<$param: $bound>)? crate::learn::ranks::FitWeightedAcross for $own $(<$param>)? {
            fn fit_weighted_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted> {
                crate::learn::ranks::meet(ranks, |all| {
                    all.weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                    self.run(all, device, x, Some(w))
                })
            }
        }
    };
    ($own:ident: Regress -> $fitted:ident) => {
        $crate::learn::inherent::fit!([$own] Regress -> $fitted);
        $crate::learn::inherent::fit!([$own] RegressWeighted -> $fitted);
        $crate::learn::ranks::across!(
            @methods $own [D: crate::learn::TargetDim] ndarray::ArrayRef<f64, D> => $fitted<D>
        );
        $crate::learn::ranks::fits_across!(
            @weighted $own [D: crate::learn::TargetDim] ndarray::ArrayRef<f64, D> => $fitted<D>
        );

        impl<D: crate::learn::TargetDim> crate::learn::Fit<ndarray::ArrayRef<f64, D>> for $own {
            type Fitted = $fitted<D>;

            fn fit(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
            ) -> crate::Result<$fitted<D>> {
                self.run(&crate::learn::ranks::Meeting::alone_here(), device, x, D::columns(y), None)
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
                self.run(&crate::learn::ranks::Meeting::alone_here(), device, x, D::columns(y), Some(w))
            }
        }

        impl<D: crate::learn::TargetDim> crate::learn::ranks::FitAcross<ndarray::ArrayRef<f64, D>> for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::ranks::meet(ranks, |all| self.run(all, device, x, D::columns(y), None))
            }
        }

        impl<D: crate::learn::TargetDim> crate::learn::ranks::FitWeightedAcross<ndarray::ArrayRef<f64, D>>
            for $own
        {
            fn fit_weighted_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::ranks::meet(ranks, |all| {
                    all.weights(concat!(stringify!($own), "::fit"), w, x.nrows())?;
                    self.run(all, device, x, D::columns(y), Some(w))
                })
            }
        }
    };
    ($own:ident: Classify -> $fitted:ident) => {
        $crate::learn::classify::classifier_fits!(
            @ $own: $fitted, (&crate::learn::ranks::Meeting::alone_here(),)
        );
        $crate::learn::ranks::across!(@methods $own [L: Ord + Clone + crate::saved::Wire] [L] => $fitted<L>);
        $crate::learn::ranks::fits_across!(
            @weighted $own [L: Ord + Clone + crate::saved::Wire] [L] => $fitted<L>
        );

        impl<L: Ord + Clone + crate::saved::Wire> crate::learn::ranks::FitAcross<[L]> for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &[L],
            ) -> crate::Result<$fitted<L>> {
                const OP: &str = concat!(stringify!($own), "::fit");
                crate::learn::ranks::meet(ranks, |all| {
                    let (labels, task) = crate::learn::classify::Task::across(all, OP, x, y, None)?;
                    Ok($fitted { format: crate::saved::Format, labels, found: self.run(all, device, &task)? })
                })
            }
        }

        impl<L: Ord + Clone + crate::saved::Wire> crate::learn::ranks::FitWeightedAcross<[L]> for $own {
            fn fit_weighted_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &[L],
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted<L>> {
                const OP: &str = concat!(stringify!($own), "::fit");
                crate::learn::ranks::meet(ranks, |all| {
                    let (labels, task) = crate::learn::classify::Task::across(all, OP, x, y, Some(w))?;
                    Ok($fitted { format: crate::saved::Format, labels, found: self.run(all, device, &task)? })
                })
            }
        }
    };
    (@weighted $own:ident [$($generic:tt)*] $y:ty => $fitted:ty) => {
        impl $own {
            /// `fit_weighted` of rows that lie on several ranks: see
            /// [`FitWeightedAcross`](crate::learn::ranks::FitWeightedAcross).
            ///
            /// # Errors
            /// As `fit_weighted`, the same on every rank. The weights of one rank may all be zero.
            pub fn fit_weighted_across<$($generic)*>(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = $y>,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted> {
                let (x, w) = (x.inputs(), weights.weights());
                crate::learn::ranks::FitWeightedAcross::fit_weighted_across(
                    self, ranks, device, x.view(), &*y.targets(), w.view(),
                )
            }
        }
    };
}

pub(crate) use fits_across;
