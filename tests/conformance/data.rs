//! Small data sets of every kind.

use ndarray::{Array1, Array2, Axis, concatenate};

use crate::support::random;

/// Rows in three groups, d = 2.
pub fn blobs() -> (Array2<f64>, ()) {
    let at = |cx: f64, cy: f64, seed: u64| random(20, 2, seed) * 0.5 + &ndarray::array![[cx, cy]];
    let parts = [at(0.0, 0.0, 1), at(4.0, 0.5, 2), at(1.0, 5.0, 3)];
    let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
    (concatenate(Axis(0), &views).unwrap(), ())
}

/// Rows with correlated columns, d = 4.
pub fn correlated() -> (Array2<f64>, ()) {
    let (factors, noise) = (random(60, 2, 4), random(60, 4, 5));
    let loadings = ndarray::array![[2.0, 1.0, -1.0, 0.3], [0.2, -1.0, 1.5, 0.8]];
    (factors.dot(&loadings) + 0.1 * noise, ())
}

/// A smooth function of two features, with noise: one target.
pub fn curve() -> (Array2<f64>, Array1<f64>) {
    let (x, noise) = (random(50, 2, 6) * 2.0, random(50, 1, 7));
    let y =
        x.rows().into_iter().zip(noise.column(0)).map(|(r, e)| r[0].sin() + 0.5 * r[1] + 0.05 * e).collect();
    (x, y)
}

/// Two targets of the same inputs.
pub fn curves() -> (Array2<f64>, Array2<f64>) {
    let (x, y) = curve();
    let y = ndarray::stack![Axis(1), y, 1.0 - 2.0 * &y];
    (x, y)
}

/// Three classes with names.
pub fn named() -> (Array2<f64>, Vec<&'static str>) {
    let (x, ()) = blobs();
    (x, (0..60).map(|i| ["barolo", "grignolino", "barbera"][i / 20]).collect())
}

/// Three classes with names of their own.
pub fn spelt() -> (Array2<f64>, Vec<String>) {
    let (x, y) = named();
    (x, y.into_iter().map(str::to_owned).collect())
}

/// Two classes that overlap.
pub fn two_classes() -> (Array2<f64>, Vec<bool>) {
    let (x, y) = curve();
    let labels = y.iter().map(|v| *v > 0.1).collect();
    (x, labels)
}

/// Zeros and ones, d = 5, from two profiles.
pub fn answers() -> (Array2<f64>, ()) {
    let u = random(60, 5, 8);
    let x = Array2::from_shape_fn((60, 5), |(i, j)| {
        let p = if (i < 30) == (j < 2) { 0.8 } else { -0.8 };
        f64::from(u8::from(u[[i, j]] < p))
    });
    (x, ())
}

/// Counts of five words, from two profiles.
pub fn counts() -> (Array2<f64>, ()) {
    let u = random(60, 5, 9);
    let x = Array2::from_shape_fn((60, 5), |(i, j)| {
        let rate = if (i < 30) == (j < 2) { 6.0 } else { 1.0 };
        (rate * (1.0 + u[[i, j]])).round()
    });
    (x, ())
}

/// Counts of five words in documents, none of them empty.
pub fn documents() -> (Array2<f64>, ()) {
    (counts().0 + 1.0, ())
}
