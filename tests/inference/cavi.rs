//! Coordinate ascent: the pair of normals and the mixture of the notes, families against quadrature.

use mercer::inference::variational::{Cavi, Conditionals, Family, KnownVarianceMixture};

use crate::near;

/// Precision [[2, 1.2], [1.2, 1.5]], mean (1, -1).
struct Pair;

const P: [[f64; 2]; 2] = [[2.0, 1.2], [1.2, 1.5]];
const MEAN: [f64; 2] = [1.0, -1.0];

impl Conditionals for Pair {
    fn families(&self) -> Vec<Family> {
        vec![Family::Normal; 2]
    }

    fn natural(&self, j: usize, e: &[Vec<f64>]) -> mercer::Result<Vec<f64>> {
        let shift = P[j][j] * MEAN[j] - P[j][1 - j] * (e[1 - j][0] - MEAN[1 - j]);
        Ok(vec![shift, -0.5 * P[j][j]])
    }

    fn expected_log_joint(&self, e: &[Vec<f64>]) -> mercer::Result<f64> {
        let square = |j: usize| e[j][1] - 2.0 * MEAN[j] * e[j][0] + MEAN[j] * MEAN[j];
        let cross = (e[0][0] - MEAN[0]) * (e[1][0] - MEAN[1]);
        let log_det = (P[0][0] * P[1][1] - P[0][1] * P[0][1]).ln();
        let form = P[0][0] * square(0) + P[1][1] * square(1) + 2.0 * P[0][1] * cross;
        Ok(0.5 * log_det - (2.0 * std::f64::consts::PI).ln() - 0.5 * form)
    }
}

#[test]
fn a_pair_of_normals_contracts_as_the_notes_say() {
    let start = vec![vec![0.0, -1.0], vec![0.0, -0.75]];
    let at = |sweeps: usize| Cavi::new().max_sweeps(sweeps).tolerance(0.0).run(&Pair, start.clone()).unwrap();
    for (sweeps, mean) in [(1, [0.4, -0.52]), (2, [0.712, -0.7696]), (4, [0.9336448, -0.94691584])] {
        let found = at(sweeps);
        (0..2).for_each(|j| near(found.expected()[j][0], mean[j], 1e-9));
    }
    let end = Cavi::new().tolerance(1e-15).run(&Pair, start.clone()).unwrap();
    let variance = |j: usize| end.expected()[j][1] - end.expected()[j][0].powi(2);
    near(variance(0), 0.5, 1e-9);
    near(variance(1), 0.6666666667, 1e-9);
    // The evidence is one, so that the bound is minus the divergence.
    near(end.elbo(), -0.3269632337, 1e-8);
    assert!(end.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-12));
}

/// The bound `E log p + H` has no slope in any natural parameter: central differences.
fn stationary<M: Conditionals>(model: &M, natural: &[Vec<f64>]) {
    let (families, h) = (model.families(), 1e-5);
    let bound = |at: &[Vec<f64>]| {
        let expected: Vec<_> = families.iter().zip(at).map(|(f, v)| f.expected(v).unwrap()).collect();
        let entropy: f64 = families.iter().zip(at).map(|(f, v)| f.entropy(v).unwrap()).sum();
        model.expected_log_joint(&expected).unwrap() + entropy
    };
    for j in 0..natural.len() {
        for i in 0..natural[j].len() {
            let moved = |by: f64| {
                let mut at = natural.to_vec();
                at[j][i] += by;
                bound(&at)
            };
            near((moved(h) - moved(-h)) / (2.0 * h), 0.0, 1e-6);
        }
    }
    // Elsewhere it has: the differences can see one.
    let mut away = natural.to_vec();
    away[0][0] += 0.1;
    assert!(bound(&away) < bound(natural) - 1e-6);
}

const X1: [f64; 6] = [-2.0, -1.5, -1.0, 1.0, 1.5, 2.5];

#[test]
fn families_are_exponential() {
    let cases = [
        (Family::Bernoulli, vec![0.7]),
        (Family::Categorical(3), vec![0.1, -1.0, 2.0]),
        (Family::Normal, vec![0.6, -0.9]),
        (Family::Normals(2), vec![0.3, -0.2, -1.0, 0.2, 0.2, -0.7]),
        (Family::Gamma, vec![1.3, -2.0]),
        (Family::Dirichlet(3), vec![0.5, -0.4, 2.0]),
    ];
    for (family, natural) in cases {
        let u = family.expected(&natural).unwrap();
        let h = 1e-6;
        let d = if let Family::Normals(d) = family { d } else { 0 };
        for j in 0..natural.len() {
            let moved = |by: f64| {
                let mut v = natural.clone();
                v[j] += by;
                // The two halves of a symmetric parameter move together.
                if d > 0 && j >= d {
                    let (r, c) = ((j - d) / d, (j - d) % d);
                    if r != c {
                        v[d + c * d + r] += by;
                    }
                }
                family.log_normaliser(&v).unwrap()
            };
            let twice = if d > 0 && j >= d && (j - d) / d != (j - d) % d { 2.0 } else { 1.0 };
            near((moved(h) - moved(-h)) / (2.0 * h), twice * u[j], 1e-6 * (1.0 + u[j].abs()));
        }
        near(family.kl(&natural, &natural).unwrap(), 0.0, 1e-12);
    }
    // N(m, s²) against N(0, 1).
    let kl = Family::Normal.kl(&[1.0 / 4.0, -1.0 / 8.0], &[0.0, -0.5]).unwrap();
    near(kl, 0.5 * (4.0 + 1.0 - 1.0 - 4f64.ln()), 1e-12);
    assert!(Family::Gamma.expected(&[-1.5, -1.0]).is_err());
    assert!(Family::Normal.expected(&[0.0, 0.5]).is_err());
    assert!(Family::Normal.expected(&[0.0]).is_err());
}

