//! Searches: a grid and a nested validation as in scikit-learn, at random, by Bayesian optimisation; candidates that fail.

use std::cell::RefCell;

use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayRef1, s};

use crate::models::{Centroid, Mean, Never};
use crate::validate::{petals, ridge};
use crate::{all_close, close, iris, oracle, vector};

#[test]
fn a_grid_as_scikit_learn() {
    let v = oracle("validation");
    let ((x, y), device) = (petals(), Device::cpu());
    let gammas = vector(&v["gammas"]);
    let search = Search::over(gammas.iter().map(|&g| ridge(g))).by(KFold::new(6)).best(r2);
    let best = search.fit(&device, &x, &y).unwrap();
    let means: Vec<f64> = best.table().iter().map(|c| c.mean().unwrap()).collect();
    let stds: Vec<f64> = best.table().iter().map(|c| c.scores().unwrap().std()).collect();
    all_close(&means, &vector(&v["grid_means"]), 1e-8);
    all_close(&stds, &vector(&v["grid_stds"]), 1e-8);
    assert_eq!(best.index() as u64, v["grid_best"].as_u64().unwrap());
    assert_eq!(best.best_score(), means[best.index()]);
    // The winner is fitted to all rows.
    all_close(&best.predict(x.slice(s![..9, ..])).unwrap(), &vector(&v["grid_predictions"]), 1e-9);
    assert_eq!(
        best.predict(&x).unwrap(),
        ridge(gammas[best.index()]).fit(&device, &x, &y).unwrap().predict(&x).unwrap()
    );
    assert_eq!(best.score(&x, &y).unwrap(), best.fitted().score(&x, &y).unwrap());
    let text = best.to_string();
    assert_eq!(text.lines().count(), 5);
    assert_eq!(text.lines().filter(|l| l.starts_with('*')).count(), 1);
}

#[test]
fn nested_is_a_validation_of_a_search() {
    let v = oracle("validation");
    let (x, y) = petals();
    let search = Search::over(vector(&v["gammas"]).iter().map(|&g| ridge(g))).by(KFold::new(3)).best(r2);
    let outer = cross_validate(&search, &Device::cpu(), &x, &y, &KFold::new(4), r2).unwrap();
    all_close(outer.folds(), &vector(&v["nested"]), 1e-8);
    // S-04: the same scores, with what was chosen in each outer fold.
    let nested = nested_cross_validate(&search, &Device::cpu(), &x, &y, &KFold::new(4), r2).unwrap();
    assert_eq!(nested.scores(), &outer);
    assert_eq!(nested.found().len(), 4);
    for ((train, _), found) in KFold::new(4).split(x.nrows()).unwrap().iter().zip(nested.found()) {
        let (x, y) = (x.select(ndarray::Axis(0), train), y.select(ndarray::Axis(0), train));
        let again = search.fit(&Device::cpu(), &x, &y).unwrap();
        assert_eq!(again.index(), found.index());
    }
    assert!(nested.chosen().iter().all(|&i| i < vector(&v["gammas"]).len()));
}

/// A model that always says the same, or fails.
#[derive(Debug, Clone, PartialEq)]
enum Says {
    Number(f64),
    Nothing,
}

impl Fit<ArrayRef1<f64>> for Says {
    type Fitted = Says;

    fn fit(&self, device: &Device, x: ndarray::ArrayView2<f64>, y: &ArrayRef1<f64>) -> Result<Says> {
        if *self == Says::Nothing {
            Never.fit(device, x, y)?;
        }
        Ok(self.clone())
    }
}

impl Predict for Says {
    type Output = Array1<f64>;

    fn predict(&self, x: ndarray::ArrayView2<f64>) -> Result<Array1<f64>> {
        let Says::Number(v) = self else { unreachable!("it was never fitted") };
        Ok(Array1::from_elem(x.nrows(), *v))
    }
}

#[test]
fn failures_are_recorded_and_ties_go_to_the_first() {
    let (x, y) = petals();
    let device = Device::cpu();
    let says = [Says::Nothing, Says::Number(9.0), Says::Number(1.0), Says::Number(1.0), Says::Nothing];
    let search = Search::over(says).lowest(mse);
    let best = search.fit(&device, &x, &y).unwrap();
    assert_eq!((best.index(), best.model()), (2, &Says::Number(1.0)));
    assert!(matches!(best.table()[0].error(), Some(Error::Shape { op: "Never::fit", .. })));
    assert!(best.table()[0].scores().is_none() && best.table()[0].mean().is_none());
    assert!(best.to_string().contains("failed: Never::fit"));
    // The largest error is what `best` would take for the best.
    let worst = Search::over([Says::Number(1.0), Says::Number(9.0)]).best(mse).fit(&device, &x, &y).unwrap();
    assert_eq!(worst.index(), 1);
    let none = Search::over([Says::Nothing, Says::Nothing]).lowest(mse).fit(&device, &x, &y);
    assert!(matches!(none, Err(Error::Shape { op: "Never::fit", .. })));
    let empty = Search::over(Vec::<Says>::new()).lowest(mse).fit(&device, &x, &y);
    assert!(matches!(empty, Err(Error::Shape { op: "Search::fit", .. })));
}

#[test]
fn over_classifiers_and_means() {
    let (x, species) = iris();
    let device = Device::cpu();
    let columns = Search::over([1, 2, 3].map(|k| Pipeline::new(Whiten::new().components(k), Centroid)));
    let best =
        columns.by(KFold::new(5).stratified(&species)).best(accuracy).fit(&device, &x, &species).unwrap();
    assert!(best.best_score() > 0.8);
    assert_eq!(best.predict_proba(&x).unwrap().dim(), (150, 3));
    assert_eq!(mercer::learn::Classes::classes(&best).len(), 3);
    let (x, y) = petals();
    let mean = Search::over([Mean]).lowest(rmse).fit(&device, &x, &y).unwrap().into_fitted();
    close(mean.0[0], y.mean().unwrap(), 1e-14);
}

