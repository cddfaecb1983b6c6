//! What presidents speak of: topics of 41 inaugural addresses, 1789 to 2021, as words and over time.
//!
//! Nobody tells the model what a topic is, nor when an address was given; yet topics come and go with the centuries. The
//! addresses are cut from the text to counts of 1,200 words.
//!
//! `cargo run --release --example topics` prints each topic's words and draws `target/topics.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::topics::TopicModel;
use mercer::prelude::*;
use ndarray::Array2;
use plotters::prelude::*;

const TOPICS: usize = 5;
const COLOURS: [RGBColor; TOPICS] = [
    RGBColor(31, 95, 160),
    RGBColor(60, 140, 80),
    RGBColor(196, 64, 48),
    RGBColor(140, 90, 170),
    RGBColor(190, 140, 30),
];

/// The vocabulary, the year of each address, and the counts.
type Corpus = (Vec<String>, Vec<f64>, Array2<f64>);

fn addresses() -> Result<Corpus, Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/inaugural.txt");
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<String> = lines.next().ok_or("no words")?.split(' ').map(str::to_owned).collect();
    let (mut years, mut rows) = (Vec::new(), Vec::new());
    for line in lines {
        let mut fields = line.splitn(3, ',');
        years.push(fields.next().ok_or("no year")?.parse()?);
        let mut row = vec![0.0; words.len()];
        for pair in fields.nth(1).ok_or("no counts")?.split(' ') {
            let (word, count) = pair.split_once(':').ok_or("no pair")?;
            row[word.parse::<usize>()?] = count.parse()?;
        }
        rows.extend(row);
    }
    let counts = Array2::from_shape_vec((years.len(), words.len()), rows)?;
    Ok((words, years, counts))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (words, years, counts) = addresses()?;
    // The best of several starts: the bound has many tops.
    let mut best = None;
    for seed in 0..10 {
        let model = TopicModel::new(TOPICS).alpha(0.1).eta(0.05).max_iterations(300).seed(seed);
        let fitted = model.fit(&Device::best(), &counts)?;
        let bound = fitted.report().objective();
        if best.as_ref().is_none_or(|(other, _)| bound > *other) {
            best = Some((bound, fitted));
        }
    }
    let (bound, fitted) = best.ok_or("nothing was fitted")?;
    let shares = fitted.transform(&counts)?;
    println!("{} addresses, {:.0} words, bound {bound:.0}\n", years.len(), counts.sum());
    // Topics in the order of the years in which they are spoken of.
    let mean_year = |t: usize| {
        let column = shares.column(t);
        column.iter().zip(&years).map(|(s, y)| s * y).sum::<f64>() / column.sum()
    };
    let mut order: Vec<usize> = (0..TOPICS).collect();
    order.sort_by(|a, b| mean_year(*a).total_cmp(&mean_year(*b)));
    // Words that a topic has more of than all addresses together: what tells it apart.
    let topics = fitted.topics();
    let all = counts.sum_axis(ndarray::Axis(0)) / counts.sum();
    let telling = |t: usize, count: usize| {
        let mut order: Vec<usize> = (0..words.len()).collect();
        let weight = |w: usize| topics[[t, w]] * (topics[[t, w]] / all[w]).ln();
        order.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
        order.into_iter().take(count).map(|w| words[w].as_str()).collect::<Vec<_>>()
    };
    for t in &order {
        println!("about {:.0}: {}", mean_year(*t), telling(*t, 10).join(", "));
    }

    let (path, area) = support::picture("topics", (1200, 700))?;
    let (upper, lower) = area.split_vertically(470);
    let title = "What presidents speak of: topics of inaugural addresses";
    let mut chart = support::axes(&upper, title, (1785.0..2025.0, ""), (0.0..1.0, "share of an address"))?;
    let mut floor = vec![0.0; years.len()];
    for (t, colour) in order.iter().zip(COLOURS) {
        let top: Vec<f64> = floor.iter().zip(shares.column(*t)).map(|(f, s)| f + s).collect();
        chart.draw_series((0..years.len()).map(|i| {
            let end = years.get(i + 1).map_or(years[i] + 4.0, |next| next.min(years[i] + 8.0));
            Rectangle::new([(years[i], floor[i]), (end, top[i])], colour.mix(0.85).filled())
        }))?;
        floor = top;
    }
    for (row, (t, colour)) in order.iter().zip(COLOURS).enumerate() {
        let y = 14 + 42 * row as i32;
        lower.draw(&Rectangle::new([(86, y), (110, y + 24)], colour.mix(0.85).filled()))?;
        let style = ("sans-serif", 22).into_font().color(&support::INK);
        lower.draw(&Text::new(telling(*t, 11).join("   "), (124, y + 2), style))?;
    }
    area.present()?;
    println!("\n{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
