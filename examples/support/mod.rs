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

/// A chart whose two axes are plain numbers.
pub type Chart<'a> = ChartContext<
    'a,
    BitMapBackend<'static>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// The ink of axes and letters.
pub const INK: RGBColor = RGBColor(60, 60, 60);

/// Axes with their names and no mesh; an empty title or name takes no room.
pub fn axes<'a>(
    area: &'a DrawingArea<BitMapBackend<'static>, plotters::coord::Shift>,
    title: &str,
    (x, across): (std::ops::Range<f64>, &str),
    (y, up): (std::ops::Range<f64>, &str),
) -> Result<Chart<'a>, Box<dyn Error>> {
    let mut builder = ChartBuilder::on(area);
    if !title.is_empty() {
        builder.caption(title, ("sans-serif", 24).into_font().color(&INK));
    }
    let below = if across.is_empty() { 34 } else { 56 };
    let mut chart =
        builder.margin(12).x_label_area_size(below).y_label_area_size(74).build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(7)
        .y_labels(6)
        .x_desc(across)
        .y_desc(up)
        .label_style(("sans-serif", 18).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 20).into_font().color(&INK))
        .axis_style(INK.mix(0.6))
        .draw()?;
    Ok(chart)
}
