//! Old Faithful as a chain: after a short eruption a long one follows, nearly always.
//!
//! A hidden Markov model sees the length of each eruption and the waiting time after it, one after another, and learns the
//! kinds of eruption and how they follow each other. A mixture sees the same numbers and knows nothing of their order.
//!
//! `cargo run --release --example hmm_faithful` prints the transitions and draws `target/hmm_faithful.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array2, s};
use plotters::prelude::*;

const COLOURS: [RGBColor; 3] = [RGBColor(31, 95, 160), RGBColor(196, 64, 48), RGBColor(60, 140, 80)];

fn learned(states: usize, x: &Array2<f64>) -> mercer::Result<FittedHiddenMarkov> {
    HiddenMarkov::new(states, Emissions::Gaussian)
        .floor(0.05)
        .restarts(20)
        .seed(1)
        .learn(std::slice::from_ref(x))
}

fn main() -> Result<(), Box<dyn Error>> {
    let x = support::table("faithful.csv")?;
    let n = x.nrows() as f64;
    println!("{n} eruptions in the order of time\n\nstates      BIC");
    for states in 1..=4 {
        let fitted = learned(states, &x)?;
        let bic = fitted.parameters() as f64 * n.ln() - 2.0 * fitted.report().objective();
        println!("{states:6} {bic:8.1}");
    }
    let fitted = learned(2, &x)?;
    let Emission::Gaussian { means, .. } = fitted.emission() else { return Err("normal emissions".into()) };
    // The short eruptions first.
    let order = if means[[0, 0]] < means[[1, 0]] { [0, 1] } else { [1, 0] };
    println!("\nfrom       to short  to long   lasts, waits (minutes)");
    for (name, from) in ["short", "long"].into_iter().zip(order) {
        let row = fitted.transition().row(from);
        let (last, wait) = (means[[from, 0]], means[[from, 1]]);
        println!("{name:8} {:10.3} {:8.3}   {last:.1}, {wait:.0}", row[order[0]], row[order[1]]);
    }
    let smooth = fitted.smooth(&x)?;
    let path = fitted.viterbi(&x)?;
    let kind = |t: usize| order.iter().position(|s| *s == path.states[t]).unwrap_or(0);
    let turns = (1..x.nrows()).filter(|t| kind(*t) == 0 && kind(t - 1) == 0).count();
    println!("\ntwo short eruptions in a row: {turns} times");

    let (file, area) = support::picture("hmm_faithful", (1300, 760))?;
    let (upper, lower) = area.split_vertically(440);
    let (left, right) = upper.split_horizontally(640);
    let shown = 80;
    let title = "eruptions one after another";
    let mut chart = support::axes(
        &lower,
        title,
        (0.0..f64::from(shown), "number of the eruption"),
        (1.0..5.5, "minutes"),
    )?;
    let times: Vec<(f64, f64)> = (0..shown as usize).map(|t| (t as f64 + 0.5, x[[t, 0]])).collect();
    chart.draw_series(LineSeries::new(times.clone(), support::INK.mix(0.4)))?;
    chart.draw_series(times.iter().enumerate().map(|(t, p)| {
        // As sure as the colour is strong.
        let sure = smooth.states.slice(s![t, ..]).iter().copied().fold(0.0, f64::max);
        Circle::new(*p, 5, COLOURS[kind(t)].mix(0.3 + 0.7 * (2.0 * sure - 1.0)).filled())
    }))?;
    let mut chart = support::axes(
        &left,
        "two states",
        (1.3..5.5, "eruption, minutes"),
        (40.0..100.0, "waiting after it, minutes"),
    )?;
    chart.draw_series(
        (0..x.nrows()).map(|t| Circle::new((x[[t, 0]], x[[t, 1]]), 4, COLOURS[kind(t)].mix(0.6).filled())),
    )?;
    let mut chart = support::axes(
        &right,
        "how eruptions follow each other",
        (1.3..5.5, "this eruption, minutes"),
        (1.3..5.5, "the next one, minutes"),
    )?;
    chart.draw_series(
        (0..x.nrows() - 1)
            .map(|t| Circle::new((x[[t, 0]], x[[t + 1, 0]]), 4, COLOURS[kind(t + 1)].mix(0.6).filled())),
    )?;
    area.present()?;
    println!("{}", file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&file).display());
    Ok(())
}
