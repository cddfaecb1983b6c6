//! Mixtures of Gaussians against scikit-learn, the notes, and on every adapter.

use mercer::Device;
use mercer::inference::em::{Em, Mode};
use mercer::models::mixture::{
    Covariance, CovarianceKind, FittedGaussianMixture, GaussianMixture, GaussianParams, MixtureCriterion,
    MixtureStart,
};
use ndarray::{Array1, Array2, Array3, Axis, s};

use crate::support::{adapters, random};
use crate::{clouds, flat, list, oracle, pair, same, table, x1};

fn steps(n: usize) -> Em {
    Em::new().max_iterations(n).tolerance(0.0)
}

/// All four kinds of covariance: weights, means and covariances after each of six iterations.
#[test]
fn every_step_of_scikit_learn() {
    let truth = oracle("mixture_gaussian");
    let (x, weights, means) = (table(&truth["x"]), list(&truth["weights"]), table(&truth["means"]));
    let shaped = |kind: &str, v: Vec<f64>| match kind {
        "full" => Covariance::Full(Array3::from_shape_vec((3, 3, 3), v).unwrap()),
        "tied" => Covariance::Tied(Array2::from_shape_vec((3, 3), v).unwrap()),
        "diag" => Covariance::Diagonal(Array2::from_shape_vec((3, 3), v).unwrap()),
        _ => Covariance::Spherical(Array1::from(v)),
    };
    let kinds = [
        ("full", CovarianceKind::Full),
        ("tied", CovarianceKind::Tied),
        ("diag", CovarianceKind::Diagonal),
        ("spherical", CovarianceKind::Spherical),
    ];
    for (name, kind) in kinds {
        let own = &truth["kinds"][name];
        let start = GaussianParams {
            weights: Array1::from(weights.clone()),
            means: means.clone(),
            covariance: shaped(name, list(&own["start"])),
        };
        let mut last: Option<FittedGaussianMixture> = None;
        for (n, step) in own["steps"].as_array().unwrap().iter().enumerate() {
            let model = GaussianMixture::new(3)
                .covariance(kind.clone())
                .covariance_floor(0.0)
                .start(MixtureStart::Given(start.clone()))
                .em(steps(n + 1));
            let fit = model.fit(&Device::cpu(), x.view()).unwrap();
            let what = format!("{name} after {}", n + 1);
            same(&fit.params().weights, &list(&step["weights"]), 1e-8, &what);
            same(&fit.params().means, &table(&step["means"]), 1e-8, &what);
            same(&flat(&fit.params().covariance), &list(&step["covariances"]), 1e-8, &what);
            last = Some(fit);
        }
        let fit = last.unwrap();
        same(&fit.score_samples(x.view()).unwrap(), &list(&own["score_samples"]), 1e-8, name);
        let proba = fit.predict_proba(x.view()).unwrap();
        same(proba.slice(s![..20, ..]), &table(&own["predict_proba"]), 1e-8, name);
        same(
            &[fit.aic(), fit.bic()],
            &[own["aic"].as_f64().unwrap(), own["bic"].as_f64().unwrap()],
            1e-8,
            name,
        );
    }
}

/// Amsterdam 7.2 and Simeone (6.29): log-likelihoods and parameters of the first iterations.
#[test]
fn the_steps_of_the_notes() {
    let model = |n| GaussianMixture::new(2).start(MixtureStart::Given(pair([-1.0, 1.0], 1.0))).em(steps(n));
    let fit = model(5).fit(&Device::cpu(), x1().view()).unwrap();
    same(&fit.report().trace[..3], &[-11.171_618_280_9, -9.765_423_978_4, -8.600_222_113_9], 1e-10, "trace");
    same(&fit.report().trace[5..], &[-8.568_032_048_5], 1e-10, "the fifth");
    let one = model(1).fit(&Device::cpu(), x1().view()).unwrap();
    same(one.means(), &[-1.360_659_47, 1.516_495_22], 1e-8, "means");
    same(&flat(one.covariance()), &[0.564_328_18, 0.865_033_38], 1e-8, "variances");
    same(one.weights(), &[0.498_117_77, 1.0 - 0.498_117_77], 1e-8, "weights");

    let x = ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0], [2.5]];
    let fit = model(2).fit(&Device::cpu(), x.view()).unwrap();
    same(&fit.report().trace, &[-13.265_554_1, -11.159_052_9, -9.724_304_5], 1e-7, "Simeone");
    let long = model(0).em(Em::new().tolerance(1e-13));
    let fit = long.fit(&Device::cpu(), x.view()).unwrap();
    same(&[fit.log_likelihood()], &[-9.698_974_1], 1e-7, "Simeone, converged");
    same(&fit.params().means, &[-1.500_001_9, 1.749_992_1], 1e-5, "Simeone, converged");
}

