//! Two classification surfaces: tumours that are malignant or benign, and wines of three cultivars, each told apart by two
//! measurements.
//!
//! `cargo run --release --example gp_classify` writes `target/gp_classify.png`. A Gaussian process classifier says not
//! only which class a point belongs to, but how sure it is; far from the data it is not sure at all.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::gp::{Average, FittedGpClassifier, GpClassifier, Likelihood};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, Axis, s};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Two features, standardised so that one length scale means the same for both, and the labels.
struct Data {
    x: Array2<f64>,
    labels: Vec<usize>,
    centre: Array1<f64>,
    scale: Array1<f64>,
}

fn read(name: &str) -> Result<Data, Box<dyn Error>> {
    let table = support::table(name)?;
    let raw = table.slice(s![.., ..2]).to_owned();
    let labels = table.column(2).iter().map(|v| *v as usize).collect();
    let centre = raw.mean_axis(Axis(0)).ok_or("an empty table")?;
    let scale = raw.std_axis(Axis(0), 0.0);
    Ok(Data { x: (&raw - &centre) / &scale, labels, centre, scale })
}

/// Every third point is kept for the test.
fn split(data: &Data) -> [(Array2<f64>, Vec<usize>); 2] {
    [false, true].map(|test| {
        let rows: Vec<usize> = (0..data.labels.len()).filter(|i| (i % 3 == 2) == test).collect();
        (data.x.select(Axis(0), &rows), rows.iter().map(|&i| data.labels[i]).collect())
    })
}

/// The share of right answers, and the mean of -ln p(the right answer).
fn judge(p: &Array2<f64>, labels: &[usize]) -> (f64, f64) {
    let n = labels.len() as f64;
    let right = |(p, &l): (ndarray::ArrayView1<f64>, &usize)| p.iter().all(|q| *q <= p[l]);
    let accuracy = p.rows().into_iter().zip(labels).filter(|pair| right((pair.0, pair.1))).count() as f64 / n;
    let loss = p.rows().into_iter().zip(labels).map(|(p, &l)| -p[l].ln()).sum::<f64>() / n;
    (accuracy, loss)
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    println!("running on {device}\n");
    let (path, area) = support::picture("gp_classify", (1500, 700))?;
    let (left, right) = area.split_horizontally(750);

    // Two classes. The evidence chooses the amplitude and a length scale for each feature.
    let tumours = read("breast_cancer.csv")?;
    let [(x, labels), (new, truth)] = split(&tumours);
    println!("tumours: {} to learn from, {} to be judged by", labels.len(), truth.len());
    println!("{:<10} {:>12} {:>10} {:>10}   kernel", "likelihood", "ln evidence", "accuracy", "log loss");
    let mut kept = None;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let model = GpClassifier::new(4.0 * Kernel::rbf([1.0, 1.0])).likelihood(likelihood);
        let fitted = model.optimise(Minimiser::default()).fit(&device, x.view(), &labels)?;
        let (accuracy, loss) = judge(&fitted.predict_proba(new.view())?, &truth);
        let name = format!("{likelihood:?}");
        println!(
            "{name:<10} {:12.2} {accuracy:10.3} {loss:10.4}   {}",
            fitted.log_evidence(),
            short(fitted.kernels()[0])
        );
        kept.get_or_insert(fitted);
    }
    let fitted = kept.ok_or("nothing fitted")?;

    // Three ways to the same integral, and the shortcut that forgets the uncertainty of the latent value.
    println!("\nhow sure, averaged over the test points: mean of max(p, 1 - p)");
    let sure = |p: &Array2<f64>| p.column(1).mapv(|p| p.max(1.0 - p)).mean().unwrap_or(f64::NAN);
    for (name, by) in [
        ("quadrature", Average::Quadrature),
        ("probit formula", Average::ProbitFormula),
        ("2000 draws", Average::MonteCarlo { samples: 2000, seed: 1 }),
    ] {
        println!("{name:<28} {:.5}", sure(&fitted.predict_proba_by(new.view(), by)?));
    }
    let means = fitted.latent(new.view())?.mean.column(0).mapv(|m| 1.0 / (1.0 + (-m.abs()).exp()));
    println!("{:<28} {:.5}  (too sure)", "logistic of the latent mean", means.mean().unwrap_or(f64::NAN));

    let colours = [RGBColor(38, 102, 172), RGBColor(190, 58, 45)];
    let axes = ["worst texture", "worst concave points"];
    surface(&left, "Malignant (red) or benign (blue)?", axes, &tumours, &fitted, &colours)?;

    // Three classes at once, under the softmax likelihood, or one against the rest.
    let wines = read("wine.csv")?;
    let [(x, labels), (new, truth)] = split(&wines);
    println!("\nwines: {} to learn from, {} to be judged by", labels.len(), truth.len());
    for likelihood in [Likelihood::Logistic, Likelihood::Softmax] {
        let model = GpClassifier::new(4.0 * Kernel::rbf([1.0, 1.0])).likelihood(likelihood);
        let fitted = model.optimise(Minimiser::default()).fit(&device, x.view(), &labels)?;
        let (accuracy, loss) = judge(&fitted.predict_proba(new.view())?, &truth);
        let name = if likelihood == Likelihood::Softmax { "softmax" } else { "one against the rest" };
        println!("{name:<22} accuracy {accuracy:.3}, log loss {loss:.4}");
        if likelihood == Likelihood::Softmax {
            let colours = [RGBColor(190, 58, 45), RGBColor(58, 140, 60), RGBColor(38, 102, 172)];
            surface(
                &right,
                "Three cultivars of wine",
                ["alcohol", "colour intensity"],
                &wines,
                &fitted,
                &colours,
            )?;
        }
    }
    area.present()?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

