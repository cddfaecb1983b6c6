//! Normalising flows: determinants, inverses, densities.

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{all_near, near, slopes};

fn maps() -> Vec<FlowMap> {
    let network = Network::mlp(2, &[4], 2, Activation::Tanh).unwrap();
    let passive = vec![true, false, true];
    vec![FlowMap::Planar { width: 3 }, FlowMap::Coupling { passive, network }]
}

fn determinant(a: &Array2<f64>) -> f64 {
    a[[0, 0]] * (a[[1, 1]] * a[[2, 2]] - a[[1, 2]] * a[[2, 1]])
        - a[[0, 1]] * (a[[1, 0]] * a[[2, 2]] - a[[1, 2]] * a[[2, 0]])
        + a[[0, 2]] * (a[[1, 0]] * a[[2, 1]] - a[[1, 1]] * a[[2, 0]])
}

#[test]
fn log_determinants_are_those_of_the_jacobian() {
    for map in maps() {
        for seed in 0..5 {
            // Large u and w: the planar map must be kept invertible.
            let w: Vec<f64> = random(1, map.parameters(), seed).iter().map(|v| 3.0 * v).collect();
            let x = random(1, 3, seed + 20);
            let (_, log_det) = map.forward(&w, &x).unwrap();
            let column = |j: usize, h: f64| {
                let mut moved = x.clone();
                moved[[0, j]] += h;
                map.forward(&w, &moved).unwrap().0
            };
            let jacobian = Array2::from_shape_fn((3, 3), |(i, j)| {
                (column(j, 1e-6)[[0, i]] - column(j, -1e-6)[[0, i]]) / 2e-6
            });
            near(determinant(&jacobian).ln(), log_det[0], 1e-6);
        }
    }
}

/// One map alone and several in a chain, planar and coupling, with large parameters and with small ones.
#[test]
fn gradients_agree_with_finite_differences() {
    let x = random(5, 3, 30);
    for kind in [FlowKind::Planar, FlowKind::Coupling(vec![]), FlowKind::Coupling(vec![4])] {
        for (maps, size) in [(1, 0.3), (1, 2.0), (3, 1.0)] {
            let flow = NormalisingFlow::new(maps, kind.clone());
            // A shape that fits nothing says how many there are.
            let count = (1..200).find(|n| flow.objective(&vec![0.1; *n], &x).is_ok()).unwrap();
            let w: Vec<f64> = random(1, count, 31).iter().map(|v| size * v).collect();
            let (value, got) = flow.objective(&w, &x).unwrap();
            assert!(value.is_finite() && got.iter().any(|g| g.abs() > 1e-3));
            let want = slopes(&w, 1e-5, |w| flow.objective(w, &x).unwrap().0);
            all_near(&got, &want, 1e-7, &format!("{maps} maps of {kind:?}, {size}"));
        }
    }
    // A map that changes nothing leaves the density of the rows themselves.
    let none = NormalisingFlow::new(1, FlowKind::Coupling(vec![])).objective(&[0.0; 6], &x).unwrap().0;
    let normal = 0.5 * (3.0 * std::f64::consts::TAU.ln() + x.mapv(|v| v * v).sum() / 5.0);
    near(none, normal, 1e-12);
    assert!(NormalisingFlow::new(2, FlowKind::Planar).objective(&[0.0], &x).is_err());
}

#[test]
fn inverses_undo_the_maps() {
    for map in maps() {
        let w: Vec<f64> = random(1, map.parameters(), 7).iter().map(|v| 3.0 * v).collect();
        let x = random(10, 3, 8) * 3.0;
        let back = map.inverse(&w, map.forward(&w, &x).unwrap().0).unwrap();
        back.iter().zip(&x).for_each(|(a, b)| near(*a, *b, 1e-10));
        assert!(map.forward(&w[1..], &x).is_err() && map.inverse(&w, random(2, 2, 1)).is_err());
    }
}

/// A bent cloud: no Gaussian fits it well.
fn banana() -> Array2<f64> {
    let u = random(150, 2, 9);
    Array2::from_shape_fn((150, 2), |(n, j)| {
        if j == 0 { 2.0 * u[[n, 0]] } else { u[[n, 0]].powi(2) * 2.0 + 0.2 * u[[n, 1]] }
    })
}

#[test]
fn flows_describe_what_a_gaussian_cannot() {
    let x = banana();
    let gaussian = GaussianMixture::new(1).fit(&Device::cpu(), &x).unwrap().score(&x).unwrap();
    for (kind, maps) in [(FlowKind::Coupling(vec![8]), 4), (FlowKind::Planar, 6)] {
        let training = Training::new(Adam::new(0.02)).epochs(250);
        let fitted = NormalisingFlow::new(maps, kind).training(training).fit(&Device::cpu(), &x).unwrap();
        let own = fitted.score(&x).unwrap();
        assert!(own > gaussian + 0.3, "{own} {gaussian}");
        near(fitted.score_samples(&x).unwrap().mean().unwrap(), own, 1e-12);
        let back = fitted.inverse_transform(fitted.transform(&x).unwrap()).unwrap();
        back.iter().zip(&x).for_each(|(a, b)| near(*a, *b, 1e-8));
        let drawn = fitted.sample(2000, 1).unwrap();
        near(drawn.column(0).mean().unwrap(), x.column(0).mean().unwrap(), 0.3);
        // The trace is the mean negative log-likelihood of standardised rows.
        let scale: f64 = x.std_axis(ndarray::Axis(0), 0.0).mapv(f64::ln).sum();
        near(-fitted.report().objective() - scale, own, 0.1);
    }
}

/// The density integrates to one.
#[test]
fn a_flow_is_a_density() {
    let x = banana();
    let flow = NormalisingFlow::new(2, FlowKind::Coupling(vec![4])).training(Training::default().epochs(60));
    let fitted = flow.fit(&Device::cpu(), &x).unwrap();
    let cells = 160;
    let grid = Array2::from_shape_fn((cells * cells, 2), |(i, j)| {
        -8.0 + 16.0 * ((if j == 0 { i / cells } else { i % cells }) as f64 + 0.5) / cells as f64
    });
    let total = fitted.score_samples(&grid).unwrap().mapv(f64::exp).sum() * (16.0 / cells as f64).powi(2);
    near(total, 1.0, 0.01);
}

#[test]
fn bad_settings_are_errors() {
    assert!(NormalisingFlow::new(0, FlowKind::Planar).fit(&Device::cpu(), banana()).is_err());
    assert!(
        NormalisingFlow::new(1, FlowKind::Coupling(vec![]))
            .fit(&Device::cpu(), array![[1.0], [2.0], [3.0]])
            .is_err()
    );
    assert!(
        NormalisingFlow::new(1, FlowKind::Planar)
            .fit(&Device::cpu(), array![[1.0, 2.0], [1.0, 3.0]])
            .is_err(),
        "no spread"
    );
}
