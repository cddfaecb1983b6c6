//! Progress: who is told what, and who may end it.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use mercer::prelude::*;
use ndarray::Array2;

use crate::models::Mean;

fn steps() -> (Arc<Mutex<Vec<Step>>>, Progress) {
    let seen = Arc::new(Mutex::new(vec![]));
    let to = seen.clone();
    (seen, Progress::watch(move |step| to.lock().unwrap().push(*step)))
}

fn problem() -> (Array2<f64>, ndarray::Array1<f64>) {
    let x = Array2::from_shape_fn((12, 1), |(i, _)| i as f64);
    let y = x.column(0).mapv(f64::sin);
    (x, y)
}

#[test]
fn watched_fold_by_fold() {
    let (x, y) = problem();
    let (seen, progress) = steps();
    let by = CrossValidation::by(KFold::new(4)).progress(progress);
    let scores = by.scores(&Mean, &Device::cpu(), &x, &y, mse).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|s| s.made).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(seen.iter().all(|s| s.total == Some(4) && s.op == "cross_validate"));
    assert_eq!(seen.iter().map(|s| s.value).collect::<Vec<_>>(), scores.folds());
    assert_eq!(seen[1].share(), 0.5);
}

#[test]
fn a_search_tells_of_all_candidates_and_can_be_ended() {
    let (x, y) = problem();
    let (seen, progress) = steps();
    let search = Search::over([Mean, Mean]).by(KFold::new(3)).lowest(mse);
    search.clone().progress(progress).fit(&Device::cpu(), &x, &y).unwrap();
    let made: Vec<usize> = seen.lock().unwrap().iter().map(|s| s.made).collect();
    assert_eq!(made, [1, 2, 3, 4, 5, 6]);
    let stop =
        Progress::new(|step| if step.made < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
    let ended = search.progress(stop.clone()).fit(&Device::cpu(), &x, &y);
    assert!(matches!(ended, Err(Error::Cancelled { iterations: 4, .. })));
    let by = CrossValidation::by(KFold::new(6)).progress(stop);
    assert!(matches!(by.scores(&Mean, &Device::cpu(), &x, &y, mse), Err(Error::Cancelled { .. })));
    let ended = by.predictions(&Mean, &Device::cpu(), &x, &y, Predict::predict);
    assert!(matches!(ended, Err(Error::Cancelled { .. })));
}

#[test]
fn it_equals_itself_and_its_clones() {
    let (_, a) = steps();
    let (_, b) = steps();
    assert_eq!(a, a.clone());
    assert_ne!(a, b);
    assert_ne!(a, Progress::none());
    assert_eq!(Progress::none(), Progress::default());
    assert_eq!(
        (format!("{a:?}"), format!("{:?}", Progress::none())),
        ("Progress(set)".into(), "Progress(none)".into())
    );
}
