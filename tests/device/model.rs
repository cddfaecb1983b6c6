//! The model of a card: what it counts is what runs, and it says what it is.

use mercer::device::{Card, DeviceOptions, ProductShape};
use mercer::models::gp::GpRegressor;
use mercer::models::mixture::{GaussianMixture, MixtureStart};
use mercer::ops::{Trans, gemm};
use mercer::stats::{Null, TwoSampleTest};
use mercer::{Device, Kernel, Matrix};
use ndarray::Array2;

use crate::support::random;

fn pretended(card: Card) -> Device {
    DeviceOptions::new().pretend().threshold(0.0).products(ProductShape::Tiled).card(card).open().unwrap()
}

/// Every adapter, with the products that hardware has.
fn real() -> Vec<Device> {
    let usable = Device::adapters().into_iter().filter(|a| a.usable);
    let options = DeviceOptions::new().threshold(0.0).products(ProductShape::Tiled);
    usable.map(|a| options.clone().index(a.index).open().unwrap()).collect()
}

/// A product is its multiply-adds and its three matrices, once each.
#[test]
fn a_product_counts_what_it_is() {
    let device = pretended(Card::new("one", 10e12, 100e9).units(4));
    let (m, n, k) = (640, 320, 128);
    let up = |r, c| Matrix::from_array(&device, Array2::<f32>::zeros((r, c)).view()).unwrap();
    let (a, b) = (up(m, k), up(k, n));
    let before = device.counters();
    gemm(1.0, &a, Trans::No, &b, Trans::No).unwrap();
    let after = device.counters();
    let bytes = 4 * (m * k + k * n + m * n) as u64;
    assert_eq!(after.multiply_adds - before.multiply_adds, (m * n * k) as u64);
    assert_eq!(after.bytes_touched - before.bytes_touched, bytes);
    // 6 µs, and the longer of 52 Mflop at four fifths of the peak and 1.3 MB at four fifths of the bandwidth.
    let want = 6e-6 + (2.0 * (m * n * k) as f64 / 8e12).max(bytes as f64 / 80e9);
    let model = (after.model_nanoseconds - before.model_nanoseconds) as f64 / 1e9;
    assert!((model - want).abs() < 2e-9, "{model} and should be {want}");
}

/// A rehearsal launches what a run does: a run may only correct its solution once or twice more.
#[test]
fn a_rehearsal_launches_what_a_run_does() {
    let (x, y) = (random(300, 3, 1), random(300, 1, 2));
    let gp = GpRegressor::new(Kernel::rbf(0.7)).noise(0.1);
    let launches = |device: &Device| {
        gp.device_evidence(device, x.view(), y.view()).unwrap();
        let spent = device.counters();
        (spent.dispatches, spent.multiply_adds as f64)
    };
    let (rehearsed, terms) = launches(&pretended(Card::all().remove(0)));
    for device in real() {
        let (run, made) = launches(&device);
        assert!((rehearsed..=rehearsed + 8).contains(&run), "{run}, rehearsed {rehearsed} on {device}");
        assert!((made / terms - 1.0).abs() < 0.1, "{made} multiply-adds, rehearsed {terms} on {device}");
    }
}

/// An iteration of EM and a test with kernels are rehearsed too, whatever comes of the zeros that are read back.
#[test]
fn an_iteration_and_a_test_are_rehearsed() {
    let x = random(100, 3, 3);
    let y = random(100, 3, 4);
    let em = |most| GaussianMixture::new(3).start(MixtureStart::Random).tolerance(0.0).max_iterations(most);
    let spent = |device: &Device, work: &dyn Fn(&Device)| {
        let before = device.counters().dispatches;
        work(device);
        device.counters().dispatches - before
    };
    let device = pretended(Card::all().remove(0));
    // The start is looked at, and what an iteration has made of it.
    let rehearsed = spent(&device, &|d| drop(em(1).fit(d, &x))) / 2;
    let small = || TwoSampleTest::new().null(Null::Permutations(99));
    let test = spent(&device, &|d| drop(small().run(d, &x, &y)));
    for other in real() {
        let few = spent(&other, &|d| drop(em(2).fit(d, &x).unwrap()));
        let many = spent(&other, &|d| drop(em(7).fit(d, &x).unwrap()));
        let each = (many - few) / 5;
        assert_eq!(rehearsed, each, "an iteration on {other}");
        assert_eq!(spent(&other, &|d| drop(small().run(d, &x, &y).unwrap())), test, "{other}");
    }
}

/// A plan for a device with a card says how long, and that a model says so; one for another says nothing.
#[test]
fn plans_print_the_model() {
    let gp = GpRegressor::new(Kernel::rbf(1.0));
    let plan = |device: &Device| gp.plan(device, 4000, 8, 1);
    let [fast, slow] = [40e12, 10e12].map(|flops| plan(&pretended(Card::new("one", flops, 500e9))));
    assert!((slow.model_seconds[0] / fast.model_seconds[0] - 4.0).abs() < 1e-9);
    assert!(fast.to_string().contains("by a model of the card"), "{fast}");
    assert!(!plan(&Device::cpu()).to_string().contains("model"));
}
