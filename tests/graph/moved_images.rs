//! The surface of a digit that is moved and turned.

use mercer::prelude::*;
use ndarray::{Array2, s};

use crate::close;

/// A seven of this many pixels a side.
fn seven(size: usize) -> Array2<f64> {
    Array2::from_shape_fn((size, size), |(i, j)| {
        let (i, j) = (i as f64 / size as f64, j as f64 / size as f64);
        let bar = (0.25..0.33).contains(&i) && (0.3..0.7).contains(&j);
        let stem = (0.25..0.75).contains(&i) && (j - (0.83 - 0.6 * i)).abs() < 0.05;
        f64::from(u8::from(bar || stem))
    })
}

#[test]
fn nothing_moves_and_whole_pixels_move_whole() {
    let image = seven(20);
    let (x, moves) = moved_images(image.view(), 3, 0.0, 0.0, 1).unwrap();
    for row in x.rows() {
        close(row, &image, 0.0, "nothing was done");
    }
    assert!(moves.iter().all(|m| *m == 0.0));
    let (x, moves) = moved_images(image.view(), 30, 2.0, 0.0, 2).unwrap();
    for (row, by) in x.rows().into_iter().zip(moves.rows()) {
        // Nothing falls off the edge: the sum stays, and the centre of mass moves by the shift.
        assert!((row.sum() - image.sum()).abs() < 1e-9);
        let mass =
            |a: &[f64]| a.iter().enumerate().map(|(at, v)| v * (at / 20) as f64).sum::<f64>() / image.sum();
        let (now, before) = (mass(&row.to_vec()), mass(image.as_slice().unwrap()));
        assert!((now - before - by[0]).abs() < 1e-9);
    }
    assert_eq!(
        moved_images(image.view(), 4, 2.0, 0.3, 7).unwrap(),
        moved_images(image.view(), 4, 2.0, 0.3, 7).unwrap()
    );
}

/// Three numbers describe each image, and yet no three directions hold them; neighbours on the surface are neighbours in
/// position.
#[test]
fn three_degrees_of_freedom_need_more_than_three_components() {
    let (x, moves) = moved_images(seven(24).view(), 150, 3.0, 0.6, 3).unwrap();
    let pca = Pca::new(0.9).fit(&Device::cpu(), &x).unwrap();
    assert!(pca.components().nrows() > 6, "{}", pca.components().nrows());
    let near = Neighbourhood::nearest(3).graph(&x).unwrap();
    let scale = ndarray::array![3.0, 3.0, 0.6];
    let apart = |i: usize, j: usize| ((&moves.row(i) - &moves.row(j)) / &scale).mapv(|v| v * v).sum().sqrt();
    let along: Vec<f64> = near.edges().iter().map(|&(i, j, _)| apart(i, j)).collect();
    let any: Vec<f64> = (0..149).map(|i| apart(i, i + 1)).collect();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    assert!(mean(&along) < 0.6 * mean(&any), "{} and {}", mean(&along), mean(&any));
}

#[test]
fn bad_images_are_errors() {
    let image = seven(8);
    assert!(moved_images(image.view(), usize::MAX, 1.0, 0.1, 0).is_err());
    assert!(moved_images(image.view(), 2, -1.0, 0.1, 0).is_err());
    assert!(moved_images(image.view(), 2, 1.0, f64::NAN, 0).is_err());
    assert!(moved_images(image.slice(s![..0, ..]), 2, 1.0, 0.1, 0).is_err());
}
