//! Machines on a device: the decisions and so the path of the CPU to f32's rounding, the same bits twice, little that crosses.

use mercer::models::energy::{FittedRbm, NegativePhase, Rbm, Visible};
use mercer::prelude::*;
use ndarray::Array2;

use crate::support::{alone, cost, gpus, random};

/// Rows of stripes with noise.
fn stripes(n: usize, d: usize) -> Array2<f64> {
    let noise = random(n, d, 4);
    Array2::from_shape_fn((n, d), |(i, j)| {
        let on = (i + j) % 3 == 0;
        f64::from(u8::from(on != (noise[[i, j]] > 0.9)))
    })
}

fn off(got: &FittedRbm, want: &FittedRbm) -> f64 {
    let parts = |m: &FittedRbm| -> Vec<f64> {
        m.weights().iter().chain(m.hidden_bias()).chain(m.visible_bias()).copied().collect()
    };
    parts(got).iter().zip(parts(want)).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs() / (1.0 + b.abs())))
}

/// Both phases, both kinds of units, with and without decay; a last batch that is smaller.
#[test]
fn a_chain_takes_the_decisions_of_the_cpu() {
    let x = stripes(90, 13);
    let numbers = random(90, 13, 5);
    let phases = [
        (NegativePhase::Contrastive(1), 0.0),
        (NegativePhase::Contrastive(3), 0.01),
        (NegativePhase::Persistent(1), 0.0),
        (NegativePhase::Persistent(2), 0.1),
    ];
    for (phase, decay) in phases {
        for visible in [Visible::Bernoulli, Visible::Gaussian] {
            let data = if visible == Visible::Bernoulli { &x } else { &numbers };
            let model = Rbm::new(6).visible(visible).phase(phase).decay(decay).batch(20).passes(4).rate(0.05);
            let want = model.clone().seed(3).fit(&Device::cpu(), data).unwrap();
            for device in gpus() {
                let got = model.clone().seed(3).fit(device, data).unwrap();
                let what = format!("{phase:?} of {visible:?} units on {device}");
                // One decision otherwise would move a weight by 0.05 / 20.
                let worst = off(&got, &want);
                assert!(worst < 1e-4, "{what}: {worst:e}");
                assert!(worst > 0.0, "{what}: did not run in f32");
                let errors = got.report().trace.iter().zip(&want.report().trace);
                assert!(errors.clone().all(|(a, b)| (a - b).abs() < 1e-4 * b), "{what}: {errors:?}");
                let again = model.clone().seed(3).fit(device, data).unwrap();
                assert_eq!(got.weights(), again.weights(), "the same bits on {device}");
            }
        }
    }
}

/// Two passes more: for each an order goes up and one number comes down, and all its batches are one submission.
#[test]
fn batches_share_submissions() {
    let (n, d, m, batch) = (640, 20, 8, 32);
    let x = stripes(n, d);
    for device in alone() {
        let cost = |passes: usize| {
            cost(&device, || Rbm::new(m).passes(passes).batch(batch).fit(&device, &x).unwrap()).0
        };
        cost(1);
        let (one, three) = (cost(1), cost(3));
        let [launches, submissions, up, down] = [0, 1, 2, 3].map(|i| (three[i] - one[i]) / 2);
        println!("{device}: {launches} launches, {submissions} submissions, {up} bytes up, {down} down");
        let batches = (n / batch) as u64;
        // Nine, and what software adapters turn before they multiply.
        assert!(launches <= 14 * batches + 10, "{launches} launches on {device}");
        assert_eq!(submissions, 1, "a pass within the budget of a submission on {device}");
        assert!(up <= 4 * 64 * batches, "{up} bytes up on {device}");
        assert!(down <= 16, "{down} bytes down on {device}");
        // The data, the parameters, the start of the chains and what each row of a batch counts: once.
        let fixed = 4 * (n * (d + 4) + (d + 1) * (m + 4) + batch * (m + 4) + 2 * batch * 4) as u64;
        assert_eq!(one[2] - up, fixed, "{} bytes up on {device}", one[2]);
    }
}
