//! An interrupted fit goes on to the same bits.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use mercer::inference::em::Mode;
use mercer::learn::ranks::{Alone, Ranks, Threads};
use mercer::prelude::*;
use mercer::saved::Checkpoint;
use ndarray::{Array1, Array2, Axis, s};

pub fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("mercer-{}-{name}", std::process::id()))
}

pub fn data() -> Array2<f64> {
    Array2::from_shape_fn((60, 2), |(i, j)| ((i * 7 + j * 5) as f64).sin() + (i % 3 * 2) as f64)
}

/// Ends a fit after so many steps.
pub fn after(steps: usize) -> Progress {
    Progress::new(
        move |step| if step.made < steps { ControlFlow::Continue(()) } else { ControlFlow::Break(()) },
    )
}

#[test]
fn a_mixture_goes_on_where_it_was_stopped() {
    let x = data();
    for (mode, name) in [
        (Mode::Full, "full"),
        (Mode::Generalised { step: 1.0 }, "generalised"),
        (Mode::Stepwise { delay: 1.0, decay: 0.7 }, "stepwise"),
    ] {
        let file = path(&format!("em-{name}.state"));
        let model = GaussianMixture::new(3).restarts(2).seed(9).tolerance(0.0).max_iterations(20).mode(mode);
        for size in [1, 3] {
            let fit = |model: &GaussianMixture| {
                Threads::run(size, |ranks| {
                    let own = ranks.rank() * 60 / size..(ranks.rank() + 1) * 60 / size;
                    model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..]))
                })
            };
            let whole = fit(&model);
            let kept = model.clone().checkpoint(Checkpoint::new(&file).every(3));
            // In the first start, then in the second.
            for steps in [8, 31] {
                let stopped = fit(&kept.clone().progress(after(steps)));
                assert!(stopped.iter().all(|e| matches!(e, Err(Error::Cancelled { .. }))), "{stopped:?}");
                assert!(file.exists());
            }
            for (a, b) in fit(&kept).into_iter().zip(whole) {
                let (a, b) = (a.unwrap(), b.unwrap());
                assert_eq!(a.params(), b.params(), "{name}");
                assert_eq!(a.report(), b.report(), "{name}");
            }
            assert!(!file.exists());
        }
    }
}

/// The share of a rank of 60 rows.
fn share(ranks: &dyn Ranks) -> std::ops::Range<usize> {
    ranks.rank() * 60 / ranks.size()..(ranks.rank() + 1) * 60 / ranks.size()
}

/// Rows without groups, so that every EM takes its time.
fn cloud(ranks: &dyn Ranks) -> Array2<f64> {
    let all = Array2::from_shape_fn((60, 3), |(i, j)| ((i * i + 7 * i * (j + 1) + 3 * j) as f64).sin());
    all.slice(s![share(ranks), ..]).to_owned()
}

fn bits(ranks: &dyn Ranks) -> Array2<f64> {
    cloud(ranks).mapv(|v| f64::from(u8::from(v > 0.1)))
}

fn values(ranks: &dyn Ranks) -> Array1<f64> {
    cloud(ranks).map_axis(Axis(1), |row| row[0].abs() + 0.3 * row[1])
}

fn answers(ranks: &dyn Ranks) -> Vec<bool> {
    cloud(ranks).rows().into_iter().map(|row| row[0] * row[1] > 0.05).collect()
}

/// Never stopped; stopped after four steps; gone on: the first and the last are the same to the bit on 1 and 3 ranks.
macro_rules! resumes {
    ($($name:ident: $model:expr, [$($data:ident),+], |$fit:ident| $figures:expr;)+) => {$(
        #[test]
        fn $name() {
            let (file, model) = (path(concat!(stringify!($name), ".state")), $model.tolerance(0.0).max_iterations(12));
            let kept = model.clone().checkpoint(Checkpoint::new(&file).every(2));
            let stopped = kept.clone().progress(after(4));
            for size in [1, 3] {
                let [whole, stopped, resumed] = [&model, &stopped, &kept].map(|model| {
                    let fits = Threads::run(size, |ranks| {
                        model.fit_across(ranks, &Device::cpu(), $($data(ranks)),+)
                    });
                    (fits, file.exists())
                });
                assert!(stopped.1 && stopped.0.iter().all(|e| matches!(e, Err(Error::Cancelled { .. }))));
                assert!(!resumed.1);
                for (a, b) in whole.0.into_iter().zip(resumed.0) {
                    let [a, b] = [a, b].map(|fit| {
                        let $fit = fit.unwrap();
                        ($figures, $fit.report().clone())
                    });
                    assert_eq!(a, b, "{size} ranks");
                }
            }
        }
    )+};
}