#[test]
fn at_random_within_the_box() {
    let bounds = [(-3.0, -1.0), (5.0, 5.0)];
    let points = random_points(&bounds, 200, 3).unwrap();
    assert_eq!(points, random_points(&bounds, 200, 3).unwrap());
    assert_ne!(points, random_points(&bounds, 200, 4).unwrap());
    assert!(points.iter().all(|p| (-3.0..=-1.0).contains(&p[0]) && p[1] == 5.0));
    let mean = points.iter().map(|p| p[0]).sum::<f64>() / 200.0;
    assert!((mean + 2.0).abs() < 0.2, "{mean}");
    for bad in [(1.0, 0.0), (f64::NAN, 0.0), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)] {
        assert!(matches!(random_points(&[bad], 1, 0), Err(Error::Parameter { .. })));
    }
    assert!(matches!(random_points(&bounds, usize::MAX, 0), Err(Error::Parameter { .. })));
    let (x, y) = petals();
    let candidates = points.iter().take(6).map(|p| ridge(10f64.powf(p[0])));
    let best =
        Search::over(candidates).by(KFold::new(3).shuffled(0)).best(r2).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(best.best_score() > 0.9);
}

/// Halves towards the better end, and remembers what it was told.
struct Recorder<'a>(f64, &'a RefCell<Vec<(f64, Option<f64>)>>);

impl Ask for Recorder<'_> {
    fn ask(&mut self) -> Result<Vec<f64>> {
        self.0 += 1.0;
        Ok(vec![self.0])
    }

    fn tell(&mut self, point: &[f64], cost: f64) -> Result<()> {
        self.1.borrow_mut().push((point[0], Some(cost)));
        Ok(())
    }

    fn forget(&mut self, point: &[f64]) {
        self.1.borrow_mut().push((point[0], None));
    }
}

#[test]
fn guided_by_what_it_is_told() {
    let (x, y) = petals();
    let told = RefCell::new(vec![]);
    let model = |p: &[f64]| if p[0] == 2.0 { Says::Nothing } else { Says::Number(p[0]) };
    let guided = Guided::new(|| Ok(Recorder(0.0, &told)), 4, model);
    let best = guided.by(KFold::new(3)).lowest(mse).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(best.table().iter().map(|c| c.point()[0]).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
    let costs: Vec<Option<f64>> = best.table().iter().map(Candidate::mean).collect();
    assert_eq!(told.borrow().iter().map(|t| t.1).collect::<Vec<_>>(), costs);
    assert_eq!(best.model(), &Says::Number(1.0));
    // Where larger is better it is told the negative.
    told.borrow_mut().clear();
    let gain = |t: &ArrayRef1<f64>, p: &Array1<f64>| mse(t, p).map(|v| -v);
    Guided::new(|| Ok(Recorder(0.0, &told)), 1, model).best(gain).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(told.borrow()[0].1.unwrap() > 0.0);
    let none = Guided::new(|| Ok(Recorder(0.0, &told)), 0, model).best(r2).fit(&Device::cpu(), &x, &y);
    assert!(matches!(none, Err(Error::Parameter { .. })));
}

#[test]
fn bayesian_optimisation_finds_a_bandwidth() {
    let (x, y) = petals();
    let start = || BayesOptimiser::new(&Device::cpu(), &[(-4.0, 2.0)]).map(|b| b.initial(4).seed(2));
    let search =
        Guided::new(start, 9, |p: &[f64]| ridge(10f64.powf(p[0]))).by(KFold::new(3).shuffled(0)).best(r2);
    let best = search.fit(&Device::cpu(), &x, &y).unwrap();
    // As good as a grid of four times as many.
    let grid = Search::over((0..36).map(|i| ridge(10f64.powf(-4.0 + f64::from(i) / 6.0))));
    let grid = grid.by(KFold::new(3).shuffled(0)).best(r2).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(best.best_score() > grid.best_score() - 2e-3, "{} {}", best.best_score(), grid.best_score());
    assert_eq!(search.fit(&Device::cpu(), &x, &y).unwrap().table(), best.table());
}

/// C.4: the best validation loss of many is too low a guess at the loss on fresh rows, though no candidate is any good.
#[test]
fn selection_makes_the_validation_loss_too_low() {
    let (mut chosen_by, mut fresh) = (0.0, 0.0);
    for seed in 0..60 {
        let y = crate::support::random(40, 1, 700 + seed).column(0).to_owned();
        let (later, x) = (crate::support::random(400, 1, 900 + seed), Array2::<f64>::zeros((40, 1)));
        let guesses = (0..41).map(|k| Says::Number(-1.0 + 0.05 * f64::from(k)));
        let search = Search::over(guesses).by(Holdout::new(0.25).seed(seed)).lowest(mse);
        let best = search.fit(&Device::cpu(), &x, &y).unwrap();
        chosen_by += best.best_score() / 60.0;
        let said = best.predict(Array2::<f64>::zeros((400, 1))).unwrap();
        fresh += mse(&later.column(0).to_owned(), &said).unwrap() / 60.0;
    }
    // Uniform on [-1, 1]: σ² = 1/3, about σ²(1 - 1/10) where ten rows chose and σ²(1 + 1/10) elsewhere.
    assert!((chosen_by - 0.3).abs() < 0.03 && (fresh - 11.0 / 30.0).abs() < 0.03, "{chosen_by} {fresh}");
}
