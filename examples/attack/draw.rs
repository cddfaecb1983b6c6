//! Inputs nobody would think of, drawn from a seed: kinds of data, layouts, sizes, parameters, counts, kernels.

use mercer::Kernel;
use ndarray::{Array1, Array2, Axis, ShapeBuilder, s};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of odd things.
pub struct Draw(ChaCha8Rng);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n.max(1))
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// How many rows a data set has: mostly few.
    pub fn rows(&mut self) -> usize {
        self.one(&[0, 1, 2, 3, 5, 8, 17, 33, 40, 64, 65])
    }

    /// `n x d` numbers of some kind, in some layout.
    pub fn matrix(&mut self, n: usize, d: usize) -> Array2<f64> {
        let kind = self.below(16);
        let scale = match kind {
            0 => self.one(&[1e-300, 1e-160, 1e-25, 1e25, 1e150, 1e160, 1e300]),
            1 => 1e6,
            _ => 1.0,
        };
        let shift = if kind == 2 { self.one(&[1e4, 1e6, 1.7e9, -1e12]) } else { 0.0 };
        let mut a = Array2::from_shape_fn((n, d), |_| {
            let v: f64 = self.0.sample(rand_distr::StandardNormal);
            scale * v + shift
        });
        match kind {
            3 => a.fill(self.one(&[0.0, 1.0, -3.5, 1e200])),
            4 if d > 0 => a.column_mut(d - 1).fill(2.0),
            5 if n > 0 => {
                let first = a.row(0).to_owned();
                a.rows_mut().into_iter().step_by(2).for_each(|mut r| r.assign(&first));
            }
            6 if n * d > 0 => {
                let at = (self.below(n), self.below(d));
                a[at] = self.one(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, -0.0]);
            }
            7 => a.mapv_inplace(f64::round),
            8 => a.mapv_inplace(|v| f64::from(u8::from(v > 0.0))),
            9 => a.mapv_inplace(|v| (3.0 * v.abs()).round()),
            10 if d > 1 => a.column_mut(0).mapv_inplace(|v| 1e5 * v),
            _ => {}
        }
        self.laid_out(a)
    }

    /// The same numbers, another way in memory.
    fn laid_out(&mut self, a: Array2<f64>) -> Array2<f64> {
        let (n, d) = a.dim();
        match self.below(4) {
            0 => {
                let mut turned = Array2::zeros((n, d).f());
                turned.assign(&a);
                turned
            }
            1 => {
                let mut upside = a;
                upside.invert_axis(Axis(0));
                upside
            }
            2 => {
                let mut wide = Array2::zeros((n, 2 * d + 1));
                wide.slice_mut(s![.., ..2 * d;2]).assign(&a);
                wide.slice_move(s![.., ..2 * d;2])
            }
            _ => a,
        }
    }

    /// Inputs of 1 to 4 features.
    pub fn x(&mut self) -> Array2<f64> {
        let (n, d) = (self.rows(), self.one(&[0, 1, 1, 2, 2, 3, 4]));
        self.matrix(n, d)
    }

    /// New inputs, mostly of the same width.
    pub fn like(&mut self, x: &Array2<f64>) -> Array2<f64> {
        let d = if self.below(12) == 0 { x.ncols() + 1 } else { x.ncols() };
        let m = self.one(&[0, 1, 3, 7]);
        if self.below(3) == 0 { x.clone() } else { self.matrix(m, d) }
    }

    /// Numbers to predict, mostly as many as there are rows.
    pub fn y(&mut self, x: &Array2<f64>) -> Array1<f64> {
        let n = if self.below(12) == 0 { x.nrows() + 1 } else { x.nrows() };
        self.matrix(n, 1).index_axis_move(Axis(1), 0)
    }

    /// Labels, mostly of two or three classes.
    pub fn labels(&mut self, x: &Array2<f64>) -> Vec<usize> {
        let classes = self.one(&[1, 2, 2, 3, 9]);
        (0..x.nrows()).map(|_| self.below(classes)).collect()
    }

    pub fn weights(&mut self, x: &Array2<f64>) -> Array1<f64> {
        let odd = self.below(6) == 0;
        (0..x.nrows()).map(|_| if odd { self.number() } else { self.below(4) as f64 }).collect()
    }

    /// A parameter: mostly ordinary, sometimes absurd.
    pub fn number(&mut self) -> f64 {
        let usual = [0.01, 0.1, 0.5, 1.0, 1.0, 2.0, 10.0];
        let odd = [0.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e-12, 1e12];
        if self.below(4) == 0 { self.one(&odd) } else { self.one(&usual) }
    }

    /// A count: mostly small, sometimes absurd.
    pub fn count(&mut self) -> usize {
        let odd = [0, 1 << 33, 1 << 40, usize::MAX, usize::MAX / 8, 100_000];
        if self.below(4) == 0 { self.one(&odd) } else { self.one(&[1, 2, 3, 4, 5, 20]) }
    }

    /// A few iterations, or none, but never so many that it takes long.
    pub fn few(&mut self) -> usize {
        self.one(&[0, 1, 2, 5, 20])
    }

    /// A kernel of up to three levels.
    pub fn kernel(&mut self) -> Kernel {
        self.expression(2)
    }

    fn expression(&mut self, depth: usize) -> Kernel {
        if depth == 0 || self.below(3) > 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        match self.below(6) {
            0 => a + self.expression(depth - 1),
            1 => a * self.expression(depth - 1),
            2 => a.scaled(self.number()),
            3 => {
                let power = self.one(&[0, 1, 2, 3, 40, u32::MAX]);
                a.pow(power)
            }
            4 => a.exp(),
            _ => self.number() * a,
        }
    }

    fn leaf(&mut self) -> Kernel {
        let p = self.number();
        match self.below(13) {
            0 => Kernel::linear(),
            1 => Kernel::polynomial(self.one(&[0, 1, 2, 5, 60]), p),
            2 => Kernel::exponential_dot(p),
            3 => Kernel::laplacian(p),
            4 => Kernel::matern12(p),
            5 => Kernel::matern32(p),
            6 => Kernel::matern52(p),
            7 => Kernel::rational_quadratic(p, self.number()),
            8 => Kernel::periodic(p, self.number()),
            9 => Kernel::constant(p),
            10 => Kernel::white(p),
            11 => Kernel::matern(self.number(), p),
            _ => Kernel::rbf(p),
        }
    }
}
