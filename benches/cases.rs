//! What is measured: verbs by size, shared by `cargo bench` and the example `gpu_vs_cpu`.

use mercer::ops::{
    Along, Map, Reduction, Second, Side, Trans, Triangle, Weights, Whitening, argmin, centre, cholesky,
    gather_rows, gaussian_log_density, gemm, gram, gram_sum, gram_sum_grad, gram_vec, log_det, logsumexp,
    map, moments, nearest, permute, reduce, softmax, solve_triangular, syrk, transpose,
};
use mercer::{Device, Kernel, Matrix, Result};
use ndarray::Array2;

/// One verb at one family of sizes.
pub struct Case {
    pub name: &'static str,
    /// What is counted: flops, pairs or entries.
    pub unit: &'static str,
    /// How many of them at size n.
    pub work: fn(f64) -> f64,
    /// Uploads the operands and gives the work itself, which reads back only what the verb returns to the host.
    pub prepare: fn(&Device, usize) -> Result<Work>,
}

pub type Work = Box<dyn Fn() -> Result<()>>;

fn points(device: &Device, rows: usize, cols: usize) -> Result<Matrix> {
    let a =
        Array2::from_shape_fn((rows, cols), |(i, j)| ((i * 7919 + j * 104_729) % 2001) as f64 / 1000.0 - 1.0);
    Matrix::from_array(device, a.view())
}

fn spd(device: &Device, n: usize) -> Result<Matrix> {
    let a = Array2::from_shape_fn((n, n), |(i, j)| {
        (-(i.abs_diff(j) as f64).powi(2) / 50.0).exp() + f64::from(u8::from(i == j))
    });
    Matrix::from_array(device, a.view())
}

pub fn cases() -> Vec<Case> {
    let case = |name, unit, work, prepare| Case { name, unit, work, prepare };
    vec![
        case(
            "gemm",
            "flop",
            |n| 2.0 * n * n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || gemm(1.0, &a, Trans::No, &a, Trans::No).map(drop)))
            },
        ),
        case(
            "syrk",
            "flop",
            |n| n * n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || syrk(1.0, &a, Trans::No).map(drop)))
            },
        ),
        case(
            "cholesky",
            "flop",
            |n| n * n * n / 3.0,
            |d, n| {
                let a = spd(d, n)?;
                Ok(Box::new(move || cholesky(&a).map(drop)))
            },
        ),
        case(
            "solve_triangular",
            "flop",
            |n| 64.0 * n * n,
            |d, n| {
                let (l, b) = (cholesky(&spd(d, n)?)?, points(d, n, 64)?);
                Ok(Box::new(move || {
                    solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &b).map(drop)
                }))
            },
        ),
        case(
            "gram (rbf, d = 16)",
            "pair",
            |n| n * n,
            |d, n| {
                let x = points(d, n, 16)?;
                Ok(Box::new(move || gram(&Kernel::rbf(1.0), &x, None).map(drop)))
            },
        ),
        case(
            "gram_vec (rbf, d = 3)",
            "pair",
            |n| n * n,
            |d, n| {
                let (x, v) = (points(d, n, 3)?, points(d, n, 1)?);
                Ok(Box::new(move || gram_vec(&Kernel::rbf(1.0), &x, None, &v).map(drop)))
            },
        ),
        case(
            "gram_sum (rbf, d = 3)",
            "pair",
            |n| n * n,
            |d, n| {
                let (x, u) = (points(d, n, 3)?, points(d, n, 1)?);
                Ok(Box::new(move || {
                    gram_sum(&Kernel::rbf(1.0), &x, None, Weights::LowRank { u: &u, v: &u }).map(drop)
                }))
            },
        ),
        case(
            "gram_sum_grad (ard, d = 8)",
            "pair",
            |n| n * n,
            |d, n| {
                let (x, w) = (points(d, n, 8)?, points(d, n, n)?);
                Ok(Box::new(move || {
                    gram_sum_grad(&Kernel::rbf([1.0; 8]), &x, None, Weights::Symmetric(&w)).map(drop)
                }))
            },
        ),
        case(
            "nearest (m = 64, d = 32)",
            "pair",
            |n| 64.0 * n,
            |d, n| {
                let (x, y) = (points(d, n, 32)?, points(d, 64, 32)?);
                Ok(Box::new(move || nearest(&x, &y).map(drop)))
            },
        ),
        case(
            "gaussian_log_density (k = 30, d = 30)",
            "pair",
            |n| 30.0 * n,
            |d, n| {
                let (x, means, w) = (points(d, n, 30)?, points(d, 30, 30)?, points(d, 900, 30)?);
                let offset = points(d, 1, 30)?;
                Ok(Box::new(move || gaussian_log_density(&x, &means, Whitening::Full(&w), &offset).map(drop)))
            },
        ),
        case(
            "moments (k = 30, d = 30)",
            "pair",
            |n| 30.0 * n,
            |d, n| {
                let (x, centres) = (points(d, n, 30)?, points(d, 30, 30)?);
                let r = softmax(&points(d, n, 30)?)?;
                Ok(Box::new(move || moments(&x, &r, &centres, Second::Full).map(drop)))
            },
        ),
        case(
            "reduce (row sums)",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || reduce(&a, Along::EachRow, Reduction::Sum).map(drop)))
            },
        ),
        case(
            "logsumexp",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || logsumexp(&a).map(drop)))
            },
        ),
        case(
            "softmax",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || softmax(&a).map(drop)))
            },
        ),
        case(
            "centre",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || centre(&a).map(drop)))
            },
        ),
        case(
            "transpose",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || transpose(&a).map(drop)))
            },
        ),
        case(
            "argmin",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || argmin(&a).map(drop)))
            },
        ),
        case(
            "log_det",
            "entry",
            |n| n,
            |d, n| {
                let l = cholesky(&spd(d, n)?)?;
                Ok(Box::new(move || log_det(&l).map(drop)))
            },
        ),
        case(
            "gather_rows",
            "entry",
            |n| n * n,
            |d, n| {
                let (a, turned) = (points(d, n, n)?, (0..n).rev().collect::<Vec<_>>());
                Ok(Box::new(move || gather_rows(&a, &turned).map(drop)))
            },
        ),
        case(
            "permute",
            "entry",
            |n| n * n,
            |d, n| {
                let (a, turned) = (points(d, n, n)?, (0..n).rev().collect::<Vec<_>>());
                Ok(Box::new(move || permute(&a, &turned).map(drop)))
            },
        ),
        case(
            "map",
            "entry",
            |n| n * n,
            |d, n| {
                let a = points(d, n, n)?;
                Ok(Box::new(move || map(&a, Map::Exp).map(drop)))
            },
        ),
    ]
}
