//! Pictures: patches side by side for convolutions as products (im2col), windows for pooling, and the ways back.

use ndarray::Array2;

use super::layer::{Kind, Layer, Picture, Pooling};

/// The patches of n pictures: one row a place, the patch of all channels under a filter.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    pub rows: Array2<f64>,
    places: usize,
    pictures: usize,
}

impl Folded {
    /// One row a place, one column a filter, to one row a picture.
    pub fn pictures(&self, y: &Array2<f64>) -> Array2<f64> {
        let filters = y.ncols();
        Array2::from_shape_fn((self.pictures, filters * self.places), |(n, at)| {
            y[[n * self.places + at % self.places, at / self.places]]
        })
    }

    /// The way back.
    pub fn places(&self, delta: &Array2<f64>) -> Array2<f64> {
        let filters = delta.ncols() / self.places;
        Array2::from_shape_fn((self.pictures * self.places, filters), |(row, filter)| {
            delta[[row / self.places, filter * self.places + row % self.places]]
        })
    }
}

/// Calls `f(place, entry of the patch, index in the picture)` for every entry of every patch that is not padding.
fn walk(layer: &Layer, mut f: impl FnMut(usize, usize, usize)) {
    let (Kind::Convolution { picture, size, stride, padding, .. }, Some(out)) =
        (&layer.kind, layer.picture())
    else {
        return;
    };
    for oy in 0..out.height {
        for ox in 0..out.width {
            for c in 0..picture.channels {
                for ky in 0..*size {
                    for kx in 0..*size {
                        let (y, x) = (
                            (oy * stride + ky).wrapping_sub(*padding),
                            (ox * stride + kx).wrapping_sub(*padding),
                        );
                        if y < picture.height && x < picture.width {
                            let at = (c * picture.height + y) * picture.width + x;
                            f(oy * out.width + ox, (c * size + ky) * size + kx, at);
                        }
                    }
                }
            }
        }
    }
}

fn places(layer: &Layer) -> usize {
    layer.picture().map_or(0, |p| p.height * p.width)
}

/// Pictures to patches.
pub(super) fn unfold(layer: &Layer, x: &Array2<f64>) -> Folded {
    let (places, pictures) = (places(layer), x.nrows());
    let mut rows = Array2::zeros((pictures * places, layer.fan_in()));
    for n in 0..pictures {
        walk(layer, |place, entry, at| rows[[n * places + place, entry]] = x[[n, at]]);
    }
    Folded { rows, places, pictures }
}

/// Patches added up to pictures: the transpose of [`unfold`].
pub(super) fn fold(layer: &Layer, patches: &Array2<f64>, pictures: usize) -> Array2<f64> {
    let places = places(layer);
    let mut x = Array2::zeros((pictures, layer.inputs()));
    for n in 0..pictures {
        walk(layer, |place, entry, at| x[[n, at]] += patches[[n * places + place, entry]]);
    }
    x
}

/// Calls `f(index of the window, index in the picture)` for every number of every window.
fn windows(picture: Picture, size: usize, mut f: impl FnMut(usize, usize)) {
    let (height, width) = (picture.height / size, picture.width / size);
    for c in 0..picture.channels {
        for oy in 0..height {
            for ox in 0..width {
                for ky in 0..size {
                    for kx in 0..size {
                        let at = (c * picture.height + oy * size + ky) * picture.width + ox * size + kx;
                        f((c * height + oy) * width + ox, at);
                    }
                }
            }
        }
    }
}

/// One number a window, and for the largest where it was.
pub(super) fn pool(
    picture: Picture,
    size: usize,
    pooling: Pooling,
    x: &Array2<f64>,
) -> (Array2<f64>, Vec<usize>) {
    let out = picture.channels * (picture.height / size) * (picture.width / size);
    let share = 1.0 / (size * size) as f64;
    let mut y =
        Array2::from_elem((x.nrows(), out), if pooling == Pooling::Max { f64::NEG_INFINITY } else { 0.0 });
    let mut largest = vec![0; x.nrows() * out];
    for n in 0..x.nrows() {
        windows(picture, size, |window, at| match pooling {
            Pooling::Mean => y[[n, window]] += share * x[[n, at]],
            Pooling::Max if x[[n, at]] > y[[n, window]] => {
                y[[n, window]] = x[[n, at]];
                largest[n * out + window] = at;
            }
            Pooling::Max => {}
        });
    }
    (y, largest)
}

/// δ of windows to where they came from: to the largest, or to all alike.
pub(super) fn spread(
    picture: Picture,
    size: usize,
    largest: Option<&Vec<usize>>,
    delta: &Array2<f64>,
) -> Array2<f64> {
    let (n, out) = delta.dim();
    let mut x = Array2::zeros((n, picture.len()));
    let share = 1.0 / (size * size) as f64;
    for row in 0..n {
        match largest {
            Some(largest) => (0..out).for_each(|w| x[[row, largest[row * out + w]]] += delta[[row, w]]),
            None => windows(picture, size, |window, at| x[[row, at]] += share * delta[[row, window]]),
        }
    }
    x
}
