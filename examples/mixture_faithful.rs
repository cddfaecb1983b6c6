//! Old Faithful: how many kinds of eruption are there?
//!
//! The geyser erupts for some minutes, then one waits for the next time. A mixture of Gaussians in the plane of the two
//! times is fitted with one to six components and four kinds of covariance; the Bayesian information criterion chooses. It
//! counts components, and the long eruptions are not quite one Gaussian. The completed likelihood (ICL) and a Dirichlet
//! process count clusters, and find the two that everybody sees.
//!
//! `cargo run --release --example mixture_faithful` prints the table and draws `target/mixture_faithful.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::Device;
use mercer::inference::em::Em;
use mercer::linalg::eigh;
use mercer::models::mixture::{
    BayesianGaussianMixture, CovarianceKind, FittedGaussianMixture, GaussianMixture, MixtureCriterion,
    WeightPrior,
};
use ndarray::{Array2, Axis};
use plotters::prelude::*;

const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 95, 160),
    RGBColor(60, 140, 80),
    RGBColor(196, 64, 48),
    RGBColor(140, 90, 170),
    RGBColor(190, 140, 30),
    RGBColor(90, 90, 90),
];

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let x = support::table("faithful.csv")?;
    println!("{} eruptions, on {device}\n", x.nrows());

    // In standard units, so that the starts by k-means see both times alike; criteria of different fits then agree on what
    // a unit is, which is all they need.
    let mean = x.mean_axis(Axis(0)).ok_or("no data")?;
    let spread = x.std_axis(Axis(0), 0.0);
    let z = (&x - &mean) / &spread;

    // Five starts for each number of components: EM climbs to the nearest top, which need not be the highest.
    let kinds = [
        ("full", CovarianceKind::Full),
        ("tied", CovarianceKind::Tied),
        ("diagonal", CovarianceKind::Diagonal),
        ("spherical", CovarianceKind::Spherical),
    ];
    println!("BIC      {}", (1..=6).map(|k| format!("   K = {k}")).collect::<Vec<_>>().concat());
    let mut tables = Vec::new();
    let mut best: Option<(f64, &str, FittedGaussianMixture)> = None;
    for (name, kind) in kinds {
        let em = Em::new().restarts(5).tolerance(1e-8).max_iterations(1000);
        let model = GaussianMixture::new(1).covariance(kind).em(em);
        let found = model.select(&device, z.view(), 1..=6, MixtureCriterion::Bic)?;
        println!(
            "{name:<9}{}",
            found.table.iter().map(|(_, bic)| format!("{bic:8.1}")).collect::<Vec<_>>().concat()
        );
        if best.as_ref().is_none_or(|(bic, ..)| found.best.bic() < *bic) {
            best = Some((found.best.bic(), name, found.best));
        }
        tables.push((name, found.table));
    }
    let (bic, name, fit) = best.ok_or("nothing was fitted")?;
    let k = fit.params().means.nrows();
    println!(
        "\nleast: {bic:.1}, {k} components with {name} covariances after {} iterations",
        fit.report().iterations
    );
    for own in 0..k {
        let centre = &fit.params().means.row(own) * &spread + &mean;
        let share = fit.params().weights[own];
        println!("  {:2.0} % last {:.1} min, then {:.0} min of waiting", 100.0 * share, centre[0], centre[1]);
    }

    let em = Em::new().restarts(5).tolerance(1e-8).max_iterations(1000);
    let model = GaussianMixture::new(1).covariance(CovarianceKind::Tied).em(em);
    let apart = model.select(&device, z.view(), 1..=6, MixtureCriterion::Icl)?;
    println!("\nby the completed likelihood: {} clusters", apart.best.params().means.nrows());

    // Ten components are allowed; those that the data do not need keep no weight.
    let em = Em::new().tolerance(1e-9).max_iterations(3000);
    let prior = WeightPrior::DirichletProcess(0.01);
    let bayes = BayesianGaussianMixture::new(10).weight_prior(prior).em(em);
    let bayes = bayes.fit(&device, z.view())?;
    let used: Vec<String> =
        bayes.weights().iter().filter(|w| **w > 0.01).map(|w| format!("{:.0} %", 100.0 * w)).collect();
    println!("a Dirichlet process, allowed ten, uses {}: {}", used.len(), used.join(", "));

    let title = format!("Old Faithful: {k} components, {name} covariances");
    draw(&title, &x, &z, &fit, &tables, &(mean.to_vec(), spread.to_vec()))
}

