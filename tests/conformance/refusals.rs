//! Who refuses data that are moved or rescaled, and why: the same on every device.

/// Categories, counts, probabilities and names of users do not bear another origin or unit.
const OF_A_DOMAIN: &[&str] = &[
    "als",
    "bernoulli_mixture",
    "bernoulli_naive_bayes",
    "block_model",
    "categorical_naive_bayes",
    "content_ridge",
    "deep_autoencoder",
    "helmholtz",
    "latent_class",
    "neighbours_of_items",
    "neighbours_of_users",
    "probabilistic_factorisation",
    "rbm",
    "sgd_factorisation",
    "table_classifier",
    "topic_model",
];

/// What is left of the data in f64 does not determine an answer: a prior or a kernel that knows the origin, a kernel for which
/// all points are one, slopes of 1e-25.
const OF_NUMBERS: &[(&str, &str)] = &[
    ("bayesian_discriminant", "far"),
    ("bayesian_linear", "far"),
    ("kernel_pca", "tiny"),
    ("kernel_ridge_of_several", "far"),
    ("kernel_ridge_of_several", "huge"),
    ("risk_minimiser_of_absolute_values", "huge"),
    ("risk_minimiser_of_tubes", "tiny"),
    ("svm_by_nu", "tiny"),
];

/// Whether a line may answer with an error in this case.
pub fn may_refuse(name: &str, case: &str) -> bool {
    let moved = ["far from", "of tiny", "of huge"].iter().any(|kind| case.contains(kind));
    moved && OF_A_DOMAIN.contains(&name)
        || OF_NUMBERS.iter().any(|(n, kind)| *n == name && case.contains(kind))
}
