//! Dense f64 products and substitutions in the vector registers of the host; `ops` decides when to use them.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

/// Which entries of a product are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// All of them.
    All,
    /// Those on and below the diagonal; what is above it may be overwritten or not.
    Lower,
}