/// The eruptions with the ellipses of one and two standard deviations, and the criterion beside them.
fn draw(
    title: &str,
    x: &Array2<f64>,
    z: &Array2<f64>,
    fit: &FittedGaussianMixture,
    tables: &[(&str, Vec<(usize, f64)>)],
    units: &(Vec<f64>, Vec<f64>),
) -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("mixture_faithful", (1300, 620))?;
    let (left, right) = area.split_horizontally(780);
    let mut plot = ChartBuilder::on(&left)
        .caption(title, ("sans-serif", 26))
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(56)
        .build_cartesian_2d(1.3f64..5.5, 38.0f64..102.0)?;
    plot.configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_desc("eruption, minutes")
        .y_desc("waiting for the next, minutes")
        .label_style(("sans-serif", 17))
        .draw()?;
    // A point has the colour of its component as far as the component is responsible for it.
    let r = fit.predict_proba(z.view())?;
    let blend = |i: usize, channel: fn(&RGBColor) -> u8| {
        let parts = COLOURS.iter().cycle().zip(r.row(i)).map(|(c, share)| f64::from(channel(c)) * share);
        parts.sum::<f64>() as u8
    };
    plot.draw_series((0..x.nrows()).map(|i| {
        let colour = RGBColor(blend(i, |c| c.0), blend(i, |c| c.1), blend(i, |c| c.2));
        Circle::new((x[[i, 0]], x[[i, 1]]), 4, colour.mix(0.75).filled())
    }))?;
    for own in 0..fit.params().means.nrows() {
        let axes = eigh(fit.params().covariance.matrix(own, 2)?.view())?;
        let at = |turn: f64, deviations: f64| {
            let (c, s) = (deviations * turn.cos(), deviations * turn.sin());
            let axis = |j: usize| {
                let long = c * axes.values[0].sqrt() * axes.vectors[[j, 0]];
                let short = s * axes.values[1].sqrt() * axes.vectors[[j, 1]];
                (fit.params().means[[own, j]] + long + short) * units.1[j] + units.0[j]
            };
            (axis(0), axis(1))
        };
        for deviations in [1.0, 2.0] {
            let curve = (0..=120).map(|i| at(std::f64::consts::TAU * f64::from(i) / 120.0, deviations));
            plot.draw_series(LineSeries::new(curve, BLACK.mix(0.8).stroke_width(2)))?;
        }
        let (cx, cy) = at(0.0, 0.0);
        plot.draw_series([Cross::new((cx, cy), 7, BLACK.stroke_width(3))])?;
    }

    let all: Vec<f64> = tables.iter().flat_map(|(_, t)| t.iter().skip(1).map(|v| v.1)).collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(f64::MIN, f64::max);
    let margin = 0.08 * (high - low);
    let mut plot = ChartBuilder::on(&right)
        .caption("how many? least BIC", ("sans-serif", 26))
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(64)
        .build_cartesian_2d(1.8f64..6.2, low - margin..high + margin)?;
    plot.configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_desc("components (K = 1 lies far above)")
        .y_desc("BIC")
        .x_labels(5)
        .x_label_formatter(&|v| format!("{v:.0}"))
        .label_style(("sans-serif", 17))
        .draw()?;
    for ((name, table), colour) in tables.iter().zip(COLOURS) {
        let points: Vec<(f64, f64)> = table.iter().skip(1).map(|&(k, v)| (k as f64, v)).collect();
        plot.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        plot.draw_series(points.into_iter().map(|p| Circle::new(p, 4, colour.filled())))?;
    }
    plot.configure_series_labels()
        .position(SeriesLabelPosition::UpperMiddle)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.2))
        .label_font(("sans-serif", 17))
        .draw()?;
    area.present()?;
    println!("\n{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
