//! Named closures inside an expression: φ in k(φ(x), φ(x')) and f in f(x) k(x, x') f(x').

use std::fmt;
use std::sync::Arc;

type Function = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

/// A function of a point, known by its name; two are equal when they are the same closure.
#[derive(Clone)]
pub(crate) struct MapFn {
    pub name: String,
    pub out_dim: usize,
    pub f: Arc<Function>,
}

impl MapFn {
    pub fn new(name: &str, out_dim: usize, f: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        MapFn { name: name.to_string(), out_dim, f: Arc::new(f) }
    }

    pub fn call(&self, x: &[f64]) -> Vec<f64> {
        (self.f)(x)
    }
}

impl fmt::Debug for MapFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapFn({:?}, out_dim: {})", self.name, self.out_dim)
    }
}

impl PartialEq for MapFn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.out_dim == other.out_dim && Arc::ptr_eq(&self.f, &other.f)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for MapFn {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(format!(
            "the map {:?} is a closure and cannot be written; save the mapped data instead",
            self.name
        )))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for MapFn {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("a map is a closure and cannot be read; build the kernel in code"))
    }
}