fn short(kernel: &Kernel) -> String {
    let values: Vec<String> =
        kernel.params().iter().map(|p| format!("{} = {:.2}", p.name, p.value)).collect();
    values.join(", ")
}

/// The classes' colours mixed by their probabilities, lines where the most probable one has ½ and 0.9, and the data.
fn surface(
    area: &DrawingArea<BitMapBackend, Shift>,
    title: &str,
    axes: [&str; 2],
    data: &Data,
    fitted: &FittedGpClassifier,
    colours: &[RGBColor],
) -> Result<(), Box<dyn Error>> {
    const CELLS: usize = 150;
    let low: Vec<f64> =
        data.x.columns().into_iter().map(|c| c.fold(f64::INFINITY, |s, v| s.min(*v)) - 0.6).collect();
    let high: Vec<f64> =
        data.x.columns().into_iter().map(|c| c.fold(f64::NEG_INFINITY, |s, v| s.max(*v)) + 0.6).collect();
    let raw = |f: usize, v: f64| data.centre[f] + data.scale[f] * v;
    let step = [0, 1].map(|f| (high[f] - low[f]) / CELLS as f64);
    let grid = Array2::from_shape_fn((CELLS * CELLS, 2), |(i, f)| {
        let cell = if f == 0 { i % CELLS } else { i / CELLS };
        low[f] + step[f] * (cell as f64 + 0.5)
    });
    let p = fitted.predict_proba(grid.view())?;
    let top = Array1::from_iter(p.rows().into_iter().map(|r| r.fold(0f64, |s, v| s.max(*v))));
    let class: Vec<usize> =
        p.rows().into_iter().map(|r| (0..r.len()).fold(0, |b, c| if r[c] > r[b] { c } else { b })).collect();

    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 26))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(60)
        .build_cartesian_2d(raw(0, low[0])..raw(0, high[0]), raw(1, low[1])..raw(1, high[1]))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(axes[0])
        .y_desc(axes[1])
        .label_style(("sans-serif", 16))
        .draw()?;
    let corner = |i: usize, add: f64| {
        let at = [i % CELLS, i / CELLS];
        let [a, b] = [0, 1].map(|f| raw(f, low[f] + step[f] * (at[f] as f64 + add)));
        (a, b)
    };
    chart.draw_series((0..CELLS * CELLS).map(|i| {
        let mix = |part: fn(&RGBColor) -> u8| {
            let colour: f64 = p.row(i).iter().zip(colours).map(|(p, c)| p * f64::from(part(c))).sum();
            // Half way to white, so that the data stand out.
            (0.45 * colour + 0.55 * 255.0) as u8
        };
        let colour = RGBColor(mix(|c| c.0), mix(|c| c.1), mix(|c| c.2));
        Rectangle::new([corner(i, 0.0), corner(i, 1.0)], colour.filled())
    }))?;
    // A cell is on a line if its right or upper neighbour is on the other side.
    let crosses = |i: usize, side: &dyn Fn(usize) -> usize| {
        let right = i % CELLS + 1 < CELLS && side(i) != side(i + 1);
        right || (i / CELLS + 1 < CELLS && side(i) != side(i + CELLS))
    };
    let boundary = (0..CELLS * CELLS).filter(|&i| crosses(i, &|i| class[i]));
    let sure = (0..CELLS * CELLS).filter(|&i| crosses(i, &|i| usize::from(top[i] > 0.9)));
    chart.draw_series(sure.map(|i| Circle::new(corner(i, 0.5), 1, BLACK.mix(0.5).filled())))?;
    chart.draw_series(boundary.map(|i| Circle::new(corner(i, 0.5), 2, BLACK.filled())))?;
    chart.draw_series(data.x.rows().into_iter().zip(&data.labels).map(|(x, &l)| {
        let at = (raw(0, x[0]), raw(1, x[1]));
        EmptyElement::at(at) + Circle::new((0, 0), 4, colours[l].filled()) + Circle::new((0, 0), 4, WHITE)
    }))?;
    Ok(())
}
