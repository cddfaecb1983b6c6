//! Gaussian processes through m inducing points: O(nm²) time and O(nd + m²) memory instead of O(n³) and O(n²).
//!
//! With inducing inputs Z, `Q = K_xz K_zz⁻¹ K_zx` stands in for K. [`SparseMethod`] says how: by a lower bound of the
//! log marginal likelihood (Titsias 2009), or by another model (DTC, FITC). All three are one computation:
//!
//! ```text
//! D = diag(K - Q),  Λ = noise I (+ D for FITC)
//! L Lᵀ = K_zz,  A = L⁻¹ K_zx,  B = I + A Λ⁻¹ Aᵀ
//! F = -½ (n log 2π + log det Λ + log det B + yᵀΛ⁻¹y - yᵀΛ⁻¹Aᵀ B⁻¹ AΛ⁻¹y)  (- tr D / (2 noise) for the bound)
//! ```
//!
//! Nothing of size n x m is stored: A is made in chunks of rows, once for the value and once more for the gradient.
//! During a search F is f64 on the CPU and its gradient comes from the device, while that sees the same F; what is m x m, the
//! derivative by the inducing inputs and all that a fit leaves are f64 on the CPU. Checked in `tests/gp/sparse*.rs`.

mod data;
mod evidence;
mod first_pass;
mod fit;
mod fitted;
mod inducing;
mod joint;
mod model;
mod plan;
#[cfg(feature = "serde")]
mod saved;
mod variables;

pub use evidence::SparseEvidence;
pub use fitted::FittedSparseGp;
pub use inducing::Inducing;
pub use model::{SparseGpRegressor, SparseMethod};
