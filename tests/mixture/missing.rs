//! Missing values in a mixture of Gaussians.

use mercer::inference::em::Em;
use mercer::models::mixture::{CovarianceKind, GaussianMixture, MixtureStart};
use mercer::{Device, Error};
use ndarray::{Array2, Axis};

use crate::support::random;
use crate::{clouds, flat, same};

/// Every seventh entry, but never a whole column.
fn holes(x: &Array2<f64>) -> Array2<f64> {
    let d = x.ncols();
    Array2::from_shape_fn(x.dim(), |(i, j)| if (i * d + j) % 7 == 3 { f64::NAN } else { x[[i, j]] })
}

fn model(k: usize) -> GaussianMixture {
    GaussianMixture::new(k).missing(true)
}

#[test]
fn nothing_missing_is_the_usual_fit() {
    let x = clouds(120, 3, 1);
    let (usual, allowed) =
        (GaussianMixture::new(3).fit(&Device::cpu(), x.view()), model(3).fit(&Device::cpu(), x.view()));
    assert_eq!(usual.unwrap().report().trace, allowed.unwrap().report().trace);
}

/// Two-dimensional data in which y is missing for some rows have a closed form for one Gaussian: the regression of y on x
/// where both are seen, and the marginal of x from all rows.
#[test]
fn one_gaussian_with_a_monotone_pattern_has_a_closed_form() {
    let x = random(200, 2, 2);
    let x = Array2::from_shape_fn((200, 2), |(i, j)| x[[i, 0]] * (1.0 + j as f64) + 0.3 * x[[i, j]]);
    let mut seen = x.clone();
    seen.column_mut(1).iter_mut().skip(120).for_each(|v| *v = f64::NAN);
    let em = Em::new().tolerance(1e-15).max_iterations(2000);
    let p = model(1).em(em).fit(&Device::cpu(), seen.view()).unwrap().params().clone();

    let both = x.select(Axis(0), &(0..120).collect::<Vec<_>>());
    let mean = both.mean_axis(Axis(0)).unwrap();
    let z = &both - &mean;
    let s = z.t().dot(&z) / 120.0;
    let slope = s[[0, 1]] / s[[0, 0]];
    let rest = s[[1, 1]] - slope * s[[0, 1]];
    let all = x.column(0).mean().unwrap();
    let var = x.column(0).var(0.0);
    let c = p.covariance.matrix(0, 2).unwrap();
    same(&p.means, &[all, mean[1] + slope * (all - mean[0])], 1e-6, "means");
    same(&c, &[var, slope * var, slope * var, rest + slope * slope * var], 1e-6, "covariance");
}

#[test]
fn holes_cost_little_and_the_likelihood_rises() {
    let x = clouds(600, 3, 3);
    let labels: Vec<usize> = (0..600).map(|i| i % 3).collect();
    for kind in
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical]
    {
        let model = model(3).covariance(kind.clone()).start(MixtureStart::Labels(labels.clone()));
        let (whole, torn) = (
            model.fit(&Device::cpu(), x.view()).unwrap(),
            model.fit(&Device::cpu(), holes(&x).view()).unwrap(),
        );
        assert!(
            torn.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()),
            "{kind:?}: {:?}",
            torn.report().trace
        );
        same(&torn.params().means, &whole.params().means, 0.1, &format!("{kind:?}"));
        same(&flat(&torn.params().covariance), &flat(&whole.params().covariance), 0.1, &format!("{kind:?}"));
        let labels = torn.predict(holes(&x).view()).unwrap();
        let right = labels.iter().enumerate().filter(|(i, k)| i % 3 == **k).count();
        assert!(right > 540, "{kind:?}: {right} of 600");
    }
}

/// A row with nothing in it says nothing: the likelihood is that of the others, and its component is the prior's.
#[test]
fn an_empty_row_says_nothing() {
    let x = clouds(60, 2, 4);
    let mut with = Array2::from_elem((61, 2), f64::NAN);
    with.slice_mut(ndarray::s![..60, ..]).assign(&holes(&x));
    let em = Em::new().max_iterations(0);
    let start = GaussianMixture::new(2).fit(&Device::cpu(), x.view()).unwrap();
    let model = model(2).start(MixtureStart::Given(start.params().clone())).em(em);
    let one = model.fit(&Device::cpu(), holes(&x).view()).unwrap();
    let two = model.fit(&Device::cpu(), with.view()).unwrap();
    same(&[two.log_likelihood()], &[one.log_likelihood()], 1e-12, "likelihood");
    same(two.predict_proba(with.view()).unwrap().row(60), &start.params().weights, 1e-12, "responsibilities");
}

/// A column of which nothing is seen in new rows is known from the fit.
#[test]
fn one_row_with_a_hole_is_predicted_as_among_others() {
    let x = holes(&clouds(60, 2, 4));
    let fit = model(2).fit(&Device::cpu(), x.view()).unwrap();
    let all = fit.predict_proba(x.view()).unwrap();
    for i in (0..60).filter(|&i| x.row(i).iter().any(|v| v.is_nan())) {
        let one = fit.predict_proba(x.slice(ndarray::s![i..=i, ..])).unwrap();
        assert_eq!(one.row(0), all.row(i));
    }
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let mut x = clouds(20, 2, 5);
    x.column_mut(1).fill(f64::NAN);
    assert!(matches!(model(2).fit(&Device::cpu(), x.view()), Err(Error::NotFinite { col: 1, .. })));
    x.column_mut(1).fill(0.0);
    x[[2, 0]] = f64::INFINITY;
    x[[3, 0]] = f64::NAN;
    assert!(matches!(model(2).fit(&Device::cpu(), x.view()), Err(Error::NotFinite { row: 2, .. })));
}
