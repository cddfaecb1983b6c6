//! What cannot be seen through the public interface: rows on a GPU are padded to whole vec4s, with zeros.

use std::collections::BTreeSet;

use ndarray::Array2;

use super::*;
use crate::device::Place;
use crate::matrix::SparseMatrix;
use crate::random::Threshold;
use crate::{Device, Kernel, Matrix, Result};

/// Verbs whose results are numbers on the host: they have no padding.
const HOST: [&str; 16] = [
    "argmin",
    "categorical",
    "gram_sum",
    "gram_sum_grad",
    "lattice_gibbs",
    "lattice_mean_field",
    "lattice_means",
    "log_det",
    "moments",
    "nearest",
    "nearest_k",
    "pair_hmm",
    "permutation",
    "permuted_sums",
    "random_words",
    "tsne_forces",
];

type Verb<'a> = Box<dyn Fn() -> Result<Vec<Matrix>> + 'a>;

/// Verbs by name, with what they make of n x n matrices.
fn verbs<'a>(device: &'a Device, n: usize) -> Vec<(&'static str, Verb<'a>)> {
    let up = move |rows: usize, cols: usize, value: f64| {
        Matrix::from_array(device, Array2::from_elem((rows, cols), value).view()).unwrap()
    };
    let a = move || up(n, n, 2.0);
    let spd = move || add_diagonal(&up(n, n, 0.1), 2.0);
    let reversed = move || (0..n).rev().collect::<Vec<usize>>();
    let one = |out: Matrix| Ok(vec![out]);
    let both = |(x, y): (Matrix, Matrix)| Ok(vec![x, y]);
    let kernel = || Kernel::rbf(1.0) + Kernel::constant(0.5);
    let whole = move |f: Map| -> Verb<'a> { Box::new(move || one(map(&a(), f)?)) };
    let joined = move |f: Zip, cols: usize| -> Verb<'a> {
        Box::new(move || one(zip(&a(), &up(if cols == 0 { 1 } else { n }, cols.max(1), 3.0), f)?))
    };
    let reduced = move |along, kind| -> Verb<'a> { Box::new(move || one(reduce(&a(), along, kind)?)) };
    let descended = move |rule: Descent| -> Verb<'a> {
        Box::new(move || {
            let at = Descending { parameters: a(), first: a(), second: a() };
            let at = descend(rule, Shrinkage { decay: 0.1, columns: n / 2 }, at, &a())?;
            Ok(vec![at.parameters, at.first, at.second])
        })
    };
    let shrunk = move |momentum: bool| -> Verb<'a> {
        Box::new(move || {
            let at = shrink(Shrinking::new(a())?, a(), &up(n, n, 0.5), 0.1, momentum)?;
            let at = shrink(at, a(), &up(n, n, 0.5), 0.1, momentum)?;
            Ok(vec![at.codes, at.ahead, at.state])
        })
    };
    let unit = move |unit: Unit| -> Verb<'a> {
        Box::new(move || {
            let z = units(&a(), unit)?;
            Ok(vec![units_back(&up(n, n + 1, 1.0), &z, unit)?, z])
        })
    };
    let lost = move |output: Output| -> Verb<'a> {
        Box::new(move || both(output_loss(&a(), &up(n, n + 1, 1.0), output, 0.5)?))
    };
    let solved = move |side: Side, op: Trans| -> Verb<'a> {
        Box::new(move || one(solve_triangular(&cholesky(&spd()?)?, Triangle::Lower, op, side, &a())?))
    };
    vec![
        ("map", whole(Map::Exp)),
        ("map", whole(Map::Log)),
        ("map", whole(Map::Recip)),
        ("map", whole(Map::Affine { scale: 1.0, shift: 1.0 })),
        ("map", whole(Map::Sigmoid)),
        ("map", whole(Map::Softplus)),
        ("map", whole(Map::MaxWith(1.0))),
        ("zip", joined(Zip::Add, 1)),
        ("zip", joined(Zip::Add, 0)),
        ("zip", joined(Zip::Div, n)),
        ("reduce", reduced(Along::EachRow, Reduction::Sum)),
        ("reduce", reduced(Along::EachColumn, Reduction::Sum)),
        ("reduce", reduced(Along::EachColumn, Reduction::Min)),
        ("logsumexp", Box::new(move || one(logsumexp(&a())?))),
        ("softmax", Box::new(move || one(softmax(&a())?))),
        ("softmax_logsumexp", Box::new(move || both(softmax_logsumexp(a())?))),
        ("centre", Box::new(move || one(centre(&a())?))),
        ("centre_columns", Box::new(move || both(centre_columns(&a())?))),
        ("gather_rows", Box::new(move || one(gather_rows(&a(), &reversed())?))),
        ("permute", Box::new(move || one(permute(&a(), &reversed())?))),
        ("transpose", Box::new(move || one(transpose(&up(n, n + 2, 2.0))?))),
        ("diagonal", Box::new(move || one(diagonal(&a())?))),
        ("add_diagonal", Box::new(move || one(add_diagonal(&a(), 1.0)?))),
        ("add_diagonal_vector", Box::new(move || one(add_diagonal_vector(&a(), &up(n, 1, 3.0))?))),
        ("gemm", Box::new(move || one(gemm(1.0, &a(), Trans::No, &a(), Trans::Yes)?))),
        ("gemm", Box::new(move || one(gemm(1.0, &a(), Trans::Yes, &a(), Trans::No)?))),
        ("gemm_add", Box::new(move || one(gemm_add(1.0, &a(), Trans::No, &a(), Trans::No, 1.0, &a())?))),
        ("syrk", Box::new(move || one(syrk(1.0, &a(), Trans::No)?))),
        ("bilinear_forms", Box::new(move || one(bilinear_forms(&a(), &a(), &a())?))),
        (
            "relabelled_forms",
            Box::new(move || {
                let labels: Vec<Vec<u8>> =
                    (0..5).map(|b| (0..n).map(|i| u8::from(i % (b + 1) == 0)).collect()).collect();
                let columns: Vec<&[u8]> = labels.iter().map(Vec::as_slice).collect();
                relabelled_forms(&Relabellings::new(device, [-1.0, 2.0], &columns)?, &[spd()?], None)
            }),
        ),
        ("fourier", Box::new(move || one(fourier(&a(), &up(1, n, 0.25), 1.5, Waves::Cosine)?))),
        ("fourier", Box::new(move || one(fourier(&a(), &up(1, n, 0.25), 1.5, Waves::Both)?))),
        ("gram", Box::new(move || one(gram(&kernel(), &a(), None)?))),
        ("gram_half", Box::new(move || one(gram_half(&kernel(), &a(), None)?))),
        ("gram_diagonal", Box::new(move || one(gram_diagonal(&kernel(), &a())?))),
        ("gram_vec", Box::new(move || one(gram_vec(&kernel(), &a(), None, &up(n, 2, 1.0))?))),
        ("gram_vec", Box::new(move || one(gram_vec(&kernel(), &a(), None, &up(n, 21, 1.0))?))),
        (
            "gaussian_log_density",
            Box::new(move || {
                let whitening = up(n, n, 1.0);
                one(gaussian_log_density(&a(), &a(), Whitening::Diagonal(&whitening), &up(1, n, 1.0))?)
            }),
        ),
        (
            "gaussian_log_density",
            Box::new(move || {
                let whitening = up(2 * n, n, 1.0);
                one(gaussian_log_density(&a(), &up(2, n, 1.0), Whitening::Full(&whitening), &up(1, 2, 1.0))?)
            }),
        ),
        ("cholesky", Box::new(move || one(cholesky(&spd()?)?))),
        ("solve_triangular", solved(Side::Left, Trans::No)),
        ("solve_triangular", solved(Side::Left, Trans::Yes)),
        ("solve_triangular", solved(Side::Right, Trans::No)),
        (
            "spmm",
            Box::new(move || {
                let entries: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, (i * 3) % n, 1.5)).collect();
                one(spmm(&SparseMatrix::from_triplets(n, n, &entries)?, &a())?)
            }),
        ),
        ("random", Box::new(move || one(random(device, (n, n), Draw::Uniform, 1, 2)?))),
        ("random", Box::new(move || one(random(device, (n, n), Draw::Normal, 1, 2)?))),
        ("bernoulli", Box::new(move || one(bernoulli(&up(n, n, 0.9), 1, 2)?))),
        ("bernoulli_by", Box::new(move || one(bernoulli_by(device, (n, n), &[Threshold::new(0.9)?], 1, 2)?))),
        (
            "forward_backward",
            Box::new(move || {
                let k = n.min(64);
                let even = Array2::from_elem((k, k), 1.0 / k as f64);
                one(forward_backward(&up(9, k, -1.0), &[4, 5], even.row(0), even.view())?.states)
            }),
        ),
        ("units", unit(Unit::Sigmoid)),
        ("units_back", unit(Unit::Softplus)),
        ("output_loss", lost(Output::Gaussian)),
        ("output_loss", lost(Output::Bernoulli)),
        ("output_loss", lost(Output::Softmax)),
        ("output_loss", lost(Output::Poisson)),
        ("descend", descended(Descent::Momentum { rate: 0.1, momentum: 0.9, decay: 0.1 })),
        ("descend", descended(Descent::AdaGrad { rate: 0.1, epsilon: 0.0 })),
        ("descend", descended(Descent::RmsProp { rate: 0.1, memory: 0.9, epsilon: 0.0 })),
        (
            "descend",
            descended(Descent::Adam {
                rate: 0.1,
                first: 0.9,
                second: 0.9,
                epsilon: 0.0,
                decay: 0.1,
                step: 1,
            }),
        ),
        (
            "gather_listed",
            Box::new(move || {
                let a = a();
                one(gather_listed(&a, &RowList::new(&a, vec![n - 1; 70])?, 64..70)?)
            }),
        ),
        (
            "ridge_rows",
            Box::new(move || {
                let k = n.min(64);
                let entries = (0..3 * n).map(|e| (e % n, 1.0, 2.0)).collect();
                let rated = RatedRows::new(device, vec![0, n, n, 3 * n], n, entries)?;
                let (other, shared) = (up(n, k, 0.3), up(k, k, 0.1));
                let system = RidgeSystem { other: &other, penalty: 1.0, shared: Some(&shared), biased: true };
                one(ridge_rows(&rated, &system)?)
            }),
        ),
        ("shrink", shrunk(true)),
        ("shrink", shrunk(false)),
        ("to_half", Box::new(move || one(to_half(&a())?))),
        (
            "topic_sweep",
            Box::new(move || {
                let k = n.min(64);
                let entries: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, (i * 3) % n, 2.0)).collect();
                let counts = WordCounts::new(device, SparseMatrix::from_triplets(n, n, &entries)?)?;
                let priors = TopicPriors { alpha: 0.5, eta: 0.5, passes: 2 };
                let at = topic_sweep(&counts, &up(n, k, 1.0), &up(n, k, 1.0), &priors)?;
                Ok(vec![at.lambda, at.gamma, at.entropies])
            }),
        ),
        ("unit_draws", Box::new(move || one(unit_draws(&a(), UnitDraw::Bernoulli, 1, 2)?))),
        ("unit_draws_means", Box::new(move || both(unit_draws_means(&a(), UnitDraw::Normal, 1, 2)?))),
    ]
}

