//! A kernel between objects of any type, and objects as the observations of a kernel method.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use ndarray::Array2;
use rayon::prelude::*;

use crate::check::{numbers, require, room};
use crate::kernel::{Custom, Kernel};
use crate::{Error, Result};

/// A kernel `k(a, b)` between objects of a type: symmetric and positive semi-definite.
pub trait ObjectKernel<T: ?Sized>: Send + Sync {
    /// `k(a, b)`.
    ///
    /// # Errors
    /// For objects that it is not defined for, and parameters out of their domain.
    fn value(&self, a: &T, b: &T) -> Result<f64>;

    /// `k(a, b) / √(k(a, a) k(b, b))`, and 0 where either length is zero, as that of an empty string is.
    ///
    /// # Errors
    /// As [`ObjectKernel::value`].
    fn cosine(&self, a: &T, b: &T) -> Result<f64> {
        let (aa, bb) = (self.value(a, a)?, self.value(b, b)?);
        if aa <= 0.0 || bb <= 0.0 {
            return Ok(0.0);
        }
        Ok(self.value(a, b)? / aa.sqrt() / bb.sqrt())
    }

    /// The matrix between n objects, `n x n`: what training needs.
    ///
    /// # Errors
    /// As [`ObjectKernel::value`]; [`Error::Shape`] if there are none, [`Error::NotFinite`] if a value is not.
    fn gram<O: Borrow<T> + Sync>(&self, objects: &[O]) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        const OP: &str = "ObjectKernel::gram";
        let n = objects.len();
        require(OP, n > 0, || "there are no objects".to_owned())?;
        room("objects", n, n.saturating_mul(16))?;
        let row = |i: usize| -> Result<Vec<f64>> {
            (0..=i).map(|j| self.value(objects[i].borrow(), objects[j].borrow())).collect()
        };
        let rows = (0..n).into_par_iter().map(row).collect::<Result<Vec<_>>>()?;
        let gram = Array2::from_shape_fn((n, n), |(i, j)| rows[i.max(j)][i.min(j)]);
        numbers(OP, "the kernel", gram.view())?;
        Ok(gram)
    }

    /// The matrix between m new objects and n old ones, `m x n`: what prediction needs.
    ///
    /// # Errors
    /// As [`ObjectKernel::gram`].
    fn cross<N: Borrow<T> + Sync, O: Borrow<T> + Sync>(&self, new: &[N], objects: &[O]) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        const OP: &str = "ObjectKernel::cross";
        let (m, n) = (new.len(), objects.len());
        require(OP, m > 0 && n > 0, || format!("{m} new objects, {n} old ones"))?;
        room("objects", m, n.saturating_mul(16))?;
        let row = |a: &N| -> Result<Vec<f64>> {
            objects.iter().map(|b| self.value(a.borrow(), b.borrow())).collect()
        };
        let rows = new.par_iter().map(row).collect::<Result<Vec<_>>>()?;
        let cross = Array2::from_shape_fn((m, n), |(i, j)| rows[i][j]);
        numbers(OP, "the kernel", cross.view())?;
        Ok(cross)
    }

    /// The same kernel with every object scaled to length 1: [`ObjectKernel::cosine`].
    fn normalised(self) -> Normalised<Self>
    where
        Self: Sized,
    {
        Normalised(self)
    }
}

impl<T: ?Sized, K: ObjectKernel<T> + ?Sized> ObjectKernel<T> for Arc<K> {
    fn value(&self, a: &T, b: &T) -> Result<f64> {
        (**self).value(a, b)
    }

    fn cosine(&self, a: &T, b: &T) -> Result<f64> {
        (**self).cosine(a, b)
    }
}

/// A kernel whose objects have length 1, made by [`ObjectKernel::normalised`].
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised<K>(K);

impl<T: ?Sized, K: ObjectKernel<T>> ObjectKernel<T> for Normalised<K> {
    fn value(&self, a: &T, b: &T) -> Result<f64> {
        self.0.cosine(a, b)
    }
}

