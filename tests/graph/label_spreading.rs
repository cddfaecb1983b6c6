use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

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
