//! Dictionary learning on a device: rows and codes stay there, and an iteration brings down the sums that atoms are found
//! from. Checked in `tests/neural/sparse_devices.rs` against the CPU.

use ndarray::{Array2, ArrayView2};

use super::code::{Lassos, NEAR, STEPS, SparseCoder, flops};
use crate::matrix::{Origin, Points};
use crate::ops::{Along, Map, Reduction, Shrinking, Trans, gemm, gemm_add, map, reduce};
use crate::{Device, Matrix, Result};

const OP: &str = "DictionaryLearning::fit";

/// Rows and their codes on a device.
pub(super) struct There {
    x: Matrix,
    atoms: Matrix,
    codes: Matrix,
    /// The state of codes before a step.
    fresh: Matrix,
    /// `Σ_n‖z_n‖₁`.
    size: f64,
    /// λ, and how codes are found.
    lasso: (f64, SparseCoder),
}

impl There {
    /// None if the work is too little for the device or f32 does not hold the rows.
    pub fn new(
        device: &Device,
        x: ArrayView2<f64>,
        atoms: &Array2<f64>,
        lasso: (f64, SparseCoder),
    ) -> Result<Option<Self>> {
        let (n, k) = (x.nrows(), atoms.nrows());
        let x = Points::new(OP, device, x, Origin::Fixed, flops(n, k))?;
        if !x.device().is_gpu() {
            return Ok(None);
        }
        let atoms = Matrix::upload(OP, x.device(), atoms.view())?;
        let start = Matrix::upload(OP, x.device(), Array2::<f64>::zeros((n, k)).view())?;
        let Shrinking { codes, state, .. } = Shrinking::new(start)?;
        Ok(Some(There { x: x.matrix()?.clone(), atoms, codes, fresh: state, size: 0.0, lasso }))
    }

    /// Finds codes for atoms, which are those of the last [`There::objective`], and returns `ZᵀZ` and `ZᵀX`.
    pub fn encode(&mut self, atoms: ArrayView2<f64>) -> Result<(Array2<f64>, Array2<f64>)> {
        let lassos = Lassos::new(atoms, self.lasso)?;
        if lassos.largest > 0.0 {
            let linear = gemm(1.0 / lassos.largest, &self.x, Trans::No, &self.atoms, Trans::Yes)?;
            let gram = lassos.scaled(&self.x.device())?;
            let (ahead, codes) = (self.codes.clone(), self.codes.clone());
            let at = Shrinking { codes, ahead, state: self.fresh.clone() };
            let at = lassos.steps((&gram, &linear), at, (NEAR, STEPS))?;
            let sums = reduce(&at.state, Along::EachColumn, Reduction::Sum)?;
            (self.codes, self.size) = (at.codes, sums.to_array()?[[0, 2]]);
        } else {
            (self.codes, self.size) = (map(&self.codes, Map::Affine { scale: 0.0, shift: 0.0 })?, 0.0);
        }
        let z = &self.codes;
        let both = [gemm(1.0, z, Trans::Yes, z, Trans::No)?, gemm(1.0, z, Trans::Yes, &self.x, Trans::No)?];
        let mut both = Matrix::to_arrays(&[&both[0], &both[1]])?.into_iter();
        Ok((both.next().unwrap_or_default(), both.next().unwrap_or_default()))
    }

    /// `½‖X - ZD‖² + λ‖Z‖₁` with these atoms.
    pub fn objective(&mut self, atoms: &Array2<f64>) -> Result<f64> {
        self.atoms = Matrix::upload(OP, &self.x.device(), atoms.view())?;
        let rest = gemm_add(-1.0, &self.codes, Trans::No, &self.atoms, Trans::No, 1.0, &self.x)?;
        let squares = reduce(&rest, Along::EachColumn, Reduction::SumSquares)?.to_array()?.sum();
        Ok(0.5 * squares + self.lasso.0 * self.size)
    }
}
