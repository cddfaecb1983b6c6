//! Sets by the pairs of their members.

use super::objects::ObjectKernel;
use crate::Result;

/// `k(A, B) = Σ_{a in A} Σ_{b in B} k(a, b)`: the convolution kernel of "has the member"; the mean over pairs if asked for, which
/// is the inner product of mean embeddings. An empty set has length zero.
///
/// ```
/// use mercer::kernel::structures::{ObjectKernel, SetKernel, StringKernel};
/// let kernel = SetKernel::mean(StringKernel::bag_of_characters());
/// let (a, b) = (["ab", "b"].map(str::to_owned), ["a"].map(str::to_owned));
/// assert_eq!(kernel.value(&a[..], &b[..])?, 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SetKernel<K, T: ?Sized = str> {
    member: K,
    mean: bool,
    compared: std::marker::PhantomData<fn(&T)>,
}

impl<K: ObjectKernel<T>, T: ?Sized> SetKernel<K, T> {
    /// The sum over all pairs, by this kernel between members.
    pub fn sum(member: K) -> Self {
        SetKernel { member, mean: false, compared: std::marker::PhantomData }
    }

    /// The mean over all pairs.
    pub fn mean(member: K) -> Self {
        SetKernel { member, mean: true, compared: std::marker::PhantomData }
    }
}

impl<K: ObjectKernel<T>, T: ?Sized, O: std::borrow::Borrow<T>> ObjectKernel<[O]> for SetKernel<K, T> {
    fn value(&self, a: &[O], b: &[O]) -> Result<f64> {
        let mut sum = 0.0;
        for x in a {
            for y in b {
                sum += self.member.value(x.borrow(), y.borrow())?;
            }
        }
        let pairs = a.len() as f64 * b.len() as f64;
        Ok(if self.mean && pairs > 0.0 { sum / pairs } else { sum })
    }
}
