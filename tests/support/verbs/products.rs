//! Products, factors and the forms that matrices are stored in.

use mercer::matrix::SparseMatrix;
use mercer::ops::{
    Relabellings, Side, Trans, Triangle, add_diagonal, add_diagonal_vector, bilinear_forms, cholesky,
    diagonal, gemm, gemm_add, gram, gram_half, log_det, relabelled_forms, solve_triangular, spmm, syrk,
    to_half, transpose,
};

use super::{Verb, at_sizes, column, down, kernel, spd, up, v};

pub fn verbs() -> Vec<Verb> {
    vec![
        v("gemm", 3e-6, |d| {
            at_sizes(|n| {
                let (a, b) = (up(d, n, 37, 1)?, up(d, 37, 66, 2)?);
                let (at, bt) = (up(d, 37, n, 1)?, up(d, 66, 37, 2)?);
                Ok(vec![
                    gemm(0.5, &a, Trans::No, &b, Trans::No)?,
                    gemm(0.5, &at, Trans::Yes, &b, Trans::No)?,
                    gemm(0.5, &a, Trans::No, &bt, Trans::Yes)?,
                    gemm(0.5, &at, Trans::Yes, &bt, Trans::Yes)?,
                    gemm_add(-1.0, &a, Trans::No, &b, Trans::No, 2.0, &up(d, n, 66, 3)?)?,
                ])
            })
        }),
        v("syrk", 3e-6, |d| at_sizes(|n| Ok(vec![syrk(1.0, &up(d, n, 19, 1)?, Trans::No)?]))),
        v("bilinear_forms", 3e-6, |d| {
            at_sizes(|n| {
                let (u, a) = (up(d, n, 5, 1)?, up(d, n, n, 2)?);
                Ok(vec![bilinear_forms(&u, &a, &u)?])
            })
        }),
        v("relabelled_forms", 3e-6, |d| {
            at_sizes(|n| {
                let labels: Vec<Vec<u8>> =
                    (0..30).map(|b| (0..n).map(|i| u8::from((i * b + i) % 3 == 0)).collect()).collect();
                let columns: Vec<&[u8]> = labels.iter().map(Vec::as_slice).collect();
                relabelled_forms(&Relabellings::new(d, [-1.0, 2.0], &columns)?, &[spd(d, n)?], None)
            })
        }),
        v("cholesky", 1e-5, |d| at_sizes(|n| Ok(vec![cholesky(&spd(d, n)?)?]))),
        v("solve_triangular", 1e-5, |d| {
            at_sizes(|n| {
                let (l, b, c) = (cholesky(&spd(d, n)?)?, up(d, n, 7, 1)?, up(d, 7, n, 1)?);
                Ok(vec![
                    solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &b)?,
                    solve_triangular(&l, Triangle::Lower, Trans::Yes, Side::Left, &b)?,
                    solve_triangular(&l, Triangle::Lower, Trans::No, Side::Right, &c)?,
                ])
            })
        }),
        v("log_det", 1e-6, |d| Ok(vec![column(vec![log_det(&cholesky(&spd(d, 131)?)?)?])])),
        v("spmm", 1e-6, |d| {
            let part = |n: usize| (0..3 * n).map(move |e| (e * 7 % n, e * 5 % n, e as f64 / n as f64 - 1.0));
            let a = |n| SparseMatrix::from_triplets(n, n, &part(n).collect::<Vec<_>>());
            at_sizes(|n| Ok(vec![spmm(&a(n)?, &up(d, n, 7, 1)?)?]))
        }),
        v("diagonal", 1e-6, |d| {
            at_sizes(|n| {
                let a = spd(d, n)?;
                Ok(vec![diagonal(&a)?, add_diagonal(&a, 0.5)?, add_diagonal_vector(&a, &up(d, n, 1, 1)?)?])
            })
        }),
        v("transpose", 1e-6, |d| at_sizes(|n| Ok(vec![transpose(&up(d, n, 33, 1)?)?]))),
        v("half", 1e-3, |d| {
            let (a, x) = (to_half(&up(d, 65, 40, 1)?)?, up(d, 65, 3, 2)?);
            let product = gemm(1.0, &a, Trans::No, &a, Trans::Yes)?;
            down(vec![a, product, gram_half(&kernel(), &x, None)?, gram(&kernel(), &to_half(&x)?, None)?])
        }),
    ]
}
