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

#[test]
fn a_table_of_absurd_size_is_refused() {
    let good = serde_json::to_value(Kernel::precomputed(array![[1.0]])).unwrap();
    let mut file = good.clone();
    let table = file.pointer_mut("/Leaf/kind/Precomputed").unwrap();
    // The product of these is 0 but for an overflow, and so is the count of the numbers.
    *table = serde_json::json!({ "rows": 1u64 << 63, "cols": 2, "data": [] });
    let error = serde_json::from_value::<Kernel>(file).unwrap_err().to_string();
    assert!(error.contains("precomputed"), "{error}");
    assert!(serde_json::from_value::<Kernel>(good).is_ok());
}

#[test]
fn kernels_in_kernels_have_an_end() {
    // exp(exp(exp(...: binary formats have no limit of their own, and the stack has.
    let bytes = vec![5u8; 1 << 20];
    let error = postcard::from_bytes::<Kernel>(&bytes).unwrap_err();
    assert_eq!(error, postcard::Error::SerdeDeCustom);
    let nested = |depth: usize| (0..depth).fold(Kernel::rbf(1.0), |k, _| 0.5 * k.exp());
    let deep = nested(20);
    let bytes = postcard::to_stdvec(&deep).unwrap();
    assert_eq!(postcard::from_bytes::<Kernel>(&bytes).unwrap(), deep);
    assert_eq!(serde_json::from_str::<Kernel>(&serde_json::to_string(&deep).unwrap()).unwrap(), deep);
    // What could not be read is not written.
    assert!(serde_json::to_string(&nested(40)).unwrap_err().to_string().contains("nested"));
}
