//! Data on a curved surface: an image, shifted and turned. Checked in `tests/svm/components.rs`.

use ndarray::{Array2, ArrayView2};

use crate::Result;
use crate::check::{finite, not_negative, zeros};
use crate::random::uniforms;

/// Copies of an image, each shifted and turned at random: rows of as many numbers as there are pixels, which three numbers
/// determine. They lie on a surface of three dimensions that no linear subspace of as few holds.
///
/// ```
/// use mercer::models::kernel_methods::MovedImages;
/// let mut image = ndarray::Array2::zeros((9, 9));
/// image.slice_mut(ndarray::s![2..7, 4]).fill(1.0);
/// let x = MovedImages::new(image).shift(1.5).turn(0.5).sample(20, 1)?;
/// assert_eq!(x.dim(), (20, 81));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MovedImages {
    image: Array2<f64>,
    shift: f64,
    turn: f64,
}

impl MovedImages {
    /// Copies of this image, neither shifted nor turned yet.
    pub fn new(image: Array2<f64>) -> Self {
        MovedImages { image, shift: 0.0, turn: 0.0 }
    }

    /// Shifted by up to so many pixels each way.
    #[must_use]
    pub fn shift(mut self, pixels: f64) -> Self {
        self.shift = pixels;
        self
    }

    /// Turned about the middle by up to so many radians each way.
    #[must_use]
    pub fn turn(mut self, radians: f64) -> Self {
        self.turn = radians;
        self
    }

    /// `count` images, one a row, pixels row after row; the seed decides.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for a bad image,
    /// [`Error::Parameter`](crate::Error::Parameter) for a negative shift or turn or more images than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        finite("MovedImages::sample", "the image", self.image.view())?;
        not_negative("shift", self.shift)?;
        not_negative("turn", self.turn)?;
        let mut out = zeros("count", count, self.image.len())?;
        let mut draw = uniforms(seed, 0);
        let mut within = move |reach: f64| reach * (2.0 * draw() - 1.0);
        for mut row in out.rows_mut() {
            let (down, right, angle) = (within(self.shift), within(self.shift), within(self.turn));
            let pixels = moved(self.image.view(), down, right, angle);
            row.iter_mut().zip(&pixels).for_each(|(to, from)| *to = *from);
        }
        Ok(out)
    }
}

/// The image turned about its middle, then shifted; what comes from outside is zero.
fn moved(image: ArrayView2<f64>, down: f64, right: f64, angle: f64) -> Array2<f64> {
    let (h, w) = image.dim();
    let (mid_i, mid_j) = (0.5 * (h as f64 - 1.0), 0.5 * (w as f64 - 1.0));
    let (sin, cos) = angle.sin_cos();
    let pixel = |i: f64, j: f64| {
        let inside = i >= 0.0 && j >= 0.0 && i < h as f64 && j < w as f64;
        if inside { image[[i as usize, j as usize]] } else { 0.0 }
    };
    Array2::from_shape_fn((h, w), |(i, j)| {
        let (y, x) = (i as f64 - mid_i - down, j as f64 - mid_j - right);
        let (from_i, from_j) = (mid_i + cos * y - sin * x, mid_j + sin * y + cos * x);
        let (i, j) = (from_i.floor(), from_j.floor());
        let (a, b) = (from_i - i, from_j - j);
        (1.0 - a) * ((1.0 - b) * pixel(i, j) + b * pixel(i, j + 1.0))
            + a * ((1.0 - b) * pixel(i + 1.0, j) + b * pixel(i + 1.0, j + 1.0))
    })
}
