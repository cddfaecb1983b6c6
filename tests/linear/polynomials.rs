//! Polynomials on ten points: the reference numbers of Simeone's chapter 2 (data set SIN10) and of Amsterdam.

use mercer::Device;
use mercer::models::linear::{BayesianLinearRegression, FittedBayesianLinearRegression, Ridge, RidgeCv};
use ndarray::{Array1, Array2, Axis, array};

use crate::close;

/// 1, x, ..., x^M.
fn monomials(x: &[f64], order: usize) -> Array2<f64> {
    Array2::from_shape_fn((x.len(), order + 1), |(i, j)| std::iter::repeat_n(x[i], j).product())
}

/// `x_n` = 0.05, 0.15, ..., 0.95 and its targets.
fn sin10() -> (Vec<f64>, Array1<f64>) {
    let x = (0..10).map(|i| 0.05 + 0.1 * f64::from(i)).collect();
    (x, array![0.509, 0.409, 1.1, 1.109, 0.109, 0.191, -1.109, -0.95, -0.559, -0.659])
}

/// The weights of ridge that shrinks all of them, the constant too, and the mean squared error that they leave.
fn shrunk(x: &[f64], t: &Array1<f64>, order: usize, penalty: f64) -> (Array1<f64>, f64) {
    let phi = monomials(x, order);
    let fit = Ridge::new(penalty).intercept(false);
    let fit = fit.fit(&Device::cpu(), phi.view(), t.view().insert_axis(Axis(1))).unwrap();
    let left = t - &fit.predict(phi.view()).unwrap().column(0);
    (fit.coefficients().column(0).to_owned(), left.dot(&left) / t.len() as f64)
}

fn row(v: &Array1<f64>) -> ndarray::ArrayView2<'_, f64> {
    v.view().insert_axis(Axis(0))
}

/// B.3 in the limit of no penalty, and B.8.
#[test]
fn simeone_least_squares_and_ridge() {
    let (x, t) = sin10();
    let (w, loss) = shrunk(&x, &t, 1, 1e-12);
    close(row(&w), array![[1.0486364, -2.0672727]].view(), 2e-8, "M = 1");
    assert!((loss - 0.2265764364).abs() < 1e-10);
    let (w, loss) = shrunk(&x, &t, 3, 1e-12);
    close(row(&w), array![[-0.158809, 11.0929, -31.274767, 20.205905]].view(), 2e-7, "M = 3");
    assert!((loss - 0.0955412044).abs() < 1e-10);
    let (w, loss) = shrunk(&x, &t, 3, 0.01);
    close(row(&w), array![[0.86841288, -0.53862958, -2.9816968, 1.6339605]].view(), 2e-8, "M = 3, 0.01");
    assert!((loss - 0.2030912448).abs() < 1e-10);
    let (w, loss) = shrunk(&x, &t, 9, 5e-6);
    let want = array![[
        0.39380338,
        -0.65116206,
        24.81684,
        -53.553395,
        -13.114966,
        26.181191,
        34.520942,
        20.245415,
        -5.5128971,
        -35.457456
    ]];
    close(row(&w), want.view(), 1e-8, "M = 9, 5e-6");
    assert!((loss - 0.0521016919).abs() < 1e-10);
}

/// C.3, without a penalty but for one that nobody sees.
#[test]
fn simeone_leave_one_out() {
    let (x, t) = sin10();
    let t = t.insert_axis(Axis(1));
    let fit = RidgeCv::new(&[1e-13])
        .intercept(false)
        .fit(&Device::cpu(), monomials(&x, 3).view(), t.view())
        .unwrap();
    assert!((fit.scores()[[0, 0]] - 0.3560414023).abs() < 1e-9, "{}", fit.scores());
    // The constant as an intercept that is not penalised is the same, in that limit.
    let powers = monomials(&x, 3).slice_move(ndarray::s![.., 1..]);
    let fit = RidgeCv::new(&[1e-13]).fit(&Device::cpu(), powers.view(), t.view()).unwrap();
    assert!((fit.scores()[[0, 0]] - 0.3560414023).abs() < 1e-9, "{}", fit.scores());
}

fn posterior(order: usize, alpha: f64, beta: f64) -> FittedBayesianLinearRegression {
    let (x, t) = sin10();
    BayesianLinearRegression::new(alpha, beta)
        .fit(&Device::cpu(), monomials(&x, order).view(), t.view())
        .unwrap()
}

/// D.2: `s²(x) = (1 + φᵀ(λI + XᵀX)⁻¹φ) / β`.
#[test]
fn simeone_predictive_variance() {
    let at = [0.0, 0.25, 0.5, 1.0, 1.2];
    for (order, alpha, want) in [
        (9, 5e-5, [0.46143492, 0.14404403, 0.14092497, 1.81022407, 1392.1689]),
        (3, 0.1, [0.17526819, 0.11896308, 0.12106639, 0.21040135, 0.78731059]),
    ] {
        let got = posterior(order, alpha, 10.0).predict_distribution(monomials(&at, order).view()).unwrap();
        for (got, want) in got.variance().iter().zip(want) {
            assert!((got / want - 1.0).abs() < 1e-7, "M = {order}: {got} and {want}");
        }
    }
}

/// D.3: the evidence of each order, and where it is largest.
#[test]
fn simeone_evidence() {
    let evidence = |alpha| (0..10).map(|m| posterior(m, alpha, 10.0).log_evidence()).collect::<Vec<_>>();
    let largest = |v: &[f64]| (0..v.len()).max_by(|&i, &j| v[i].total_cmp(&v[j])).unwrap();
    let printed = [
        (
            1e-3,
            3,
            [
                -32.390418, -19.273496, -22.162433, -18.300347, -18.893830, -19.719880, -20.233805,
                -20.482494, -20.608941, -20.707506,
            ],
        ),
        (
            1e-2,
            4,
            [
                -31.239171, -16.995776, -18.739372, -16.814684, -15.775889, -15.865197, -16.282285,
                -16.652506, -16.877624, -16.978771,
            ],
        ),
    ];
    for (alpha, peak, want) in printed {
        let got = evidence(alpha);
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?}");
        assert_eq!(largest(&got), peak);
    }
    let got = evidence(0.1);
    assert!(largest(&got) == 7 && (got[7] + 14.201588).abs() < 1e-6, "{got:?}");
}

/// Amsterdam: the sine itself at i/9, monomials up to the ninth power, all of them shrunk.
#[test]
fn amsterdam_ridge() {
    let x: Vec<f64> = (0..10).map(|i| f64::from(i) / 9.0).collect();
    let t: Array1<f64> = x.iter().map(|x| (std::f64::consts::TAU * x).sin()).collect();
    for (penalty, first, second, size) in
        [(1.0, 0.3297580466, -0.3687987469, 0.6036997874), (0.1, 0.6068711065, -0.3248070623, 4.701060401)]
    {
        let (w, _) = shrunk(&x, &t, 9, penalty);
        close(row(&w).slice(ndarray::s![.., ..2]), array![[first, second]].view(), 1e-9, "w");
        assert!((w.dot(&w) - size).abs() < 1e-9);
    }
    // E(w) = ½ Σ (y - t)², without a penalty that would be seen.
    for (order, half) in [(0, 2.25), (1, 1.323576961), (3, 0.0326474941), (5, 7.469948841e-5)] {
        let (_, loss) = shrunk(&x, &t, order, 1e-13);
        assert!((5.0 * loss - half).abs() < 1e-9, "M = {order}: {}", 5.0 * loss);
    }
}
