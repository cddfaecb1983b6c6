//! Bilinear forms of matrices with columns of two values, which is what relabellings of two samples are.
//!
//! The CPU looks sums of sixteen products up in tables, a GPU multiplies (`shaders/gemm.wgsl`). Both are checked against
//! the sums of the definition in `tests/ops/gemm.rs`.

mod lanes;
mod lookup;
mod tables;

use ndarray::Array2;
use rayon::prelude::*;

use super::{Entries, bilinear_forms, require};
use crate::{Device, Matrix, Result};
use tables::TwoValued;

/// Fewest columns for which the CPU makes tables: each costs what sixteen columns would.
const FEWEST: usize = 24;

/// An `n x r` matrix with entries of two values, one column a relabelling, made ready for [`relabelled_forms`] on a
/// device.
#[derive(Debug, Clone)]
pub struct Relabellings {
    rows: usize,
    cols: usize,
    device: Device,
    columns: Columns,
}

#[derive(Debug, Clone)]
enum Columns {
    Tables(TwoValued),
    Dense(Matrix),
}

impl Relabellings {
    /// Column b has `values[labels[b][i]]` in row i; labels are 0 or 1.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no labels, columns of different lengths, or another label than 0 or 1;
    /// those of the device.
    pub fn new(device: &Device, values: [f64; 2], labels: &[&[u8]]) -> Result<Self> {
        const OP: &str = "Relabellings";
        let (rows, cols) = (labels.first().map_or(0, |l| l.len()), labels.len());
        let even = labels.iter().all(|l| l.len() == rows && l.iter().all(|&v| v < 2));
        require(OP, rows > 0 && even, || {
            "labels must be 0 or 1, one for each row, in columns of one length".to_owned()
        })?;
        let columns = if device.is_gpu() || cols < FEWEST {
            Columns::Dense(Matrix::upload(OP, device, dense(rows, values, labels).view())?)
        } else {
            Columns::Tables(TwoValued::new(rows, cols, values, |b| labels[b]))
        };
        Ok(Relabellings { rows, cols, device: device.clone(), columns })
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        match &self.columns {
            Columns::Tables(tables) => tables.bytes(),
            Columns::Dense(matrix) => matrix.bytes(),
        }
    }
}

fn dense(rows: usize, values: [f64; 2], labels: &[&[u8]]) -> Array2<f64> {
    let width = labels.len();
    let mut v = Array2::zeros((rows, width));
    // Eight rows at a time: eight bytes of a column are read together, eight rows written in order.
    let all = v.as_slice_mut().expect("a new array is row-major");
    all.par_chunks_mut(8 * width).enumerate().for_each(|(strip, v)| {
        for (column, labels) in labels.iter().enumerate() {
            for (row, &label) in labels[8 * strip..].iter().take(v.len() / width).enumerate() {
                v[row * width + column] = values[usize::from(label)];
            }
        }
    });
    v
}

/// `q_b = u_b^T A v_b` for every column b: `1 x r` for each matrix of `a` (`n x m`), from `u` (`n x r`) and `v` (`m x r`).
///
/// Without `v` it is u, and the matrices are symmetric: the CPU then reads one half of each. Several matrices cost it
/// little more than one, up to eight at a time.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the shapes do not fit,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Relabellings, relabelled_forms}};
/// let cpu = Device::cpu();
/// let a = Matrix::from_array(&cpu, ndarray::array![[2.0, 1.0], [1.0, 3.0]].view())?;
/// let u = Relabellings::new(&cpu, [-1.0, 1.0], &[&[1, 1], &[1, 0]])?;
/// assert_eq!(relabelled_forms(&u, &[a], None)?[0].to_array()?, ndarray::array![[7.0, 3.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn relabelled_forms(u: &Relabellings, a: &[Matrix], v: Option<&Relabellings>) -> Result<Vec<Matrix>> {
    let right = v.unwrap_or(u);
    for a in a {
        require("relabelled_forms", a.shape() == (u.rows, right.rows) && u.cols == right.cols, || {
            let (n, m) = a.shape();
            format!("u is {} x {}, a is {n} x {m}, v is {} x {}", u.rows, u.cols, right.rows, right.cols)
        })?;
        let (left, right) = (&u.device, a.device());
        if *left != right {
            let (left, right) = (left.to_string(), right.to_string());
            return Err(crate::Error::DeviceMismatch { op: "relabelled_forms", left, right });
        }
    }
    match (&u.columns, &right.columns) {
        (Columns::Tables(left), Columns::Tables(right)) => Ok(cpu(left, a, right, v.is_none())),
        (Columns::Dense(left), Columns::Dense(right)) => {
            a.iter().map(|a| bilinear_forms(left, a, right)).collect()
        }
        // One lives on a GPU, where nothing is looked up.
        _ => Err(crate::Error::DeviceMismatch {
            op: "relabelled_forms",
            left: u.device.to_string(),
            right: right.device.to_string(),
        }),
    }
}

fn cpu(u: &TwoValued, a: &[Matrix], v: &TwoValued, symmetric: bool) -> Vec<Matrix> {
    let views: Vec<_> = a.iter().map(|a| a.cpu().view()).collect();
    let forms = u.forms(&views, v, if symmetric { Entries::Lower } else { Entries::All });
    let row = |q: Vec<f64>| Array2::from_shape_vec((1, q.len()), q).expect("one form for each column");
    forms.into_iter().map(|q| Matrix::from_host(row(q))).collect()
}
