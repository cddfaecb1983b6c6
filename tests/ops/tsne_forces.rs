use mercer::matrix::SparseMatrix;
use mercer::ops::{Affinities, TsneForces, to_half, tsne_forces};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, array};

use crate::support::{alone, cramped, gpus, on, random};

/// Symmetric affinities of each point to some others, which sum to one.
fn affinities(n: usize, each: usize) -> SparseMatrix {
    let pairs = (0..n).flat_map(|i| (1..=each).map(move |s| (i, (i + s * s) % n, 1.0 / s as f64)));
    let pairs: Vec<_> =
        pairs.filter(|(i, j, _)| i != j).flat_map(|(i, j, v)| [(i, j, v), (j, i, v)]).collect();
    let sum: f64 = pairs.iter().map(|p| p.2).sum();
    let pairs: Vec<_> = pairs.into_iter().map(|(i, j, v)| (i, j, v / sum)).collect();
    SparseMatrix::from_triplets(n, n, &pairs).unwrap()
}

/// The definition: sums over all pairs.
fn summed(p: &SparseMatrix, y: &Array2<f64>) -> TsneForces {
    let n = y.nrows();
    let (mut pull, mut push) = (Array2::zeros(y.raw_dim()), Array2::zeros(y.raw_dim()));
    let (mut total, mut kl) = (0.0, 0.0);
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            let apart: Array1<f64> = &y.row(i) - &y.row(j);
            let w = 1.0 / (1.0 + apart.dot(&apart));
            let own = p.at(i, j);
            pull.row_mut(i).scaled_add(own * w, &apart);
            push.row_mut(i).scaled_add(w * w, &apart);
            total += w;
            if own > 0.0 {
                kl += own * (own / w).ln();
            }
        }
    }
    kl += total.ln();
    TsneForces { pull, push, total, divergence: Some(kl) }
}

#[track_caller]
fn near(got: &Array2<f64>, want: &Array2<f64>, tolerance: f64, what: &str) {
    let scale = want.iter().fold(1e-30f64, |m, v| m.max(v.abs()));
    let off = (got - want).iter().fold(0f64, |m, v| m.max(v.abs())) / scale;
    assert!(off <= tolerance, "{what}: {off:e} of the largest");
}

/// At the edges of tiles, of rows of a workgroup and of chunks; from the size of a start to that of a picture.
#[test]
fn every_device_has_the_forces_of_all_pairs() {
    for n in [1, 2, 7, 8, 9, 63, 64, 65, 131, 255, 256, 257, 515] {
        let p = affinities(n, 5);
        for (k, size) in [(1, 1.0), (2, 1e-4), (2, 3.0), (2, 60.0), (3, 10.0), (4, 2.0)] {
            let y = random(n, k, 3) * size;
            let want = summed(&p, &y);
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let what = format!("{n} points, {k} coordinates of {size} on {device}");
                let tolerance = if device.is_gpu() { 1e-5 } else { 1e-12 };
                let placed = Affinities::new(&device, p.clone()).unwrap();
                let got = tsne_forces(&placed, &on(&device, &y), true).unwrap();
                near(&got.pull, &want.pull, tolerance, &what);
                near(&got.push, &want.push, tolerance, &what);
                if n > 1 {
                    assert!((got.total / want.total - 1.0).abs() < tolerance, "{what}");
                    let (kl, exact) = (got.divergence.unwrap(), want.divergence.unwrap());
                    assert!((kl - exact).abs() < 1e-4 * (1.0 + exact.abs()), "{what}: {kl} and {exact}");
                    near(&got.gradient(4.0), &want.gradient(4.0), 1e-4, &what);
                }
            }
        }
    }
}

/// More points than a chunk of a cramped device holds, with rows of very different lengths.
#[test]
fn many_points_and_a_hub() {
    let n = 3000;
    let mut spokes: Vec<_> = (1..n).flat_map(|j| [(0, j, 1.0), (j, 0, 1.0)]).collect();
    let sum = spokes.len() as f64;
    for s in &mut spokes {
        s.2 /= sum;
    }
    let p = SparseMatrix::from_triplets(n, n, &spokes).unwrap();
    let y = random(n, 2, 5) * 20.0;
    let want =
        tsne_forces(&Affinities::new(&Device::cpu(), p.clone()).unwrap(), &on(&Device::cpu(), &y), true);
    let want = want.unwrap();
    for device in gpus().iter().chain(cramped()) {
        let got = tsne_forces(&Affinities::new(device, p.clone()).unwrap(), &on(device, &y), true).unwrap();
        near(&got.pull, &want.pull, 1e-5, &format!("pull on {device}"));
        near(&got.push, &want.push, 1e-5, &format!("push on {device}"));
        near(&got.gradient(1.0), &want.gradient(1.0), 1e-4, &format!("gradient on {device}"));
        assert!((got.divergence.unwrap() - want.divergence.unwrap()).abs() < 1e-4);
    }
}

/// Affinities go up once; then places go up and forces come down, two launches each time, in one submission.
#[test]
fn places_go_up_and_forces_come_down() {
    let n = 1500u64;
    let p = affinities(n as usize, 9);
    let entries = p.stored() as u64;
    for device in alone() {
        let start = device.counters();
        let placed = Affinities::new(&device, p.clone()).unwrap();
        let there = device.counters();
        assert!(there.bytes_up - start.bytes_up <= 4 * (n + 1 + 2 * entries) + 16);
        let y = random(n as usize, 2, 1);
        let work = || tsne_forces(&placed, &on(&device, &y), false).unwrap();
        work();
        let before = device.counters();
        let found = work();
        let after = device.counters();
        assert!(found.divergence.is_none());
        assert_eq!(after.dispatches - before.dispatches, 2);
        assert!(after.submissions - before.submissions <= 1);
        assert_eq!(after.bytes_up - before.bytes_up, 16 * n);
        assert_eq!(after.bytes_down - before.bytes_down, 32 * n);
        // Never a matrix of all pairs.
        assert!(after.peak_used_bytes < 4 * n * n / 4);
    }
}

#[test]
fn bad_operands_are_refused() {
    let p = || affinities(5, 2);
    let wide = SparseMatrix::from_triplets(2, 3, &[(0, 2, 1.0)]).unwrap();
    let negative = SparseMatrix::from_triplets(2, 2, &[(0, 1, -1.0)]).unwrap();
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        assert!(matches!(Affinities::new(&device, wide.clone()), Err(Error::Shape { .. })));
        assert!(matches!(Affinities::new(&device, negative.clone()), Err(Error::Parameter { .. })));
        let placed = Affinities::new(&device, p()).unwrap();
        assert_eq!(placed.matrix().rows(), 5);
        assert!(matches!(
            tsne_forces(&placed, &on(&device, &random(4, 2, 1)), true),
            Err(Error::Shape { .. })
        ));
        // Halves, and no affinity at all.
        let y = on(&device, &array![[0.0, 0.5], [1.0, 0.25]]);
        let none = Affinities::new(&device, SparseMatrix::from_triplets(2, 2, &[]).unwrap()).unwrap();
        let found = tsne_forces(&none, &to_half(&y).unwrap(), true).unwrap();
        assert!(found.pull.iter().all(|v| *v == 0.0));
        assert!((found.total - 2.0 / (1.0 + 1.0625)).abs() < 1e-6);
    }
    for device in gpus() {
        let apart =
            tsne_forces(&Affinities::new(device, p()).unwrap(), &on(&Device::cpu(), &random(5, 2, 1)), true);
        assert!(matches!(apart, Err(Error::Shape { .. })));
    }
}