/// Every product over padded rows relies on it.
#[test]
fn every_verb_leaves_the_padding_zero() {
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = Device::nth(adapter.index).unwrap();
        let Place::Gpu(gpu) = device.place() else { unreachable!() };
        for n in [1, 5, 6, 67] {
            for (name, verb) in verbs(&device, n) {
                // The pool hands out used memory: make sure that what it hands out next is not zero.
                let dirt = |rows: usize, cols: usize| {
                    let full = Array2::from_elem((rows, cols.next_multiple_of(4)), 9.0);
                    Matrix::from_array(&device, full.view()).unwrap()
                };
                drop(
                    [(n, n), (n, 1), (1, n), (n, n), (n, n + 1), (n, 3)].map(|(rows, cols)| dirt(rows, cols)),
                );
                for (part, out) in verb().unwrap().into_iter().enumerate() {
                    let raw = gpu.download(out.buffer(), 0, out.bytes()).unwrap();
                    let stride = 4 * out.vec4s();
                    let width = raw.len() / (out.rows() * stride);
                    for (i, bytes) in raw.chunks_exact(width).enumerate() {
                        let real = i % stride < out.cols();
                        let zero = bytes.iter().all(|b| *b == 0);
                        assert!(real || zero, "{name}, result {part}, n = {n}, place {i} on {device}");
                    }
                }
            }
        }
    }
}

/// Whatever `ops` exports is looked at above, or said to have no padding.
#[test]
fn no_verb_is_left_out() {
    let text: String =
        include_str!("mod.rs").lines().filter(|l| !l.starts_with("//")).collect::<Vec<_>>().join(" ");
    let exported: BTreeSet<String> = text
        .split("pub use ")
        .skip(1)
        .filter_map(|part| part.split(';').next())
        .filter_map(|part| part.split_once("::"))
        .flat_map(|(_, names)| names.split(['{', '}', ',', ' ']).map(str::to_owned).collect::<Vec<_>>())
        .filter(|name| name.chars().next().is_some_and(char::is_lowercase))
        .collect();
    let device = Device::cpu();
    let listed: BTreeSet<String> =
        verbs(&device, 1).iter().map(|(name, _)| *name).chain(HOST).map(str::to_owned).collect();
    assert!(exported.len() > 40, "{exported:?}");
    assert_eq!(exported, listed);
}
