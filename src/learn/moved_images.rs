//! Data on a curved surface of three dimensions: one image, moved and turned. Checked in `tests/graph/moved_images.rs`.

use ndarray::{Array2, ArrayView2};

use crate::Result;
use crate::check::{finite, not_negative, zeros};

/// Copies of one image, each shifted by up to `shift` pixels either way along both axes and turned by up to `turn` radians either
/// way about its middle: `count x (height width)` numbers that three of them describe, on a surface that no plane contains.
///
/// Pixels are interpolated linearly; beyond the edge there is nothing. Returned are the images, one a row, and what was done to
/// each: shift down, shift right, turn.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the image is empty, [`Error::NotFinite`](crate::Error::NotFinite),
/// [`Error::Parameter`](crate::Error::Parameter) for a shift or turn that is negative or not finite, or more images than memory has
/// room for.
///
/// ```
/// use mercer::prelude::*;
/// let mut image = ndarray::Array2::<f64>::zeros((20, 20));
/// image.slice_mut(ndarray::s![5..15, 9..11]).fill(1.0);
/// let (x, moves) = moved_images(image.view(), 50, 3.0, 0.5, 0)?;
/// assert_eq!((x.dim(), moves.dim()), ((50, 400), (50, 3)));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn moved_images(
    image: ArrayView2<f64>,
    count: usize,
    shift: f64,
    turn: f64,
    seed: u64,
) -> Result<(Array2<f64>, Array2<f64>)> {
    finite("moved_images", "the image", image)?;
    not_negative("shift", shift)?;
    not_negative("turn", turn)?;
    let (height, width) = image.dim();
    let mut moves = zeros("count", count, 3)?;
    let mut images = zeros("count", count, height * width)?;
    let mut uniform = crate::random::uniforms(seed, 0);
    let middle = (0.5 * (height as f64 - 1.0), 0.5 * (width as f64 - 1.0));
    for (mut to, mut by) in images.rows_mut().into_iter().zip(moves.rows_mut()) {
        for (v, most) in by.iter_mut().zip([shift, shift, turn]) {
            *v = most * (2.0 * uniform() - 1.0);
        }
        let (sin, cos) = by[2].sin_cos();
        for (at, pixel) in to.iter_mut().enumerate() {
            // Where this pixel was before.
            let (i, j) = ((at / width) as f64 - by[0] - middle.0, (at % width) as f64 - by[1] - middle.1);
            *pixel = between(image, cos * i + sin * j + middle.0, cos * j - sin * i + middle.1);
        }
    }
    Ok((images, moves))
}

/// The image between its pixels.
fn between(image: ArrayView2<f64>, i: f64, j: f64) -> f64 {
    let at = |i: f64, j: f64| {
        let inside = i >= 0.0 && j >= 0.0;
        if inside { image.get((i as usize, j as usize)).copied().unwrap_or(0.0) } else { 0.0 }
    };
    let (top, left) = (i.floor(), j.floor());
    let (down, right) = (i - top, j - left);
    (1.0 - down) * ((1.0 - right) * at(top, left) + right * at(top, left + 1.0))
        + down * ((1.0 - right) * at(top + 1.0, left) + right * at(top + 1.0, left + 1.0))
}
