//! Words by the substrings they share: which language is it, and a tree of words.
//!
//! `cargo run --release --example strings` writes `target/strings.png`. A string kernel compares words by how often each substring
//! is in both, so that a Gaussian process can learn from words as they are; words that come after the fit are added to the
//! same table. The distances of the same kernel make a tree of words.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::kernel::structures::{ObjectKernel, Objects, StringKernel};
use mercer::prelude::*;
use ndarray::Array2;
use plotters::prelude::*;

const WORDS: [(&str, &str); 3] = [
    (
        "Finnish",
        "kuusi talvi järvi kaupunki ystävä kirja ikkuna lintu metsä pöytä kahvila poika tyttö vuosi päivä yö huomenta \
         kiitos rakkaus saari koulu opettaja lumi aurinko kevät syksy hevonen kissa koira perhonen",
    ),
    (
        "Italian",
        "inverno lago citta amico libro finestra uccello bosco tavolo ragazzo ragazza anno giorno notte mattina grazie amore \
         isola scuola maestro neve sole primavera autunno cavallo gatto cane farfalla stagione cucina",
    ),
    (
        "German",
        "winter stadt freund buch fenster vogel wald tisch junge mädchen jahr nacht morgen danke liebe insel schule lehrer schnee \
         sonne frühling herbst pferd katze hund schmetterling küche strasse wunsch zeitung",
    ),
];
const LATER: [(&str, &str); 9] = [
    ("Finnish", "kesäkuu"),
    ("Finnish", "tuuli"),
    ("Finnish", "kynttilä"),
    ("Italian", "farfallino"),
    ("Italian", "colazione"),
    ("Italian", "mattone"),
    ("German", "schulbuch"),
    ("German", "winterschlaf"),
    ("German", "strassenbahn"),
];
const COLOURS: [RGBColor; 3] = [RGBColor(38, 102, 172), RGBColor(58, 140, 60), RGBColor(190, 58, 45)];

fn main() -> Result<(), Box<dyn Error>> {
    let all =
        WORDS.iter().flat_map(|(language, words)| words.split_whitespace().map(move |w| (*language, w)));
    let (languages, words): (Vec<&str>, Vec<&str>) = all.unzip();
    let kernels = [
        ("characters", StringKernel::bag_of_characters()),
        ("pairs", StringKernel::spectrum(2)),
        ("up to three", StringKernel::by_length([1.0, 1.0, 1.0])),
        ("all substrings", StringKernel::all_substrings()),
        ("with gaps", StringKernel::gappy(2, 0.6)),
    ];
    println!("{} words; the share told right in ten folds, and of nine words that come later\n", words.len());
    for (name, kernel) in kernels {
        let names = Objects::<str, String, _>::new(
            kernel.normalised(),
            words.iter().map(|w| (*w).to_owned()).collect(),
        )?;
        let model = GpClassifier::new(names.kernel().scaled(9.0));
        let folds = KFold::new(10).shuffled(1);
        let scores = cross_validate(&model, &Device::cpu(), names.rows(), &languages, &folds, accuracy)?;
        let fit = model.fit(&Device::cpu(), names.rows(), &languages)?;
        let new = names.add(LATER.iter().map(|(_, w)| (*w).to_owned()).collect())?;
        let truth: Vec<&str> = LATER.iter().map(|(l, _)| *l).collect();
        println!("{name:<16} {:.3}   {:.3}", scores.mean(), accuracy(&truth, &fit.predict(&new)?)?);
    }

    // |a - b|² = k(a, a) + k(b, b) - 2 k(a, b), and length one.
    let some: Vec<usize> = (0..words.len()).filter(|i| i % 3 == 0).collect();
    let few: Vec<&str> = some.iter().map(|&i| words[i]).collect();
    let gram: Array2<f64> =
        ObjectKernel::<str>::gram(&StringKernel::by_length([1.0, 1.0, 1.0]).normalised(), &few)?;
    let apart = Array2::from_shape_fn(gram.raw_dim(), |(i, j)| {
        if i == j { 0.0 } else { (2.0 - 2.0 * gram[[i, j]]).max(0.0).sqrt() }
    });
    let tree = Hierarchical::new(3).fit_dissimilarity(&apart)?;
    let order = tree.dendrogram().order();

    let (path, area) = support::picture("strings", (1400, 560))?;
    let top = tree.dendrogram().merges().iter().map(Merge::height).fold(0.0, f64::max);
    let n = few.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption("A tree of words by shared substrings", ("sans-serif", 24).into_font().color(&support::INK))
        .margin(20)
        .build_cartesian_2d(-1.0..n, -0.45 * top..1.05 * top)?;
    let lines = tree.dendrogram().brackets();
    chart.draw_series(
        lines.into_iter().map(|corners| PathElement::new(corners, support::INK.stroke_width(2))),
    )?;
    for (place, &leaf) in order.iter().enumerate() {
        let language = WORDS.iter().position(|(l, _)| *l == languages[some[leaf]]).unwrap_or_default();
        let style =
            ("sans-serif", 22).into_font().transform(FontTransform::Rotate90).color(&COLOURS[language]);
        chart.draw_series([Text::new(few[leaf], (place as f64 + 0.3, -0.04 * top), style)])?;
    }
    for (at, ((language, _), colour)) in WORDS.iter().zip(COLOURS).enumerate() {
        let style = ("sans-serif", 24).into_font().color(&colour);
        chart.draw_series([Text::new(*language, (0.0, top * (1.0 - 0.08 * at as f64)), style)])?;
    }
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
