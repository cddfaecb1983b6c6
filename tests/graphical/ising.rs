//! Spins: the 4 x 4 image of the notes, limits, enumeration, the checkerboard.

use mercer::models::graphical::{Ising, IsingExact};
use ndarray::{Array2, array};

use crate::near;

fn image() -> Array2<f64> {
    array![[-1.0, 1.0, -1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, 1.0, -1.0, 1.0]]
}

/// KL(p || q) to independent spins of these means.
fn inclusive(exact: &IsingExact, mu: &Array2<f64>) -> f64 {
    let logs: Vec<[f64; 2]> = mu.iter().map(|m| [(0.5 * (1.0 - m)).ln(), (0.5 * (1.0 + m)).ln()]).collect();
    exact
        .log_weights
        .iter()
        .enumerate()
        .map(|(s, w)| {
            let log_p = w - exact.log_partition;
            let log_q: f64 = logs.iter().enumerate().map(|(i, l)| l[s >> i & 1]).sum();
            log_p.exp() * (log_p - log_q)
        })
        .sum()
}

#[test]
fn mean_field_falls_as_in_the_notes() {
    let sweeps = [0, 1, 2, 3, 6];
    let want = [
        (
            0.1,
            11.455921,
            [0.383600, 0.277150, 0.273858, 0.274010, 0.273989],
            [0.365566, 0.270719, 0.265626, 0.265385, 0.265373],
        ),
        (
            0.5,
            13.533469,
            [2.429986, 0.212989, 0.155855, 0.155526, 0.155266],
            [2.443114, 0.215839, 0.142371, 0.140733, 0.140698],
        ),
        (
            1.0,
            18.912201,
            [5.975790, 0.113521, 0.037187, 0.036704, 0.036673],
            [7.821846, 0.119914, 0.033825, 0.033426, 0.033425],
        ),
        (
            2.0,
            33.443411,
            [9.869101, 0.019697, 0.000920, 0.000916, 0.000916],
            [22.353056, 0.021281, 0.000894, 0.000891, 0.000891],
        ),
    ];
    for (trust, log_z, forward, backward) in want {
        let ising = Ising::denoiser(0.15, trust, &image()).unwrap();
        let exact = ising.enumerate().unwrap();
        near(exact.log_partition, log_z, 1e-6);
        for (k, n) in sweeps.into_iter().enumerate() {
            let mu = ising.mean_field(n, None).unwrap();
            near(inclusive(&exact, &mu), forward[k], 2e-6);
            near(ising.free_energy(&mu).unwrap() + exact.log_partition, backward[k], 2e-6);
        }
    }
    let ising = Ising::denoiser(0.15, 1.0, &image()).unwrap();
    let (mu, exact) = (ising.mean_field(50, None).unwrap(), ising.enumerate().unwrap().magnetisation);
    for (j, (q, p)) in [(0.17688, 0.17954), (0.85984, 0.85526), (0.09163, 0.09504), (0.07522, 0.07720)]
        .into_iter()
        .enumerate()
    {
        near(0.5 * (1.0 + mu[[0, j]]), q, 1e-5);
        near(0.5 * (1.0 + exact[[0, j]]), p, 1e-5);
    }
}

#[test]
fn limits_of_the_lattice() {
    // No coupling: q(z = 1) = σ(2 η₂ x), exactly and after one sweep.
    let free = Ising::denoiser(0.0, 0.7, &image()).unwrap();
    let (one, exact) = (free.mean_field(1, None).unwrap(), free.enumerate().unwrap().magnetisation);
    for (x, (a, b)) in image().iter().zip(one.iter().zip(&exact)) {
        near(*a, (0.7 * x).tanh(), 1e-12);
        near(*b, (0.7 * x).tanh(), 1e-12);
    }
    // No field: symmetric.
    let even = Ising::new(0.3, Array2::zeros((3, 4))).unwrap().enumerate().unwrap();
    assert!(even.magnetisation.iter().all(|m| m.abs() < 1e-12));
    // Flipping the image flips the answer.
    let [a, b] = [1.0, -1.0]
        .map(|s| Ising::denoiser(0.3, 0.4, &(image() * s)).unwrap().enumerate().unwrap().magnetisation);
    assert!((&a + &b).iter().all(|v| v.abs() < 1e-12));
    // Strong coupling: every pixel is the majority; strong trust: every pixel is as seen.
    let strong = Ising::denoiser(
        5.0,
        0.5,
        &Array2::from_shape_fn((2, 3), |(i, j)| if i + j == 0 { -1.0 } else { 1.0 }),
    )
    .unwrap();
    assert!(strong.enumerate().unwrap().magnetisation.iter().all(|m| *m > 0.8));
    let sure = Ising::denoiser(0.2, 9.0, &image()).unwrap().mean_field(10, None).unwrap();
    assert!(sure.iter().zip(&image()).all(|(m, x)| m * x > 0.99));
}

