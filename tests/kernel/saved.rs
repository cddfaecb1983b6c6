//! Kernels written and read back.

use mercer::Kernel;
use mercer::kernel::Custom;
use ndarray::array;

#[test]
fn a_kernel_survives_a_round_trip() {
    let k = (2.5 * Kernel::rbf([0.7, 1.0]) + Kernel::white(0.01)).fixed("sum.0.scale").unwrap()
        + Kernel::precomputed(array![[1.0, 0.5], [0.5, 1.0]]).on([1]) * Kernel::matern(0.8, 2.0)
        + Kernel::quadratic_form(array![[2.0, 0.1], [0.1, 1.0]]).pow(2)
        + Kernel::polynomial(3, 0.2).polynomial_of(&[0.0, 1.0]).exp();
    let text = serde_json::to_string(&k).unwrap();
    let back: Kernel = serde_json::from_str(&text).unwrap();
    assert_eq!(back, k);
    assert_eq!(back.params(), k.params());
}

#[test]
fn closures_are_refused_by_name() {
    let mapped = Kernel::rbf(1.0).map("polar", 2, <[f64]>::to_vec);
    assert!(serde_json::to_string(&mapped).unwrap_err().to_string().contains("polar"));
    let custom = Kernel::custom(Custom::new("mine", |_, _, _| 1.0));
    assert!(serde_json::to_string(&custom).unwrap_err().to_string().contains("mine"));
}

#[test]
fn what_is_read_is_checked() {
    let good = serde_json::to_string(&Kernel::rational_quadratic(1.0, 2.0)).unwrap();
    assert!(serde_json::from_str::<Kernel>(&good).is_ok());
    let negative = good.replace("\"value\":2.0", "\"value\":-2.0");
    assert_ne!(negative, good);
    assert!(serde_json::from_str::<Kernel>(&negative).is_err());
    let start = good.find("\"scalars\":[").unwrap();
    let missing = format!("{}\"scalars\":[]}}}}", &good[..start]);
    let error = serde_json::from_str::<Kernel>(&missing).unwrap_err().to_string();
    assert!(error.contains("0 parameters given"), "{error}");
}
