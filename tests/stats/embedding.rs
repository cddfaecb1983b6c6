//! Kernel mean embeddings and herding.

use approx::assert_relative_eq;
use mercer::stats::KernelMeanEmbedding;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, ArrayView2, array, concatenate, s};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::loops::adapters;
use crate::loops::normal;
use crate::support::random;

fn kernels() -> [Kernel; 3] {
    [Kernel::rbf(0.8), 2.0 * Kernel::matern32(1.3), Kernel::polynomial(2, 1.0)]
}

/// `Σ_ij w_i v_j k(x_i, y_j)` by two loops.
fn double_loop(k: &Kernel, x: &Array2<f64>, w: &[f64], y: &Array2<f64>, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, w) in x.rows().into_iter().zip(w) {
        for (y, v) in y.rows().into_iter().zip(v) {
            sum += w * v * k.value(x.as_slice().unwrap(), y.as_slice().unwrap()).unwrap();
        }
    }
    sum
}

struct Case {
    x: Array2<f64>,
    y: Array2<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
}

fn case() -> Case {
    let w = random(23, 1, 3).into_raw_vec_and_offset().0;
    let v = random(17, 1, 4).into_raw_vec_and_offset().0;
    Case { x: random(23, 3, 1), y: random(17, 3, 2) + 0.7, w, v }
}

#[test]
fn sums_are_the_double_loops() {
    let Case { x, y, w, v } = case();
    let cpu = Device::cpu();
    for k in kernels() {
        let mu = KernelMeanEmbedding::weighted(&cpu, &k, x.view(), &w).unwrap();
        let nu = KernelMeanEmbedding::weighted(&cpu, &k, y.view(), &v).unwrap();
        let (xx, yy) = (double_loop(&k, &x, &w, &x, &w), double_loop(&k, &y, &v, &y, &v));
        let xy = double_loop(&k, &x, &w, &y, &v);
        assert_relative_eq!(mu.inner(&nu).unwrap(), xy, max_relative = 1e-10);
        assert_relative_eq!(mu.norm().unwrap(), xx.sqrt(), max_relative = 1e-10);
        assert_relative_eq!(mu.squared_distance(&nu).unwrap(), xx + yy - 2.0 * xy, max_relative = 1e-10);
        let at = random(5, 3, 9);
        let values = mu.evaluate(at.view()).unwrap();
        for (t, value) in at.rows().into_iter().zip(values) {
            let point = t.to_owned().insert_axis(ndarray::Axis(0));
            assert_relative_eq!(value, double_loop(&k, &x, &w, &point, &[1.0]), epsilon = 1e-10);
        }
    }
}

#[test]
fn reference_values() {
    // X = (0, 1, 2), Y = (1, 2, 4, 5), Gaussian kernel of width 1: MMD and the witness at 0, 1, 3, 5.
    let (cpu, k) = (Device::cpu(), Kernel::rbf(1.0));
    let p = KernelMeanEmbedding::new(&cpu, &k, array![[0.0], [1.0], [2.0]].view()).unwrap();
    let q = KernelMeanEmbedding::new(&cpu, &k, array![[1.0], [2.0], [4.0], [5.0]].view()).unwrap();
    assert_relative_eq!(p.squared_distance(&q).unwrap(), 0.368_819_915, epsilon = 1e-9);
    let witness = p.combined(1.0, &q, -1.0).unwrap();
    let values = witness.evaluate(array![[0.0], [1.0], [3.0], [5.0]].view()).unwrap();
    let want = [0.395_070_697_9, 0.333_193_326_8, -0.119_941_325, -0.400_677_717_8];
    values.iter().zip(want).for_each(|(v, w)| assert_relative_eq!(*v, w, epsilon = 1e-9));
    // The witness has the distance as its norm, and the difference of its means is the squared distance.
    assert_relative_eq!(witness.norm().unwrap(), p.distance(&q).unwrap(), epsilon = 1e-12);
    let gap = p.inner(&witness).unwrap() - q.inner(&witness).unwrap();
    assert_relative_eq!(gap, p.squared_distance(&q).unwrap(), epsilon = 1e-12);
}

/// `⟨μ, f⟩ = Σ w_i f(x_i)`: the property that defines the embedding.
#[test]
fn inner_products_are_means() {
    let Case { x, y, w, v } = case();
    for k in kernels() {
        let mu = KernelMeanEmbedding::weighted(&Device::cpu(), &k, x.view(), &w).unwrap();
        let f = KernelMeanEmbedding::weighted(&Device::cpu(), &k, y.view(), &v).unwrap();
        let mean: f64 = f.evaluate(x.view()).unwrap().iter().zip(&w).map(|(f, w)| f * w).sum();
        assert_relative_eq!(mu.inner(&f).unwrap(), mean, max_relative = 1e-12);
    }
}

