//! Films for people: the table of the lecture notes, and a larger one whose truth is known.
//!
//! `cargo run --release --example recommend` fills in a table of five films and five people, then compares ways to do so on
//! 600 people and 400 films, and writes `target/recommend.png`.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array2, array};
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Ratings of 1 to 5 by people with four tastes and a temper; popular films are rated more often.
fn generated(users: usize, items: usize, seed: u64) -> Vec<Rating> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |rows: usize| Array2::from_shape_simple_fn((rows, 5), || 2.0 * rng.random::<f64>() - 1.0);
    let (people, films) = (draw(users), draw(items));
    let mut all = Vec::new();
    for user in 0..users {
        for item in 0..items {
            let chance = 0.02 + 0.25 * (1.0 - item as f64 / items as f64).powi(3);
            if rng.random::<f64>() < chance {
                let taste: f64 = (0..4).map(|k| people[[user, k]] * films[[item, k]]).sum();
                let noise = rng.random::<f64>() - 0.5;
                let value =
                    (3.2 + 1.6 * taste + 0.6 * people[[user, 4]] + 0.6 * films[[item, 4]] + noise).round();
                all.push(Rating { user, item, value: value.clamp(1.0, 5.0), weight: 1.0 });
            }
        }
    }
    all
}

fn main() -> Result<(), Box<dyn Error>> {
    let no = f64::NAN;
    let films = array![
        [no, 2.0, 5.0, 1.0, 4.0],
        [1.0, no, 4.0, no, no],
        [no, 4.0, no, no, 2.0],
        [5.0, no, 1.0, no, no],
        [5.0, 5.0, no, no, 4.0],
    ];
    let notes = Ratings::from_table(films.t())?;
    let small = Als::new(2).penalty(0.3).biases(true).fit_ratings(&notes)?;
    println!("the table of the notes, filled in (films down, people across; * was given)");
    let (path, area) = support::picture("recommend", (1400, 620))?;
    let (left, right) = area.split_horizontally(560);
    tiles::write(&left, "five films, five people", (120, 18), 24)?;
    for film in 0..5 {
        for person in 0..5 {
            let given = notes.get(person, film);
            let value = given.unwrap_or_else(|| small.rating(person, film));
            print!("{value:>6.2}{}", if given.is_some() { "*" } else { " " });
            let at = (60 + 88 * person as i32, 70 + 88 * film as i32);
            let share = ((value - 1.0) / 4.0).clamp(0.0, 1.0);
            let square = [at, (at.0 + 84, at.1 + 84)];
            left.draw(&Rectangle::new(square, tiles::COLOURS[0].mix(0.1 + 0.8 * share).filled()))?;
            if given.is_none() {
                left.draw(&Rectangle::new(square, tiles::COLOURS[1].stroke_width(3)))?;
            }
            let text = if given.is_some() { format!("{value:.0}") } else { format!("{value:.1}") };
            let ink = if share > 0.7 { &WHITE } else { &BLACK };
            left.draw(&Text::new(text, (at.0 + 28, at.1 + 30), ("sans-serif", 26).into_font().color(ink)))?;
        }
        println!();
    }
    tiles::write(&left, "framed in red: what nobody said", (120, 530), 20)?;

    let (users, items) = (600, 400);
    let mut all = generated(users, items, 1);
    let held: Vec<Rating> =
        all.iter().copied().enumerate().filter(|(i, _)| i % 5 == 0).map(|(_, r)| r).collect();
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        (at - 1) % 5 != 0
    });
    let table = Ratings::of(users, items, all)?;
    println!("\n{} ratings of {items} films by {users} people, {} held out", table.len(), held.len());
    let error = |model: &dyn Recommend| {
        let square = |r: &Rating| (model.rating(r.user, r.item) - r.value).powi(2);
        (held.iter().map(square).sum::<f64>() / held.len() as f64).sqrt()
    };
    let mean = table.mean();
    let plain = (held.iter().map(|r| (r.value - mean).powi(2)).sum::<f64>() / held.len() as f64).sqrt();
    println!("{:<28}{plain:.4}", "the mean of all ratings");
    let neighbours = Neighbours::items(30).fit_ratings(&table)?;
    println!("{:<28}{:.4}", "30 films like it", error(&neighbours));
    let mut curves = Vec::new();
    for (name, biases) in [("factors", false), ("factors and biases", true)] {
        let mut curve = Vec::new();
        for rank in [1, 2, 3, 4, 5, 6, 8, 10] {
            let fitted = Als::new(rank).penalty(3.0).biases(biases).max_iterations(30).fit_ratings(&table)?;
            curve.push((rank as f64, error(&fitted)));
        }
        let best = curve.iter().fold(f64::MAX, |m, p| m.min(p.1));
        println!("{name:<28}{best:.4}");
        curves.push((name, curve));
    }
    let highest = curves.iter().flat_map(|c| &c.1).fold(plain, |m, p| m.max(p.1));
    let mut chart = support::axes(
        &right,
        "error on ratings held out",
        (0.5..10.5, "factors"),
        (0.3..highest + 0.05, "RMSE"),
    )?;
    let level = |y: f64| [(0.5, y), (10.5, y)];
    let judged = error(&neighbours);
    for (y, colour, name) in
        [(plain, tiles::COLOURS[7], "mean of all"), (judged, tiles::COLOURS[4], "30 films like it")]
    {
        chart
            .draw_series(LineSeries::new(level(y), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2)));
    }
    for ((name, curve), colour) in curves.into_iter().zip([tiles::COLOURS[0], tiles::COLOURS[1]]) {
        chart.draw_series(curve.iter().map(|p| Circle::new(*p, 5, colour.filled())))?;
        chart
            .draw_series(LineSeries::new(curve, colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    }
    let font = ("sans-serif", 20).into_font().color(&support::INK);
    chart
        .configure_series_labels()
        .label_font(font)
        .background_style(WHITE.mix(0.8))
        .position(SeriesLabelPosition::MiddleRight)
        .draw()?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
