//! Helmholtz machines: dreams against exact sums, bounds, wake and sleep.

use mercer::Device;
use mercer::models::energy::Helmholtz;

use crate::{all_states, near, patterns};

#[test]
fn dreams_have_the_exact_probabilities_and_bounds_hold() {
    let x = patterns();
    for layers in [vec![2], vec![3, 2]] {
        let machine = Helmholtz::new(&layers).passes(30).seed(1).fit(&Device::cpu(), &x).unwrap();
        let all = all_states(6);
        let p: Vec<f64> = all.rows().into_iter().map(|r| machine.log_probability(r).unwrap().exp()).collect();
        near(p.iter().sum(), 1.0, 1e-10);
        let drawn = machine.sample(10_000, 2).unwrap();
        for (row, p) in all.rows().into_iter().zip(&p) {
            let share = drawn.rows().into_iter().filter(|r| *r == row).count() as f64 / 1e4;
            near(share, *p, 5.0 * (p / 1e4).sqrt() + 1e-3);
            assert!(machine.elbo(row).unwrap() <= p.ln() + 1e-12);
        }
    }
}

#[test]
fn wake_and_sleep_raise_the_likelihood() {
    let x = patterns();
    let log = |passes| {
        let machine = Helmholtz::new(&[3]).passes(passes).seed(4).fit(&Device::cpu(), &x).unwrap();
        x.rows().into_iter().map(|r| machine.log_probability(r).unwrap()).sum::<f64>() / 40.0
    };
    let (none, many) = (log(0), log(200));
    assert!(many > none + 1.5, "{none} {many}");
}

#[test]
fn sleep_drives_recognition_to_the_posterior() {
    // The posterior of a single hidden unit is logistic in x: recognition can be exact.
    let machine = Helmholtz::new(&[1]).passes(60).seed(2).fit(&Device::cpu(), &patterns()).unwrap();
    let gap = |m: &mercer::models::energy::FittedHelmholtz| {
        all_states(6)
            .rows()
            .into_iter()
            .map(|r| {
                let p = m.log_probability(r).unwrap();
                p.exp() * (p - m.elbo(r).unwrap())
            })
            .sum::<f64>()
    };
    let before = gap(&machine);
    let rested = machine.sleep(20_000, 0.05, 3).unwrap().sleep(20_000, 0.005, 4).unwrap();
    assert!(gap(&rested) < 0.02 && gap(&rested) < before, "{before} {}", gap(&rested));
    assert!(Helmholtz::new(&[]).fit(&Device::cpu(), &patterns()).is_err());
    assert!(Helmholtz::new(&[1]).fit(&Device::cpu(), &(patterns() * 3.0)).is_err());
}