/// The exact evidence of a mixture of two, by the sum over all assignments.
fn enumerated(x: &[f64], s2: f64) -> f64 {
    let n = x.len();
    let part = |rows: &[f64]| {
        let (m, sum, square) =
            (rows.len() as f64, rows.iter().sum::<f64>(), rows.iter().map(|v| v * v).sum::<f64>());
        let precision = 1.0 / s2 + m;
        -0.5 * (m * (2.0 * std::f64::consts::PI).ln() + (s2 * precision).ln() + square
            - sum * sum / precision)
    };
    let all: Vec<f64> = (0..1u32 << n)
        .map(|c| {
            let side = |bit: u32| (0..n).filter(|i| c >> i & 1 == bit).map(|i| x[i]).collect::<Vec<_>>();
            part(&side(0)) + part(&side(1)) - n as f64 * 2f64.ln()
        })
        .collect();
    let top = all.iter().copied().fold(f64::MIN, f64::max);
    top + all.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

#[test]
fn the_bound_of_a_mixture_rises_and_stays_below_the_evidence() {
    let model = KnownVarianceMixture::new(&X1, 2, 4.0).unwrap();
    let found = Cavi::new().run(&model, model.start(&[-1.0, 1.0], 1.0).unwrap()).unwrap();
    assert!(found.report().converged());
    assert!(found.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-10));
    near(enumerated(&X1, 4.0), -12.60254766, 1e-7);
    for (sweep, value) in [(1, -13.61951947), (2, -13.5098252), (3, -13.507184)] {
        near(found.report().trace[sweep], value, 1e-7);
    }
    near(found.elbo(), -13.50714695, 1e-6);
    near(found.expected()[0][0], -1.319142591, 1e-3);
    near(found.expected()[1][0], 1.502352984, 1e-3);
    let first = Cavi::new().max_sweeps(1).run(&model, model.start(&[-1.0, 1.0], 1.0).unwrap()).unwrap();
    for (j, (m, v)) in [(-1.255628385, 0.3087652297), (1.400245696, 0.3066268164)].into_iter().enumerate() {
        near(first.expected()[j][0], m, 1e-8);
        near(-0.5 / first.natural()[j][1], v, 1e-9);
    }
    // A fixed point: another sweep changes nothing, and no parameter of any factor raises the bound.
    let end = Cavi::new().tolerance(0.0).run(&model, found.natural().to_vec()).unwrap();
    let again = Cavi::new().max_sweeps(1).run(&model, end.natural().to_vec()).unwrap();
    near(again.expected()[0][0], end.expected()[0][0], 1e-7);
    stationary(&model, end.natural());
}

/// The same model with one block at a time.
struct Sequential(KnownVarianceMixture);

impl Conditionals for Sequential {
    fn families(&self) -> Vec<Family> {
        self.0.families()
    }

    fn natural(&self, b: usize, e: &[Vec<f64>]) -> mercer::Result<Vec<f64>> {
        self.0.natural(b, e)
    }

    fn expected_log_joint(&self, e: &[Vec<f64>]) -> mercer::Result<f64> {
        self.0.expected_log_joint(e)
    }

    fn groups(&self) -> Vec<std::ops::Range<usize>> {
        (2..2 + self.0.data().len()).chain(0..2).map(|j| j..j + 1).collect()
    }
}

#[test]
fn parallel_local_updates_are_the_sequential_ones() {
    let model = KnownVarianceMixture::new(&X1, 2, 4.0).unwrap();
    let start = model.start(&[-1.0, 1.0], 1.0).unwrap();
    let together = Cavi::new().max_sweeps(3).run(&model, start.clone()).unwrap();
    let alone = Cavi::new().max_sweeps(3).run(&Sequential(model), start).unwrap();
    assert_eq!(together.natural(), alone.natural());
    // The order of the data does not matter.
    let mut reversed = X1;
    reversed.reverse();
    let turned = KnownVarianceMixture::new(&reversed, 2, 4.0).unwrap();
    let other = Cavi::new().max_sweeps(3).run(&turned, turned.start(&[-1.0, 1.0], 1.0).unwrap()).unwrap();
    near(other.elbo(), together.elbo(), 1e-10);
}

#[test]
fn a_value_that_is_excluded_has_no_part_in_a_divergence() {
    let none = f64::NEG_INFINITY;
    let family = Family::Categorical(3);
    // Of (1/2, 1/2, 0) from thirds: log 3/2; the other way round nothing covers the third.
    near(family.kl(&[0.0, 0.0, none], &[0.0; 3]).unwrap(), 1.5f64.ln(), 1e-12);
    near(family.kl(&[0.0, 0.0, none], &[0.0, 0.0, none]).unwrap(), 0.0, 1e-12);
    assert_eq!(family.kl(&[0.0; 3], &[0.0, 0.0, none]).unwrap(), f64::INFINITY);
}
