//! Policy gradients on a bandit and on a board.

use mercer::inference::policy::{Bandit, Environment, GridWorld, PolicyGradient};
use mercer::random::Philox;

#[test]
fn the_better_arm_is_found() {
    for seed in 0..5 {
        let learned = PolicyGradient::new().seed(seed).train(&Bandit::new(&[0.3, 0.7]).unwrap()).unwrap();
        assert!(learned.probabilities()[[0, 1]] > 0.9, "seed {seed}: {}", learned.probabilities());
    }
    assert!(Bandit::new(&[1.2]).is_err() && Bandit::new(&[]).is_err());
    assert!(PolicyGradient::new().step(-1.0).train(&Bandit::new(&[0.5]).unwrap()).is_err());
}

#[test]
fn the_way_around_a_wall_is_found() {
    let board = GridWorld::new(3, 4, &[(1, 1), (1, 2)]).unwrap();
    let learned = PolicyGradient::new().episodes(1500).step(0.01).seed(2).train(&board).unwrap();
    // The shortest way takes five moves: the most probable actions take it.
    let (mut at, mut moves, mut rng) = (Some(0), 0, Philox::new(0, 0));
    while let Some(s) = at.filter(|_| moves < 20) {
        let p = learned.probabilities().row(s);
        let best = (0..4).fold(0, |a, b| if p[b] > p[a] { b } else { a });
        at = board.act(s, best, &mut rng).0;
        moves += 1;
    }
    assert_eq!(moves, 5, "{}", learned.probabilities());
    let trace = &learned.report().trace;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    assert!(mean(&trace[trace.len() - 100..]) > mean(&trace[..100]) + 5.0);
    assert!(GridWorld::new(1, 1, &[]).is_err() && GridWorld::new(2, 2, &[(0, 0)]).is_err());
}

#[test]
fn a_baseline_knows_nothing_of_its_own_episode() {
    // The first episode has none and teaches nothing else, though it comes to a cell many times.
    let board = GridWorld::new(3, 3, &[]).unwrap();
    for seed in 0..3 {
        let [with, without] = [true, false]
            .map(|b| PolicyGradient::new().episodes(1).baseline(b).seed(seed).train(&board).unwrap());
        assert!(with.probabilities().iter().all(|p| *p == 0.25));
        assert!(without.probabilities().iter().any(|p| *p != 0.25));
    }
}
