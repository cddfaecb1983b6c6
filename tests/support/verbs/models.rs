//! Steps of models, each fused into one verb.

use mercer::Result;
use mercer::matrix::SparseMatrix;
use mercer::ops::{
    Affinities, Descending, Descent, Lattice, Map, Output, RatedRows, RidgeSystem, Shrinkage, Shrinking,
    TopicPriors, Unit, UnitDraw, WordCounts, descend, forward_backward, lattice_gibbs, lattice_mean_field,
    lattice_means, map, output_loss, ridge_rows, shrink, topic_sweep, tsne_forces, unit_draws,
    unit_draws_means, units, units_back,
};
use ndarray::{Array2, Axis};

use super::{Verb, at_sizes, column, down, points, spd, up, v};

pub fn verbs() -> Vec<Verb> {
    vec![
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
    ]
}