#[test]
fn every_adapter_agrees_with_the_cpu() {
    let x = clouds(1500, 6, 3);
    let kinds =
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical];
    for kind in kinds {
        let model = GaussianMixture::new(3).covariance(kind.clone()).em(Em::new().max_iterations(30));
        // Enough iterations asked for that the model thinks a GPU worth its while, few made.
        let model = model.max_iterations(2000).tolerance(1e-5);
        let want = model.fit(&Device::cpu(), x.view()).unwrap();
        for device in adapters() {
            let before = device.counters();
            let got = model.fit(device, x.view()).unwrap();
            assert!(device.counters() != before, "{kind:?} never came to {device}");
            let what = format!("{kind:?} on {device}");
            same(&[got.log_likelihood()], &[want.log_likelihood()], 1e-4, &what);
            same(&got.params().weights, &want.params().weights, 2e-3, &what);
            same(&got.params().means, &want.params().means, 2e-2, &what);
            same(&flat(&got.params().covariance), &flat(&want.params().covariance), 2e-2, &what);
        }
    }
}

#[test]
fn parts_are_the_whole_and_stepwise_comes_close() {
    let x = clouds(900, 3, 5);
    let start = GaussianMixture::new(3).em(steps(1)).fit(&Device::cpu(), x.view()).unwrap();
    let model = GaussianMixture::new(3).start(MixtureStart::Given(start.params().clone())).em(steps(8));
    let whole = model.fit(&Device::cpu(), x.view()).unwrap();
    let parts: Vec<Array2<f64>> = x.axis_chunks_iter(Axis(0), 128).map(|c| c.to_owned()).collect();
    let apart = model.fit_batches(&Device::cpu(), &parts).unwrap();
    // Sums in another order may stop rising an iteration sooner.
    let both = apart.report().trace.len().min(whole.report().trace.len());
    assert!(both > 2);
    same(&apart.report().trace[..both], &whole.report().trace[..both], 1e-12, "trace");
    same(&[apart.log_likelihood()], &[whole.log_likelihood()], 1e-12, "likelihood");
    same(&flat(&apart.params().covariance), &flat(&whole.params().covariance), 1e-10, "covariances");

    let em = steps(10).mode(Mode::Stepwise { delay: 2.0, decay: 0.7 });
    let stepwise = model.clone().em(em).fit_batches(&Device::cpu(), &parts).unwrap();
    let top = model.em(steps(200)).fit(&Device::cpu(), x.view()).unwrap();
    let gap = (top.log_likelihood() - stepwise.log_likelihood()) / top.log_likelihood().abs();
    assert!(gap.abs() < 1e-3, "{} {}", stepwise.log_likelihood(), top.log_likelihood());
}

#[test]
fn weights_are_repetitions() {
    let x = random(60, 2, 7);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let start = GaussianMixture::new(2).fit(&Device::cpu(), x.view()).unwrap().params().clone();
    let model = GaussianMixture::new(2).start(MixtureStart::Given(start)).em(steps(5));
    let weighted = model.fit_weighted(&Device::cpu(), x.view(), &weights).unwrap();
    let repeated = model.fit(&Device::cpu(), x.select(Axis(0), &rows).view()).unwrap();
    same(&weighted.report().trace, &repeated.report().trace, 1e-12, "trace");
    same(&flat(&weighted.params().covariance), &flat(&repeated.params().covariance), 1e-10, "covariances");
    assert!((weighted.bic() - repeated.bic()).abs() < 1e-9);
}

#[test]
fn criteria_find_three_clouds_and_every_start_does() {
    let x = clouds(600, 2, 9);
    for criterion in [MixtureCriterion::Bic, MixtureCriterion::Icl] {
        let model = GaussianMixture::new(1).em(Em::new().restarts(2));
        let found = model.select(&Device::cpu(), x.view(), 1..=5, criterion).unwrap();
        assert_eq!(found.best.params().means.nrows(), 3, "{criterion:?}: {:?}", found.table);
        let least = found.table.iter().map(|t| t.1).fold(f64::INFINITY, f64::min);
        assert_eq!(found.table[2], (3, least));
    }
    let best = GaussianMixture::new(3).fit(&Device::cpu(), x.view()).unwrap().log_likelihood();
    for start in [MixtureStart::PlusPlus, MixtureStart::Random] {
        let em = Em::new().restarts(6).seed(1);
        let fit = GaussianMixture::new(3).start(start).em(em).fit(&Device::cpu(), x.view()).unwrap();
        assert_eq!(fit.report().starts.len(), 6);
        assert!(
            (fit.log_likelihood() - best).abs() < 1e-2 * best.abs(),
            "{:?} against {best}",
            fit.report().starts
        );
    }
    let given = (0..600).map(|i| i % 3).collect();
    let from = GaussianMixture::new(3).start(MixtureStart::Labels(given));
    let fit = from.fit(&Device::cpu(), x.view()).unwrap();
    let labels = fit.predict(x.view()).unwrap();
    let right = labels.iter().enumerate().filter(|(i, k)| i % 3 == **k).count();
    assert!(right > 580, "{right} of 600");
}
