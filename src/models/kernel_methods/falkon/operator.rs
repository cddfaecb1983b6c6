//! `ΦᵀSΦ + λI` for Nyström features Φ that are never stored, and its preconditioner.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::learn::plan::row_bytes;
use crate::learn::ranks::Meeting;
use crate::linalg::{Operator, Preconditioner, landmarks};
use crate::matrix::Points;
use crate::models::kernel_methods::features::Whitening;
use crate::ops::{Side, Trans, Triangle, cholesky, gemm, gram, product, solve_triangular};
use crate::{Device, Kernel, Matrix, Precision, Result};

/// Kernel values of one block: on the CPU they should stay in its caches, on a GPU fill it.
const ON_CPU: usize = 1 << 19;
const ON_GPU: usize = 1 << 23;

/// Sampled rows for each landmark: the spectrum of what is left then lies within about (1 ± √(1/10))².
const SKETCH: usize = 10;

/// Rows of a block.
pub(super) fn rows(device: &Device, m: usize) -> usize {
    ((if device.is_gpu() { ON_GPU } else { ON_CPU }) / m.max(1)).clamp(64, 1 << 16)
}

/// Bytes that the products hold on a GPU.
///
/// The points and the landmarks; of a block, and of the last one, which is smaller and has memory of its own, the kernel
/// values (twice if products want them transposed) and vectors, up, down and to be read back; vectors of the landmarks.
pub(super) fn device_bytes(device: &Device, n: usize, d: usize, m: usize, targets: usize) -> f64 {
    let step = rows(device, m);
    let vectors = 3.0 * row_bytes(targets);
    let block = |rows: usize| {
        let turned = if device.direct() { m as f64 * row_bytes(rows) } else { 0.0 };
        rows as f64 * (row_bytes(m) + vectors) + turned
    };
    let blocks = if n > step { block(step) + block(n % step) } else { block(n) };
    n as f64 * row_bytes(d) + m as f64 * (row_bytes(d) + vectors) + blocks
}

/// Rows that the preconditioner is made of.
pub(super) fn sketch(n: usize, m: usize) -> usize {
    m.saturating_mul(SKETCH).min(n)
}

/// `L⁻¹ K_zn S K_nz L⁻ᵀ + λI`, m x m.
pub(super) struct Streamed<'a> {
    kernel: &'a Kernel,
    x: ArrayView2<'a, f64>,
    weights: Option<ArrayView1<'a, f64>>,
    whitening: &'a Whitening,
    penalty: f64,
    /// Those who have the other rows.
    all: &'a Meeting<'a>,
    z: Matrix,
    /// x on the device, block by block; empty on the CPU, where a block is a view.
    blocks: Vec<Matrix>,
    step: usize,
    /// Whether any rank adds in f32.
    single: bool,
}

impl<'a> Streamed<'a> {
    pub fn new(
        all: &'a Meeting<'a>,
        device: &Device,
        kernel: &'a Kernel,
        x: ArrayView2<'a, f64>,
        weights: Option<ArrayView1<'a, f64>>,
        whitening: &'a Whitening,
        penalty: f64,
    ) -> Result<Self> {
        let z =
            Points::new("Falkon::fit", device, whitening.points().view(), kernel.origin(), f64::INFINITY)?;
        let step = rows(z.device(), whitening.points().nrows());
        let blocks = if z.device().is_gpu() {
            x.axis_chunks_iter(Axis(0), step)
                .map(|block| z.like("Falkon::fit", block))
                .collect::<Result<_>>()?
        } else {
            Vec::new()
        };
        let z = z.matrix()?.clone();
        let single = all.any("Falkon::fit", z.device().is_gpu())?;
        Ok(Streamed { kernel, x, weights, whitening, penalty, all, z, blocks, step, single })
    }

    /// Where the products are made: on the CPU if f32 would move the points.
    pub fn device(&self) -> Device {
        self.z.device()
    }

    /// `Φᵀ S y`, m x t.
    pub fn project(&self, y: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.sum(y.ncols(), |_, rows| Matrix::from_array(&self.z.device(), y.slice(s![rows, ..])))
    }

