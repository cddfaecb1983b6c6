//! A wish to stop on one rank.

use std::ops::ControlFlow;

use mercer::learn::ranks::Ranks;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array2, s};

use super::unsupervised::kmeans;
use super::{CPU, noise, rows, shares, targets};

/// One rank has had enough: all stop.
pub fn cancel(ranks: &dyn Ranks) {
    // Nothing but noise: every fit takes its time.
    let x = Array2::from_shape_fn((60, 3), |(i, j)| noise(i, j));
    let last = ranks.rank() + 1 == ranks.size();
    let own = shares(ranks, 60).remove(0);
    let enough = |most: usize| {
        Progress::new(move |step| {
            if last && step.made >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let y = targets(&x);
    let (part, some) = (rows(&x, &own), y.slice(s![own.clone()]));
    let two: Vec<bool> = own.clone().map(|i| noise(i, 3) > 0.0).collect();
    let bits = part.mapv(|v| f64::from(u8::from(v > 0.0)));
    let counts = some.mapv(|v| v.exp().floor());
    let krr = KernelRidge::new(Kernel::rbf(0.3), 1e-3).solver(KernelSolver::MatrixFree);
    let krr = krr.tolerance(1e-13).memory_budget(32 * 60 * 5);
    let falkon = Falkon::new(Kernel::rbf(0.3), 1e-6, 10).tolerance(1e-15);
    let glm = GeneralisedLinear::new(Family::Poisson).tolerance(0.0);
    /// Each fit is stopped by the last rank, and every rank has the same error.
    macro_rules! stopped {
        ($($model:expr $(, $data:expr)+;)+) => {$(
            let model = $model.progress(enough(1));
            let end = model.fit_across(ranks, &CPU() $(, $data)+);
            let cancelled = matches!(end, Err(Error::Cancelled { .. }));
            assert!(cancelled, "{}: {:?}", stringify!($model), end.map(|_| ()));
        )+};
    }
    stopped! {
        GaussianMixture::new(4).tolerance(0.0), part; KMeans::new(5).tolerance(0.0).restarts(3), part;
        BayesianGaussianMixture::new(4).tolerance(0.0), part; SoftKMeans::new(4, 0.1).tolerance(0.0), part;
        PpcaMixture::new(3, 1).tolerance(0.0), part; BernoulliMixture::new(3).tolerance(0.0), &bits;
        CategoricalMixture::new(3).tolerance(0.0), &bits; LatentClass::new(3).tolerance(0.0), &bits;
        LinearRegressionMixture::new(2).tolerance(0.0), part, some;
        LogisticRegressionMixture::new(2).tolerance(0.0), part, &two[..];
        LogisticRegression::new(0.1), part, &two[..]; glm, part, &counts; krr, part, some; falkon, part, some;
    }
    let free = MatrixFreeParams::new().tolerance(1e-13).progress(enough(2));
    let gp = GpRegressor::new(Kernel::rbf(0.3)).noise(1e-3).memory_budget(32 * 60 * 5).matrix_free(free);
    let end = gp.fit_across(ranks, &CPU(), part, some);
    assert!(matches!(end, Err(Error::Cancelled { .. })), "{end:?}");
    // All of them after the same step.
    let model = GaussianMixture::new(4).tolerance(0.0).progress(enough(2));
    let error = model.fit_across(ranks, &CPU(), part).unwrap_err();
    assert!(matches!(error, Error::Cancelled { iterations: 2, .. }), "{error}");
    // The ranks still understand each other.
    kmeans(ranks);
}
