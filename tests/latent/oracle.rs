//! scikit-learn's numbers: `tests/oracle/latent_sklearn.py` made them.

use mercer::Device;
use mercer::inference::em::Em;
use mercer::models::latent::{Algorithm, Contrast, FactorAnalysis, Ica, Pca, Ppca, Rotation};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value;

use crate::support::oracle::{matrix, vector};
use crate::{close, close1};

fn fixtures() -> Value {
    serde_json::from_str(include_str!("../oracle/latent_sklearn.json")).unwrap()
}

fn scaled(x: &Array2<f64>) -> Array2<f64> {
    (x - &x.mean_axis(Axis(0)).unwrap()) / x.std_axis(Axis(0), 0.0)
}

#[test]
fn pca() {
    let cpu = Device::cpu();
    let all = fixtures();
    let wine = matrix(&all["wine"]);
    let few = wine.slice(s![..;25, ..]).to_owned();
    for (name, x) in [("pca", wine), ("wide", few)] {
        let want = &all[name];
        let k = want["k"].as_u64().unwrap() as usize;
        let pca = Pca::new(k).fit(&cpu, x.view()).unwrap();
        let top = x.slice(s![..5, ..]);
        close1(pca.mean(), &vector(&want["mean"]), 1e-13, name);
        // The variances span nine orders of magnitude: small components carry the rounding of the large ones.
        close(pca.components(), &matrix(&want["components"]), 1e-8, name);
        close1(pca.explained_variance(), &vector(&want["explained_variance"]), 1e-11, name);
        close1(&pca.explained_variance_ratio(), &vector(&want["explained_variance_ratio"]), 1e-11, name);
        let noise = want["noise_variance"].as_f64().unwrap();
        assert!((pca.noise_variance() - noise).abs() < 1e-9 * noise, "{} and {noise}", pca.noise_variance());
        close(&pca.transform(top).unwrap(), &matrix(&want["transform"]), 1e-10, name);
        close(&pca.reconstruct(top).unwrap(), &matrix(&want["inverse_transform"]), 1e-10, name);
        let white = Pca::new(k).whiten(true).fit(&cpu, x.view()).unwrap();
        close(&white.transform(top).unwrap(), &matrix(&want["whitened"]), 1e-8, name);
    }
}

/// scikit-learn scores with variances over n - 1, which makes its covariance n / (n - 1) times ours.
#[test]
fn ppca_scores() {
    let all = fixtures();
    let wine = matrix(&all["wine"]);
    let (n, d) = (wine.nrows() as f64, wine.ncols() as f64);
    let ppca = Ppca::new(3).fit(&Device::cpu(), wine.view()).unwrap();
    let own = ppca.score_samples(wine.view()).unwrap();
    let log_det = -2.0 / n * own.sum() - d * (2.0 * std::f64::consts::PI).ln() - d;
    let constant = d * (2.0 * std::f64::consts::PI).ln() + log_det;
    let quadratic = own * -2.0 - constant;
    let want = (quadratic * ((n - 1.0) / n) + constant + d * (n / (n - 1.0)).ln()) * -0.5;
    close1(&want, &vector(&all["scores"]), 1e-9, "score_samples");
}

#[test]
fn factor_analysis() {
    let all = fixtures();
    let x = scaled(&matrix(&all["wine"]));
    let want = &all["factors"];
    let k = want["k"].as_u64().unwrap() as usize;
    let em = Em::new().max_iterations(20_000).tolerance(1e-15);
    let fa = FactorAnalysis::new(k).em(em.clone()).fit(&Device::cpu(), x.view()).unwrap();
    // Step by step the same climb.
    let steps = vector(&want["log_likelihoods"]);
    close1(&Array1::from(fa.report().trace[..steps.len()].to_vec()), &steps, 1e-11, "every step");
    assert!((fa.log_likelihood() - want["log_likelihood"].as_f64().unwrap()).abs() < 1e-8);
    let signed = |mut w: Array2<f64>| {
        for mut column in w.columns_mut() {
            let at = column.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap().0;
            let sign = column[at].signum();
            column *= sign;
        }
        w
    };
    let after = |steps: usize| {
        let em = Em::new().max_iterations(steps).tolerance(0.0);
        FactorAnalysis::new(k).em(em).fit(&Device::cpu(), x.view()).unwrap()
    };
    close(after(30).loadings(), &signed(matrix(&want["step_loadings"])), 1e-9, "loadings after 30 steps");
    close1(after(31).noise_variances(), &vector(&want["step_noise"]), 1e-9, "noise after 31 steps");
    // Both end where rounding hides any gain, and a likelihood that is flat to 1e-11 leaves its arguments 1e-5.
    close(fa.loadings(), &signed(matrix(&want["loadings"])), 1e-4, "loadings");
    close1(fa.noise_variances(), &vector(&want["noise_variances"]), 1e-4, "noise");
    for (name, rotation) in [("varimax", Rotation::Varimax), ("quartimax", Rotation::Quartimax)] {
        let turned =
            FactorAnalysis::new(k).em(em.clone()).rotation(rotation).fit(&Device::cpu(), x.view()).unwrap();
        close(turned.loadings(), &signed(matrix(&want[name])), 1e-4, name);
    }
    close1(&fa.score_samples(x.view()).unwrap(), &vector(&want["score_samples"]), 1e-5, "scores");
    let z = fa.transform(x.slice(s![..5, ..])).unwrap();
    close(&z.mapv(f64::abs), &matrix(&want["transform"]).mapv(f64::abs), 1e-4, "factors");
}

#[test]
fn fast_ica() {
    let all = fixtures();
    let x = matrix(&all["ica"]["x"]);
    for (name, contrast) in [("logcosh", Contrast::LogCosh), ("exp", Contrast::Exp), ("cube", Contrast::Cube)]
    {
        let want = matrix(&all["ica"][name]);
        let ica =
            Ica::new(4).algorithm(Algorithm::FastParallel(contrast)).tolerance(1e-13).max_iterations(20_000);
        let got = ica.fit(&Device::cpu(), x.view()).unwrap().unmixing().clone();
        // Up to order and sign.
        for row in want.rows() {
            let off = |r: ndarray::ArrayView1<f64>| {
                let gap = |s: f64| (&r * s - row).iter().fold(0f64, |m, v| m.max(v.abs()));
                gap(1.0).min(gap(-1.0))
            };
            let best = got.rows().into_iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(best < 1e-5, "{name}: {best:e} from any row of ours\n{got}\n{want}");
        }
    }
}
