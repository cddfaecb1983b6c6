//! Watching a stream: does what arrives now still look like what arrived first?
//!
//! `cargo run --release --example drift` reads 1797 handwritten digits in the order in which thirteen people wrote them,
//! about 138 each. The first 280 images, two writers, are the reference; every window of 140 after them is tested
//! against it. Each writer contributes the ten digits in the same proportions, so that only the hand changes. The same
//! stream in random order is the control: there every image is as good as any other, and nothing should be found beyond
//! the level. It ends in `target/drift.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::Device;
use mercer::stats::{Null, TwoSampleTest, permutation};
use ndarray::{Array2, Axis, s};
use plotters::prelude::*;

const REFERENCE: usize = 280;
const WINDOW: usize = 140;
const STEP: usize = 35;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let images = support::table("digits.csv")?.slice(s![.., 1..]).to_owned();
    let n = images.nrows();
    let shuffled = images.select(Axis(0), &permutation(n, n, 7, 0));
    let test = TwoSampleTest { null: Null::Permutations(999), ..TwoSampleTest::default() };
    let watch = |stream: &Array2<f64>| -> Result<Vec<(usize, f64)>, mercer::Error> {
        let reference = stream.slice(s![..REFERENCE, ..]);
        let starts = (REFERENCE..=n - WINDOW).step_by(STEP);
        starts
            .map(|from| {
                let window = stream.slice(s![from..from + WINDOW, ..]);
                Ok((from + WINDOW / 2, test.run(&device, reference, window)?.p_value))
            })
            .collect()
    };
    let (as_written, control) = (watch(&images)?, watch(&shuffled)?);
    println!("reference: images 0 to {REFERENCE}; windows of {WINDOW}; {device}\n");
    println!("  centre   as written   in random order");
    for (a, b) in as_written.iter().zip(&control) {
        println!("{:>8}   {:>10.3}   {:>15.3}", a.0, a.1, b.1);
    }
    let alarms = |p: &[(usize, f64)]| p.iter().filter(|(_, p)| *p <= 0.05).count();
    println!(
        "\nwindows rejected at 0.05: {} of {} as written, {} of {} in random order",
        alarms(&as_written),
        as_written.len(),
        alarms(&control),
        control.len()
    );
    draw(n, &as_written, &control)
}

fn draw(n: usize, as_written: &[(usize, f64)], control: &[(usize, f64)]) -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("drift", (1200, 560))?;
    let mut chart = ChartBuilder::on(&area)
        .caption("windows of a stream of handwritten digits against its beginning", ("sans-serif", 26))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..n as f64, (0.0007..1.3).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("image number (centre of the window)")
        .y_desc("p-value")
        .label_style(("sans-serif", 17))
        .axis_desc_style(("sans-serif", 19))
        .light_line_style(WHITE)
        .y_label_formatter(&|p| format!("{p}"))
        .draw()?;
    let band = Rectangle::new([(0.0, 0.0007), (REFERENCE as f64, 1.3)], BLACK.mix(0.07).filled());
    chart.draw_series([band])?;
    chart.draw_series([Text::new("reference", (60.0, 0.9), ("sans-serif", 18))])?;
    for writer in 1..13 {
        let at = n as f64 * f64::from(writer) / 13.0;
        chart.draw_series([PathElement::new([(at, 0.0007), (at, 1.3)], BLACK.mix(0.12))])?;
    }
    let level = DashedLineSeries::new([(0.0, 0.05), (n as f64, 0.05)], 8, 6, BLACK.stroke_width(1));
    chart
        .draw_series(level)?
        .label("level 0.05")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], BLACK));
    for (series, colour, name) in [
        (as_written, RGBColor(214, 39, 40), "in the order written"),
        (control, RGBColor(31, 119, 180), "in random order"),
    ] {
        let line = series.iter().map(|&(at, p)| (at as f64, p));
        chart.draw_series(LineSeries::new(line.clone(), colour.mix(0.5).stroke_width(2)))?;
        chart
            .draw_series(line.map(|at| Circle::new(at, 4, colour.filled())))?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 10, y), 5, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 18))
        .draw()?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
