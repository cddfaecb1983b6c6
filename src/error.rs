//! The one error type of the crate: each variant is data, each message says whose move it is.

/// What can go wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Operands whose shapes do not fit together, or an empty one where there must be something.
    #[error("{op}: {what}")]
    Shape {
        /// The operation that refused.
        op: &'static str,
        /// Which operand, and what was expected of it.
        what: String,
    },

    /// A result beyond what floating point can hold, from finite data.
    #[error(
        "{op}: {what} would be {value} at row {row}, column {col}, beyond f64; rescale the data or the parameters"
    )]
    Overflow {
        /// The operation that met it.
        op: &'static str,
        /// What has no number.
        what: &'static str,
        /// An infinity, or NaN where two of them met.
        value: f64,
        /// Its row.
        row: usize,
        /// Its column.
        col: usize,
    },

    /// A NaN or an infinity in the input.
    #[error("{op}: {what} holds {} at row {row}, column {col}; clean the data first", short(*value))]
    NotFinite {
        /// The operation that refused.
        op: &'static str,
        /// The operand.
        what: &'static str,
        /// The offending value.
        value: f64,
        /// Its row.
        row: usize,
        /// Its column.
        col: usize,
    },

    /// A parameter outside its domain.
    #[error("{name} = {} is not allowed: {requirement}", short(*value))]
    Parameter {
        /// The parameter, as the caller knows it.
        name: String,
        /// The value given.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },

    /// A name that nothing answers to.
    #[error("no {kind} is called {name:?}; there are: {known}")]
    UnknownName {
        /// What was looked for ("kernel parameter", "adapter").
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        known: String,
    },

    /// Two operands live on different devices.
    #[error("{op}: operands live on {left} and {right}; move one with `to_device`")]
    DeviceMismatch {
        /// The operation that refused.
        op: &'static str,
        /// Where the first operand lives.
        left: String,
        /// Where the other lives.
        right: String,
    },

    /// The matrix is not positive definite.
    #[error(
        "{op}: not positive definite: pivot {pivot} is {value:e}; raise the noise or the penalty, or remove duplicate inputs"
    )]
    NotPositiveDefinite {
        /// The operation that refused.
        op: &'static str,
        /// Index of the first pivot that is not positive.
        pivot: usize,
        /// Its value.
        value: f64,
    },

    /// Classes that a linear function tells apart without error: the likelihood rises forever.
    #[error(
        "{op}: a linear function separates the classes, so that no finite coefficients are the likeliest; add a penalty"
    )]
    Separable {
        /// The operation that refused.
        op: &'static str,
    },

    /// A triangular or diagonal matrix with a zero on its diagonal.
    #[error("{op}: singular: diagonal entry {index} is {value:e}")]
    Singular {
        /// The operation that refused.
        op: &'static str,
        /// Index of the entry.
        index: usize,
        /// Its value.
        value: f64,
    },

    /// An iteration ended without reaching its tolerance.
    #[error(
        "{op}: no convergence after {iterations} iterations: residual {residual:e}, wanted {tolerance:e}"
    )]
    NoConvergence {
        /// The operation that gave up.
        op: &'static str,
        /// Iterations made.
        iterations: usize,
        /// What was reached.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },

    /// The progress callback asked to stop.
    #[error("{op}: cancelled by the caller after {iterations} iterations")]
    Cancelled {
        /// The operation that was stopped.
        op: &'static str,
        /// Iterations made.
        iterations: usize,
    },

    /// The request cannot be met on this device.
    #[error("{op}: {what} is not available on {device}; {instead}")]
    Unsupported {
        /// The operation that refused.
        op: &'static str,
        /// What was asked for.
        what: String,
        /// Where.
        device: String,
        /// What to do instead.
        instead: &'static str,
    },

    /// The operand does not fit the adapter.
    #[error(
        "{what} needs {}, the adapter allows {}; use a smaller problem, a matrix-free method or the CPU",
        bytes(*need), bytes(*limit)
    )]
    TooLarge {
        /// The buffer.
        what: String,
        /// Bytes needed.
        need: u64,
        /// Bytes allowed.
        limit: u64,
    },

    /// What would be stored passes the caller's own limit; nothing was allocated.
    #[error("{op}: needs {}, the memory budget is {}; raise `memory_budget`, or {instead}", bytes(*need), bytes(*budget))]
    OverBudget {
        /// The operation that refused.
        op: &'static str,
        /// Bytes needed.
        need: u64,
        /// Bytes that it may allocate.
        budget: u64,
        /// What to do instead.
        instead: &'static str,
    },

    /// There is no adapter, or none that answers the request.
    #[error("no usable GPU: {0}")]
    NoGpu(String),

    /// The adapter lacks a feature that was asked for.
    #[error("adapter {adapter} lacks {feature}")]
    MissingFeature {
        /// The adapter.
        adapter: String,
        /// The feature.
        feature: String,
    },

    /// The driver rejected a shader or a command: a bug in this crate or in a user-defined kernel's WGSL.
    #[error("{op}: rejected by the driver: {message}")]
    Gpu {
        /// The operation that was being recorded.
        op: &'static str,
        /// The driver's words.
        message: String,
    },

    /// The adapter is out of memory; drop matrices that are no longer needed.
    #[error("{op}: out of device memory: {message}")]
    OutOfMemory {
        /// The operation that was being recorded.
        op: &'static str,
        /// The driver's words.
        message: String,
    },

    /// What another rank, or this one, met in its part of the work.
    #[error("rank {rank}: {error}")]
    OnRank {
        /// The lowest rank that met it; rows are counted in its own part.
        rank: usize,
        /// What it met.
        error: Box<Error>,
    },

    /// Ranks that do not understand each other, or one that is gone.
    #[error("exchange between ranks: {what}")]
    Exchange {
        /// What is wrong.
        what: String,
    },

    /// A file that cannot be read or written.
    #[error("{path}: {what}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },

    /// A submission did not finish in time.
    #[error("the GPU did not answer within {seconds} s; the driver may have hung")]
    Timeout {
        /// How long was waited.
        seconds: u64,
    },

    /// The device went away; make a new [`Device`](crate::Device) and upload again.
    #[error("GPU device lost: {0}; open the device again and upload again")]
    DeviceLost(String),
}

/// A number as a person would write it: sixteen digits are enough for anybody, and 1e300 has no 301 of them.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-5..1e16).contains(&size) || !value.is_finite() {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Bytes with the prefix that leaves few digits.
fn bytes(count: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} bytes") } else { format!("{value:.3} {}", units[unit]) }
}

/// Shorthand used throughout the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::{Error, bytes};

    #[test]
    fn numbers_are_written_as_a_person_would() {
        let said = |value: f64| {
            let e = Error::Parameter { name: "p".to_owned(), value, requirement: "no" };
            e.to_string()
        };
        assert_eq!(said(1e300), "p = 1e300 is not allowed: no");
        assert_eq!(said(0.25), "p = 0.25 is not allowed: no");
        assert_eq!(said(-1e-9), "p = -1e-9 is not allowed: no");
        assert_eq!(said(usize::MAX as f64), "p = 1.8446744073709552e19 is not allowed: no");
        assert_eq!(said(f64::NAN), "p = NaN is not allowed: no");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(2_500_000_000), "2.500 GB");
        assert_eq!(bytes(u64::MAX), "18.447 EB");
    }
}
