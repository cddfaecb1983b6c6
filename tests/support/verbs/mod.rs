//! Every verb, run at the edges of its tiles: `selfcheck` compares devices by it, the shader tests compile by it.

mod entries;
mod models;
mod products;
mod rows;

use mercer::{Device, Kernel, Matrix, Result};
use ndarray::{Array1, Array2, Axis};

/// A verb and how to run it.
pub struct Verb {
    pub name: &'static str,
    /// Allowed distance between f32 and f64, relative to the largest entry.
    pub tolerance: f64,
    /// Runs it on a device and reads everything back.
    pub run: fn(&Device) -> Result<Vec<Array2<f64>>>,
}

/// Entries in [-1, 1), the same everywhere, no generator needed.
pub fn points(rows: usize, cols: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, cols), |(i, j)| {
        let h = (i * 7919 + j * 104_729 + seed * 15_485_863 + i * j * 31) % 2001;
        h as f64 / 1000.0 - 1.0
    })
}

fn up(device: &Device, rows: usize, cols: usize, seed: usize) -> Result<Matrix> {
    Matrix::from_array(device, points(rows, cols, seed).view())
}

fn spd(device: &Device, n: usize) -> Result<Matrix> {
    let a = points(n, n, 3);
    Matrix::from_array(device, (a.dot(&a.t()) / n as f64 + Array2::<f64>::eye(n)).view())
}

fn down(all: Vec<Matrix>) -> Result<Vec<Array2<f64>>> {
    all.iter().map(Matrix::to_array).collect()
}

fn column(values: Vec<f64>) -> Array2<f64> {
    Array1::from(values).insert_axis(Axis(1))
}

const SIZES: [usize; 5] = [1, 63, 64, 65, 131];

/// A kernel with scalar and per-feature parameters.
fn kernel() -> Kernel {
    1.3 * Kernel::rbf([0.7, 1.1, 2.0]) + Kernel::matern32(0.8) * Kernel::linear() + Kernel::white(0.1)
}

/// Runs `f` at every size and gathers what it makes.
fn at_sizes(f: impl Fn(usize) -> Result<Vec<Matrix>>) -> Result<Vec<Array2<f64>>> {
    SIZES.iter().map(|&n| f(n).and_then(down)).collect::<Result<Vec<_>>>().map(|all| all.concat())
}

fn v(name: &'static str, tolerance: f64, run: fn(&Device) -> Result<Vec<Array2<f64>>>) -> Verb {
    Verb { name, tolerance, run }
}

pub fn verbs() -> Vec<Verb> {
    [products::verbs(), rows::verbs(), entries::verbs(), models::verbs()].into_iter().flatten().collect()
}
