//! What the examples share: pictures with letters on any machine, and tables of numbers read from `examples/data`.
#![allow(dead_code)] // each example uses its own part

use std::error::Error;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

/// A white picture of the given size in pixels, to be written to `target/NAME.png` by `present`.
pub fn picture(
    name: &str,
    size: (u32, u32),
) -> Result<(PathBuf, DrawingArea<BitMapBackend<'static>, plotters::coord::Shift>), Box<dyn Error>> {
    // A font inside the binary: a headless machine has none.
    register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the font is not readable")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.png"));
    let area = BitMapBackend::new(Box::leak(path.clone().into_boxed_path()), size).into_drawing_area();
    area.fill(&WHITE)?;
    Ok((path, area))
}

/// The numbers of `examples/data/NAME`, a file of comma-separated columns under one line of names; an empty field is NaN.
pub fn table(name: &str) -> Result<Array2<f64>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(name);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let cols = lines.next().ok_or("an empty table")?.split(',').count();
    let mut values = Vec::new();
    for line in lines {
        for field in line.split(',').map(str::trim) {
            values.push(if field.is_empty() { f64::NAN } else { field.parse()? });
        }
    }
    Ok(Array2::from_shape_vec((values.len() / cols, cols), values)?)
}
