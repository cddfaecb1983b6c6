//! densities