/// Objects that a kernel method learns from: observation i is a row with the number i.
///
/// [`Objects::table`] is a [`Kernel::precomputed`] of the objects there are, for any device. [`Objects::kernel`] looks values up
/// in a table that grows: objects that are [added](Objects::add) after a fit can be predicted by what was fitted. It runs on the
/// CPU, and cannot be saved.
///
/// `T` is what the kernel compares, such as `str`, and `O` what is stored, such as `String`.
pub struct Objects<T: ?Sized, O, K> {
    kernel: K,
    store: Arc<RwLock<Store<O>>>,
    compared: PhantomData<fn(&T)>,
}

struct Store<O> {
    objects: Vec<O>,
    /// Values with all objects up to itself, a row each.
    values: Vec<Vec<f64>>,
}

impl<O> Store<O> {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i.max(j)][i.min(j)]
    }

    /// The object that a row stands for.
    fn number(&self, row: &[f64]) -> Option<usize> {
        let i = row.first().copied().filter(|v| *v >= 0.0 && v.fract() == 0.0)?;
        Some(i as usize).filter(|i| *i < self.objects.len())
    }
}

impl<T: ?Sized, O: Borrow<T> + Send + Sync + 'static, K: ObjectKernel<T>> Objects<T, O, K> {
    /// A set of objects, compared by this kernel.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are none, [`Error::NotFinite`] if a value is not, and those of the kernel.
    pub fn new(kernel: K, objects: Vec<O>) -> Result<Self> {
        require("Objects::new", !objects.is_empty(), || "there are no objects".to_owned())?;
        let store = Arc::new(RwLock::new(Store { objects: Vec::new(), values: Vec::new() }));
        let all = Objects { kernel, store, compared: PhantomData };
        all.add(objects)?;
        Ok(all)
    }

    /// Adds objects; what is returned are their rows, `m x 1`, for the models that were fitted with [`Objects::kernel`].
    ///
    /// # Errors
    /// As [`Objects::new`]; nothing is added then.
    pub fn add(&self, new: Vec<O>) -> Result<Array2<f64>> {
        const OP: &str = "Objects::add";
        let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
        let old = store.objects.len();
        let row = |i: usize| -> Result<Vec<f64>> {
            let before = store.objects.iter().chain(&new[..=i]);
            before.map(|b| self.kernel.value(new[i].borrow(), b.borrow())).collect()
        };
        let values = (0..new.len()).into_par_iter().map(row).collect::<Result<Vec<_>>>()?;
        for (i, row) in values.iter().enumerate() {
            if let Some((col, &value)) = row.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                return Err(Error::NotFinite { op: OP, what: "the kernel", value, row: old + i, col });
            }
        }
        let count = new.len();
        store.objects.extend(new);
        store.values.extend(values);
        Ok(Array2::from_shape_fn((count, 1), |(i, _)| (old + i) as f64))
    }

    /// How many objects there are.
    pub fn count(&self) -> usize {
        self.read().objects.len()
    }

    /// The row of each object, `n x 1`: its number.
    pub fn rows(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.count(), 1), |(i, _)| i as f64)
    }

    /// The matrix between all objects there are.
    pub fn gram(&self) -> Array2<f64> {
        let store = self.read();
        Array2::from_shape_fn((store.objects.len(), store.objects.len()), |(i, j)| store.at(i, j))
    }

    /// [`Kernel::precomputed`] of the objects there are now.
    pub fn table(&self) -> Kernel {
        Kernel::precomputed(self.gram())
    }

    /// The kernel between the numbers of objects, those that will be added too. A number that no object has is an
    /// [`Error::NotFinite`] of whoever asks: it stands for no point.
    pub fn kernel(&self) -> Kernel {
        let (values, numbers) = (Arc::clone(&self.store), Arc::clone(&self.store));
        let looked_up = Custom::new("objects", move |x, y, _| {
            let store = values.read().unwrap_or_else(PoisonError::into_inner);
            store.number(x).zip(store.number(y)).map_or(f64::NAN, |(i, j)| store.at(i, j))
        });
        Kernel::custom(looked_up).map("number of an object", 1, move |x| {
            let store = numbers.read().unwrap_or_else(PoisonError::into_inner);
            vec![store.number(x).map_or(f64::NAN, |i| i as f64)]
        })
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Store<O>> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized, O, K: fmt::Debug> fmt::Debug for Objects<T, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.store.read().unwrap_or_else(PoisonError::into_inner).objects.len();
        f.debug_struct("Objects").field("kernel", &self.kernel).field("count", &count).finish_non_exhaustive()
    }
}
