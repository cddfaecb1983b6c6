//! Enumeration, junction trees and Gibbs sampling of the same fields.

use mercer::inference::monte_carlo::McmcParams;
use mercer::models::graphical::{Factor, JunctionTree, MarkovField};
use mercer::{Error, models::graphical::BeliefPropagation};
use ndarray::Array2;

use crate::{grid, near, random_field};

#[test]
fn junction_trees_equal_enumeration() {
    let loops = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 3)];
    for (n, edges, seed) in
        [(6, grid(2, 3), 1), (9, grid(3, 3), 2), (5, loops.to_vec(), 3), (4, vec![(0, 1)], 4)]
    {
        let field = random_field(n, &edges, seed).observe(&[(1, 1)]).unwrap();
        let (exact, tree) = (field.enumerate().unwrap(), JunctionTree::new(&field).unwrap());
        assert!(tree.has_running_intersection(), "{:?} {:?}", tree.cliques(), tree.edges());
        near(tree.log_partition(), exact.log_partition, 1e-10);
        for v in 0..n {
            let m = tree.marginal(v).unwrap();
            near(m.iter().sum(), 1.0, 1e-12);
            m.iter().zip(&exact.marginals[v]).for_each(|(a, b)| near(*a, *b, 1e-10));
        }
        // Every clique has the same partition function.
        for b in tree.beliefs() {
            let top = b.log_values().iter().copied().fold(f64::MIN, f64::max);
            let all = top + b.log_values().iter().map(|v| (v - top).exp()).sum::<f64>().ln();
            near(all, exact.log_partition, 1e-10);
        }
    }
    assert_eq!(JunctionTree::new(&random_field(5, &[(0, 1), (1, 2), (1, 3), (3, 4)], 5)).unwrap().width(), 1);
}

#[test]
fn a_clique_too_large_is_refused_with_its_bytes() {
    let all: Vec<(usize, usize)> = (0..40).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    let factors = all.iter().map(|(a, b)| Factor::new(&[*a, *b], &[2, 2], &[1.0; 4]).unwrap()).collect();
    let field = MarkovField::new(&[2; 40], factors).unwrap();
    let refused = JunctionTree::new(&field);
    assert!(matches!(refused, Err(Error::OverBudget { need, .. }) if need == 8 << 40), "{refused:?}");
    assert!(field.enumerate().is_err());
}

#[test]
fn constants_change_the_partition_function_alone() {
    let field = random_field(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], 7);
    let mut factors = field.factors().to_vec();
    factors.push(Factor::new(&[2], &[2], &[5.0, 5.0]).unwrap());
    let scaled = MarkovField::new(field.sizes(), factors).unwrap();
    let (a, b) = (field.enumerate().unwrap(), scaled.enumerate().unwrap());
    near(b.log_partition - a.log_partition, 5f64.ln(), 1e-12);
    assert_eq!(a.mode, b.mode);
    a.marginals.iter().flatten().zip(b.marginals.iter().flatten()).for_each(|(a, b)| near(*a, *b, 1e-12));
    // A table merged into one that contains it.
    let merged = field.factors()[4].times(&field.factors()[0]).unwrap();
    let mut fewer = field.factors().to_vec();
    fewer[4] = merged;
    fewer.remove(0);
    let other = MarkovField::new(field.sizes(), fewer).unwrap().enumerate().unwrap();
    near(other.log_partition, a.log_partition, 1e-12);
}

#[test]
fn gibbs_samples_have_the_exact_marginals() {
    let field = random_field(6, &grid(2, 3), 9);
    let exact = field.enumerate().unwrap();
    let params = McmcParams::new().samples(12_000).seed(2);
    let chains = field.gibbs(&Array2::zeros((2, 6)), &params).unwrap();
    let (x, error) = (chains.pooled(), chains.standard_error());
    for v in 0..6 {
        let mean: f64 = exact.marginals[v].iter().enumerate().map(|(i, p)| i as f64 * p).sum();
        near(x.column(v).mean().unwrap(), mean, 5.0 * error[v]);
    }
    assert!(field.gibbs(&Array2::from_elem((1, 6), 0.5), &params).is_err());
}

#[test]
fn impossible_evidence_is_minus_infinity_and_bad_tables_are_errors() {
    let never = Factor::new(&[0, 1], &[2, 2], &[1.0, 0.0, 0.0, 0.0]).unwrap();
    let field = MarkovField::new(&[2, 2], vec![never]).unwrap().observe(&[(0, 1)]).unwrap();
    assert_eq!(field.enumerate().unwrap().log_partition, f64::NEG_INFINITY);
    let tree = JunctionTree::new(&field).unwrap();
    assert_eq!(tree.log_partition(), f64::NEG_INFINITY);
    assert!(tree.marginal(1).unwrap().iter().all(|p| p.is_finite()));
    assert!(BeliefPropagation::new().run(&field).is_err());
    assert!(Factor::new(&[0, 0], &[2, 2], &[1.0; 4]).is_err());
    assert!(Factor::new(&[0], &[2], &[1.0, -1.0]).is_err());
    assert!(Factor::new(&[0], &[2], &[1.0]).is_err());
    assert!(MarkovField::new(&[2], vec![Factor::new(&[1], &[2], &[1.0; 2]).unwrap()]).is_err());
    assert!(field.observe(&[(0, 2)]).is_err() && field.log_potential(&[0]).is_err());
}
