//! Sums of products of one matrix with permutations of another, none of which is made.

use rayon::prelude::*;

use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::{Shared, window::windows};
use crate::ops::half::single;
use crate::ops::reduce::flat;
use crate::ops::{Along, Reduction, Zip, reduce, require, zip};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../../shaders/gather_sums.wgsl");
/// Entries of one dispatch's partial sums, and so of the permutations that it carries.
const ENTRIES: usize = 1 << 22;

/// Mirrors `Params` in `shaders/gather_sums.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    n: u32,
    vec4s: u32,
}

/// `Σ_ij k_ij l_{p(i) p(j)}` for each permutation p: what a permutation test of independence compares.
///
/// `k` and `l` are symmetric and `n x n` (the CPU reads their lower triangles only), each permutation has n entries.
/// The permuted matrix is never made, unless it is too large for one binding of a GPU.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the shapes differ or a permutation is none,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the matrices live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::permuted_sums};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let k = on(ndarray::array![[1.0, 0.5], [0.5, 2.0]])?;
/// assert_eq!(permuted_sums(&k, &k, &[vec![0, 1], vec![1, 0]])?, [5.5, 4.5]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn permuted_sums(k: &Matrix, l: &Matrix, permutations: &[Vec<usize>]) -> Result<Vec<f64>> {
    let n = k.rows();
    require("permuted_sums", k.shape() == (n, n) && l.shape() == (n, n), || {
        format!("k is {:?}, l is {:?}; both must be square and of one size", k.shape(), l.shape())
    })?;
    let mut seen = vec![0; n];
    for (b, p) in permutations.iter().enumerate() {
        let fresh = |&i: &usize| i < n && std::mem::replace(&mut seen[i], b + 1) != b + 1;
        require("permuted_sums", p.len() == n && p.iter().all(fresh), || {
            format!("entry {b} is not a permutation of {n} indices")
        })?;
    }
    match k.shared("permuted_sums", &[l])? {
        Shared::Cpu => {
            let (k, l) = (flat(k.cpu()), flat(l.cpu()));
            Ok(permutations.par_iter().map(|p| permuted_sum(k, l, p)).collect())
        }
        Shared::Gpu(gpu) => gpu.guard("permuted_sums", || on_gpu(gpu, k, l, permutations)),
    }
}

/// The lower triangle, row by row: a row of k is read in order, its partner of l from the first-level cache.
fn permuted_sum(k: &[f64], l: &[f64], p: &[usize]) -> f64 {
    let n = p.len();
    let narrow: Vec<u32> = p.iter().map(|&i| i as u32).collect();
    let (mut below, mut diagonal) = (0.0, 0.0);
    for i in 0..n {
        let (own, there) = (&k[i * n..i * n + i], &l[p[i] * n..(p[i] + 1) * n]);
        below += gathered_dot(own, there, &narrow[..i]);
        diagonal += k[i * n + i] * there[p[i]];
    }
    2.0 * below + diagonal
}

/// `Σ_j a_j b_{p(j)}` in eight sums side by side.
fn gathered_dot(a: &[f64], b: &[f64], p: &[u32]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, p8) = (a.chunks_exact(8), p.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(p8.remainder()).map(|(a, &j)| a * b[j as usize]).sum();
    for (a, p) in a8.zip(p8) {
        for i in 0..8 {
            sums[i] += a[i] * b[p[i] as usize];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn on_gpu(gpu: &Gpu, k: &Matrix, l: &Matrix, permutations: &[Vec<usize>]) -> Result<Vec<f64>> {
    let (k, l) = (single(k)?, single(l)?);
    let (n, vec4s, limits) = (k.rows(), k.vec4s(), gpu.limits());
    if k.bytes() > limits.binding_bytes || 4 * vec4s > limits.groups_per_axis as usize {
        return by_copies(&k, &l, permutations);
    }
    let row = 16 * vec4s as u64;
    let most = (ENTRIES / n).min((limits.binding_bytes / row) as usize).min(limits.groups_per_axis as usize);
    let mut all = Vec::with_capacity(permutations.len());
    for some in windows(permutations.len(), most) {
        let words: Vec<u32> = permutations[some.clone()].iter().flatten().map(|&i| i as u32).collect();
        let list = gpu.upload("gather.permutations", bytemuck::cast_slice(&words))?;
        let out = Matrix::alloc(gpu, "gather.sums", (some.len(), n), Precision::Single)?;
        let params = Params { n: n as u32, vec4s: vec4s as u32 };
        gpu.run(&Pass {
            op: "permuted_sums",
            shader: Shader::new("gather_sums", &[SHADER]),
            entry: "sums",
            constants: &[],
            binds: &[k.bind(), l.bind(), list.whole(), out.bind()],
            params: bytemuck::bytes_of(&params),
            grid: [4 * vec4s as u32, some.len() as u32, 1],
            work: some.len() as f64 * (n * n) as f64,
        })?;
        // The last sum, of n numbers, in f64.
        all.extend(out.to_array()?.rows().into_iter().map(|r| r.sum()));
    }
    Ok(all)
}

/// For matrices larger than a binding: each permutation makes its copy.
fn by_copies(k: &Matrix, l: &Matrix, permutations: &[Vec<usize>]) -> Result<Vec<f64>> {
    let sum = |p: &Vec<usize>| {
        let product = zip(k, &super::permute(l, p)?, Zip::Mul)?;
        Ok(reduce(&product, Along::EachRow, Reduction::Sum)?.to_array()?.sum())
    };
    permutations.iter().map(sum).collect()
}
