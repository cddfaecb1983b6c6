//! The EM driver.

mod em;