/// Two normal distributions and a Gaussian kernel have a closed form; samples at their quantiles approach it.
#[test]
fn normal_distributions_have_their_closed_form() {
    let (m1, s1, m2, s2, width) = (0.0, 1.0, 0.8, 0.5, 1.2);
    let n = 4000;
    let quantiles = |m: f64, s: f64| {
        let law = Normal::new(m, s).unwrap();
        Array2::from_shape_fn((n, 1), |(i, _)| law.inverse_cdf((i as f64 + 0.5) / n as f64))
    };
    let k = Kernel::rbf(width);
    let p = KernelMeanEmbedding::new(&Device::cpu(), &k, quantiles(m1, s1).view()).unwrap();
    let q = KernelMeanEmbedding::new(&Device::cpu(), &k, quantiles(m2, s2).view()).unwrap();
    let spread: f64 = width * width + s1 * s1 + s2 * s2;
    let want = width / spread.sqrt() * (-(m1 - m2) * (m1 - m2) / (2.0 * spread)).exp();
    assert_relative_eq!(p.inner(&q).unwrap(), want, epsilon = 2e-5);
}

#[test]
fn merging_is_pooling() {
    let (x, y) = (random(12, 2, 1), random(31, 2, 2));
    let (cpu, k) = (Device::cpu(), Kernel::rbf(0.5));
    let of = |x: ArrayView2<f64>| KernelMeanEmbedding::new(&cpu, &k, x).unwrap();
    let both = concatenate![ndarray::Axis(0), x, y];
    let (merged, pooled) = (of(x.view()).merged(&of(y.view())).unwrap(), of(both.view()));
    assert!(merged.squared_distance(&pooled).unwrap().abs() < 1e-14);
    // A mixture lies on the segment between its parts.
    let (p, q) = (of(x.view()), of(y.view()));
    let share = 12.0 / 43.0;
    assert_relative_eq!(
        merged.distance(&p).unwrap(),
        (1.0 - share) * p.distance(&q).unwrap(),
        epsilon = 1e-10
    );
    // And distances obey the triangle inequality.
    let r = of(random(9, 2, 3).view());
    assert!(p.distance(&q).unwrap() <= p.distance(&r).unwrap() + r.distance(&q).unwrap() + 1e-12);
}

#[test]
fn herding_follows_its_definition() {
    let x = normal(60, 2, 0.0, 5);
    let k = Kernel::rbf(1.0);
    let mu = KernelMeanEmbedding::new(&Device::cpu(), &k, x.view()).unwrap();
    let herded = mu.herd(8, None).unwrap();
    let value =
        |i: usize, j: usize| k.value(x.row(i).as_slice().unwrap(), x.row(j).as_slice().unwrap()).unwrap();
    let mean = mu.evaluate(x.view()).unwrap();
    let mut chosen: Vec<usize> = Vec::new();
    for t in 0..8 {
        let score = |c: usize| (t + 1) as f64 * mean[c] - chosen.iter().map(|&s| value(c, s)).sum::<f64>();
        let best = (0..60).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap();
        assert_eq!(herded.indices[t], best, "choice {t}");
        chosen.push(best);
        let so_far = KernelMeanEmbedding::new(&Device::cpu(), &k, herded.points.slice(s![..=t, ..])).unwrap();
        assert_relative_eq!(herded.distances[t], mu.distance(&so_far).unwrap(), epsilon = 1e-7);
    }
    let elsewhere = mu.herd(3, Some(array![[0.0, 0.0], [9.0, 9.0]].view())).unwrap();
    assert_eq!(elsewhere.indices[0], 0);
}