    /// `L⁻¹ Σ_blocks K_zb S_b v_b`, where `v_b` is made from the block's kernel values.
    fn sum(
        &self,
        width: usize,
        make: impl Fn(&Matrix, std::ops::Range<usize>) -> Result<Matrix>,
    ) -> Result<Array2<f64>> {
        let mut total = Array2::zeros((self.z.rows(), width));
        for (at, block) in self.x.axis_chunks_iter(Axis(0), self.step).enumerate() {
            let rows = at * self.step..at * self.step + block.nrows();
            let k = match self.blocks.get(at) {
                Some(on) => gram(self.kernel, on, Some(&self.z))?,
                None => gram(self.kernel, &Matrix::from_host(block.to_owned()), Some(&self.z))?,
            };
            let mut v = make(&k, rows.clone())?;
            if let Some(w) = self.weights {
                let w = w.slice(s![rows]).insert_axis(Axis(1));
                v = Matrix::from_array(&self.z.device(), (v.to_array()? * w).view())?;
            }
            // Blocks are added in f64, so that the error does not grow with their number.
            total += &gemm(1.0, &k, Trans::Yes, &v, Trans::No)?.to_array()?;
        }
        self.whitening.whiten(self.all.add("Falkon::fit", total)?)
    }
}

impl Operator for Streamed<'_> {
    fn dim(&self) -> usize {
        self.z.rows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        // A common size, so that f32 holds what is left of a residual.
        let largest = v.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let inner = self.whitening.unwhiten(&v / largest)?;
        let inner = Matrix::from_array(&self.z.device(), inner.view())?;
        let mut out = self.sum(v.ncols(), |k, _| gemm(1.0, k, Trans::No, &inner, Trans::No))? * largest;
        out.scaled_add(self.penalty, &v);
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(self.apply(Array2::eye(self.dim()).view())?.diag().to_owned())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        self.apply(Array2::eye(self.dim()).select(Axis(1), which).view())
    }

    fn precision(&self) -> Precision {
        if self.single { Precision::Single } else { Precision::Double }
    }
}

/// The inverse of `Φᵀ S Φ + λI`, in f64, with the sum over a sample of p rows in place of all n.
///
/// A row is in the sample with the probability π, and counts by `s/π` if it is: the expectation is the sum over all.
pub(super) struct Inner(Matrix);

impl Inner {
    /// Of rows that every rank has, and their weights: all of them, or a sample that stands for `total`.
    pub fn new(
        of: &Streamed,
        x: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        total: usize,
        seed: u64,
    ) -> Result<Self> {
        let (n, m) = (x.nrows(), of.z.rows());
        // Another stream than that of the landmarks, which would be sampled again.
        let seed = seed ^ 0x5EED_0F50_5CE7_C4E5;
        let (sample, mut counts) = match weights {
            None => {
                let sample = landmarks(n, sketch(n, m), seed)?;
                let count = n as f64 / sample.len() as f64;
                let counts = vec![count; sample.len()];
                (sample, counts)
            }
            Some(weights) => by_weight(weights, sketch(n, m), seed),
        };
        let stands_for = total as f64 / n as f64;
        for count in &mut counts {
            *count *= stands_for;
        }
        let mut a = Array2::zeros((m, m));
        for (rows, counts) in sample.chunks(of.step).zip(counts.chunks(of.step)) {
            let k = gram(of.kernel, &Matrix::from_host(x.select(Axis(0), rows)), Some(&of.z))?;
            let mut phi = of.whitening.features(&k)?;
            phi *= &Array1::from_iter(counts.iter().map(|c| c.sqrt())).insert_axis(Axis(1));
            product(1.0, phi.t(), phi.view(), 1.0, a.view_mut());
        }
        a.diag_mut().mapv_inplace(|v| v + of.penalty);
        Ok(Inner(cholesky(&Matrix::from_host(a))?))
    }
}

/// About p rows, each drawn for itself, and by how much each counts.
///
/// Half of them go by weight, so that the few that weigh are seen; half do not, so that the many that weigh little are
/// seen where no others are.
fn by_weight(weights: ArrayView1<f64>, p: usize, seed: u64) -> (Vec<usize>, Vec<f64>) {
    let (p, n, total) = (p as f64, weights.len() as f64, weights.sum());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawn = weights.iter().enumerate().filter_map(|(i, w)| {
        // p = n takes all of them.
        let probability = if p < n { p * (0.5 * w / total + 0.5 / n) } else { 1.0 };
        (rng.random::<f64>() < probability).then(|| (i, w / probability.min(1.0)))
    });
    drawn.unzip()
}

impl Preconditioner for Inner {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        let r = Matrix::from_host(r.to_owned());
        let half = solve_triangular(&self.0, Triangle::Lower, Trans::No, Side::Left, &r)?;
        solve_triangular(&self.0, Triangle::Lower, Trans::Yes, Side::Left, &half)?.to_array()
    }
}
