//! What a line of the conformance test checks.

use std::fmt::Debug;
use std::ops::ControlFlow;

use mercer::learn::{Fit, FitWeighted, Rows};
use mercer::{Device, Error, Progress, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use crate::refusals::may_refuse;
use crate::support::adapters;

/// How a fitted value answers: numbers, one row for each row asked about.
pub type Ask<F> = fn(&F, ArrayView2<f64>) -> Result<Array2<f64>>;

/// A model, data for it, and how it answers.
pub struct Line<'a, M, Y: Rows + ?Sized, F> {
    pub name: &'static str,
    pub model: &'a M,
    pub x: Array2<f64>,
    pub y: &'a Y,
    pub ask: Ask<F>,
}

/// The line of a model.
pub fn line<'a, M: Fit<Y>, Y: Rows + ?Sized>(
    name: &'static str,
    model: &'a M,
    x: Array2<f64>,
    y: &'a Y,
    ask: Ask<M::Fitted>,
) -> Line<'a, M, Y, M::Fitted> {
    Line { name, model, x, y, ask }
}

impl<M, Y, F> Line<'_, M, Y, F>
where
    M: Fit<Y, Fitted = F> + Debug + Clone + Send + Sync,
    Y: Rows + ?Sized,
    F: Debug + Clone + Send + Sync,
{
    fn fit(&self, device: &Device, x: &Array2<f64>) -> Result<F> {
        self.model.fit(device, x.view(), self.y)
    }

    /// The answer at the data of a fit to them.
    fn answer(&self, device: &Device, x: &Array2<f64>) -> Result<Array2<f64>> {
        (self.ask)(&self.fit(device, x)?, x.view())
    }

    pub fn bad_input_is_an_error(&self) {
        let (name, cpu) = (self.name, Device::cpu());
        let (n, d) = self.x.dim();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = self.x.clone();
            x[[n / 2, d - 1]] = value;
            assert!(self.fit(&cpu, &x).is_err(), "{name}: fits {value}");
        }
        assert!(self.fit(&cpu, &Array2::zeros((0, d))).is_err(), "{name}: fits no rows");
        assert!(self.fit(&cpu, &Array2::zeros((n, 0))).is_err(), "{name}: fits no columns");
        if self.y.count().is_some() {
            let short = self.x.slice(s![..n - 1, ..]).to_owned();
            assert!(self.fit(&cpu, &short).is_err(), "{name}: fits rows without targets");
        }
        let fitted = self.fit(&cpu, &self.x).unwrap_or_else(|e| panic!("{name}: {e}"));
        let ask = |x: &Array2<f64>| (self.ask)(&fitted, x.view());
        assert!(ask(&Array2::zeros((3, d + 1))).is_err(), "{name}: answers rows of another width");
        assert!(ask(&Array2::from_elem((2, d), f64::NAN)).is_err(), "{name}: answers NaN");
        assert!(!format!("{:?} {:?}", self.model.clone(), fitted.clone()).is_empty());
    }

    /// One row, equal rows, constant columns: an error, or an answer that is a number.
    pub fn degenerate_data_do_no_harm(&self) {
        let (n, d) = self.x.dim();
        let one = self.x.row(0).to_owned().insert_axis(Axis(0));
        let y = self.y.select(&[0]);
        let single = self.model.fit(&Device::cpu(), one.view(), std::borrow::Borrow::borrow(&y));
        let mut constant = self.x.clone();
        constant.column_mut(d - 1).fill(1.0);
        let equal = Array2::from_shape_fn((n, d), |(_, j)| self.x[[0, j]]);
        let answers = [
            single.and_then(|f| (self.ask)(&f, one.view())),
            self.answer(&Device::cpu(), &constant),
            self.answer(&Device::cpu(), &equal),
        ];
        for answer in answers.into_iter().flatten() {
            assert!(answer.iter().all(|v| v.is_finite()), "{}: {answer}", self.name);
        }
    }

    pub fn the_same_bits_twice(&self) {
        for device in std::iter::once(Device::cpu()).chain(adapters().cloned()) {
            let [a, b] = [(); 2].map(|()| self.answer(&device, &self.x));
            let (a, b) = (a.unwrap(), b.unwrap());
            let same = a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{} on {device}: two fits differ", self.name);
        }
    }

    /// The CPU's answer on every adapter, wherever the data lie and whatever their unit.
    pub fn every_adapter_agrees(&self, tolerance: f64) {
        let spread = self.x.std_axis(Axis(0), 0.0).mapv(|s| if s > 0.0 { s } else { 1.0 });
        let cases = [
            ("as they are", self.x.clone()),
            ("far from the origin", &self.x + &(1e9 * &spread)),
            ("of tiny units", &self.x * 1e-25),
            ("of huge units", &self.x * 1e25),
        ];
        for (case, x) in cases {
            let want = self.answer(&Device::cpu(), &x);
            for device in adapters() {
                self.agree(&format!("data {case} on {device}"), &want, &self.answer(device, &x), tolerance);
            }
        }
    }

    #[track_caller]
    fn agree(&self, case: &str, want: &Result<Array2<f64>>, got: &Result<Array2<f64>>, tolerance: f64) {
        let name = self.name;
        match (want, got) {
            (Err(e), Err(_)) => assert!(may_refuse(name, case), "{name}: {case}: {e}"),
            (Ok(want), Ok(got)) => {
                assert_eq!(want.dim(), got.dim(), "{name}: {case}");
                for (j, (want, got)) in want.columns().into_iter().zip(got.columns()).enumerate() {
                    let scale = spread(want);
                    let off = want.iter().zip(got).map(|(w, g)| (w - g).abs() / scale).fold(0.0, worse);
                    assert!(off <= tolerance, "{name}: {case}: column {j} off by {off:e} of {scale:e}");
                }
            }
            (want, got) => panic!("{name}: {case}: {got:?} where the CPU has {want:?}"),
        }
    }

    /// The order of the observations does not matter.
    pub fn unordered(&self) {
        let n = self.x.nrows();
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        let (x, y) = (self.x.select(Axis(0), &order), self.y.select(&order));
        let fitted = self.model.fit(&Device::cpu(), x.view(), std::borrow::Borrow::borrow(&y)).unwrap();
        let got = (self.ask)(&fitted, self.x.view());
        self.agree("rows in another order", &self.answer(&Device::cpu(), &self.x), &got, 1e-6);
    }

    /// A progress that has had enough ends the fit.
    pub fn cancel(&self) {
        let stopped = self.fit(&Device::cpu(), &self.x);
        assert!(matches!(stopped, Err(Error::Cancelled { .. })), "{}: {stopped:?}", self.name);
    }

    /// A weight of 2 is that row twice, of 0 no row.
    pub fn weights(&self)
    where
        M: FitWeighted<Y>,
    {
        let n = self.x.nrows();
        let times: Vec<usize> = (0..n).map(|i| [1, 2, 1, 0, 3][i % 5]).collect();
        let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; times[i]]).collect();
        let weights: Array1<f64> = times.iter().map(|t| *t as f64).collect();
        let (x, y) = (self.x.select(Axis(0), &rows), self.y.select(&rows));
        let repeated = self.model.fit(&Device::cpu(), x.view(), std::borrow::Borrow::borrow(&y)).unwrap();
        let weighted =
            self.model.fit_weighted(&Device::cpu(), self.x.view(), self.y, weights.view()).unwrap();
        let ask = |f: &F| (self.ask)(f, self.x.view());
        self.agree("weights instead of repeated rows", &ask(&repeated), &ask(&weighted), 1e-6);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let mut w = weights.clone();
            w[1] = bad;
            let fitted = self.model.fit_weighted(&Device::cpu(), self.x.view(), self.y, w.view());
            assert!(fitted.is_err(), "{}: weighs {bad}", self.name);
        }
        for w in [Array1::zeros(n), Array1::ones(n - 1)] {
            let fitted = self.model.fit_weighted(&Device::cpu(), self.x.view(), self.y, w.view());
            assert!(fitted.is_err(), "{}: {} weights of {}", self.name, w.len(), w[0]);
        }
    }

    /// What is loaded answers as what was saved, to the last bit.
    #[cfg(feature = "serde")]
    pub fn saved(&self)
    where
        F: serde::Serialize + serde::de::DeserializeOwned,
    {
        let fitted = self.fit(&Device::cpu(), &self.x).unwrap();
        let text = serde_json::to_string(&fitted).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let loaded: F = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let [a, b] = [&fitted, &loaded].map(|f| (self.ask)(f, self.x.view()).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits()), "{}: loaded differs", self.name);
        let later = text.replacen("\"format\":1", "\"format\":99", 1);
        assert!(text != later && serde_json::from_str::<F>(&later).is_err(), "{}: no format", self.name);
    }
}