resumes! {
    kmeans_resumes: KMeans::new(7).restarts(3), [cloud], |fit| (fit.centres().clone(), fit.labels().to_vec());
    soft_kmeans_resumes: SoftKMeans::new(3, 0.3), [cloud], |fit| fit.params().clone();
    a_variational_mixture_resumes: BayesianGaussianMixture::new(4), [cloud], |fit| fit.weights().clone();
    a_bernoulli_mixture_resumes: BernoulliMixture::new(3), [bits], |fit| fit.probabilities().clone();
    a_categorical_mixture_resumes: CategoricalMixture::new(3), [bits], |fit| fit.probabilities().clone();
    latent_classes_resume: LatentClass::new(3), [bits], |fit| fit.predict_proba(bits(&Alone)).unwrap();
    a_mixture_of_subspaces_resumes: PpcaMixture::new(3, 1), [cloud], |fit| fit.predict_proba(cloud(&Alone)).unwrap();
    a_mixture_of_lines_resumes: LinearRegressionMixture::new(2), [cloud, values], |fit| fit.slopes().clone();
    a_mixture_of_answers_resumes: LogisticRegressionMixture::new(2), [cloud, answers], |fit| fit.slopes().clone();
}

#[test]
fn conjugate_gradients_go_on_where_they_were_stopped() {
    let x = data();
    let y = ndarray::stack![ndarray::Axis(1), x.column(0).mapv(f64::cos), x.column(1).mapv(|v| v * v)];
    let file = path("cg.state");
    // Memory for a preconditioner of rank 5 and no more: many iterations.
    let model = KernelRidge::new(Kernel::rbf(0.3), 1e-3).solver(KernelSolver::MatrixFree).tolerance(1e-12);
    let model = model.memory_budget(32 * 60 * 5);
    for size in [1, 3] {
        let fit = |model: &KernelRidge| {
            Threads::run(size, |ranks| {
                let own = ranks.rank() * 60 / size..(ranks.rank() + 1) * 60 / size;
                model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), y.slice(s![own, ..]))
            })
        };
        let whole = fit(&model);
        let made = whole[0].as_ref().unwrap().report().clone();
        let kept = model.clone().checkpoint(Checkpoint::new(&file).every(3));
        let stopped = fit(&kept.clone().progress(after(7)));
        assert!(stopped.iter().all(|e| matches!(e, Err(Error::Cancelled { .. }))), "{made:?}");
        assert!(file.exists());
        for (a, b) in fit(&kept).into_iter().zip(whole) {
            let (a, b) = (a.unwrap(), b.unwrap());
            assert_eq!(a.dual_coefficients(), b.dual_coefficients());
            assert_eq!(a.report(), b.report());
        }
        assert!(!file.exists());
    }
}

#[test]
fn a_file_of_something_else_is_refused() {
    let (x, file) = (data(), path("other.state"));
    let model = KMeans::new(2).tolerance(0.0).checkpoint(Checkpoint::new(&file).every(1));
    let stopped = model.clone().progress(after(3)).fit(&Device::cpu(), &x);
    assert!(matches!(stopped, Err(Error::Cancelled { .. })));
    // Another model, and another seed.
    let mixture = GaussianMixture::new(2).checkpoint(Checkpoint::new(&file));
    assert!(matches!(mixture.fit(&Device::cpu(), &x), Err(Error::File { .. })));
    assert!(matches!(model.clone().seed(77).fit(&Device::cpu(), &x), Err(Error::File { .. })));
    // Cut short.
    let bytes = fs::read(&file).unwrap();
    for length in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&file, &bytes[..length]).unwrap();
        assert!(matches!(model.fit(&Device::cpu(), &x), Err(Error::File { .. })), "{length} bytes");
    }
    fs::write(&file, bytes).unwrap();
    model.fit(&Device::cpu(), &x).unwrap();
    assert!(!file.exists());
    // A place that cannot be written.
    let nowhere = KMeans::new(2).checkpoint(Checkpoint::new("/nowhere/at/all").every(1));
    assert!(matches!(nowhere.fit(&Device::cpu(), &x), Err(Error::File { .. })));
}
