//! What must be refused, and what must not.

use mercer::inference::em::Em;
use mercer::linalg::EigenParams;
use mercer::models::latent::{
    Algorithm, Components, Contrast, Density, FactorAnalysis, Ica, Pca, Ppca, PpcaMixture, PpcaSolver, Route,
    StreamedMoments,
};
use mercer::{Device, Error, Result};
use ndarray::{Array2, ArrayView2, array};

use crate::support::adapters;
use crate::{near_subspace, normal};

type Fit<'a> = Box<dyn Fn(&Device, ArrayView2<f64>) -> Result<()> + 'a>;

/// Every model, asked for k latent dimensions.
fn every(k: usize) -> Vec<(&'static str, Fit<'static>)> {
    let lanczos = Route::Lanczos(EigenParams::default());
    vec![
        ("Pca", Box::new(move |d, x| Pca::new(k).fit(d, x).map(drop))),
        ("Pca Gram", Box::new(move |d, x| Pca::new(k).route(Route::Gram).fit(d, x).map(drop))),
        ("Pca Lanczos", Box::new(move |d, x| Pca::new(k).route(lanczos).fit(d, x).map(drop))),
        ("Ppca", Box::new(move |d, x| Ppca::new(k).fit(d, x).map(drop))),
        ("Ppca EM", Box::new(move |d, x| Ppca::new(k).solver(PpcaSolver::Em).fit(d, x).map(drop))),
        ("Ppca ARD", Box::new(move |d, x| Ppca::new(k).solver(PpcaSolver::Automatic).fit(d, x).map(drop))),
        ("FactorAnalysis", Box::new(move |d, x| FactorAnalysis::new(k).fit(d, x).map(drop))),
        ("Ica", Box::new(move |d, x| Ica::new(k).fit(d, x).map(drop))),
        (
            "InfoMax",
            Box::new(move |d, x| {
                Ica::new(k).algorithm(Algorithm::InfoMax(Density::Extended)).fit(d, x).map(drop)
            }),
        ),
        ("PpcaMixture", Box::new(move |d, x| PpcaMixture::new(2, k).fit(d, x).map(drop))),
    ]
}

#[test]
fn nan_infinity_and_nothing_at_all() {
    let good = near_subspace(30, 4, 2, 0.5, 120);
    let devices: Vec<Device> = std::iter::once(Device::cpu()).chain(adapters().cloned()).collect();
    for device in &devices {
        for (name, fit) in every(2) {
            fit(device, good.view()).unwrap_or_else(|e| panic!("{name} on {device}: {e}"));
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut x = good.clone();
                x[[7, 3]] = bad;
                let e = fit(device, x.view());
                assert!(matches!(e, Err(Error::NotFinite { row: 7, col: 3, .. })), "{name}, {bad}: {e:?}");
            }
            for shape in [(0, 4), (30, 0), (1, 4)] {
                let e = fit(device, Array2::zeros(shape).view());
                assert!(matches!(e, Err(Error::Shape { .. })), "{name}, {shape:?}: {e:?}");
            }
        }
    }
}

#[test]
fn too_many_or_no_dimensions() {
    let cpu = Device::cpu();
    let (tall, wide) = (normal(20, 4, 121), normal(4, 20, 122));
    for k in [0, 5, usize::MAX] {
        for (name, fit) in every(k) {
            let e = fit(&cpu, tall.view());
            assert!(matches!(e, Err(Error::Parameter { .. })), "{name}, k = {k}: {e:?}");
        }
    }
    for (name, fit) in
        every(5).iter().filter(|(name, _)| name.starts_with("Pca") || *name == "Ica" || *name == "Ppca")
    {
        let e = fit(&cpu, wide.view());
        assert!(matches!(e, Err(Error::Parameter { .. })), "{name}, more than rows: {e:?}");
    }
    for components in [0, 21] {
        let e = PpcaMixture::new(components, 2).fit(&cpu, tall.view());
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
    }
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        let e = Pca::new(Components::Variance(share)).fit(&cpu, tall.view());
        assert!(matches!(e, Err(Error::Parameter { .. })), "{share}: {e:?}");
    }
    let lanczos = Pca::new(Components::Variance(0.5)).route(Route::Lanczos(EigenParams::default()));
    assert!(matches!(lanczos.fit(&cpu, tall.view()), Err(Error::Parameter { .. })));
    assert!(matches!(Ica::new(2).tolerance(0.0).fit(&cpu, tall.view()), Err(Error::Parameter { .. })));
    let none = Em::new().restarts(0);
    assert!(matches!(
        Ppca::new(2).solver(PpcaSolver::Em).em(none).fit(&cpu, tall.view()),
        Err(Error::Parameter { .. })
    ));
}

