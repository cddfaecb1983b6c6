use mercer::ops::{Descending, Descent, Shrinkage, descend};
use mercer::optim::{AdaGrad, Adam, RmsProp, Sgd, StepRule};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, edges, gpus, on, random};

/// A rule of `optim`, and the verb of its i-th step.
type Pair = (Box<dyn StepRule>, Box<dyn Fn(usize) -> Descent>);

fn pairs() -> Vec<Pair> {
    let adam =
        |step| Descent::Adam { rate: 0.1, first: 0.9, second: 0.999, epsilon: 1e-8, decay: 0.01, step };
    vec![
        (
            Box::new(Sgd::new(0.1).momentum(0.5).weight_decay(0.1)),
            Box::new(|_| Descent::Momentum { rate: 0.1, momentum: 0.5, decay: 0.1 }),
        ),
        (Box::new(AdaGrad::new(0.1)), Box::new(|_| Descent::AdaGrad { rate: 0.1, epsilon: 1e-10 })),
        (
            Box::new(RmsProp::new(0.1).memory(0.8)),
            Box::new(|_| Descent::RmsProp { rate: 0.1, memory: 0.8, epsilon: 1e-8 }),
        ),
        (Box::new(Adam::new(0.1).weight_decay(0.01)), Box::new(adam)),
    ]
}

/// Five steps of every rule are those of `optim`, with a decay of the leading columns in the gradient.
#[test]
fn steps_are_those_of_the_rules() {
    let mut shapes: Vec<(usize, usize)> = edges(8).into_iter().map(|m| (3, m)).collect();
    shapes.extend([(1, 1), (70, 6), (300, 65)]);
    for (n, m) in shapes {
        let (start, columns) = (random(n, m, 1), m - 1);
        for (mut rule, verb) in pairs() {
            let mut theta: Vec<f64> = start.iter().copied().collect();
            let gradients: Vec<Array2<f64>> = (0..5).map(|i| random(n, m, 2 + i)).collect();
            for g in &gradients {
                let decayed: Vec<f64> = (0..n * m)
                    .map(|at| {
                        g.as_slice().unwrap()[at] + if at % m < columns { 0.3 * theta[at] } else { 0.0 }
                    })
                    .collect();
                rule.step(&mut theta, &decayed).unwrap();
            }
            let want = Array2::from_shape_vec((n, m), theta).unwrap();
            for device in gpus().iter().cloned().chain([Device::cpu()]) {
                let zero = on(&device, &Array2::zeros((n, m)));
                let parameters = on(&device, &start);
                let mut at = Descending { parameters: parameters.clone(), first: zero.clone(), second: zero };
                for (i, g) in gradients.iter().enumerate() {
                    let shrinkage = Shrinkage { decay: 0.3, columns };
                    at = descend(verb(i + 1), shrinkage, at, &on(&device, g)).unwrap();
                }
                assert_close(&at.parameters, &want, 1e-5, &format!("{:?} of {n} x {m} on {device}", verb(1)));
                assert_close(&parameters, &start, 1e-7, "the handle that was kept sees no change");
            }
        }
    }
}

/// Where there is no gradient nothing moves, whatever ε is.
#[test]
fn no_gradient_no_step() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let start = ndarray::array![[1.0, -2.0, 0.5]];
        for rule in [
            Descent::AdaGrad { rate: 0.1, epsilon: 0.0 },
            Descent::Adam { rate: 0.1, first: 0.9, second: 0.9, epsilon: 0.0, decay: 0.0, step: 1 },
        ] {
            let zero = on(&device, &Array2::zeros((1, 3)));
            let at =
                Descending { parameters: on(&device, &start), first: zero.clone(), second: zero.clone() };
            let at = descend(rule, Shrinkage { decay: 0.0, columns: 0 }, at, &zero).unwrap();
            assert_close(&at.parameters, &start, 0.0, &format!("{rule:?} on {device}"));
        }
    }
}

#[test]
fn bad_steps_are_errors() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let up = |n, m| on(&device, &random(n, m, 1));
        let at = || Descending { parameters: up(2, 3), first: up(2, 3), second: up(2, 3) };
        let (none, plain) =
            (Shrinkage { decay: 0.0, columns: 0 }, |rate| Descent::AdaGrad { rate, epsilon: 0.1 });
        assert!(matches!(descend(plain(0.1), none, at(), &up(3, 2)), Err(Error::Shape { .. })));
        assert!(matches!(descend(plain(f64::NAN), none, at(), &up(2, 3)), Err(Error::Parameter { .. })));
    }
}
