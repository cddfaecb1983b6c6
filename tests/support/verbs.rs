//! Every verb, run at the edges of its tiles: `selfcheck` compares devices by it, the shader tests compile by it.

use mercer::kernel::structures::PairHmm;
use mercer::matrix::SparseMatrix;
use mercer::ops::{Affinities, Waves, fourier, pair_hmm, tsne_forces};
use mercer::ops::{
    Along, Draw, Lattice, Map, Reduction, Relabellings, Second, Side, Trans, Triangle, Weights, Whitening,
    Zip, add_diagonal, add_diagonal_vector, argmin, bernoulli, bernoulli_by, bilinear_forms, categorical,
    centre, centre_columns, cholesky, diagonal, forward_backward, gather_rows, gaussian_log_density, gemm,
    gemm_add, gram, gram_diagonal, gram_half, gram_sum, gram_sum_grad, gram_vec, lattice_gibbs,
    lattice_mean_field, lattice_means, log_det, logsumexp, map, moments, nearest, nearest_k, permutation,
    permute, permuted_sums, random, random_words, reduce, relabelled_forms, softmax, solve_triangular, spmm,
    syrk, to_half, transpose, zip,
};
use mercer::ops::{
    Descending, Descent, Output, RatedRows, RidgeSystem, RowList, Shrinkage, Shrinking, TopicPriors, Unit,
    UnitDraw, WordCounts, descend, gather_listed, output_loss, ridge_rows, shrink, topic_sweep, unit_draws,
    unit_draws_means, units, units_back,
};
use mercer::random::Threshold;
use mercer::{Device, Kernel, Matrix, Result};
use ndarray::{Array1, Array2, Axis};

/// A verb and how to run it.
pub struct Verb {
    pub name: &'static str,
    /// Allowed distance between f32 and f64, relative to the largest entry.
    pub tolerance: f64,
    /// Runs it on a device and reads everything back.
    pub run: fn(&Device) -> Result<Vec<Array2<f64>>>,
}

/// Entries in [-1, 1), the same everywhere, no generator needed.
pub fn points(rows: usize, cols: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, cols), |(i, j)| {
        let h = (i * 7919 + j * 104_729 + seed * 15_485_863 + i * j * 31) % 2001;
        h as f64 / 1000.0 - 1.0
    })
}

fn up(device: &Device, rows: usize, cols: usize, seed: usize) -> Result<Matrix> {
    Matrix::from_array(device, points(rows, cols, seed).view())
}

fn spd(device: &Device, n: usize) -> Result<Matrix> {
    let a = points(n, n, 3);
    Matrix::from_array(device, (a.dot(&a.t()) / n as f64 + Array2::<f64>::eye(n)).view())
}

fn down(all: Vec<Matrix>) -> Result<Vec<Array2<f64>>> {
    all.iter().map(Matrix::to_array).collect()
}

fn column(values: Vec<f64>) -> Array2<f64> {
    Array1::from(values).insert_axis(Axis(1))
}

const SIZES: [usize; 5] = [1, 63, 64, 65, 131];

/// A kernel with scalar and per-feature parameters.
fn kernel() -> Kernel {
    1.3 * Kernel::rbf([0.7, 1.1, 2.0]) + Kernel::matern32(0.8) * Kernel::linear() + Kernel::white(0.1)
}

/// Runs `f` at every size and gathers what it makes.
fn at_sizes(f: impl Fn(usize) -> Result<Vec<Matrix>>) -> Result<Vec<Array2<f64>>> {
    SIZES.iter().map(|&n| f(n).and_then(down)).collect::<Result<Vec<_>>>().map(|all| all.concat())
}

