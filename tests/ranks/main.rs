//! Fits over several ranks. The cases of `suite` run here on threads, and under `mpirun` by `scripts/test_mpi.sh`.

mod checkpoints;
mod files;
mod identity;
mod meeting;
mod prediction;
mod suite;
mod traffic;
mod traffic_once;
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
    )+
        const ON_THREADS: &[&str] = &[$(stringify!($case)),+];
    };
}

on_threads!(
    standardise,
    pca_ppca_and_factor_analysis,
    kmeans,
    gaussian_mixtures,
    variational_mixtures,
    mixtures_with_missing_values,
    a_model_of_ones_own,
    discrete_mixtures,
    other_mixtures,
    ridge_and_least_squares,
    logistic_regression,
    generalised_linear,
    discriminants,
    naive_bayes,
    kernel_ridge_and_falkon,
    gaussian_processes,
    sums_over_pairs,
    weighted_moments_and_mixtures,
    weighted_regressions,
    weighted_classifiers,
    weights_that_are_refused,
    dealt_work,
    dealt_tests_and_chains,
    a_device_for_each_rank,
    more_ranks_than_rows,
    faults,
    cancel,
    an_error_anywhere_is_that_of_all,
);

/// Nobody is left out above.
#[test]
fn every_case_is_run() {
    assert_eq!(ON_THREADS.len(), suite::CASES.len());
}
