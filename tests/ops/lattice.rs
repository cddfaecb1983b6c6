use mercer::Device;
use mercer::ops::{Lattice, lattice_gibbs, lattice_mean_field, lattice_means};
use mercer::random::{Philox, Threshold};
use ndarray::{Array2, ArrayView2};

use crate::support::{alone, cramped, gpus, random};

fn everywhere() -> impl Iterator<Item = Device> {
    gpus().iter().chain(cramped()).cloned().chain([Device::cpu()])
}

fn around<T: Copy>(a: &Array2<T>, (i, j): (usize, usize), periodic: bool) -> Vec<T> {
    let (n, m) = (a.nrows() as isize, a.ncols() as isize);
    [(-1, 0), (1, 0), (0, -1), (0, 1)]
        .into_iter()
        .map(|(di, dj)| (i as isize + di, j as isize + dj))
        .filter(|&(i, j)| periodic || ((0..n).contains(&i) && (0..m).contains(&j)))
        .map(|(i, j)| a[[i.rem_euclid(n) as usize, j.rem_euclid(m) as usize]])
        .collect()
}

/// The definition: a loop over the sites of each colour.
fn swept(
    coupling: f64,
    field: ArrayView2<f64>,
    periodic: bool,
    start: &Array2<i8>,
    seed: u64,
    first: u64,
    sweeps: u64,
) -> Array2<i8> {
    let (mut z, m) = (start.clone(), start.ncols());
    for t in first..first + sweeps {
        let mut rng = Philox::new(seed, t);
        let words: Vec<u32> = (0..z.len()).map(|_| rng.word()).collect();
        for colour in 0..2 {
            for (i, j) in (0..z.nrows())
                .flat_map(|i| (0..m).map(move |j| (i, j)))
                .filter(|(i, j)| (i + j) % 2 == colour)
            {
                let sum: f64 = around(&z, (i, j), periodic).into_iter().map(f64::from).sum();
                let p = 1.0 / (1.0 + (-2.0 * (coupling * sum + field[[i, j]])).exp());
                z[[i, j]] = if Threshold::new(p).unwrap().says_yes(words[i * m + j]) { 1 } else { -1 };
            }
        }
    }
    z
}

fn spins(n: usize, m: usize, seed: u64) -> Array2<i8> {
    random(n, m, seed).mapv(|v| if v < 0.0 { -1 } else { 1 })
}

#[test]
fn spins_are_the_same_on_every_device() {
    let sizes = [
        (1, 1, false),
        (1, 7, false),
        (5, 1, false),
        (3, 5, false),
        (4, 4, true),
        (9, 66, false),
        (12, 10, true),
        (37, 41, false),
        (64, 64, true),
        (6, 130, true),
    ];
    for (n, m, periodic) in sizes {
        for coupling in [0.4, -0.3, 0.0, 400.0] {
            let flat = Array2::from_elem((n, m), 0.1);
            let rough = random(n, m, 9);
            let two = rough.mapv(f64::signum);
            for field in [flat, two, rough] {
                let lattice = Lattice::new(coupling, field.view(), periodic).unwrap();
                let start = spins(n, m, 4);
                let want = swept(coupling, field.view(), periodic, &start, 0x1_0000_0007, 5, 3);
                for device in everywhere() {
                    let got = lattice_gibbs(&device, &lattice, start.view(), 0x1_0000_0007, 5, 3).unwrap();
                    assert_eq!(got, want, "{n} x {m}, periodic {periodic}, coupling {coupling} on {device}");
                }
            }
        }
    }
}

#[test]
fn means_agree_with_their_definition() {
    for (n, m, periodic) in [(1, 1, false), (5, 7, false), (8, 12, true), (33, 65, false)] {
        let (coupling, field, start) = (0.3, random(n, m, 1), spins(n, m, 2));
        let lattice = Lattice::new(coupling, field.view(), periodic).unwrap();
        let input = |z: &Array2<f64>| {
            Array2::from_shape_fn((n, m), |at| {
                (coupling * around(z, at, periodic).iter().sum::<f64>() + field[at]).tanh()
            })
        };
        let mut sum = Array2::<f64>::zeros((n, m));
        for t in 1..=4 {
            sum += &input(&swept(coupling, field.view(), periodic, &start, 7, 0, t).mapv(f64::from));
        }
        let mut mean = random(n, m, 3);
        let first = mean.clone();
        for _ in 0..4 {
            for colour in 0..2 {
                let next = input(&mean);
                mean.indexed_iter_mut()
                    .filter(|((i, j), _)| (i + j) % 2 == colour)
                    .for_each(|(at, v)| *v = next[at]);
            }
        }
        for device in everywhere() {
            let (last, means) = lattice_means(&device, &lattice, start.view(), 7, 0, 4).unwrap();
            assert_eq!(last, swept(coupling, field.view(), periodic, &start, 7, 0, 4));
            assert!((means - &sum / 4.0).iter().all(|e| e.abs() < 1e-6), "{n} x {m} on {device}");
            let field = lattice_mean_field(&device, &lattice, first.view(), 4).unwrap();
            assert!((field - &mean).iter().all(|e| e.abs() < 1e-6), "{n} x {m} on {device}");
        }
    }
}

/// Spins go up and come down once, whatever is between: many sweeps in one submission.
#[test]
fn many_sweeps_are_one_submission() {
    let (n, m) = (64, 64);
    let field = Array2::zeros((n, m));
    let lattice = Lattice::new(0.4, field.view(), true).unwrap();
    for device in alone() {
        let start = spins(n, m, 1);
        let run = |sweeps| drop(lattice_gibbs(&device, &lattice, start.view(), 7, 0, sweeps).unwrap());
        run(1);
        for sweeps in [1u64, 100] {
            let before = device.counters();
            run(sweeps as usize);
            let after = device.counters();
            assert_eq!(after.dispatches - before.dispatches, 2 * sweeps);
            assert_eq!(after.submissions - before.submissions, 1, "{sweeps} sweeps on {device}");
            assert_eq!(after.read_backs - before.read_backs, 1);
            assert_eq!(after.bytes_down - before.bytes_down, 4 * 64 * 64);
            assert_eq!(after.bytes_up - before.bytes_up, 4 * 64 * 64 + 4 + 9 * 8);
        }
        let before = device.counters();
        lattice_mean_field(&device, &lattice, Array2::zeros((n, m)).view(), 50).unwrap();
        let after = device.counters();
        assert_eq!((after.dispatches - before.dispatches, after.submissions - before.submissions), (100, 1));
    }
}

#[test]
fn bad_lattices_are_refused() {
    let field = Array2::zeros((4, 4));
    assert!(Lattice::new(f64::NAN, field.view(), false).is_err());
    assert!(Lattice::new(0.1, Array2::zeros((5, 4)).view(), true).is_err());
    assert!(Lattice::new(0.1, Array2::zeros((0, 4)).view(), false).is_err());
    let lattice = Lattice::new(0.1, field.view(), false).unwrap();
    for device in everywhere() {
        assert!(lattice_gibbs(&device, &lattice, spins(3, 4, 1).view(), 1, 0, 1).is_err());
        assert!(lattice_gibbs(&device, &lattice, Array2::zeros((4, 4)).view(), 1, 0, 1).is_err());
        assert!(lattice_means(&device, &lattice, spins(4, 4, 1).view(), 1, 0, 0).is_err());
        assert!(lattice_mean_field(&device, &lattice, Array2::from_elem((4, 4), 1.5).view(), 1).is_err());
    }
}