#[test]
fn fewer_rows_than_columns() {
    let cpu = Device::cpu();
    let x = near_subspace(6, 15, 3, 0.5, 123);
    for (name, fit) in every(3) {
        fit(&cpu, x.view()).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    // k = n - 1 explains everything: there is no noise to have a likelihood with.
    let e = Ppca::new(5).fit(&cpu, x.view());
    assert!(matches!(e, Err(Error::Singular { index: 5, .. })), "{e:?}");
    let e = Pca::new(6).whiten(true).fit(&cpu, x.view());
    assert!(matches!(e, Err(Error::Singular { index: 5, .. })), "{e:?}");
}

#[test]
fn constant_columns_and_constant_data() {
    let cpu = Device::cpu();
    let mut x = near_subspace(40, 5, 2, 0.5, 124);
    x.column_mut(3).fill(0.1);
    for (name, fit) in every(2) {
        let e = fit(&cpu, x.view());
        if name == "FactorAnalysis" {
            assert!(matches!(e, Err(Error::Singular { index: 3, .. })), "{name}: {e:?}");
        } else {
            e.unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
    let flat = Array2::from_elem((10, 4), 0.1);
    let pca = Pca::new(2).fit(&cpu, flat.view()).unwrap();
    assert_eq!(pca.explained_variance_ratio(), array![0.0, 0.0]);
    crate::close(&pca.reconstruct(flat.view()).unwrap(), &flat, 1e-15, "the mean is all there is");
    for (name, fit) in every(2).iter().filter(|(name, _)| !name.starts_with("Pca")) {
        let e = fit(&cpu, flat.view());
        assert!(matches!(e, Err(Error::Singular { .. })), "{name}: {e:?}");
    }
    let missing = Ppca::new(1).missing(true).fit(&cpu, flat.view());
    assert!(matches!(missing, Err(Error::Singular { .. })), "{missing:?}");
}

#[test]
fn duplicates_are_data_like_any_other() {
    let cpu = Device::cpu();
    let once = near_subspace(25, 4, 2, 0.5, 125);
    let twice = ndarray::concatenate![ndarray::Axis(0), once, once];
    let (a, b) =
        (Ppca::new(2).fit(&cpu, once.view()).unwrap(), Ppca::new(2).fit(&cpu, twice.view()).unwrap());
    assert!((2.0 * a.log_likelihood() - b.log_likelihood()).abs() < 1e-9);
    for (name, fit) in every(2) {
        fit(&cpu, twice.view()).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn new_data_must_fit_the_model() {
    let cpu = Device::cpu();
    let x = near_subspace(30, 4, 2, 0.5, 126);
    let pca = Pca::new(2).fit(&cpu, x.view()).unwrap();
    let ppca = Ppca::new(2).fit(&cpu, x.view()).unwrap();
    let fa = FactorAnalysis::new(2).fit(&cpu, x.view()).unwrap();
    let ica = Ica::new(2).algorithm(Algorithm::FastDeflation(Contrast::LogCosh)).fit(&cpu, x.view()).unwrap();
    let mixture = PpcaMixture::new(2, 2).fit(&cpu, x.view()).unwrap();
    let mut bad = x.clone();
    bad[[2, 1]] = f64::NAN;
    let (narrow, wide) = (normal(3, 3, 127), normal(3, 5, 128));
    for (view, finite) in [(bad.view(), false), (narrow.view(), true), (wide.view(), true)] {
        let refused = |e: Option<Error>| match e {
            Some(Error::NotFinite { row: 2, col: 1, .. }) => !finite,
            Some(Error::Shape { .. }) => finite,
            _ => false,
        };
        assert!(refused(pca.transform(view).err()) && refused(ppca.score_samples(view).err()));
        assert!(refused(ppca.transform(view).err()) && refused(fa.transform(view).err()));
        assert!(refused(fa.score_samples(view).err()) && refused(ica.transform(view).err()));
        assert!(refused(mixture.predict(view).err()) && refused(mixture.transform(view, 0).err()));
    }
    assert!(matches!(pca.inverse_transform(narrow.view()), Err(Error::Shape { .. })));
    assert!(matches!(ppca.inverse_transform(narrow.view()), Err(Error::Shape { .. })));
    assert!(matches!(ica.inverse_transform(narrow.view()), Err(Error::Shape { .. })));
    assert!(matches!(mixture.loadings(2), Err(Error::Shape { .. })));
    // No rows are no error.
    assert_eq!(pca.transform(Array2::<f64>::zeros((0, 4))).unwrap().dim(), (0, 2));
    assert_eq!(ppca.score_samples(Array2::<f64>::zeros((0, 4))).unwrap().len(), 0);
    assert_eq!(ppca.impute(Array2::<f64>::zeros((0, 4))).unwrap().dim(), (0, 4));
}

#[test]
fn a_fit_can_be_cancelled() {
    let x = near_subspace(40, 5, 2, 0.5, 129);
    let stop = mercer::Progress::new(|step| {
        assert!(step.value.is_finite());
        if step.made >= 3 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    let em = Em::new().tolerance(0.0).progress(stop);
    let cpu = Device::cpu();
    let fits = [
        Ppca::new(2).solver(PpcaSolver::Em).em(em.clone()).fit(&cpu, x.view()).err(),
        Ppca::new(2).missing(true).em(em.clone()).fit(&cpu, x.view()).err(),
        FactorAnalysis::new(2).em(em.clone()).fit(&cpu, x.view()).err(),
        PpcaMixture::new(2, 2).em(em).fit(&cpu, x.view()).err(),
    ];
    for e in fits {
        assert!(matches!(e, Some(Error::Cancelled { iterations: 3, .. })), "{e:?}");
    }
}

#[test]
fn absurd_counts_are_refused() {
    let (cpu, x) = (Device::cpu(), near_subspace(40, 5, 2, 0.5, 131));
    let refused = |e: Option<Error>| assert!(matches!(e, Some(Error::Parameter { .. })), "{e:?}");
    for d in [1 << 33, usize::MAX] {
        refused(StreamedMoments::new(d).err());
    }
    for ddof in [40, usize::MAX - 1, usize::MAX] {
        assert!(matches!(Pca::new(2).ddof(ddof).fit(&cpu, &x), Err(Error::Shape { .. })), "{ddof}");
    }
    let (ppca, factors) =
        (Ppca::new(2).fit(&cpu, &x).unwrap(), FactorAnalysis::new(2).fit(&cpu, &x).unwrap());
    let mixture = PpcaMixture::new(2, 2).fit(&cpu, &x).unwrap();
    for count in [1 << 40, usize::MAX] {
        refused(ppca.sample(count, 1).err());
        refused(factors.sample(count, 1).err());
        refused(mixture.sample(count, 1).err());
        refused(PpcaMixture::new(count, 2).fit(&cpu, &x).err());
        refused(Pca::new(count).fit(&cpu, &x).err());
    }
    refused(Ppca::new(2).solver(PpcaSolver::Em).restarts(usize::MAX).fit(&cpu, &x).err());
}
