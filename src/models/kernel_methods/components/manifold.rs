//! Data on a curved surface: an image, shifted and turned. Checked in `tests/svm/components.rs`.

use ndarray::Array2;

use crate::Result;
use crate::learn::moved_images;

/// Copies of an image, each shifted and turned at random: rows of as many numbers as there are pixels, which three numbers
/// determine. They lie on a surface of three dimensions that no linear subspace of as few holds. The images are those of
/// [`moved_images`](crate::learn::moved_images), which also says what was done to each.
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
        Ok(moved_images(self.image.view(), count, self.shift, self.turn, seed)?.0)
    }
}
