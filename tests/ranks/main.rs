//! Fits over several ranks. The cases of `suite` run here on threads, and under `mpirun` by `scripts/test_mpi.sh`.

mod checkpoints;
mod files;
mod meeting;
mod suite;
mod traffic;
mod wire;

use mercer::learn::ranks::{Ranks, Threads};

/// Runs a case with 1, 2, 3 and 5 ranks.
fn on_threads(case: fn(&dyn Ranks)) {
    for size in [1, 2, 3, 5] {
        Threads::run(size, |ranks| case(ranks));
    }
}

macro_rules! on_threads {
    ($($case:ident),+ $(,)?) => {$(
        #[test]
        fn $case() {
            on_threads(suite::$case);
        }
    )+};
}

on_threads!(
    standardise,
    pca_ppca_and_factor_analysis,
    kmeans,
    gaussian_mixtures,
    variational_mixtures,
    discrete_mixtures,
    ridge_and_least_squares,
    logistic_regression,
    generalised_linear,
    discriminants,
    naive_bayes,
    kernel_ridge_and_falkon,
    sums_over_pairs,
    dealt_work,
    more_ranks_than_rows,
    faults,
    cancel,
);
