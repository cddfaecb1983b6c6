//! Our side of the comparisons of linear models and classifiers. Inputs are made before the clock starts.

use mercer::Device;
use mercer::models::boosting::AdaBoost;
use mercer::models::generative::{LinearDiscriminant, QuadraticDiscriminant};
use mercer::models::linear::{Lasso, LeastSquares, LogisticRegression};
use mercer::models::neighbours::KNearest;
use mercer_peers::{serve, size, timed, uniform};
use ndarray::{Array1, Array2, Axis, s};

fn main() {
    serve(|request| {
        let name = request["device"].as_str().unwrap_or("cpu");
        let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
        let (n, d, k) = (size(request, "n")?, size(request, "d")?, size(request, "k")?);
        let x = Array2::from_shape_vec((n, d), uniform(20, n * d))?;
        match request["op"].as_str() {
            Some("logistic") => {
                let y = classes(&x, k, 3.0);
                Ok(timed(
                    move || Ok(LogisticRegression::new(1.0).fit(&device, x.view(), &y)?),
                    |fit| {
                        let rows = fit.coefficients().t().to_owned();
                        let all =
                            ndarray::concatenate![Axis(1), rows, fit.intercept().view().insert_axis(Axis(1))];
                        Ok((all.iter().copied().collect(), all.ncols()))
                    },
                ))
            }
            Some("lasso") => {
                let y = x.slice(s![.., ..50]).dot(&Array1::from(uniform(21, 50)))
                    + 0.2 * Array1::from(uniform(22, n));
                // scikit-learn's tolerance is relative to |y|^2, ours to half of it.
                Ok(timed(
                    move || Ok(Lasso::new(1.0).tolerance(2e-6).path(x.view(), &y, k, 1e-2)?),
                    move |path| Ok((path.coefficients().iter().copied().collect(), d)),
                ))
            }
            Some("least_squares") => {
                let y = x.dot(&Array1::from(uniform(21, d))) + 0.2 * Array1::from(uniform(22, n));
                Ok(timed(
                    move || Ok(LeastSquares::new().fit(&device, x.view(), &y)?),
                    |fit| Ok((fit.coefficients().iter().chain(fit.intercept()).copied().collect(), 1)),
                ))
            }
            Some("lda") => {
                let y = classes(&x, k, 2.0);
                let run = move || {
                    let fit = LinearDiscriminant::new().fit(&device, x.view(), &y)?;
                    Ok(fit.predict_proba(x.slice(s![..1000, ..]))?)
                };
                Ok(timed(run, move |p| Ok((p.iter().copied().collect(), k))))
            }
            Some("qda") => {
                let y = classes(&x, k, 2.0);
                let run = move || {
                    let fit = QuadraticDiscriminant::new().fit(&device, x.view(), &y)?;
                    Ok(fit.predict_proba(x.slice(s![..1000, ..]))?)
                };
                Ok(timed(run, move |p| Ok((p.iter().copied().collect(), k))))
            }
            Some("neighbours") => {
                let y = classes(&x, 2, 1.0);
                let queries = Array2::from_shape_vec((5000, d), uniform(23, 5000 * d))?;
                let run =
                    move || Ok(KNearest::new(k).fit(&device, x.view(), &y)?.neighbours(queries.view())?.1);
                Ok(timed(run, move |distances| Ok((distances.iter().copied().collect(), k))))
            }
            Some("boosting") => {
                let y = classes(&x, 2, 1.0);
                let run = move || {
                    let fit = AdaBoost::new(k).fit(&device, x.view(), &y)?;
                    let said = fit.predict(&x)?;
                    Ok(said.iter().zip(&y).filter(|(a, b)| a == b).count() as f64 / n as f64)
                };
                Ok(timed(run, |right| Ok((vec![right; 2], 1))))
            }
            _ => Err(format!("no such request: {request}").into()),
        }
    });
}

/// The largest of k linear functions and noise; of two the sign of one.
fn classes(x: &Array2<f64>, k: usize, noise: f64) -> Vec<usize> {
    let (n, d) = x.dim();
    let columns = if k == 2 { 1 } else { k };
    let shaped =
        |rows, values| Array2::from_shape_vec((rows, columns), values).expect("as many as asked for");
    let scores = x.dot(&shaped(d, uniform(21, d * columns))) + noise * shaped(n, uniform(22, n * columns));
    let largest = |row: ndarray::ArrayView1<f64>| {
        (0..columns).fold(0, |best, c| if row[c] > row[best] { c } else { best })
    };
    let one = |row: ndarray::ArrayView1<f64>| if k == 2 { usize::from(row[0] > 0.0) } else { largest(row) };
    scores.rows().into_iter().map(one).collect()
}
