//! Statistics and tests on distributions: embeddings, discrepancies, dependence, and p-values.