pub fn verbs() -> Vec<Verb> {
    let v = |name, tolerance, run| Verb { name, tolerance, run };
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
        v("gram", 3e-6, |d| {
            at_sizes(|n| {
                let (x, y) = (up(d, n, 3, 1)?, up(d, 66, 3, 2)?);
                Ok(vec![gram(&kernel(), &x, None)?, gram(&kernel(), &x, Some(&y))?])
            })
        }),
        v("gram_diagonal", 3e-6, |d| at_sizes(|n| Ok(vec![gram_diagonal(&kernel(), &up(d, n, 3, 1)?)?]))),
        v("gram_vec", 1e-5, |d| {
            at_sizes(|n| {
                let (x, few, many) = (up(d, n, 3, 1)?, up(d, n, 2, 2)?, up(d, n, 20, 3)?);
                Ok(vec![gram_vec(&kernel(), &x, None, &few)?, gram_vec(&kernel(), &x, None, &many)?])
            })
        }),
        v("gram_sum", 1e-5, |d| {
            let mut all = Vec::new();
            for n in SIZES {
                let (x, w, u) = (up(d, n, 3, 1)?, up(d, n, n, 2)?, up(d, n, 2, 3)?);
                let low = Weights::LowRank { u: &u, v: &u };
                all.push(column(vec![gram_sum(&kernel(), &x, None, low)?]));
                all.push(column(gram_sum_grad(&kernel(), &x, None, Weights::Dense(&w))?.gradient));
            }
            Ok(all)
        }),
        v("gaussian_log_density", 1e-5, |d| {
            at_sizes(|n| {
                let (x, means, offset) = (up(d, n, 7, 1)?, up(d, 5, 7, 2)?, up(d, 1, 5, 3)?);
                let (w, s) = (up(d, 35, 7, 4)?, up(d, 5, 7, 5)?);
                let full = gaussian_log_density(&x, &means, Whitening::Full(&w), &offset)?;
                Ok(vec![full, gaussian_log_density(&x, &means, Whitening::Diagonal(&s), &offset)?])
            })
        }),
        v("moments", 1e-5, |d| {
            let (x, centres) = (up(d, 65, 7, 1)?, up(d, 5, 7, 2)?);
            let r = map(&up(d, 65, 5, 3)?, Map::Square)?;
            let both = [Second::Full, Second::Diagonal].map(|second| moments(&x, &r, &centres, second));
            let all = both.into_iter().collect::<Result<Vec<_>>>()?;
            Ok(all.into_iter().flat_map(|m| [column(m.mass.to_vec()), m.first, m.second]).collect())
        }),
        v("nearest", 1e-5, |d| {
            let found = nearest(&up(d, 131, 5, 1)?, &up(d, 65, 5, 2)?)?;
            Ok(vec![column(found.squared_distance)])
        }),
        v("nearest_k", 1e-5, |d| {
            let found = nearest_k(&up(d, 131, 5, 1)?, &up(d, 65, 5, 2)?, 7)?;
            Ok(vec![found.squared_distance])
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
        v("forward_backward", 1e-5, |d| {
            let a = points(5, 5, 1).mapv(|v| v + 1.1);
            let a = &a / &a.sum_axis(Axis(1)).insert_axis(Axis(1));
            let found = forward_backward(&up(d, 131, 5, 2)?, &[1, 63, 67], a.row(0), a.view())?;
            Ok(vec![found.states.to_array()?, found.transitions, column(found.log_likelihoods)])
        }),
        v("lattice", 1e-5, |d| {
            let (field, spins) = (points(9, 7, 1), points(9, 7, 2).mapv(|v| if v < 0.0 { -1i8 } else { 1 }));
            let flat = Array2::zeros((9, 7));
            let (a, b) = (Lattice::new(0.4, field.view(), false)?, Lattice::new(0.4, flat.view(), false)?);
            let (drawn, means) = lattice_means(d, &a, spins.view(), 7, 0, 5)?;
            let other = lattice_gibbs(d, &b, spins.view(), 7, 3, 5)?;
            let down = lattice_mean_field(d, &a, Array2::zeros((9, 7)).view(), 5)?;
            Ok(vec![drawn.mapv(f64::from), means, other.mapv(f64::from), down])
        }),
        v("random", 1e-6, |d| {
            let half = [Threshold::new(0.5)?];
            let whole = |v: Vec<usize>| column(v.into_iter().map(|k| k as f64).collect());
            let words = random_words(d, 0, 131, 7, 1)?;
            let mut all = at_sizes(|n| {
                let u = random(d, (n, 7), Draw::Uniform, 7, 1)?;
                let z = random(d, (n, 7), Draw::Normal, 7, 1)?;
                Ok(vec![bernoulli(&u, 8, 1)?, bernoulli_by(d, (n, 7), &half, 7, 1)?, u, z])
            })?;
            all.push(column(words.into_iter().map(f64::from).collect()));
            all.push(whole(categorical(d, &[0.2, 0.0, 0.5, 0.1], 131, 7, 1)?));
            all.push(whole(permutation(d, 131, 7, 1)?));
            Ok(all)
        }),
        v("reduce", 1e-6, |d| {
            at_sizes(|n| {
                let a = up(d, n, 70, 1)?;
                let kinds =
                    [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::SumSquares];
                let both = [Along::EachRow, Along::EachColumn];
                both.iter().flat_map(|&along| kinds.map(|kind| reduce(&a, along, kind))).collect()
            })
        }),
        v("logsumexp", 1e-6, |d| at_sizes(|n| Ok(vec![logsumexp(&up(d, n, 70, 1)?)?]))),
        v("softmax", 1e-6, |d| at_sizes(|n| Ok(vec![softmax(&up(d, n, 70, 1)?)?]))),
        v("argmin", 1e-6, |d| Ok(vec![column(argmin(&up(d, 65, 131, 1)?)?.values)])),
        v("centre", 2e-6, |d| {
            at_sizes(|n| {
                let (x, means) = centre_columns(&up(d, n, 5, 1)?)?;
                Ok(vec![centre(&spd(d, n)?)?, x, means])
            })
        }),
        v("fourier", 2e-6, |d| {
            at_sizes(|n| {
                let (turns, phases) = (up(d, n, 7, 1)?, up(d, 1, 7, 2)?);
                [Waves::Cosine, Waves::Both].map(|w| fourier(&turns, &phases, 0.5, w)).into_iter().collect()
            })
        }),
        v("gather", 1e-6, |d| {
            let order: Vec<usize> = (0..65).map(|i| (i * 17) % 65).collect();
            down(vec![gather_rows(&up(d, 65, 7, 1)?, &order)?, permute(&spd(d, 65)?, &order)?])
        }),
        v("permuted_sums", 3e-6, |d| {
            let orders = [3, 17].map(|step| (0..65).map(|i| (i * step) % 65).collect::<Vec<usize>>());
            Ok(vec![column(permuted_sums(&spd(d, 65)?, &spd(d, 65)?, &orders)?)])
        }),
        v("spmm", 1e-6, |d| {
            let part = |n: usize| (0..3 * n).map(move |e| (e * 7 % n, e * 5 % n, e as f64 / n as f64 - 1.0));
            let a = |n| SparseMatrix::from_triplets(n, n, &part(n).collect::<Vec<_>>());
            at_sizes(|n| Ok(vec![spmm(&a(n)?, &up(d, n, 7, 1)?)?]))
        }),
        v("gather_listed", 1e-6, |d| {
            at_sizes(|n| {
                let a = up(d, n, 7, 1)?;
                let list = RowList::new(&a, (0..130).map(|i| i * 5 % n).collect())?;
                Ok(vec![gather_listed(&a, &list, 64..130)?])
            })
        }),
        v("units", 1e-5, |d| {
            let all = [Unit::Identity, Unit::Sigmoid, Unit::Tanh, Unit::Relu, Unit::Softplus, Unit::Step];
            let (a, delta) = (up(d, 65, 7, 1)?, up(d, 65, 8, 2)?);
            let values = all.iter().map(|&u| units(&a, u)).collect::<Result<Vec<_>>>()?;
            let back = all.iter().zip(&values).map(|(&u, z)| units_back(&delta, z, u));
            let back = back.collect::<Result<Vec<_>>>()?;
            down(values.into_iter().chain(back).collect())
        }),
        v("unit_draws", 2e-5, |d| {
            at_sizes(|n| {
                let a = up(d, n, 7, 1)?;
                let (drawn, means) = unit_draws_means(&a, UnitDraw::Bernoulli, 7, 3)?;
                Ok(vec![drawn, means, unit_draws(&a, UnitDraw::Normal, 7, 4)?])
            })
        }),
        v("topic_sweep", 2e-4, |d| {
            let mut all = Vec::new();
            for (documents, k) in [(1, 1), (5, 3), (67, 16), (9, 33), (3, 64)] {
                let part = |e: usize| (e % documents, e * 11 % 37, 1.0 + (e % 4) as f64);
                let counts = SparseMatrix::from_triplets(
                    documents,
                    37,
                    &(0..5 * documents).map(part).collect::<Vec<_>>(),
                );
                let (lambda, gamma) =
                    (map(&up(d, 37, k, 1)?, Map::Exp)?, map(&up(d, documents, k, 2)?, Map::Exp)?);
                let priors = TopicPriors { alpha: 0.3, eta: 0.1, passes: 3 };
                let made = topic_sweep(&WordCounts::new(d, counts?)?, &lambda, &gamma, &priors)?;
                all.extend([made.lambda, made.gamma, made.entropies]);
            }
            down(all)
        }),
        v("output_loss", 1e-5, |d| {
            let (a, t) = (up(d, 65, 7, 1)?, map(&up(d, 65, 8, 2)?, Map::Abs)?);
            let all = [Output::Gaussian, Output::Bernoulli, Output::Softmax, Output::Poisson];
            let both = all.iter().map(|&o| output_loss(&a, &t, o, 0.5)).collect::<Result<Vec<_>>>()?;
            down(both.into_iter().flat_map(|(delta, losses)| [delta, losses]).collect())
        }),
        v("descend", 1e-5, |d| {
            let rules = [
                Descent::Momentum { rate: 0.1, momentum: 0.9, decay: 0.1 },
                Descent::AdaGrad { rate: 0.1, epsilon: 0.1 },
                Descent::RmsProp { rate: 0.1, memory: 0.9, epsilon: 0.1 },
                Descent::Adam { rate: 0.1, first: 0.9, second: 0.99, epsilon: 0.1, decay: 0.1, step: 2 },
            ];
            let mut all = Vec::new();
            for rule in rules {
                let second = map(&up(d, 65, 7, 3)?, Map::Abs)?;
                let at = Descending { parameters: up(d, 65, 7, 1)?, first: up(d, 65, 7, 2)?, second };
                let at = descend(rule, Shrinkage { decay: 0.2, columns: 6 }, at, &up(d, 65, 7, 4)?)?;
                all.extend([at.parameters, at.first, at.second]);
            }
            down(all)
        }),
        v("ridge_rows", 1e-4, |d| {
            let mut all = Vec::new();
            for (k, biased) in [(7, false), (32, true), (33, true), (64, false)] {
                let entries: Vec<_> = (0..300).map(|e| (e * 7 % 23, 0.5, (e % 5) as f64)).collect();
                let rated = RatedRows::new(d, vec![0, 10, 10, 100, 300], 23, entries)?;
                let (other, shared) = (up(d, 23, k, 1)?, spd(d, k)?);
                for shared in [None, Some(&shared)] {
                    let system = RidgeSystem { other: &other, penalty: 1.0, shared, biased };
                    all.push(ridge_rows(&rated, &system)?);
                }
            }
            down(all)
        }),
        v("shrink", 1e-5, |d| {
            let mut all = Vec::new();
            for (n, k) in [(65, 7), (9, 70), (3, 300)] {
                for momentum in [false, true] {
                    let mut at = Shrinking::new(up(d, n, k, 1)?)?;
                    for seed in 2..5 {
                        at = shrink(at, up(d, n, k, seed)?, &up(d, n, k, 6)?, 0.1, momentum)?;
                    }
                    all.extend([at.codes, at.ahead, at.state]);
                }
            }
            down(all)
        }),
        v("transpose", 1e-6, |d| at_sizes(|n| Ok(vec![transpose(&up(d, n, 33, 1)?)?]))),
        v("tsne_forces", 1e-5, |d| {
            let mut all = Vec::new();
            for (n, k) in [(1, 2), (63, 1), (65, 2), (257, 3)] {
                let ring: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1.0 / n as f64)).collect();
                let p = Affinities::new(d, SparseMatrix::from_triplets(n, n, &ring)?)?;
                let found = tsne_forces(&p, &up(d, n, k, 1)?, true)?;
                all.extend([found.pull, found.push]);
            }
            Ok(all)
        }),
        v("pair_hmm", 1e-6, |d| {
            let hmm = PairHmm::new(
                "ab",
                points(2, 2, 1) * 0.0 + 0.25,
                Array1::from(vec![0.3, 0.7]),
                0.2,
                0.4,
                0.1,
            )?;
            let word = |n: usize| (0..n).map(|i| if i * i % 3 == 0 { 'a' } else { 'b' }).collect::<String>();
            let words = [0, 1, 63, 64, 127, 128, 200].map(word);
            Ok(vec![pair_hmm(d, &hmm, &words, None)?, pair_hmm(d, &hmm, &words[..1], Some(&words[..]))?])
        }),
        v("map", 1e-5, |d| {
            let a = up(d, 65, 7, 1)?;
            let positive = map(&a, Map::Affine { scale: 0.5, shift: 1.0 })?;
            let any = [Map::Exp, Map::Square, Map::Abs, Map::Tanh, Map::Sigmoid, Map::MaxWith(0.25)];
            let above = [Map::Log, Map::Sqrt, Map::Recip];
            let mut all = any.map(|f| map(&a, f)).into_iter().collect::<Result<Vec<_>>>()?;
            all.extend(above.map(|f| map(&positive, f)).into_iter().collect::<Result<Vec<_>>>()?);
            for b in [positive, up(d, 65, 1, 2)?, up(d, 1, 7, 3)?] {
                for op in [Zip::Add, Zip::Sub, Zip::Mul] {
                    all.push(zip(&a, &b, op)?);
                }
            }
            all.push(zip(&a, &map(&a, Map::Affine { scale: 0.1, shift: 2.0 })?, Zip::Div)?);
            down(all)
        }),
        v("diagonal", 1e-6, |d| {
            at_sizes(|n| {
                let a = spd(d, n)?;
                Ok(vec![diagonal(&a)?, add_diagonal(&a, 0.5)?, add_diagonal_vector(&a, &up(d, n, 1, 1)?)?])
            })
        }),
        v("half", 1e-3, |d| {
            let (a, x) = (to_half(&up(d, 65, 40, 1)?)?, up(d, 65, 3, 2)?);
            let product = gemm(1.0, &a, Trans::No, &a, Trans::Yes)?;
            down(vec![a, product, gram_half(&kernel(), &x, None)?, gram(&kernel(), &to_half(&x)?, None)?])
        }),
    ]
}
