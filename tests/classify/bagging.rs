//! bagging