#[test]
fn checkerboard_sweeps_sample_the_lattice() {
    let ising =
        Ising::new(0.25, Array2::from_shape_fn((3, 4), |(i, j)| 0.1 * i as f64 - 0.15 * j as f64)).unwrap();
    let exact = ising.enumerate().unwrap();
    let sampled = ising.sampled_magnetisation(200, 20_000, 3).unwrap();
    for (a, b) in sampled.iter().zip(&exact.magnetisation) {
        near(*a, *b, 0.015);
    }
    let (mut spins, mut sum) = (ising.start(5), 0.0);
    for _ in 0..10_000 {
        spins = ising.sweep(&spins, 1).unwrap();
        sum += ising.agreement(spins.sites().view());
    }
    near(sum / 1e4, exact.agreement, 0.2);
    // Same seed, same spins, in one go or in two.
    let start = ising.start(9);
    let twice = ising.sweep(&ising.sweep(&start, 3).unwrap(), 4).unwrap();
    assert_eq!(twice, ising.sweep(&start, 7).unwrap());
    assert_ne!(twice, ising.sweep(&ising.start(10), 7).unwrap());
    assert_eq!(twice.sweeps(), 7);
}

#[test]
fn order_appears_below_the_critical_temperature() {
    // Onsager: η_c = ½ log(1 + √2) = 0.4407; |m| = (1 - sinh(2η)^-4)^(1/8) beyond it.
    let size = 32;
    let mean = |coupling: f64| {
        let ising = Ising::new(coupling, Array2::zeros((size, size))).unwrap().periodic(true).unwrap();
        // All up to begin with, by a strong field for one sweep.
        let up = Ising::new(0.0, Array2::from_elem((size, size), 50.0)).unwrap();
        let mut spins = ising.sweep(&up.sweep(&ising.start(1), 1).unwrap(), 200).unwrap();
        let mut sum = 0.0;
        for _ in 0..100 {
            spins = ising.sweep(&spins, 2).unwrap();
            sum += spins.magnetisation().abs() / 100.0;
        }
        sum
    };
    let onsager = |c: f64| (1.0 - (2.0 * c).sinh().powi(-4)).powf(0.125);
    near(mean(0.6), onsager(0.6), 0.02);
    assert!(mean(0.3) < 0.2);
}

/// On a lattice of 256 x 256: just below the critical temperature the spins keep Onsager's magnetisation, just above it they
/// lose it. The critical coupling lies between, within five per cent.
#[test]
fn the_critical_temperature_of_a_large_lattice() {
    let size = 256;
    let critical = 0.5 * (1.0 + 2f64.sqrt()).ln();
    let mean = |coupling: f64, sweeps: usize| {
        let ising = Ising::new(coupling, Array2::zeros((size, size))).unwrap().periodic(true).unwrap();
        let up = Ising::new(0.0, Array2::from_elem((size, size), 50.0)).unwrap();
        let mut spins = ising.sweep(&up.sweep(&ising.start(3), 1).unwrap(), sweeps).unwrap();
        let mut each = vec![];
        for _ in 0..20 {
            spins = ising.sweep(&spins, 10).unwrap();
            each.push(spins.magnetisation());
        }
        each.iter().sum::<f64>() / 20.0
    };
    let onsager = |c: f64| (1.0 - (2.0 * c).sinh().powi(-4)).powf(0.125);
    let below = mean(1.05 * critical, 200);
    near(below, onsager(1.05 * critical), 0.01);
    let above = mean(critical / 1.05, 400);
    assert!(above.abs() < 0.3, "{above}");
    assert!(below > 0.8);
}

