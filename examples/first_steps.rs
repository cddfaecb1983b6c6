//! From a CSV file to models that are judged, chosen, asked for intervals, saved and loaded: the whole vocabulary once.
//!
//! `cargo run --release --features serde --example first_steps` needs no GPU.

use indicatif::ProgressBar;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, s};

/// Four lengths of each flower in cm, and its species.
fn flowers() -> Result<(Array2<f64>, Vec<String>), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.csv"))?;
    let (mut numbers, mut species) = (vec![], vec![]);
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        for field in &fields[..4] {
            numbers.push(field.parse()?);
        }
        species.push(fields[4].to_owned());
    }
    Ok((Array2::from_shape_vec((species.len(), 4), numbers)?, species))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best();
    let (flowers, species) = flowers()?;
    // The width of a petal from the other three lengths; the species from all four.
    let (x, y) = (flowers.slice(s![.., ..3]), flowers.column(3));
    let (train, test) = Holdout::new(0.25).stratified(&species).seed(7).split(x.nrows())?;
    let rows = |rows: &[usize]| (x.select(Axis(0), rows), y.select(Axis(0), rows));
    let ((x_train, y_train), (x_test, y_test)) = (rows(&train), rows(&test));
    let folds = KFold::new(5).shuffled(0);

    // Ridge: its penalty by cross-validation.
    let penalties = [0.01, 0.1, 1.0, 10.0, 100.0];
    let search = Search::over(penalties.map(|p| Pipeline::new(Standardise::new(), Ridge::new(p))));
    let ridge = search.by(folds.clone()).best(r2).fit(&device, &x_train, &y_train)?;
    println!("ridge: penalty {}, R² {:.3}", penalties[ridge.index()], ridge.score(&x_test, &y_test)?);

    // Kernel ridge: bandwidth and penalty on a grid, with a bar.
    let grid: Vec<(f64, f64)> =
        [0.5, 1.0, 2.0, 4.0].iter().flat_map(|&l| [0.01, 0.1, 1.0].map(|p| (l, p))).collect();
    let bar = ProgressBar::new(grid.len() as u64 * 5);
    let told = bar.clone();
    let search = Search::over(
        grid.iter().map(|&(l, p)| Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf(l), p))),
    );
    let search = search
        .by(folds.clone())
        .best(r2)
        .progress(Progress::watch(move |step| told.set_position(step.made as u64)));
    let kernel_ridge = search.fit(&device, &x_train, &y_train)?;
    bar.finish_and_clear();
    let (l, p) = grid[kernel_ridge.index()];
    println!("kernel ridge: bandwidth {l}, penalty {p}, R² {:.3}", kernel_ridge.score(&x_test, &y_test)?);

    // A Gaussian process: parameters by its evidence, and intervals that should hold 19 of 20 flowers.
    let kernel = Kernel::rbf(1.0).scaled(1.0) + Kernel::constant(1.0);
    let gp =
        Pipeline::new(Standardise::new(), GpRegressor::new(kernel).noise(0.1).optimise(Minimiser::default()));
    let gp = gp.fit(&device, &x_train, &y_train)?;
    let (low, high): (Array1<f64>, Array1<f64>) = gp.predict_distribution(&x_test)?.interval(0.95)?;
    let inside = (0..test.len()).filter(|&i| low[i] <= y_test[i] && y_test[i] <= high[i]).count();
    println!("GP: R² {:.3}, {inside} of {} within their intervals", gp.score(&x_test, &y_test)?, test.len());

    // A GP classifier: labels come back as they went in.
    let part = |rows: &[usize]| rows.iter().map(|&i| species[i].clone()).collect::<Vec<_>>();
    let classifier = Pipeline::new(Standardise::new(), GpClassifier::new(Kernel::rbf(2.0).scaled(4.0)));
    let scores = cross_validate(&classifier, &device, &flowers, &species, &folds, accuracy)?;
    println!("GP classifier: accuracy {scores:.3}");
    let fitted = classifier.fit(&device, flowers.select(Axis(0), &train), part(&train))?;
    let said = fitted.predict(flowers.select(Axis(0), &test))?;
    println!("{}", ConfusionMatrix::of(&part(&test), &said)?);

    // Saved, and loaded elsewhere: the same bits.
    let file = serde_json::to_string(ridge.fitted())?;
    let loaded: FittedPipeline<FittedStandardise, FittedRidge<ndarray::Ix1>> = serde_json::from_str(&file)?;
    assert_eq!(loaded.predict(&x_test)?, ridge.predict(&x_test)?);
    println!("{} bytes saved, loaded, and the same predictions", file.len());
    Ok(())
}