/// The range of a column, or its size if the range is rounding.
fn spread(column: ArrayView1<f64>) -> f64 {
    let by = |f: fn(f64, f64) -> f64, start: f64| column.iter().copied().fold(start, f);
    let (low, high) = (by(f64::min, f64::INFINITY), by(f64::max, f64::NEG_INFINITY));
    let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
    if high - low > 1e-9 * size { high - low } else { size }
}

fn worse(a: f64, b: f64) -> f64 {
    // Written so that a NaN is the worst.
    if b <= a { a } else { b }
}

/// Labels as numbers.
pub fn labels<L: Ord>(found: &[L]) -> Array2<f64> {
    let mut all: Vec<&L> = found.iter().collect();
    all.sort();
    all.dedup();
    let index = |l: &L| all.binary_search(&l).expect("it is among them") as f64;
    Array2::from_shape_vec((found.len(), 1), found.iter().map(index).collect()).expect("a column")
}

/// Several answers side by side.
pub fn beside(parts: &[ArrayView2<f64>]) -> Array2<f64> {
    concatenate(Axis(1), parts).expect("as many rows")
}

/// Cancels at the first step.
pub fn enough() -> Progress {
    Progress::new(|_| ControlFlow::Break(()))
}

/// One target as a column.
pub fn column(y: Array1<f64>) -> Array2<f64> {
    y.insert_axis(Axis(1))
}
