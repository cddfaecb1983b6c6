//! Eight classifiers and one set of data: wines of three cultivars by their alcohol and colour, and which cultivar each
//! classifier takes a wine of any alcohol and colour for.
//!
//! The background is the probability of each cultivar, mixed from three colours: grey where nothing is known. Above each
//! picture stand the accuracy and the log-loss on wines that were held out, a fifth at a time.
//!
//! `cargo run --release --example classifiers` writes `target/classifiers.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;

const INKS: [RGBColor; 3] = [RGBColor(30, 90, 180), RGBColor(200, 60, 40), RGBColor(40, 140, 70)];
/// Points of the background along an axis.
const SIDE: usize = 120;

/// Probabilities of classes at any rows, after a fit.
type Fitted = Box<dyn Fn(&Array2<f64>) -> mercer::Result<Array2<f64>>>;

/// A name, and what fits it.
type Named = (&'static str, fn(&Array2<f64>, &[usize]) -> mercer::Result<Fitted>);

macro_rules! classifier {
    ($name:literal, $model:expr) => {
        ($name, |x, y| {
            let fit = $model.fit(&Device::cpu(), x, y)?;
            Ok(Box::new(move |new| fit.predict_proba(new)))
        })
    };
}

fn classifiers() -> [Named; 8] {
    [
        classifier!("logistic regression", LogisticRegression::new(0.1)),
        classifier!("boosted stumps", OneVsRest::by_proba(AdaBoost::new(20))),
        classifier!("linear discriminant", LinearDiscriminant::new()),
        classifier!("quadratic discriminant", QuadraticDiscriminant::new()),
        classifier!("Gaussian naive Bayes", GaussianNaiveBayes::new()),
        classifier!(
            "Bayesian discriminant",
            BayesianDiscriminant::new(Array1::zeros(2).view(), 0.1, 3.0, Array2::eye(2).view())
        ),
        classifier!("15 nearest neighbours", KNearest::new(15)),
        classifier!("40 bags of one neighbour", Bagging::new(KNearest::new(1), 40)),
    ]
}

/// The share of wines that are told right and the mean of `-ln p(truth)`, each predicted without its own fifth.
fn held_out(model: &Named, x: &Array2<f64>, y: &[usize]) -> mercer::Result<(f64, f64)> {
    let (mut right, mut loss) = (0, 0.0);
    for fold in 0..5 {
        let rows = |out: bool| (0..y.len()).filter(|i| (i % 5 == fold) == out).collect::<Vec<_>>();
        let (inside, outside) = (rows(false), rows(true));
        let labels: Vec<usize> = inside.iter().map(|&i| y[i]).collect();
        let p = (model.1)(&x.select(Axis(0), &inside), &labels)?(&x.select(Axis(0), &outside))?;
        for (p, &i) in p.rows().into_iter().zip(&outside) {
            right += usize::from((0..3).all(|k| p[k] <= p[y[i]]));
            // A vote of forty may give no share at all.
            loss -= p[y[i]].max(1e-3).ln();
        }
    }
    Ok((right as f64 / y.len() as f64, loss / y.len() as f64))
}

fn main() -> Result<(), Box<dyn Error>> {
    let table = support::table("wine.csv")?;
    let raw = table.slice(ndarray::s![.., ..2]).to_owned();
    let y: Vec<usize> = table.column(2).iter().map(|v| *v as usize).collect();
    let (mean, unit) = (raw.mean_axis(Axis(0)).ok_or("no wines")?, raw.std_axis(Axis(0), 1.0));
    let x = (&raw - &mean) / &unit;
    let (across, up) = (10.8..15.1, 0.9..13.4);
    let place = |range: &std::ops::Range<f64>, k: usize| {
        range.start + (range.end - range.start) * (k as f64 + 0.5) / SIDE as f64
    };
    let grid = Array2::from_shape_fn((SIDE * SIDE, 2), |(i, j)| {
        let at = if j == 0 { place(&across, i % SIDE) } else { place(&up, i / SIDE) };
        (at - mean[j]) / unit[j]
    });

    let (path, root) = support::picture("classifiers", (1800, 1000))?;
    println!("{:<30} accuracy  log-loss", "");
    for (panel, model) in root.split_evenly((2, 4)).iter().zip(&classifiers()) {
        let (accuracy, loss) = held_out(model, &x, &y)?;
        println!("{:<30} {accuracy:8.3} {loss:9.3}", model.0);
        let p = (model.1)(&x, &y)?(&grid)?;
        let title = format!("{}: {accuracy:.2}, {loss:.2}", model.0);
        let mut chart =
            support::axes(panel, &title, (across.clone(), "alcohol, %"), (up.clone(), "colour intensity"))?;
        let (wide, high) = ((across.end - across.start) / SIDE as f64, (up.end - up.start) / SIDE as f64);
        chart.draw_series(p.rows().into_iter().enumerate().map(|(i, p)| {
            let mix = |c: fn(&RGBColor) -> u8| {
                let ink: f64 = INKS.iter().zip(p).map(|(ink, p)| p * f64::from(c(ink))).sum();
                (255.0 - 0.45 * (255.0 - ink)) as u8
            };
            let colour = RGBColor(mix(|c| c.0), mix(|c| c.1), mix(|c| c.2));
            let (a, b) = (place(&across, i % SIDE), place(&up, i / SIDE));
            let corners = [(a - 0.5 * wide, b - 0.5 * high), (a + 0.5 * wide, b + 0.5 * high)];
            Rectangle::new(corners, colour.filled())
        }))?;
        chart.draw_series(
            raw.rows()
                .into_iter()
                .zip(&y)
                .map(|(row, &k)| Circle::new((row[0], row[1]), 4, INKS[k].filled())),
        )?;
    }
    root.present()?;
    println!("wrote {}", path.display());
    Ok(())
}
