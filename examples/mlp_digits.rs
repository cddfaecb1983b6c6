//! A network that reads handwritten digits.
//!
//! `cargo run --release --example mlp_digits` trains one hidden layer on three quarters of 1,797 pictures of 8 x 8 and writes
//! `target/mlp_digits.png`: how the losses fell, and which digits it takes for which among those it has never seen.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Axis, s};
use plotters::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let table = support::table("digits.csv")?;
    let x = table.slice(s![.., 1..]).mapv(|v| v / 16.0);
    let digits: Vec<usize> = table.column(0).iter().map(|v| *v as usize).collect();
    let (train, test) = Holdout::new(0.25).stratified(&digits).seed(7).split(digits.len())?;
    let of = |rows: &[usize]| rows.iter().map(|&r| digits[r]).collect::<Vec<_>>();

    // A sixth of the rows to learn from only decides when to stop.
    let training = Training::new(Adam::new(0.003)).epochs(80).batch(32).weight_decay(1e-4).validation(0.15);
    let model =
        NeuralClassifier::new(&[64]).activation(Activation::Relu).training(training.patience(8).seed(1));
    let fitted = model.fit(&Device::best(), x.select(Axis(0), &train), of(&train))?;
    let truth = of(&test);
    let said = fitted.predict(x.select(Axis(0), &test))?;
    let table = ConfusionMatrix::of(&truth, &said)?;
    println!("{} epochs, the best of them the {}th", fitted.report().trace.len(), fitted.best_epoch());
    println!(
        "{:.2} % of {} digits that it has not seen are read right",
        100.0 * table.accuracy(),
        test.len()
    );
    println!("{table}");

    let (path, area) = support::picture("mlp_digits", (1300, 620))?;
    let (left, right) = area.split_horizontally(680);
    let (loss, held) = (&fitted.report().trace, fitted.validation());
    let most = loss.iter().chain(held).fold(0f64, |m, v| m.max(*v));
    let least = loss.iter().chain(held).fold(f64::MAX, |m, v| m.min(*v));
    // Decades of the loss.
    let range = least.log10() - 0.1..most.log10() + 0.1;
    let epochs = 0.0..loss.len() as f64 + 1.0;
    let mut chart =
        support::axes(&left, "learning", (epochs, "epoch"), (range.clone(), "log10 of the loss"))?;
    let line = |values: &[f64]| -> Vec<(f64, f64)> {
        values.iter().enumerate().map(|(i, v)| (i as f64 + 1.0, v.log10())).collect()
    };
    for (values, colour, name) in [
        (loss.as_slice(), tiles::COLOURS[0], "rows to learn from"),
        (held, tiles::COLOURS[1], "rows held out"),
    ] {
        chart
            .draw_series(LineSeries::new(line(values), colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    }
    let best = fitted.best_epoch() as f64;
    chart.draw_series(LineSeries::new([(best, range.start), (best, range.end)], support::INK.mix(0.4)))?;
    let (font, white) = (("sans-serif", 20).into_font().color(&support::INK), WHITE.mix(0.8));
    chart
        .configure_series_labels()
        .label_font(font)
        .background_style(white)
        .position(SeriesLabelPosition::UpperRight)
        .draw()?;

    tiles::write(
        &right,
        &format!("{:.1} % of {} new digits", 100.0 * table.accuracy(), test.len()),
        (150, 18),
        24,
    )?;
    let (corner, cell) = ((80, 60), 48);
    for i in 0..10 {
        let centre = cell * i as i32 + cell / 2;
        tiles::write(&right, &i.to_string(), (corner.0 - 24, corner.1 + centre - 10), 22)?;
        tiles::write(&right, &i.to_string(), (corner.0 + centre - 6, corner.1 + 10 * cell + 6), 22)?;
        for j in 0..10 {
            let (count, at) = (table.count(i, j), (corner.0 + cell * j as i32, corner.1 + cell * i as i32));
            let share = count as f64 / table.support(i).max(1) as f64;
            // Errors are few: their colour is not that of what is right.
            let colour = if i == j {
                tiles::COLOURS[0].mix(share)
            } else {
                tiles::COLOURS[1].mix((8.0 * share).min(1.0))
            };
            let square = [at, (at.0 + cell, at.1 + cell)];
            right.draw(&Rectangle::new(square, colour.filled()))?;
            right.draw(&Rectangle::new(square, RGBColor(220, 220, 220).stroke_width(1)))?;
            if count > 0 {
                let style = ("sans-serif", 19).into_font().color(if i == j { &WHITE } else { &BLACK });
                let shift = if count > 9 { 14 } else { 19 };
                right.draw(&Text::new(count.to_string(), (at.0 + shift, at.1 + 15), style))?;
            }
        }
    }
    tiles::write(&right, "read as", (corner.0 + 4 * cell + 10, corner.1 + 10 * cell + 34), 20)?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
