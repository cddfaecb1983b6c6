//! Data in files: each rank reads its share, and what is not a number is found by line and column.

use std::fs;
use std::path::PathBuf;

use mercer::inference::em::{Batches, CsvBatches, NpyBatches, stacked};
use mercer::learn::ranks::Threads;
use mercer::prelude::*;
use ndarray::Array2;

/// A path of this test's own.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("mercer-{}-{name}", std::process::id()))
}

fn data() -> Array2<f64> {
    Array2::from_shape_fn((37, 2), |(i, j)| ((i * 3 + j * 5) as f64).sin() + (i % 2 * 4) as f64)
}

fn as_text(x: &Array2<f64>) -> String {
    let line =
        |row: ndarray::ArrayView1<f64>| row.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(", ");
    x.rows().into_iter().map(|row| line(row) + "\n").collect()
}

#[test]
fn shares_of_a_file_are_all_of_it_and_a_fit_of_them_is_that_of_all() {
    let x = data();
    let (csv, npy) = (path("shares.csv"), path("shares.npy"));
    fs::write(&csv, format!("a,b\n{}\n", as_text(&x))).unwrap();
    ndarray_npy::write_npy(&npy, &x).unwrap();
    let given = KMeans::new(2).fit(&Device::cpu(), &x).unwrap();
    let axis = Pca::new(1).fit(&Device::cpu(), &x).unwrap().explained_variance()[0];
    let start = GaussianMixture::new(2).fit(&Device::cpu(), &x).unwrap().params().clone();
    let model = GaussianMixture::new(2).start(MixtureStart::Given(start)).tolerance(1e-12);
    let whole = model.fit(&Device::cpu(), &x).unwrap();
    for size in [1, 2, 3, 5] {
        let found = Threads::run(size, |ranks| {
            let text = CsvBatches::open(&csv, true, 4).unwrap().share(ranks);
            let mapped = NpyBatches::open(&npy, 5).unwrap().share(ranks);
            assert_eq!((text.rows(), text.columns(), mapped.shape()), (37, 2, (37, 2)));
            let own = stacked(&text, 2).unwrap();
            assert_eq!(own, stacked(&mapped, 2).unwrap());
            for fit in [
                model.fit_batches_across(ranks, &Device::cpu(), &text).unwrap(),
                model.fit_batches_across(ranks, &Device::cpu(), &mapped).unwrap(),
            ] {
                assert!((fit.means() - whole.means()).iter().all(|v| v.abs() < 1e-10));
            }
            let fit = KMeans::new(2).fit_across(ranks, &Device::cpu(), &own).unwrap();
            assert!((fit.cost() - given.cost()).abs() < 1e-10 * given.cost());
            // Without a rank that holds its part.
            let fit = KMeans::new(2).fit_batches_across(ranks, &Device::cpu(), &text).unwrap();
            assert!((fit.cost() - given.cost()).abs() < 1e-10 * given.cost());
            assert!((fit.mass() - given.mass()).sum().abs() < 1e-12 && fit.labels().is_empty());
            let moments = StreamedMoments::of_batches(ranks, &Device::cpu(), &mapped).unwrap();
            assert_eq!(moments.count(), 37);
            let spread = Pca::new(1).fit_moments(&moments).unwrap().explained_variance()[0];
            assert!((spread - axis).abs() < 1e-12 * axis);
            own
        });
        let views: Vec<_> = found.iter().map(|own| own.view()).collect();
        assert_eq!(ndarray::concatenate(ndarray::Axis(0), &views).unwrap(), x, "{size}");
    }
    fs::remove_file(csv).unwrap();
    fs::remove_file(npy).unwrap();
}

/// K-means of parts is that of all rows, from the same centres; what cannot be is said.
#[test]
fn kmeans_of_parts() {
    let x = data();
    let start = KMeansStart::Given(x.slice(ndarray::s![..2, ..]).to_owned());
    let model = KMeans::new(2).start(start);
    let whole = model.fit(&Device::cpu(), &x).unwrap();
    let parts: Vec<_> = x.axis_chunks_iter(ndarray::Axis(0), 5).map(|part| part.to_owned()).collect();
    let fit = model.fit_batches(&Device::cpu(), &parts).unwrap();
    assert!((fit.centres() - whole.centres()).iter().all(|v| v.abs() < 1e-12));
    assert_eq!(fit.predict(&x).unwrap(), whole.labels());
    assert_eq!(fit.report().iterations, whole.report().iterations);
    let batched = model.clone().batch(3).fit_batches(&Device::cpu(), &parts);
    assert!(matches!(batched, Err(Error::Shape { .. })), "{batched:?}");
    let none = model.fit_batches(&Device::cpu(), &Vec::<Array2<f64>>::new());
    assert!(matches!(none, Err(Error::Shape { .. })), "{none:?}");
    let mut bad = parts.clone();
    bad[3][[1, 0]] = f64::NAN;
    let bad = model.fit_batches(&Device::cpu(), &bad);
    assert!(matches!(bad, Err(Error::NotFinite { row: 1, col: 0, .. })), "{bad:?}");
}

#[test]
fn f32_is_widened_and_other_arrays_are_refused() {
    let (single, flat) = (path("single.npy"), path("flat.npy"));
    ndarray_npy::write_npy(&single, &data().mapv(|v| v as f32)).unwrap();
    let rows = NpyBatches::open(&single, 100).unwrap();
    assert_eq!(stacked(&rows, 2).unwrap(), data().mapv(|v| f64::from(v as f32)));
    ndarray_npy::write_npy(&flat, &ndarray::array![1.0, 2.0]).unwrap();
    assert!(matches!(NpyBatches::open(&flat, 1), Err(Error::File { .. })));
    assert!(matches!(NpyBatches::open(&single, 0), Err(Error::Parameter { .. })));
    assert!(matches!(NpyBatches::open(path("nowhere"), 1), Err(Error::File { .. })));
    fs::remove_file(single).unwrap();
    fs::remove_file(flat).unwrap();
}

#[test]
fn what_is_no_number_is_found() {
    let bad = path("bad.csv");
    for (text, wanted) in [
        ("1,2\n\n3,four\n", "line 3, column 2: \"four\" is no number"),
        ("1,2\n3\n", "line 2 has 1 numbers, the first row 2"),
    ] {
        fs::write(&bad, text).unwrap();
        let rows = CsvBatches::open(&bad, false, 10).unwrap();
        let error = rows.visit(0, &mut |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        // On the last rank alone, and yet the error of all.
        let met = Threads::run(2, |ranks| {
            let rows = CsvBatches::open(&bad, false, 10).unwrap().share(ranks);
            GaussianMixture::new(1).fit_batches_across(ranks, &Device::cpu(), &rows).unwrap_err()
        });
        assert!(met.iter().all(|e| matches!(e, Error::OnRank { rank: 1, .. })), "{met:?}");
    }
    assert!(matches!(CsvBatches::open(path("nowhere"), false, 1), Err(Error::File { .. })));
    fs::remove_file(bad).unwrap();
}