/// In a space of finite dimension T points are O(1/T) away; random ones would be O(1/√T).
#[test]
fn herding_is_faster_than_chance() {
    let x = normal(500, 2, 0.0, 6);
    let mu = KernelMeanEmbedding::new(&Device::cpu(), &Kernel::polynomial(2, 1.0), x.view()).unwrap();
    let distances = mu.herd(200, None).unwrap().distances;
    let scaled = |t: usize| t as f64 * distances[t - 1];
    assert!(scaled(200) < 2.0 * scaled(20), "{} after 20, {} after 200", distances[19], distances[199]);
    let k = Kernel::rbf(1.0);
    let mu = KernelMeanEmbedding::new(&Device::cpu(), &k, x.view()).unwrap();
    let herded = mu.herd(30, None).unwrap();
    // Against sixteen sets of thirty of the observations themselves.
    let chance = |i: usize| {
        let own = x.slice(s![30 * i..30 * (i + 1), ..]);
        mu.distance(&KernelMeanEmbedding::new(&Device::cpu(), &k, own).unwrap()).unwrap()
    };
    let mean = (0..16).map(chance).sum::<f64>() / 16.0;
    println!("thirty points: herded {:.4}, by chance {mean:.4}", herded.distances[29]);
    assert!(herded.distances[29] < 0.4 * mean);
    // The weights say what is followed, in shares.
    let right: Vec<f64> = x.column(0).iter().map(|&v| if v > 0.0 { 3.0 } else { 0.0 }).collect();
    let mu = KernelMeanEmbedding::weighted(&Device::cpu(), &k, x.view(), &right).unwrap();
    assert!(mu.herd(10, None).unwrap().points.column(0).iter().all(|v| *v > -0.1));
}

#[test]
fn every_adapter_agrees() {
    let Case { x, y, w, v } = case();
    let v: Vec<f64> = v.iter().map(|v| v.abs()).collect();
    for k in kernels() {
        let values = |device: &Device| {
            let mu = KernelMeanEmbedding::weighted(device, &k, x.view(), &w).unwrap();
            let nu = KernelMeanEmbedding::weighted(device, &k, y.view(), &v).unwrap();
            let at = mu.evaluate(y.view()).unwrap().sum();
            let herded = nu.herd(6, None).unwrap();
            let sums = [mu.inner(&nu).unwrap(), mu.norm().unwrap(), mu.distance(&nu).unwrap(), at];
            (sums, herded.indices)
        };
        let (want, chosen) = values(&Device::cpu());
        for device in adapters() {
            let (got, indices) = values(device);
            got.iter().zip(want).for_each(|(g, w)| assert_relative_eq!(*g, w, max_relative = 1e-5));
            assert_eq!(indices, chosen, "{device}");
        }
    }
}

#[test]
fn bad_input_is_refused() {
    let (cpu, k) = (Device::cpu(), Kernel::rbf(1.0));
    let of = |x: Array2<f64>| KernelMeanEmbedding::new(&cpu, &k, x.view());
    assert!(matches!(of(Array2::zeros((0, 2))), Err(Error::Shape { .. })));
    assert!(matches!(of(Array2::zeros((2, 0))), Err(Error::Shape { .. })));
    assert!(matches!(of(array![[1.0], [f64::NAN]]), Err(Error::NotFinite { row: 1, .. })));
    assert!(matches!(
        KernelMeanEmbedding::new(&cpu, &Kernel::rbf(-1.0), array![[1.0]].view()),
        Err(Error::Parameter { .. })
    ));
    assert!(matches!(
        KernelMeanEmbedding::weighted(&cpu, &k, array![[1.0]].view(), &[]),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        KernelMeanEmbedding::weighted(&cpu, &k, array![[1.0]].view(), &[f64::INFINITY]),
        Err(Error::NotFinite { .. })
    ));
    let mu = of(array![[1.0], [1.0]]).unwrap(); // one point, all points equal: still a mean
    assert_eq!(mu.norm().unwrap(), 1.0);
    assert!(matches!(mu.evaluate(array![[1.0, 2.0]].view()), Err(Error::Shape { .. })));
    assert!(matches!(mu.evaluate(array![[f64::NAN]].view()), Err(Error::NotFinite { .. })));
    assert!(matches!(mu.inner(&of(array![[1.0, 2.0]]).unwrap()), Err(Error::Shape { .. })));
    let other = KernelMeanEmbedding::new(&cpu, &Kernel::rbf(2.0), array![[1.0]].view()).unwrap();
    assert!(matches!(mu.distance(&other), Err(Error::Shape { .. })));
    assert!(matches!(mu.combined(f64::NAN, &mu, 1.0), Err(Error::Parameter { .. })));
    assert!(matches!(mu.herd(0, None), Err(Error::Parameter { .. })));
    assert!(matches!(mu.herd(2, Some(Array2::zeros((0, 1)).view())), Err(Error::Shape { .. })));
    let witness = mu.combined(1.0, &mu, -1.0).unwrap();
    assert!(matches!(witness.herd(2, None), Err(Error::Parameter { .. })));
    if let Some(device) = adapters().next() {
        let there = KernelMeanEmbedding::new(device, &k, array![[1.0]].view()).unwrap();
        assert!(matches!(mu.inner(&there), Err(Error::DeviceMismatch { .. })));
    }
}
