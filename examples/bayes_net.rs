//! Asia: what a physician may conclude from a cough, a visit and an X-ray (Lauritzen and Spiegelhalter, 1988).
//!
//! Eight variables, yes or no. A visit to Asia makes tuberculosis likelier, smoking makes cancer and bronchitis likelier; an
//! X-ray cannot tell tuberculosis from cancer. Evidence for one explanation takes away from the others.
//!
//! `cargo run --release --example bayes_net` prints the answers and draws `target/bayes_net.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::graphical::{BayesNet, Node};
use plotters::prelude::*;

const DISEASES: [(&str, RGBColor); 3] = [
    ("tuberculosis", RGBColor(31, 95, 160)),
    ("cancer", RGBColor(196, 64, 48)),
    ("bronchitis", RGBColor(60, 140, 80)),
];

/// The published tables; of each pair the first is no.
fn asia() -> mercer::Result<BayesNet> {
    BayesNet::new(&[
        Node::new("asia", 2).table(&[0.99, 0.01]),
        Node::new("smoking", 2).table(&[0.5, 0.5]),
        Node::new("tuberculosis", 2).given(&["asia"], &[0.99, 0.01, 0.95, 0.05]),
        Node::new("cancer", 2).given(&["smoking"], &[0.99, 0.01, 0.9, 0.1]),
        Node::new("bronchitis", 2).given(&["smoking"], &[0.7, 0.3, 0.4, 0.6]),
        Node::new("either", 2).given(&["tuberculosis", "cancer"], &[1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
        Node::new("x-ray", 2).given(&["either"], &[0.95, 0.05, 0.02, 0.98]),
        Node::new("dyspnoea", 2).given(&["either", "bronchitis"], &[0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.1, 0.9]),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let net = asia()?;
    let cases: [(&str, Vec<(&str, usize)>); 6] = [
        ("nothing is known", vec![]),
        ("short of breath", vec![("dyspnoea", 1)]),
        ("... and was in Asia", vec![("dyspnoea", 1), ("asia", 1)]),
        ("... and does not smoke", vec![("dyspnoea", 1), ("asia", 1), ("smoking", 0)]),
        (
            "... and the X-ray shows something",
            vec![("dyspnoea", 1), ("asia", 1), ("smoking", 0), ("x-ray", 1)],
        ),
        (
            "the same X-ray of a smoker at home",
            vec![("dyspnoea", 1), ("asia", 0), ("smoking", 1), ("x-ray", 1)],
        ),
    ];
    println!("{:<36} tuberculosis  cancer  bronchitis", "");
    let mut answers = Vec::new();
    for (name, evidence) in &cases {
        let mut row = Vec::new();
        for (disease, _) in DISEASES {
            row.push(net.query(disease, evidence)?[1]);
        }
        println!("{name:<36} {:12.3} {:7.3} {:11.3}", row[0], row[1], row[2]);
        answers.push(row);
    }
    // To see is not to do: smokers are short of breath, and making somebody breathe badly makes no smoker.
    let seen = net.query("smoking", &[("dyspnoea", 1)])?[1];
    let done = net.intervene("smoking", "dyspnoea", 1)?[1];
    println!("\np(smoking | dyspnoea) = {seen:.3}, p(smoking | do(dyspnoea)) = {done:.3}");

    let (path, area) = support::picture("bayes_net", (1200, 620))?;
    let ink = |size: u32| ("sans-serif", size).into_font().color(&support::INK);
    area.draw(&Text::new("Asia: what explains the breath?", (30, 20), ink(28)))?;
    for (place, (disease, colour)) in DISEASES.into_iter().enumerate() {
        let x = 620 + 190 * place as i32;
        area.draw(&Rectangle::new([(x, 26), (x + 20, 46)], colour.filled()))?;
        area.draw(&Text::new(disease, (x + 28, 26), ink(22)))?;
    }
    for (case, ((name, _), row)) in cases.iter().zip(&answers).enumerate() {
        let top = 80 + 88 * case as i32;
        area.draw(&Text::new(*name, (30, top + 22), ink(22)))?;
        for (bar, (p, (_, colour))) in row.iter().zip(DISEASES).enumerate() {
            let (y, end) = (top + 24 * bar as i32, 400 + (660.0 * p) as i32);
            area.draw(&Rectangle::new([(400, y), (end.max(401), y + 20)], colour.mix(0.85).filled()))?;
            area.draw(&Text::new(format!("{:.1} %", 100.0 * p), (end + 8, y), ink(18)))?;
        }
    }
    area.present()?;
    println!("{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
