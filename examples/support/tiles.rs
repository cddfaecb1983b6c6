//! Small grey pictures side by side, and matrices of numbers as coloured squares.
#![allow(dead_code)] // each example uses its own part

use std::error::Error;

use ndarray::{Array2, ArrayView1};
use plotters::coord::Shift;
use plotters::prelude::*;

type Area = DrawingArea<BitMapBackend<'static>, Shift>;

/// One dark colour for each digit.
pub const COLOURS: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 140, 44),
    RGBColor(148, 103, 189),
    RGBColor(220, 110, 0),
    RGBColor(120, 70, 60),
    RGBColor(200, 60, 160),
    RGBColor(90, 90, 90),
    RGBColor(140, 140, 0),
    RGBColor(0, 150, 170),
];

/// A picture of `side x side` numbers with its corner at `at`, each number a square of `pixel`: white for `low`, black
/// for `high`.
pub fn tile(
    area: &Area,
    numbers: ArrayView1<f64>,
    side: usize,
    (at, pixel): ((i32, i32), i32),
    (low, high): (f64, f64),
) -> Result<(), Box<dyn Error>> {
    for (i, v) in numbers.iter().enumerate() {
        let dark = ((v - low) / (high - low)).clamp(0.0, 1.0);
        let shade = (255.0 * (1.0 - dark)) as u8;
        let (x, y) = (at.0 + (i % side) as i32 * pixel, at.1 + (i / side) as i32 * pixel);
        let fill = RGBColor(shade, shade, shade).filled();
        area.draw(&Rectangle::new([(x, y), (x + pixel, y + pixel)], fill))?;
    }
    let end = (at.0 + side as i32 * pixel, at.1 + side as i32 * pixel);
    area.draw(&Rectangle::new([at, end], RGBColor(200, 200, 200).stroke_width(1)))?;
    Ok(())
}

/// Pictures of 8 x 8, one a row of `all`, so many side by side.
pub fn tiles(
    area: &Area,
    all: &Array2<f64>,
    across: usize,
    (corner, pixel): ((i32, i32), i32),
    range: (f64, f64),
) -> Result<(), Box<dyn Error>> {
    let step = 8 * pixel + pixel.max(4);
    for (i, row) in all.rows().into_iter().enumerate() {
        let at = (corner.0 + (i % across) as i32 * step, corner.1 + (i / across) as i32 * step);
        tile(area, row, 8, (at, pixel), range)?;
    }
    Ok(())
}

/// Letters with their left upper corner at `at`.
pub fn write(area: &Area, text: &str, at: (i32, i32), size: u32) -> Result<(), Box<dyn Error>> {
    area.draw(&Text::new(text.to_owned(), at, ("sans-serif", size).into_font().color(&super::support::INK)))?;
    Ok(())
}
