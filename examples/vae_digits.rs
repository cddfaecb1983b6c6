//! Digits from a plane: a variational autoencoder with a code of two numbers.
//!
//! `cargo run --release --example vae_digits` writes `target/vae_digits.png`: where the encoder puts 1,797 digits in the plane of
//! codes, what the decoder makes of every place in it, digits that nobody has written, and the way from one digit to another.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array2, s};
use plotters::prelude::*;

/// Places along one side of the map.
const SIDE: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let table = support::table("digits.csv")?;
    let x = table.slice(s![.., 1..]).mapv(|v| v / 16.0);
    let digits: Vec<usize> = table.column(0).iter().map(|v| *v as usize).collect();
    let training = Training::new(Adam::new(0.002)).epochs(120).batch(64).seed(3);
    let model = Vae::new(2).hidden([96, 48]).decoder(Decoder::Bernoulli).training(training);
    let fitted = model.fit(&Device::best(), &x)?;
    let (codes, _) = fitted.encode(&x)?;
    let few = x.slice(s![..200, ..]).to_owned();
    let (one, many) = (fitted.elbo(&few, 20, 1)?, fitted.importance_bound(&few, 50, 1)?);
    let mean = |bound: &ndarray::Array1<f64>| bound.mean().unwrap_or(f64::NAN);
    println!("the evidence of a digit is at least {:.2} by the ELBO,", mean(&one));
    println!("at least {:.2} by fifty weighted draws", mean(&many));

    let (path, area) = support::picture("vae_digits", (1500, 820))?;
    let (left, right) = area.split_horizontally(690);
    let far = codes.iter().fold(0f64, |m, v| m.max(v.abs())) * 1.05;
    let title = "codes of the digits";
    let mut chart = support::axes(&left, title, (-far..far, "first number"), (-far..far, "second"))?;
    chart.draw_series((0..digits.len()).map(|i| {
        let style = ("sans-serif", 15).into_font().color(&tiles::COLOURS[digits[i]]);
        Text::new(digits[i].to_string(), (codes[[i, 0]], codes[[i, 1]]), style)
    }))?;

    // What lies at each place of the plane: first number across, second upwards.
    let reach = 2.2;
    let place = |at: usize| reach * (2.0 * at as f64 / (SIDE - 1) as f64 - 1.0);
    let plane = Array2::from_shape_fn((SIDE * SIDE, 2), |(i, j)| {
        if j == 0 { place(i % SIDE) } else { place(SIDE - 1 - i / SIDE) }
    });
    tiles::write(
        &right,
        &format!("what the decoder makes of the plane from -{reach} to {reach}"),
        (20, 18),
        22,
    )?;
    tiles::tiles(&right, &fitted.inverse_transform(&plane)?, SIDE, ((20, 54), 5), (0.0, 1.0))?;
    tiles::write(&right, "sixteen draws", (590, 18), 22)?;
    let drawn = fitted.sample(16, 5)?;
    tiles::tiles(&right, &drawn, 4, ((590, 54), 5), (0.0, 1.0))?;
    // From the code of the first 0 to that of the first 1, straight through the plane.
    let find = |d: usize| digits.iter().position(|v| *v == d).unwrap_or(0);
    let (from, to) = (codes.row(find(0)).to_owned(), codes.row(find(1)).to_owned());
    let way = Array2::from_shape_fn((8, 2), |(i, j)| from[j] + (to[j] - from[j]) * i as f64 / 7.0);
    tiles::write(&right, "from a nought to a one", (20, 620), 22)?;
    tiles::tiles(&right, &fitted.inverse_transform(&way)?, 8, ((20, 656), 8), (0.0, 1.0))?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
