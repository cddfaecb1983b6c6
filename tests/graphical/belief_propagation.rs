//! Messages: exact on trees, close on loops.

use mercer::models::graphical::{BeliefPropagation, Factor, MarkovField, Messages};
use mercer::models::sequence::{Emission, FittedHiddenMarkov};
use ndarray::array;

use crate::{grid, near, random_field};

const TREE: [(usize, usize); 6] = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5), (0, 6)];

#[test]
fn trees_are_exact() {
    for seed in 0..4 {
        let field = random_field(7, &TREE, seed);
        let (exact, sum) = (field.enumerate().unwrap(), BeliefPropagation::new().run(&field).unwrap());
        assert!(sum.converged());
        near(sum.log_partition(), exact.log_partition, 1e-10);
        for v in 0..7 {
            sum.marginals()[v].iter().zip(&exact.marginals[v]).for_each(|(a, b)| near(*a, *b, 1e-10));
        }
        let max = BeliefPropagation::new().messages(Messages::Max).run(&field).unwrap();
        assert_eq!(max.mode(), exact.mode);
        near(max.log_partition(), exact.log_mode, 1e-10);
        // Beliefs of tables sum to those of their variables.
        let f = &field.factors()[7];
        let (n, m) = (f.sizes()[0], f.sizes()[1]);
        for a in 0..n {
            let p: f64 = (0..m).map(|b| sum.factors()[7][a * m + b]).sum();
            near(p, sum.marginals()[0][a], 1e-10);
        }
    }
}

#[test]
fn a_chain_is_forward_and_backward() {
    let (pi, a, b) = ([0.6, 0.4], [0.7, 0.3, 0.4, 0.6], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]);
    let mut factors = vec![Factor::new(&[0], &[2], &pi).unwrap()];
    for t in 0..3 {
        factors.push(Factor::new(&[t], &[2], &[b[0][t], b[1][t]]).unwrap());
        if t > 0 {
            factors.push(Factor::new(&[t - 1, t], &[2, 2], &a).unwrap());
        }
    }
    let found = BeliefPropagation::new().run(&MarkovField::new(&[2; 3], factors).unwrap()).unwrap();
    near(found.log_partition().exp(), 0.03628, 1e-12);
    let want = [0.8765160, 0.6229327, 0.2121279];
    let hmm = FittedHiddenMarkov::new(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    )
    .unwrap();
    let states = hmm.smooth(&array![[0.0], [1.0], [2.0]]).unwrap().states;
    for t in 0..3 {
        near(found.marginals()[t][0], want[t], 1e-7);
        near(found.marginals()[t][0], states[[t, 0]], 1e-12);
    }
}

#[test]
fn loops_are_close_and_say_whether_they_converged() {
    // A 4 x 4 lattice of weakly coupled spins.
    let like = |a: usize, b: usize| {
        Factor::new(&[a, b], &[2, 2], &[0.15f64.exp(), (-0.15f64).exp(), (-0.15f64).exp(), 0.15f64.exp()])
            .unwrap()
    };
    let mut factors: Vec<Factor> = grid(4, 4).into_iter().map(|(a, b)| like(a, b)).collect();
    for v in 0..16 {
        let h = 0.5 * if v % 3 == 0 { 1.0 } else { -1.0 };
        factors.push(Factor::new(&[v], &[2], &[f64::exp(-h), f64::exp(h)]).unwrap());
    }
    let field = MarkovField::new(&[2; 16], factors).unwrap();
    let (exact, loopy) =
        (field.enumerate().unwrap(), BeliefPropagation::new().damping(0.2).run(&field).unwrap());
    assert!(loopy.converged());
    near(loopy.log_partition(), exact.log_partition, 0.005);
    for v in 0..16 {
        near(loopy.marginals()[v][1], exact.marginals[v][1], 0.005);
    }
    let hasty = BeliefPropagation::new().max_iterations(2).run(&field).unwrap();
    assert!(!hasty.converged() && hasty.iterations() == 2);
    assert!(BeliefPropagation::new().damping(1.0).run(&field).is_err());
}

#[test]
fn observations_that_exclude_each_other_are_refused() {
    let field = MarkovField::new(&[2], vec![]).unwrap().observe(&[(0, 0), (0, 1)]).unwrap();
    for messages in [Messages::Sum, Messages::Max] {
        assert!(BeliefPropagation::new().messages(messages).run(&field).is_err());
    }
}