/// The energy of a site by Onsager: `-coth 2η (1 + 2/π (2 tanh² 2η - 1) K(k))`, `k = 2 sinh 2η / cosh² 2η`, in units of the
/// coupling; K by the arithmetic-geometric mean.
#[test]
fn the_energy_is_onsagers() {
    let exact = |c: f64| {
        let (s, ch) = ((2.0 * c).sinh(), (2.0 * c).cosh());
        let k = 2.0 * s / (ch * ch);
        let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
        for _ in 0..30 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        let complete = std::f64::consts::FRAC_PI_2 / a;
        let t = (2.0 * c).tanh();
        (1.0 + 2.0 / std::f64::consts::PI * (2.0 * t * t - 1.0) * complete) / t
    };
    for coupling in [0.3, 0.5] {
        let size = 128;
        let ising = Ising::new(coupling, Array2::zeros((size, size))).unwrap().periodic(true).unwrap();
        let up = Ising::new(0.0, Array2::from_elem((size, size), 50.0)).unwrap();
        let mut spins = ising.sweep(&up.sweep(&ising.start(1), 1).unwrap(), 100).unwrap();
        let mut sum = 0.0;
        for _ in 0..20 {
            spins = ising.sweep(&spins, 10).unwrap();
            sum += ising.agreement(spins.sites().view()) / (size * size) as f64 / 20.0;
        }
        near(sum, exact(coupling), 0.01);
    }
}

#[test]
fn every_device_has_the_spins_of_the_cpu() {
    let field = crate::support::random(40, 30, 1);
    // Below the coupling of 1/4 from which mean field has more than one answer.
    let ising = Ising::new(0.2, field).unwrap();
    let (start, mut rng) = (ising.start(4), mercer::random::Philox::new(1, 0));
    let want = ising.sweep(&start, 9).unwrap();
    let (means, field) =
        (ising.sampled_magnetisation(3, 8, 2).unwrap(), ising.checkerboard_mean_field(30, None).unwrap());
    // The fixed point is that of the other order.
    let slow = ising.mean_field(200, None).unwrap();
    assert!((&ising.checkerboard_mean_field(200, None).unwrap() - &slow).iter().all(|v| v.abs() < 1e-9));
    let first = field.mapv(|_| 2.0 * rng.uniform() - 1.0);
    let mut before = ising.free_energy(&first).unwrap();
    let mut mu = first;
    for _ in 0..5 {
        mu = ising.checkerboard_mean_field(1, Some(&mu)).unwrap();
        let now = ising.free_energy(&mu).unwrap();
        assert!(now <= before + 1e-12);
        before = now;
    }
    for device in crate::support::gpus() {
        let there = ising.clone().on(device);
        assert_eq!(there.sweep(&start, 9).unwrap(), want, "on {device}");
        let off = there.sampled_magnetisation(3, 8, 2).unwrap() - &means;
        assert!(off.iter().all(|v| v.abs() < 1e-6));
        let off = there.checkerboard_mean_field(30, None).unwrap() - &field;
        assert!(off.iter().all(|v| v.abs() < 1e-5));
    }
}

#[test]
fn noise_is_taken_out_of_an_image() {
    let clean = Array2::from_shape_fn((24, 24), |(i, j)| if (i / 8 + j / 8) % 2 == 0 { 1.0 } else { -1.0 });
    let mut rng = mercer::random::Philox::new(2, 0);
    let seen = clean.mapv(|v| if rng.bernoulli(0.1) { -v } else { v });
    let wrong = |a: &Array2<f64>| a.iter().zip(&clean).filter(|(a, b)| **a * **b < 0.0).count();
    let ising = Ising::denoiser(0.5, 1.1, &seen).unwrap();
    let before = wrong(&seen);
    assert!(wrong(&ising.mean_field(30, None).unwrap()) * 2 < before);
    assert!(wrong(&ising.sampled_magnetisation(50, 200, 1).unwrap()) * 2 < before);
}

