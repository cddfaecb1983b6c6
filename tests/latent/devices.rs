//! Every adapter against the CPU: f32 beside f64.

use mercer::Device;
use mercer::inference::em::Em;
use mercer::linalg::EigenParams;
use mercer::models::latent::{
    Algorithm, Contrast, Density, FactorAnalysis, Ica, Pca, Ppca, PpcaMixture, PpcaSolver, Route,
    StreamedMoments,
};
use ndarray::Array2;

use crate::support::{cramped, eager};
use crate::{close, close1, near_subspace, normal};

#[test]
fn pca_by_every_route_and_moments() {
    let cpu = Device::cpu();
    for (n, d) in [(150, 9), (20, 70)] {
        // Far from the origin: centring happens before f32.
        let x = near_subspace(n, d, 4, 0.1, 110) + 1e4;
        let want = Pca::new(3).fit(&cpu, x.view()).unwrap();
        for device in eager().iter().chain(cramped()) {
            for route in [Route::Covariance, Route::Gram, Route::Lanczos(EigenParams::default())] {
                let got = Pca::new(3).route(route).fit(device, x.view()).unwrap();
                let what = format!("{n} x {d}, {route:?} on {device}");
                close(got.components(), want.components(), 1e-4, &what);
                close1(got.explained_variance(), want.explained_variance(), 1e-5, &what);
                let z = got.transform(x.view()).unwrap();
                close(&z, &want.transform(x.view()).unwrap(), 1e-4, &what);
                close(
                    &got.inverse_transform(z.view()).unwrap(),
                    &want.reconstruct(x.view()).unwrap(),
                    1e-6,
                    &what,
                );
            }
            let moments = StreamedMoments::of(device, x.view()).unwrap();
            close(moments.scatter(), StreamedMoments::of(&cpu, x.view()).unwrap().scatter(), 2e-6, "scatter");
        }
    }
}

#[test]
fn ppca_in_all_its_forms() {
    let cpu = Device::cpu();
    let x = near_subspace(90, 7, 2, 0.4, 111);
    let em = Em::new().max_iterations(30).tolerance(0.0);
    let mut holes = x.clone();
    for (i, v) in holes.iter_mut().enumerate().filter(|(i, _)| i % 6 == 5) {
        *v = if i % 7 == 0 { *v } else { f64::NAN };
    }
    let plain = [PpcaSolver::ClosedForm, PpcaSolver::Em, PpcaSolver::Automatic];
    for device in eager() {
        for solver in plain {
            let model = Ppca::new(2).solver(solver).em(em.clone());
            let (a, b) = (model.fit(device, x.view()).unwrap(), model.fit(&cpu, x.view()).unwrap());
            let what = format!("{solver:?} on {device}");
            close(&a.covariance(), &b.covariance(), 1e-5, &what);
            close1(&a.score_samples(x.view()).unwrap(), &b.score_samples(x.view()).unwrap(), 1e-5, &what);
            close(&a.transform(x.view()).unwrap(), &b.transform(x.view()).unwrap(), 1e-4, &what);
        }
        let model = Ppca::new(2).missing(true).em(em.clone());
        let (a, b) = (model.fit(device, holes.view()).unwrap(), model.fit(&cpu, holes.view()).unwrap());
        close(&a.covariance(), &b.covariance(), 1e-4, &format!("holes on {device}"));
        let filled = |f: &mercer::models::latent::FittedPpca| f.impute(holes.view()).unwrap();
        close(&filled(&a), &filled(&b), 1e-4, &format!("filled on {device}"));
    }
}

#[test]
fn factors_and_mixtures() {
    let cpu = Device::cpu();
    let x: Array2<f64> = near_subspace(120, 6, 2, 0.5, 112);
    let mut two = x.clone();
    two.rows_mut().into_iter().step_by(2).for_each(|mut row| row += 15.0);
    let em = Em::new().max_iterations(15).tolerance(0.0);
    for device in eager() {
        let fa = FactorAnalysis::new(2).em(em.clone());
        let (a, b) = (fa.fit(device, x.view()).unwrap(), fa.fit(&cpu, x.view()).unwrap());
        close(&a.covariance(), &b.covariance(), 1e-5, &format!("factors on {device}"));
        close1(&a.score_samples(x.view()).unwrap(), &b.score_samples(x.view()).unwrap(), 1e-5, "scores");
        let mixture = PpcaMixture::new(2, 2).em(em.clone());
        let (a, b) = (mixture.fit(device, two.view()).unwrap(), mixture.fit(&cpu, two.view()).unwrap());
        close(&a.means(), &b.means(), 1e-5, &format!("mixture on {device}"));
        close(&a.covariance(1).unwrap(), &b.covariance(1).unwrap(), 1e-4, &format!("mixture on {device}"));
        close(&a.predict_proba(two.view()).unwrap(), &b.predict_proba(two.view()).unwrap(), 1e-4, "shares");
    }
}

#[test]
fn independent_components() {
    let x = normal(300, 3, 113).mapv(|v| v.powi(3)).dot(&normal(3, 3, 114));
    let algorithms = [
        Algorithm::FastParallel(Contrast::LogCosh),
        Algorithm::FastParallel(Contrast::Exp),
        Algorithm::FastDeflation(Contrast::Cube),
        Algorithm::InfoMax(Density::SuperGaussian),
        Algorithm::InfoMax(Density::Extended),
    ];
    for device in eager() {
        for algorithm in algorithms {
            let ica = Ica::new(3).algorithm(algorithm).tolerance(1e-5).max_iterations(300);
            let (a, b) = (ica.fit(device, x.view()).unwrap(), ica.fit(&Device::cpu(), x.view()).unwrap());
            assert!(a.report().converged() && b.report().converged(), "{algorithm:?} on {device}");
            close(a.mixing(), b.mixing(), 5e-3, &format!("{algorithm:?} on {device}"));
        }
    }
}

/// Far from the origin and in unusual units the components are those of the CPU.
#[test]
fn origin_and_units_change_no_component() {
    let x: Array2<f64> = near_subspace(120, 5, 2, 0.3, 115);
    for (by, unit) in [(1.7e9, 1.0), (0.0, 1e-20), (0.0, 1e-25), (0.0, 1e25)] {
        let x = (&x + by) * unit;
        let want = Pca::new(2).fit(&Device::cpu(), &x).unwrap();
        let model = Ppca::new(2).fit(&Device::cpu(), &x).unwrap();
        for device in eager() {
            let what = format!("{by} {unit} on {device}");
            let got = Pca::new(2).fit(device, &x).unwrap();
            let scale = want.total_variance();
            close1(&(got.explained_variance() / scale), &(want.explained_variance() / scale), 1e-5, &what);
            close(got.components(), want.components(), 1e-4, &what);
            let got = Ppca::new(2).fit(device, &x).unwrap();
            let ratio = got.noise_variance() / model.noise_variance();
            assert!((ratio - 1.0).abs() < 1e-4, "{what}: {ratio}");
        }
    }
}
