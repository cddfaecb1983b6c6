use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::support::{alone, cost, random};
use crate::{close, oracle, table, whole};

/// The labelled points first, as the models order them, and the rows of scikit-learn in that order.
fn problem(part: &str) -> (Array2<f64>, Vec<usize>, Array2<f64>, Array2<f64>, Neighbourhood) {
    let moons = oracle("moons");
    let (x, y, first) = (table(&moons["x"]), whole(&moons["y"]), whole(&moons["labelled"]));
    let others: Vec<usize> = (0..x.nrows()).filter(|i| !first.contains(i)).collect();
    let want = table(&moons[part]).select(Axis(0), &[first.clone(), others.clone()].concat());
    let labels = first.iter().map(|&i| y[i]).collect();
    let rule = Neighbourhood::gaussian(moons["width"].as_f64().unwrap());
    (x.select(Axis(0), &first), labels, x.select(Axis(0), &others), want, rule)
}

#[test]
fn spreading_is_that_of_scikit_learn() {
    let (x, y, more, want, rule) = problem("spreading");
    let model = LabelSpreading::new(0.2).neighbourhood(rule).unlabelled(more.clone());
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    close(fit.shares(), &want, 1e-9, "the shares");
    assert_eq!(fit.predict(&more).unwrap(), fit.transduction().unwrap()[2..]);
}

#[test]
fn propagation_is_that_of_scikit_learn() {
    let (x, y, more, want, rule) = problem("propagation");
    let fit =
        LabelPropagation::new().neighbourhood(rule).unlabelled(more).fit(&Device::cpu(), &x, &y).unwrap();
    close(fit.shares(), &want, 1e-6, "the shares");
}

/// On a path between two labels the harmonic function is a straight line.
#[test]
fn propagation_is_harmonic() {
    let (x, more) = (array![[0.0], [4.0]], array![[1.0], [2.0], [3.0]]);
    let model = LabelPropagation::new().neighbourhood(Neighbourhood::epsilon(1.0)).unlabelled(more);
    let fit = model.fit(&Device::cpu(), &x, ["low", "high"]).unwrap();
    assert_eq!(fit.classes(), ["high", "low"]);
    close(fit.shares().column(0), &[0.0, 1.0, 0.25, 0.5, 0.75], 1e-12, "a straight line");
}

#[test]
fn points_without_a_path_to_a_label_are_told() {
    let (x, more) = (array![[0.0], [4.0]], array![[1.0], [50.0], [51.0]]);
    let rule = Neighbourhood::epsilon(1.0);
    let spread = LabelSpreading::new(0.5).neighbourhood(rule).unlabelled(more.clone());
    let propagated = LabelPropagation::new().neighbourhood(rule).unlabelled(more);
    for fit in
        [spread.fit(&Device::cpu(), &x, [1, 2]).unwrap(), propagated.fit(&Device::cpu(), &x, [1, 2]).unwrap()]
    {
        assert_eq!(fit.unreached(), [3, 4]);
        close(fit.shares().row(3), &[0.5, 0.5], 0.0, "nobody knows");
        assert_eq!(fit.transduction().unwrap()[..3], [1, 2, 1]);
    }
}

/// A new point takes the mean of its neighbours' shares by their weights; one that is there already keeps its own.
#[test]
fn new_points_hang_on_their_neighbours() {
    let (x, more) = (array![[0.0], [10.0]], array![[1.0], [2.0], [8.0], [9.0]]);
    let rule = Neighbourhood::gaussian(1.5);
    let model = LabelSpreading::new(0.7).neighbourhood(rule).unlabelled(more.clone());
    let fit = model.fit(&Device::cpu(), &x, [0, 1]).unwrap();
    let points = ndarray::concatenate![Axis(0), x, more];
    let new = array![[4.5], [7.9]];
    let got = fit.predict_proba(&new).unwrap();
    for (i, at) in new.column(0).iter().enumerate() {
        let w = points.column(0).mapv(|p| (-0.5 * (p - at) * (p - at) / 2.25).exp());
        let want = w.dot(fit.shares()) / w.sum();
        close(got.row(i), &want, 1e-12, "a weighted mean");
    }
    close(fit.predict_proba(array![[8.0]]).unwrap().row(0), fit.shares().row(4), 0.0, "a point of the fit");
    // Three nearest, all alike.
    let fit = model.neighbourhood(Neighbourhood::nearest(3)).fit(&Device::cpu(), &x, [0, 1]).unwrap();
    let got = fit.predict_proba(array![[2.4]]).unwrap();
    let want = (&fit.shares().row(0) + &fit.shares().row(2) + fit.shares().row(3)) / 3.0;
    close(got.row(0), &want, 1e-14, "the mean of three");
}

/// The first iterations on a device, with S and F there; the shares are those of the CPU.
#[test]
fn every_adapter_spreads_labels() {
    let n = 400;
    let more = random(n, 2, 5) * 3.0;
    let (x, y) = (array![[-2.0, -2.0], [2.0, 2.0], [2.0, -2.0]], ["a", "b", "c"]);
    for alpha in [0.2, 0.95] {
        let model = LabelSpreading::new(alpha).unlabelled(more.clone());
        let want = model.fit(&Device::cpu(), &x, y).unwrap();
        for device in alone() {
            let ([launches, _, up, down], fit) = cost(&device, || model.fit(&device, &x, y).unwrap());
            println!("alpha {alpha} on {device}: {launches} launches, {up} up, {down} down");
            close(fit.shares(), want.shares(), 1e-9, &format!("alpha {alpha} on {device}"));
            // A product and a sum in each step until 1e-6 is left; F comes down once.
            let steps = (1e-6f64.ln() / alpha.ln()).ceil() as u64;
            assert!(
                launches >= 2 * steps && launches <= 4 * steps + 8,
                "{launches} launches in {steps} steps"
            );
            assert!(down >= 4 * 3 * n as u64 && down <= 16 * (n as u64 + 3), "{down} bytes down");
        }
    }
}
