//! Kernels of the user's own: a Rust closure for the CPU, WGSL text for the GPU.

use std::fmt;
use std::sync::Arc;

use super::hyper::Hyper;

/// The cube root of the rounding unit balances truncation and rounding of a central difference.
pub(super) const DIFFERENCE: f64 = 6e-6;

type Value = dyn Fn(&[f64], &[f64], &[f64]) -> f64 + Send + Sync;
type Gradient = dyn Fn(&[f64], &[f64], &[f64]) -> Vec<f64> + Send + Sync;

/// A kernel of one's own: k(x, x'; p).
///
/// The CPU calls the closure with the two points and the parameters. The GPU evaluates `value(s, p)` of
/// `s = Σ_f term(a_f, b_f, p)`; both are WGSL, either one expression or statements that `return`.
///
/// ```
/// use mercer::kernel::{Custom, Kernel};
///
/// // A Cauchy kernel: 1 / (1 + |x - x'|² / c).
/// let cauchy = Custom::new("cauchy", |x, y, p| {
///     let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum();
///     1.0 / (1.0 + r2 / p[0])
/// })
/// .positive("width", 2.0)
/// .wgsl("(a - b) * (a - b)", "1.0 / (1.0 + s / p[0])")
/// .wgsl_derivative("0.0", "s / ((p[0] + s) * (p[0] + s))");
/// let k = Kernel::custom(cauchy);
/// assert_eq!(k.value(&[0.0], &[1.0])?, 1.0 / 1.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct Custom {
    pub(crate) name: String,
    pub(crate) params: Vec<(String, Hyper)>,
    pub(crate) value: Arc<Value>,
    pub(crate) gradient: Option<Arc<Gradient>>,
    pub(crate) wgsl: Option<(String, String)>,
    pub(crate) wgsl_gradient: Vec<(String, String)>,
    pub(crate) positive_definite: bool,
    pub(crate) invariance: Invariance,
}

/// Which moves of both points leave a kernel as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Invariance {
    Nothing,
    Translations,
    /// Translations, rotations and reflections.
    Isometries,
}

impl Custom {
    /// The kernel `name` with the value `f(x, x', p)`; `f` must be symmetric in its first two arguments.
    pub fn new(name: &str, f: impl Fn(&[f64], &[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Custom {
            name: name.to_string(),
            params: Vec::new(),
            value: Arc::new(f),
            gradient: None,
            wgsl: None,
            wgsl_gradient: Vec::new(),
            positive_definite: true,
            invariance: Invariance::Nothing,
        }
    }

    /// The stationary kernel `f(x - x', p)`; `f` must be even in its first argument.
    ///
    /// ```
    /// use mercer::{Kernel, kernel::Custom};
    /// let k = Kernel::custom(Custom::of_difference("waves", |d, _| d.iter().map(|d| d.cos()).product()));
    /// assert!(k.is_stationary() && !k.is_isotropic());
    /// ```
    pub fn of_difference(name: &str, f: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        let of = move |x: &[f64], y: &[f64], p: &[f64]| {
            let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
            f(&difference, p)
        };
        Custom { invariance: Invariance::Translations, ..Custom::new(name, of) }
    }

    /// The homogeneous kernel `f(‖x - x'‖, p)`.
    ///
    /// ```
    /// use mercer::{Kernel, kernel::Custom};
    /// let k = Kernel::custom(Custom::of_distance("cauchy", |r, p| 1.0 / (1.0 + r * r / p[0])).positive("width", 2.0));
    /// assert!(k.is_stationary() && k.is_isotropic());
    /// assert_eq!(k.value(&[0.0, 3.0], &[4.0, 0.0])?, 1.0 / 13.5);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_distance(name: &str, f: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        let of = move |x: &[f64], y: &[f64], p: &[f64]| {
            let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
            f(square.sqrt(), p)
        };
        Custom { invariance: Invariance::Isometries, ..Custom::new(name, of) }
    }

    /// Adds a parameter that must be positive; optimisers see its logarithm.
    #[must_use]
    pub fn positive(mut self, name: &str, value: f64) -> Self {
        self.params.push((name.to_string(), Hyper::positive(value)));
        self
    }

    /// Adds a parameter that may be any number.
    #[must_use]
    pub fn real(mut self, name: &str, value: f64) -> Self {
        self.params.push((name.to_string(), Hyper::real(value)));
        self
    }

    /// Gives ∂k/∂p for all parameters; without it the CPU takes central differences.
    #[must_use]
    pub fn gradient(
        mut self,
        f: impl Fn(&[f64], &[f64], &[f64]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        self.gradient = Some(Arc::new(f));
        self
    }

    /// Gives the GPU its two bodies: `term(a: f32, b: f32, p)` and `value(s: f32, p)`.
    #[must_use]
    pub fn wgsl(mut self, term: &str, value: &str) -> Self {
        self.wgsl = Some((term.to_string(), value.to_string()));
        self
    }

    /// Gives the GPU ∂k/∂p of the next parameter: `value(s, t, p)` with `t = Σ_f term(a_f, b_f, p)`, where the
    /// term is usually the derivative of the kernel's own term, and `0.0` if that has no parameters.
    #[must_use]
    pub fn wgsl_derivative(mut self, term: &str, value: &str) -> Self {
        self.wgsl_gradient.push((term.to_string(), value.to_string()));
        self
    }

    /// Says that the function is not positive definite, so that methods which need that can refuse it.
    #[must_use]
    pub fn indefinite(mut self) -> Self {
        self.positive_definite = false;
        self
    }

    /// ∂k/∂p, by the closure given or by central differences on the scale of each parameter.
    pub(crate) fn derivatives(&self, x: &[f64], y: &[f64], p: &[f64]) -> Vec<f64> {
        if let Some(g) = &self.gradient {
            return g(x, y, p);
        }
        let mut q = p.to_vec();
        let mut out = Vec::with_capacity(p.len());
        for (i, (_, h)) in self.params.iter().enumerate() {
            let step = DIFFERENCE;
            let (lo, hi) = match h.scale() {
                super::Scale::Log => (p[i] * (-step).exp(), p[i] * step.exp()),
                super::Scale::Linear => {
                    let s = step * p[i].abs().max(1.0);
                    (p[i] - s, p[i] + s)
                }
            };
            q[i] = hi;
            let up = (self.value)(x, y, &q);
            q[i] = lo;
            let down = (self.value)(x, y, &q);
            q[i] = p[i];
            out.push((up - down) / (hi - lo));
        }
        out
    }

    /// ∂k/∂x, by central differences of the closure.
    pub(crate) fn slopes(&self, x: &[f64], y: &[f64], p: &[f64]) -> Vec<f64> {
        let mut at = x.to_vec();
        (0..x.len())
            .map(|f| {
                let step = DIFFERENCE * x[f].abs().max(1.0);
                let (lo, hi) = (x[f] - step, x[f] + step);
                at[f] = hi;
                let up = (self.value)(&at, y, p);
                at[f] = lo;
                let down = (self.value)(&at, y, p);
                at[f] = x[f];
                (up - down) / (hi - lo)
            })
            .collect()
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom").field("name", &self.name).field("wgsl", &self.wgsl).finish_non_exhaustive()
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.value, &other.value) && self.wgsl == other.wgsl
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Custom {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(format!(
            "the custom kernel {:?} holds a closure and cannot be written; save its parameters instead",
            self.name
        )))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Custom {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("a custom kernel holds a closure and cannot be read; build it in code"))
    }
}
