//! boosting
