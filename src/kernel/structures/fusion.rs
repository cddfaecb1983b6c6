//! Records of several kinds of data: a kernel for each part, and their sum.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::objects::ObjectKernel;
use crate::Result;
use crate::check::not_negative;

/// `k(a, b) = Σ_m c_m k_m(a, b)` with weights `c_m >= 0`; a weight of 0 removes a kernel.
///
/// ```
/// use mercer::kernel::structures::{Fused, ObjectKernel, Part, StringKernel};
/// struct Protein { sequence: String, note: String }
/// let kernel = Fused::new()
///     .with(1.0, Part::new(|p: &Protein| p.sequence.as_str(), StringKernel::spectrum(2).normalised()))
///     .with(0.0, Part::new(|p: &Protein| p.note.as_str(), StringKernel::bag_of_characters()));
/// let a = Protein { sequence: "MVLSP".into(), note: "globin".into() };
/// assert!((kernel.value(&a, &a)? - 1.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Fused<T: ?Sized> {
    parts: Vec<(f64, Arc<dyn Between<T>>)>,
}

/// An [`ObjectKernel`] without its generic methods, so that it can be stored whatever its type.
trait Between<T: ?Sized>: Send + Sync {
    fn between(&self, a: &T, b: &T) -> Result<f64>;
}

impl<T: ?Sized, K: ObjectKernel<T>> Between<T> for K {
    fn between(&self, a: &T, b: &T) -> Result<f64> {
        self.value(a, b)
    }
}

impl<T: ?Sized> Fused<T> {
    /// The sum of nothing.
    pub fn new() -> Self {
        Fused { parts: Vec::new() }
    }

    /// Adds a kernel with this weight, not negative.
    #[must_use]
    pub fn with(mut self, weight: f64, kernel: impl ObjectKernel<T> + 'static) -> Self {
        self.parts.push((weight, Arc::new(kernel)));
        self
    }
}

impl<T: ?Sized> Default for Fused<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ?Sized> Clone for Fused<T> {
    fn clone(&self) -> Self {
        Fused { parts: self.parts.clone() }
    }
}

impl<T: ?Sized> fmt::Debug for Fused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights: Vec<f64> = self.parts.iter().map(|(c, _)| *c).collect();
        f.debug_struct("Fused").field("weights", &weights).finish_non_exhaustive()
    }
}

impl<T: ?Sized> ObjectKernel<T> for Fused<T> {
    fn value(&self, a: &T, b: &T) -> Result<f64> {
        let mut sum = 0.0;
        for (weight, kernel) in &self.parts {
            not_negative("weight of a kernel", *weight)?;
            if *weight > 0.0 {
                sum += weight * kernel.between(a, b)?;
            }
        }
        Ok(sum)
    }
}

/// The kernel of one part of a record.
#[derive(Debug, Clone)]
pub struct Part<F, K, U: ?Sized> {
    take: F,
    kernel: K,
    compared: PhantomData<fn(&U)>,
}

impl<F, K, U: ?Sized> Part<F, K, U> {
    /// Compares what `part` takes from two records by `kernel`.
    pub fn new<T: ?Sized>(part: F, kernel: K) -> Self
    where
        F: for<'a> Fn(&'a T) -> &'a U,
        K: ObjectKernel<U>,
    {
        Part { take: part, kernel, compared: PhantomData }
    }
}

impl<T, U, F, K> ObjectKernel<T> for Part<F, K, U>
where
    T: ?Sized,
    U: ?Sized,
    F: for<'a> Fn(&'a T) -> &'a U + Send + Sync,
    K: ObjectKernel<U>,
{
    fn value(&self, a: &T, b: &T) -> Result<f64> {
        self.kernel.value((self.take)(a), (self.take)(b))
    }
}
