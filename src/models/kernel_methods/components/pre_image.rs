//! Points whose features are nearest to a point of the feature space.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::kernel_pca::FittedKernelPca;
use crate::ops::{gram, gram_vec};
use crate::optim::Minimiser;
use crate::{Kernel, Matrix, Result};

/// `‖φ(x) - Σ_i c_i φ(x_i)‖²` less what does not depend on x, and its gradient by x.
fn distance(kernel: &Kernel, points: &Array2<f64>, c: ArrayView1<f64>, x: &[f64]) -> Result<(f64, Vec<f64>)> {
    let at = ArrayView2::from_shape((1, x.len()), x).expect("one row");
    let (z, one) = (Matrix::from_host(points.clone()), Matrix::from_host(at.to_owned()));
    let row = gram(kernel, &one, Some(&z))?.into_array()?;
    let own = kernel.value(x, x)?;
    let towards = kernel.input_gradient(at, points.view(), c.insert_axis(Axis(0)))?;
    let away = kernel.input_gradient(at, at, Array2::ones((1, 1)).view())?;
    let value = own - 2.0 * row.row(0).dot(&c);
    Ok((value, (2.0 * away - 2.0 * towards).row(0).to_vec()))
}

impl FittedKernelPca {
    pub(super) fn pre_images(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (kernel, points) = (&self.expansion.kernel, &self.expansion.points);
        let (n, d) = points.dim();
        // The mean of the data, and the scores along the directions.
        let weights = self.expansion.coefficients.dot(&z.t()) + 1.0 / n as f64;
        let all = Matrix::from_host(points.clone());
        let towards =
            gram_vec(kernel, &all, Some(&all), &Matrix::from_host(weights.clone()))?.into_array()?;
        let own: Vec<f64> = points
            .rows()
            .into_iter()
            .map(|x| kernel.value(&x.to_vec(), &x.to_vec()))
            .collect::<Result<_>>()?;
        let mut out = Array2::zeros((z.nrows(), d));
        let search = Minimiser::new().tolerance(1e-8).max_iterations(500);
        for (t, mut out) in out.rows_mut().into_iter().enumerate() {
            let far = |i: usize| own[i] - 2.0 * towards[[i, t]];
            let nearest = (0..n).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0);
            let c = weights.column(t);
            let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); d];
            let found =
                search.run(&points.row(nearest).to_vec(), &bounds, |x| distance(kernel, points, c, x))?;
            out.assign(&ArrayView1::from(&found.point));
        }
        Ok(out)
    }
}
