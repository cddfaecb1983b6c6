//! How long five computations would take on some graphics cards, by a model: everything is recorded on a device that only
//! pretends, which counts launches, multiply-adds and bytes, and nothing is measured.
//!
//! `cargo run --release --example forecast [-- --card NAME,TFLOPS,GB/S[,UNITS]]`

#[path = "support/card.rs"]
mod card;
#[path = "support/computations.rs"]
mod computations;

use mercer::device::{Card, DeviceOptions, ProductShape};

fn main() -> mercer::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = Card::all();
    let chosen = ["RTX 4090", "RTX 3080", "RX 6800 XT", "RX 6600", "Apple M2 Max", "Iris Xe"];
    let cards: Vec<Card> = match card::asked(&arguments) {
        Some(card) => vec![card],
        None => all.into_iter().filter(|card| chosen.contains(&card.name())).collect(),
    };
    println!(
        "Milliseconds by a model of each card: launches, arithmetic, memory and bus, without the host's own work.\n"
    );
    let names: Vec<&str> = cards.iter().map(Card::name).collect();
    let names = names.join(" | ");
    println!("| computation | n | launches | 10⁹ multiply-adds | GB | {names} |");
    println!("|---|---|---|---|---|{}", "---|".repeat(cards.len()));
    for computation in computations::computations() {
        for n in computation.sizes {
            let (mut counted, mut times) = (String::new(), Vec::new());
            for card in &cards {
                let options = DeviceOptions::new().pretend().products(ProductShape::Tiled).card(card.clone());
                let device = options.threshold(0.0).open()?;
                // What comes of the zeros that are read back does not matter: all was recorded that a run would do.
                let _ = (computation.run)(&device, n);
                let (spent, times_made) = (device.counters(), computation.times);
                counted = format!(
                    "{:.0} | {:.2} | {:.2}",
                    spent.dispatches as f64 / times_made,
                    spent.multiply_adds as f64 / 1e9 / times_made,
                    spent.bytes_touched as f64 / 1e9 / times_made
                );
                times.push(format!("{:.2}", spent.model_nanoseconds as f64 / 1e6 / times_made));
            }
            println!("| {} | {n} | {counted} | {} |", computation.name, times.join(" | "));
        }
    }
    Ok(())
}
