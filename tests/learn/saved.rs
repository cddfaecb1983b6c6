//! Saved and loaded they are the same; files that say what cannot be are refused.

use mercer::prelude::*;
use ndarray::s;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::iris;

fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_stdvec(value).unwrap();
    let _: T = postcard::from_bytes(&bytes).unwrap();
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// The error of a file with this field changed.
fn tampered<T: Serialize + DeserializeOwned>(value: &T, field: &str, to: Value) {
    let mut file = serde_json::to_value(value).unwrap();
    assert!(file.get(field).is_some(), "no field {field} in {file}");
    file[field] = to;
    assert!(serde_json::from_value::<T>(file).is_err(), "{field} was changed and nobody minded");
}

#[test]
fn transformations() {
    let (x, _) = iris();
    let device = Device::cpu();
    macro_rules! kept {
        ($($model:expr => [$(($field:literal, $to:expr)),*]),+ $(,)?) => { $({
            let fit = again(&$model).fit(&device, &x).unwrap();
            assert_eq!(again(&fit), fit);
            assert_eq!(again(&fit).transform(&x).unwrap(), fit.transform(&x).unwrap());
            tampered(&fit, "format", json!(77));
            $(tampered(&fit, $field, $to);)*
        })+ };
    }
    let short = serde_json::to_value(Standardise::new().fit(&device, x.slice(s![.., ..2])).unwrap()).unwrap();
    kept!(
        Standardise::new() => [("mean", short["mean"].clone()), ("scale", short["scale"].clone()), ("constant", json!([9]))],
        MinMax::new() => [("least", short["mean"].clone()), ("high", json!(-1.0))],
        Whiten::new() => [("mean", short["mean"].clone()), ("deviations", short["scale"].clone())],
        Polynomial::new(2) => [("features", json!(1)), ("monomials", json!([]))],
        Basis::gaussian(3) => [("widths", short["scale"].clone())],
        BiasColumn => [],
    );
}

#[test]
fn pipelines() {
    let (x, _) = iris();
    let y = x.column(3).to_owned();
    let model = again(&Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf(1.0), 0.1)));
    let fitted = model.fit(&Device::cpu(), &x, &y).unwrap();
    let loaded = again(&fitted);
    assert_eq!(loaded.predict(&x).unwrap(), fitted.predict(&x).unwrap());
    tampered(&fitted, "format", json!(77));
    tampered(&fitted, "first", json!({}));
    assert_eq!(again(&KFold::new(3).stratified(&["a", "b"])), KFold::new(3).stratified(&["a", "b"]));
    assert_eq!(again(&Holdout::new(0.5).seed(3)), Holdout::new(0.5).seed(3));
}