/// The energy of a state is minus its log weight, free and periodic.
#[test]
fn the_energy_of_spins_is_that_of_enumeration() {
    let field = Array2::from_shape_fn((4, 4), |(i, j)| 0.3 * i as f64 - 0.2 * j as f64 + 0.05);
    let free = Ising::new(0.35, field).unwrap();
    for ising in [free.clone(), free.periodic(true).unwrap()] {
        let exact = ising.enumerate().unwrap();
        for seed in 0..8 {
            let spins = ising.start(seed);
            let state: usize = spins.sites().iter().enumerate().map(|(i, s)| usize::from(*s == 1) << i).sum();
            let (energy, outer) =
                (ising.energy(&spins).unwrap(), spins.sites().mapv(f64::from) * ising.field());
            near(energy, -exact.log_weights[state], 1e-12);
            near(energy, -0.35 * ising.agreement(spins.sites().view()) - outer.sum(), 1e-12);
        }
    }
}

/// `log Z` of a free lattice row by row: `v'(b) = Σ_a v(a) exp(η a·b + η Σ b b + h b)`.
fn transfer(coupling: f64, field: &Array2<f64>) -> f64 {
    let (n, m) = field.dim();
    let spin = |s: usize, j: usize| if s >> j & 1 == 1 { 1.0 } else { -1.0 };
    let own = |s: usize, i: usize| -> f64 {
        (0..m).map(|j| field[[i, j]] * spin(s, j)).sum::<f64>()
            + (1..m).map(|j| coupling * spin(s, j - 1) * spin(s, j)).sum::<f64>()
    };
    let mut v: Vec<f64> = (0..1 << m).map(|s| own(s, 0).exp()).collect();
    for i in 1..n {
        let between = |a: usize, b: usize| (0..m).map(|j| coupling * spin(a, j) * spin(b, j)).sum::<f64>();
        let next = |b: usize| v.iter().enumerate().map(|(a, v)| v * (between(a, b) + own(b, i)).exp()).sum();
        v = (0..1 << m).map(next).collect();
    }
    v.iter().sum::<f64>().ln()
}

/// Twenty sites are gone through, twenty-one are not.
#[test]
fn a_million_states_are_the_transfer_matrix() {
    let field = Array2::from_shape_fn((4, 5), |(i, j)| 0.1 * i as f64 - 0.07 * j as f64);
    let exact = Ising::new(0.4, field.clone()).unwrap().enumerate().unwrap();
    assert_eq!(exact.log_weights.len(), 1 << 20);
    near(exact.log_partition, transfer(0.4, &field), 1e-9);
    // E[z_i] and E[Σ z z] are derivatives of log Z.
    let h = 1e-5;
    near(exact.agreement, (transfer(0.4 + h, &field) - transfer(0.4 - h, &field)) / (2.0 * h), 1e-7);
    let moved = |by: f64| {
        let mut f = field.clone();
        f[[2, 3]] += by;
        transfer(0.4, &f)
    };
    near(exact.magnetisation[[2, 3]], (moved(h) - moved(-h)) / (2.0 * h), 1e-7);
    let refused = Ising::new(0.4, Array2::zeros((3, 7))).unwrap().enumerate().unwrap_err();
    assert!(refused.to_string().contains("at most 20"), "{refused}");
}

#[test]
fn bad_lattices_are_refused() {
    assert!(Ising::new(f64::NAN, Array2::zeros((2, 2))).is_err());
    assert!(Ising::new(0.1, Array2::zeros((0, 2))).is_err());
    assert!(Ising::denoiser(0.1, 1.0, &Array2::zeros((2, 2))).is_err());
    let ising = Ising::new(0.1, Array2::zeros((5, 5))).unwrap();
    assert!(ising.enumerate().is_err() && ising.clone().periodic(true).is_err());
    assert!(ising.mean_field(1, Some(&Array2::zeros((2, 2)))).is_err());
    let other = Ising::new(0.1, Array2::zeros((2, 2))).unwrap().start(1);
    assert!(ising.sweep(&other, 1).is_err() && ising.energy(&other).is_err());
}
