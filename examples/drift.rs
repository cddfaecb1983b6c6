//! Watching a stream: is what arrives now still what arrived a moment ago?
//!
//! `cargo run --release --example drift` reads 1797 handwritten digits in the order in which they were collected, one
//! writer after another. At every tenth image the last 60 are tested against the 60 before. Each writer contributes the ten
//! digits in the same proportions, so that only the hand changes: the statistic should rise where one writer follows
//! another and fall between. The same stream in random order is the control: there any image is as good as any other,
//! and alarms come at the rate of the level. It ends in `target/drift.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::Device;
use mercer::stats::{Null, TwoSampleTest, permutation};
use ndarray::{Array2, Axis, s};
use plotters::prelude::*;

const WINDOW: usize = 60;
const STEP: usize = 10;
/// The test at one place of the stream: where, the statistic in units of its threshold, and the p-value.
type Reading = (usize, f64, f64);

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let images = support::table("digits.csv")?.slice(s![.., 1..]).to_owned();
    let n = images.nrows();
    let shuffled = images.select(Axis(0), &permutation(n, n, 7, 0)?);
    let test = TwoSampleTest::new().null(Null::Permutations(499));
    let watch = |stream: &Array2<f64>| -> Result<Vec<Reading>, mercer::Error> {
        let places = (WINDOW..=n - WINDOW).step_by(STEP);
        places
            .map(|at| {
                let (before, now) =
                    (stream.slice(s![at - WINDOW..at, ..]), stream.slice(s![at..at + WINDOW, ..]));
                let outcome = test.run(&device, before, now)?;
                Ok((at, outcome.statistic / outcome.threshold, outcome.p_value))
            })
            .collect()
    };
    let (as_written, control) = (watch(&images)?, watch(&shuffled)?);
    println!("windows of {WINDOW} against the {WINDOW} before, every {STEP} images; {device}\n");
    println!("   image   statistic / threshold, as written    in random order");
    for (a, b) in as_written.iter().zip(&control).step_by(8) {
        println!("{:>8}   {:>33.2}   {:>16.2}", a.0, a.1, b.1);
    }
    let alarms = |all: &[Reading]| all.iter().filter(|r| r.2 <= 0.05).count();
    println!(
        "\nalarms at level 0.05: {} of {} as written, {} of {} in random order",
        alarms(&as_written),
        as_written.len(),
        alarms(&control),
        control.len()
    );
    draw(n, &as_written, &control)
}

fn draw(n: usize, as_written: &[Reading], control: &[Reading]) -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("drift", (1200, 560))?;
    let most = as_written.iter().map(|r| r.1).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&area)
        .caption("handwritten digits: sixty images against the sixty before", ("sans-serif", 26))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..n as f64, -0.5..most * 1.35)?;
    chart
        .configure_mesh()
        .x_desc("image number")
        .y_desc("statistic / threshold")
        .label_style(("sans-serif", 17))
        .axis_desc_style(("sans-serif", 19))
        .light_line_style(WHITE)
        .disable_x_mesh()
        .x_label_formatter(&|x| format!("{x:.0}"))
        .draw()?;
    let level = DashedLineSeries::new([(0.0, 1.0), (n as f64, 1.0)], 8, 6, BLACK.stroke_width(1));
    chart
        .draw_series(level)?
        .label("alarm, level 0.05")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], BLACK));
    for (series, colour, name) in [
        (as_written, RGBColor(214, 39, 40), "in the order written"),
        (control, RGBColor(31, 119, 180), "in random order"),
    ] {
        let line = series.iter().map(|r| (r.0 as f64, r.1));
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
