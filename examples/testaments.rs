//! Which testament is this verse from? Words weighed by their rarity, naive Bayes and logistic regression, cross-validated.
//!
//! 1,900 verses of the King James Bible, half of each testament, are counts of words of which each verse has a dozen. Neither
//! classifier sees a verse that it is judged by, nor do the rarities of words.
//!
//! `cargo run --release --example testaments` prints what each gets right and draws `target/testaments.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const FOLDS: usize = 10;
const COLOURS: [RGBColor; 3] = [RGBColor(196, 64, 48), RGBColor(31, 95, 160), RGBColor(60, 140, 80)];

/// The testament, the place and the text of each verse.
type Verses = (Vec<String>, Vec<String>, Vec<String>);

fn verses() -> Result<Verses, Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/verses.tsv");
    let (mut testaments, mut places, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path)?.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        testaments.push(fields.next().ok_or("no testament")?);
        places.push(fields.next().ok_or("no place")?);
        texts.push(fields.next().ok_or("no text")?);
    }
    Ok((testaments, places, texts))
}

/// Probabilities of each row by a model that has not seen it.
fn unseen<M>(model: &M, x: &Array2<f64>, y: &[String]) -> Result<Array2<f64>, Box<dyn Error>>
where
    M: Fit<[String]>,
    M::Fitted: PredictProba,
{
    let mut out = Array2::zeros((y.len(), 2));
    for (train, test) in KFold::new(FOLDS).stratified(y).shuffled(1).split(y.len())? {
        let seen: Vec<String> = train.iter().map(|&i| y[i].clone()).collect();
        let fitted = model.fit(&Device::best(), x.select(Axis(0), &train).view(), &seen)?;
        let said = fitted.predict_proba(x.select(Axis(0), &test).view())?;
        test.iter().zip(said.rows()).for_each(|(&i, p)| out.row_mut(i).assign(&p));
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (y, places, texts) = verses()?;
    let vocabulary = BagOfWords::new(Tokens::new()).least_texts(3).read(&texts)?;
    let counts = vocabulary.count(&texts)?;
    println!("{} verses, {} words that three of them have\n", y.len(), vocabulary.words().len());

    let weighed = TfIdfFeatures::new().smooth(true).unit_rows(true);
    let logistic = Pipeline::new(weighed, LogisticRegression::new(0.5));
    let bayes = MultinomialNaiveBayes::new(0.5);
    let presence = BernoulliNaiveBayes::new().beta(0.2, 1.0);
    let said = [
        ("logistic regression of tf-idf", unseen(&logistic, &counts, &y)?),
        ("multinomial naive Bayes of counts", unseen(&bayes, &counts, &y)?),
        ("Bernoulli naive Bayes of presence", unseen(&presence, &counts.mapv(|v| v.min(1.0)), &y)?),
    ];
    let old: Vec<bool> = y.iter().map(|t| t == "old").collect();
    println!("{:34} accuracy   log-loss   area under ROC", "");
    for (name, p) in &said {
        let labels: Vec<bool> = p.column(1).iter().map(|p| *p > 0.5).collect();
        let (right, loss) = (accuracy(&old, &labels)?, log_loss(&old, p)?);
        println!("{name:34} {right:8.3} {loss:10.3} {:16.3}", roc_auc(&old, &p.column(1).to_owned())?);
    }
    // The verse that logistic regression is most wrong about.
    let p = &said[0].1;
    let truth = |i: usize| p[[i, usize::from(old[i])]];
    let worst = (0..y.len()).min_by(|&a, &b| truth(a).total_cmp(&truth(b))).ok_or("no verses")?;
    println!(
        "\nmost surprising, p = {:.3}: {} ({}): {}",
        truth(worst),
        places[worst],
        y[worst],
        texts[worst]
    );

    let (path, area) = support::picture("testaments", (1300, 640))?;
    let (left, right) = area.split_horizontally(600);
    let title = "Old or new? Verses that no model had seen";
    let mut chart = support::axes(&left, title, (0.0..1.0, "new called old"), (0.0..1.0, "old called old"))?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], support::INK.mix(0.3)))?;
    for (row, ((name, p), colour)) in said.iter().zip(COLOURS).enumerate() {
        let curve = Roc::of(&old, &p.column(1).to_owned())?;
        let rates = curve.false_positive_rate().iter().zip(curve.true_positive_rate());
        let points = rates.map(|(f, t)| (*f, *t)).collect::<Vec<_>>();
        chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
        let style = ("sans-serif", 20).into_font().color(&colour);
        let area = curve.area();
        chart.draw_series([Text::new(
            format!("{name}: {area:.3}"),
            (0.4, 0.26 - 0.07 * row as f64),
            style,
        )])?;
    }

    // The words with the largest weights: those that decide.
    let fitted = logistic.fit(&Device::best(), &counts, &y)?;
    let weights: Array1<f64> = fitted.then().coefficients().column(0).to_owned();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| weights[*a].total_cmp(&weights[*b]));
    let shown: Vec<usize> = order.iter().take(14).chain(order.iter().rev().take(14).rev()).copied().collect();
    let reach = 1.25 * weights.fold(0f64, |m, w| m.max(w.abs()));
    let title = "The words that decide";
    let mut chart = ChartBuilder::on(&right)
        .caption(title, ("sans-serif", 24).into_font().color(&support::INK))
        .margin(12)
        .x_label_area_size(56)
        .build_cartesian_2d(-reach..reach, -0.5..shown.len() as f64 - 0.5)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_y_axis()
        .x_desc("weight: new testament below zero, old above")
        .label_style(("sans-serif", 18).into_font().color(&support::INK))
        .axis_desc_style(("sans-serif", 20).into_font().color(&support::INK))
        .axis_style(support::INK.mix(0.6))
        .draw()?;
    for (row, &word) in shown.iter().enumerate() {
        let (w, y) = (weights[word], row as f64);
        let colour = if w > 0.0 { COLOURS[0] } else { COLOURS[1] };
        chart.draw_series([Rectangle::new([(0.0, y - 0.38), (w, y + 0.38)], colour.mix(0.8).filled())])?;
        let at = Pos::new(if w > 0.0 { HPos::Right } else { HPos::Left }, VPos::Center);
        let style = ("sans-serif", 18).into_font().color(&support::INK).pos(at);
        let place = if w > 0.0 { -0.02 * reach } else { 0.02 * reach };
        chart.draw_series([Text::new(vocabulary.words()[word].clone(), (place, y), style)])?;
    }
    area.present()?;
    println!("\n{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
