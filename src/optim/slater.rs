//! When multipliers exist: Slater's condition, and those of Fritz John where it fails. Checked in `tests/svm/duality.rs`.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::duality::ConvexProgram;
use super::minimiser::Minimiser;
use super::quadratic::QuadraticProgram;
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::linalg::eigh;

const OP: &str = "Slater's condition";
/// Slacks that are asked for, one after another.
const SLACKS: [f64; 7] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// `λ₀∇f₀ + Σ λ_i ∇f_i + Σ ν_j ∇h_j = 0` with λ ≥ 0, `λ₀ + Σ λ_i = 1` and `λ_i = 0` where `f_i < 0`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FritzJohn {
    /// λ₀: positive under Slater's condition, and then λ / λ₀ are the multipliers of Karush, Kuhn and Tucker.
    pub objective: f64,
    /// λ, one for each inequality.
    pub inequality: Array1<f64>,
    /// ν, one for each equality.
    pub equality: Array1<f64>,
    /// The length of what is left of the sum of gradients.
    pub residual: f64,
}

impl ConvexProgram {
    /// A point with `f_i(x) < 0` for every inequality and `h_j(x) = 0`, searched from `start`: Slater's condition, under
    /// which a convex program has no duality gap. None if there is no point whose slack is a millionth.
    ///
    /// Equalities are affine, as those of a convex program are.
    ///
    /// # Errors
    /// As [`ConvexProgram::lagrangian`], and those of [`Minimiser`]; equalities that contradict each other.
    pub fn slater(&self, start: ArrayView1<f64>) -> Result<Option<Array1<f64>>> {
        let n = self.variables;
        require(OP, start.len() == n, || format!("{n} variables, a start of {}", start.len()))?;
        let (base, free) = self.on_equalities(start)?;
        let at = |z: &[f64]| &base + &free.dot(&ArrayView1::from(z));
        let worst = |x: &Array1<f64>| {
            self.inequalities.iter().map(|f| f(x.view()).0).fold(f64::NEG_INFINITY, f64::max)
        };
        if worst(&base) < 0.0 {
            return Ok(Some(base));
        }
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); free.ncols()];
        for slack in SLACKS {
            // Zero where every inequality has this slack, convex, and smooth.
            let search = Minimiser::new().tolerance(1e-12).max_iterations(500);
            let found = search.run(&vec![0.0; free.ncols()], &bounds, |z| {
                let x = at(z);
                let (mut value, mut gradient) = (0.0, Array1::<f64>::zeros(n));
                for f in &self.inequalities {
                    let (v, slope) = f(x.view());
                    let over = (v + slack).max(0.0);
                    value += over * over;
                    gradient.scaled_add(2.0 * over, &slope);
                }
                Ok((value, free.t().dot(&gradient).to_vec()))
            })?;
            let x = at(&found.point);
            if worst(&x) < 0.0 {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// The point of the equalities nearest to `start`, and orthonormal directions along them (variables x free).
    fn on_equalities(&self, start: ArrayView1<f64>) -> Result<(Array1<f64>, Array2<f64>)> {
        let n = self.variables;
        if self.equalities.is_empty() {
            return Ok((start.to_owned(), Array2::eye(n)));
        }
        let mut jacobian = Array2::zeros((self.equalities.len(), n));
        let mut off = Array1::zeros(self.equalities.len());
        for (j, h) in self.equalities.iter().enumerate() {
            let (v, slope) = h(start);
            require(OP, slope.len() == n, || format!("a gradient of {}", slope.len()))?;
            off[j] = v;
            jacobian.row_mut(j).assign(&slope);
        }
        let normal = eigh(jacobian.t().dot(&jacobian).view())?;
        let rank =
            normal.values.iter().filter(|v| **v > 1e-12 * normal.values[0].max(f64::MIN_POSITIVE)).count();
        let across = normal.vectors.slice(s![.., ..rank]);
        let along = across.t().dot(&jacobian.t().dot(&off)) / normal.values.slice(s![..rank]);
        let x = &start - &across.dot(&along);
        let left = self.equalities.iter().map(|h| h(x.view()).0.abs()).fold(0.0, f64::max);
        let size = off.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        parameter("an equality", left, left <= 1e-8 * size, "must be affine and agree with the others")?;
        Ok((x, normal.vectors.slice(s![.., rank..]).to_owned()))
    }

    /// Multipliers of Fritz John at a minimum x, for inequalities that are active to `tolerance`: they exist whether or not
    /// Slater's condition holds, and `λ₀ = 0` shows where those of Karush, Kuhn and Tucker do not.
    ///
    /// # Errors
    /// As [`ConvexProgram::lagrangian`], and those of [`QuadraticProgram::solve`].
    pub fn fritz_john(&self, x: ArrayView1<f64>, tolerance: f64) -> Result<FritzJohn> {
        let (n, m, r) = (self.variables, self.inequalities.len(), self.equalities.len());
        require(OP, x.len() == n, || format!("{n} variables, a point of {}", x.len()))?;
        positive("tolerance", tolerance)?;
        let active: Vec<usize> = (0..m).filter(|&i| self.inequalities[i](x).0 >= -tolerance).collect();
        let columns = std::iter::once(&self.objective)
            .chain(active.iter().map(|&i| &self.inequalities[i]))
            .chain(&self.equalities);
        let signed = 1 + active.len();
        let mut gradients = Array2::<f64>::zeros((n, signed + r));
        for (mut column, f) in gradients.columns_mut().into_iter().zip(columns) {
            let slope = f(x).1;
            require(OP, slope.len() == n, || format!("a gradient of {}", slope.len()))?;
            column.assign(&slope);
        }
        let mut p = gradients.t().dot(&gradients);
        // Parallel gradients leave multipliers open: the shortest are taken.
        let ridge = 1e-12 * p.diag().iter().fold(1.0, |m: f64, v| m.max(*v));
        p.diag_mut().mapv_inplace(|v| v + ridge);
        let mut one = Array2::zeros((1, signed + r));
        one.slice_mut(s![0, ..signed]).fill(1.0);
        let low = Array1::from_shape_fn(signed + r, |c| if c < signed { 0.0 } else { f64::NEG_INFINITY });
        let high = Array1::from_elem(signed + r, f64::INFINITY);
        let found = QuadraticProgram::new(p, Array1::zeros(signed + r))
            .equal(one, Array1::ones(1))
            .bounds(low, high)
            .solve()?
            .x;
        let left = gradients.dot(&found);
        let mut inequality = Array1::zeros(m);
        active.iter().enumerate().for_each(|(at, &i)| inequality[i] = found[1 + at].max(0.0));
        Ok(FritzJohn {
            objective: found[0].max(0.0),
            inequality,
            equality: found.slice_axis(Axis(0), ndarray::Slice::from(signed..)).to_owned(),
            residual: left.dot(&left).sqrt(),
        })
    }
}
