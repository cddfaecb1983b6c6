//! Of a Gaussian likelihood Laplace's approximation is exact: it is Gaussian process regression.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::matrix::Points;
use crate::models::gp::classification::binary::{OneFactor, ScaledFactor};
use crate::models::gp::classification::laplace::{Laplace, Observed, Problem};
use crate::models::gp::{GpRegressor, Predictive};
use crate::{Device, Kernel, Matrix, Result};

/// `y ~ N(f, noise)`.
struct Gaussian {
    y: Array1<f64>,
    noise: f64,
}

impl Observed for Gaussian {
    type Curvature = OneFactor;

    fn functions(&self) -> usize {
        1
    }

    fn slope(&self, f: ArrayView2<f64>) -> (f64, Array2<f64>) {
        let rest = &self.y - &f.column(0);
        let constant = (std::f64::consts::TAU * self.noise).ln();
        let log = rest.iter().map(|r| -0.5 * (r * r / self.noise + constant)).sum();
        (log, (rest / self.noise).insert_axis(Axis(1)))
    }

    fn curvature(&self, k: &Matrix, f: ArrayView2<f64>) -> Result<OneFactor> {
        let root = Array1::from_elem(f.nrows(), self.noise.sqrt().recip());
        Ok(OneFactor { scaled: ScaledFactor::new(k, root)?, drift: Array1::zeros(f.nrows()) })
    }
}

#[test]
fn a_gaussian_likelihood_gives_regression() {
    let x = Array2::from_shape_fn((40, 2), |(i, j)| ((7 * i + 3 * j + i * j) % 23) as f64 / 6.0);
    let y = x.map_axis(Axis(1), |r| (1.3 * r[0]).sin() + 0.4 * r[1]);
    let new = Array2::from_shape_fn((15, 2), |(i, j)| 0.3 * i as f64 - 0.7 * j as f64);
    let (kernel, noise, cpu) = (1.7 * Kernel::rbf([0.9, 1.4]) + 0.3 * Kernel::linear(), 0.05, Device::cpu());
    let points = Points::new("test", &cpu, x.view(), kernel.origin(), 0.0).unwrap();
    let problem = Problem::new(&kernel, &points).unwrap();
    let observed = Gaussian { y: y.clone(), noise };
    let laplace = Laplace::new(&problem, &observed).unwrap();
    assert_eq!(laplace.trace.len(), 2, "the first step ends at the mode of a quadratic: {:?}", laplace.trace);

    let y = y.insert_axis(Axis(1));
    let model = GpRegressor::new(kernel.clone()).noise(noise).fixed_noise();
    let exact = model.fit(&cpu, x.view(), y.view()).unwrap();
    let near = |got: f64, want: f64, what: &str| {
        assert!((got - want).abs() <= 1e-9 * (1.0 + want.abs()), "{what}: {got} instead of {want}");
    };
    near(laplace.log_evidence, exact.log_evidence(), "evidence");
    laplace.a.iter().zip(exact.alpha()).for_each(|(a, w)| near(*a, *w, "alpha"));
    let fit = exact.predict(x.view()).unwrap();
    laplace.f.iter().zip(&fit).for_each(|(f, w)| near(*f, *w, "mode"));
    let slopes = exact.log_evidence_gradient().unwrap();
    for ((g, p), w) in laplace.gradient(&problem.k).unwrap().iter().zip(kernel.params()).zip(slopes) {
        near(g * p.value, w, &p.name);
    }
    let want = exact.predict_with(new.view(), Predictive::Latent).unwrap();
    let mut seen = 0;
    laplace
        .blocks(new.view(), |block| {
            let left = laplace.curvature.scaled.left(block.cross, &block.prior)?;
            for (at, i) in block.rows.enumerate() {
                near(block.mean[[at, 0]], want.mean[[i, 0]], "mean");
                near(left[at], want.variance[i], "variance");
                seen += 1;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, new.nrows());
}
