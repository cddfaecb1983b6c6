//! Nothing wrong and silent: far from the origin, in any units, with ties, with kernels that overflow, with absurd counts.

use mercer::stats::{
    Collection, FiniteSetIndependence, FiniteSetTest, Hsic, IndependenceTest, JointHsic, KernelMeanEmbedding,
    KernelStein, Mmd, Null, SteinBase, TestOutcome, TwoSampleTest,
};
use mercer::{Device, Error, Kernel, Result};
use ndarray::{Array2, s};

use crate::loops::{adapters, close, normal};

type Samples = (Array2<f64>, Array2<f64>);
type Test = fn(&Device, &Samples) -> Result<TestOutcome>;

const FEW: Null = Null::Permutations(199);

/// Tests that choose their scale by the data.
const SCALED: [(&str, Test); 7] = [
    ("MMD-FUSE", |d, (x, y)| TwoSampleTest::new().null(FEW).run(d, x, y)),
    ("MMDAgg", |d, (x, y)| TwoSampleTest::aggregated(Collection::default()).null(FEW).run(d, x, y)),
    ("MMD, median", |d, (x, y)| TwoSampleTest::median().null(FEW).run(d, x, y)),
    ("energy distance", |d, (x, y)| TwoSampleTest::energy(1.0)?.null(FEW).run(d, x, y)),
    ("HSICAgg", |d, (x, y)| IndependenceTest::new().null(FEW).run(d, x, y)),
    ("HSIC, median", |d, (x, y)| IndependenceTest::median().null(FEW).run(d, x, y)),
    ("distance covariance", |d, (x, y)| IndependenceTest::distance_covariance(1.0)?.null(FEW).run(d, x, y)),
];

/// Two samples that differ a little, and are dependent a little.
fn samples(n: usize) -> Samples {
    let x = normal(n, 2, 0.0, 1);
    let y = &x * 0.4 + normal(n, 2, 0.25, 2);
    (x, y)
}

#[test]
fn every_origin_and_every_unit_has_the_p_value_of_the_cpu() {
    let plain = samples(60);
    let moved =
        |scale: f64, shift: f64| (plain.0.mapv(|v| scale * v + shift), plain.1.mapv(|v| scale * v + shift));
    for (name, test) in SCALED {
        let here = test(&Device::cpu(), &plain).unwrap().p_value;
        for (scale, shift) in
            [(60.0, 1.7e9), (1.0, 1e6), (1.0, 1e9), (1e-20, 0.0), (1e20, 0.0), (1e-25, 0.0), (1e25, 0.0)]
        {
            let data = moved(scale, shift);
            let want = test(&Device::cpu(), &data).unwrap().p_value;
            // The CPU itself does not care, but for the digits that 1.7e9 takes away.
            assert!((want - here).abs() <= 0.011, "{name} at {scale} x + {shift}: {want}, {here} at home");
            for device in adapters() {
                let got = test(device, &data).unwrap();
                assert_eq!(got.p_value, want, "{name} at {scale} x + {shift} on {device}: {got}");
            }
        }
    }
}

#[test]
fn the_tests_with_kernels_of_their_own_too() {
    let (x, y) = samples(60);
    let base = SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 };
    for shift in [0.0, 1e6, 1e9, 1.7e9] {
        let (x, y) = (&x + shift, &y + shift);
        let joint =
            JointHsic::new(vec![Kernel::rbf(1.0), Kernel::matern32(1.0)]).null(Null::Permutations(99));
        let stein = KernelStein::new(base).null(Null::WildBootstrap(99));
        let score = |p: &[f64]| p.iter().map(|v| shift - v).collect();
        let cpu = Device::cpu();
        let want = (
            joint.run(&cpu, &[&x, &y]).unwrap().p_value,
            stein.run(&cpu, &x, score).unwrap().p_value,
            Mmd::new(Kernel::rbf(1.0)).biased(&cpu, &x, &y).unwrap(),
            Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0)).biased(&cpu, &x, &y).unwrap(),
        );
        for device in adapters() {
            let what = format!("at {shift} on {device}");
            assert_eq!(joint.run(device, &[&x, &y]).unwrap().p_value, want.0, "joint HSIC {what}");
            assert_eq!(stein.run(device, &x, score).unwrap().p_value, want.1, "Stein {what}");
            close(Mmd::new(Kernel::rbf(1.0)).biased(device, &x, &y).unwrap(), want.2, 1e-5, &what);
            let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0)).biased(device, &x, &y).unwrap();
            close(hsic, want.3, 1e-5, &what);
            for test in [FiniteSetTest::mean_embedding(), FiniteSetTest::smooth_characteristic()] {
                let test = test.locations(2).null(Null::Permutations(99));
                let [here, there] = [&cpu, device].map(|d| test.run(d, &x, &y).unwrap().outcome.p_value);
                assert_eq!(here, there, "finite set {what}");
            }
            let test = FiniteSetIndependence::new().locations(2).null(Null::Permutations(99));
            let [here, there] = [&cpu, device].map(|d| test.run(d, &x, &y).unwrap().outcome.p_value);
            assert_eq!(here, there, "finite set independence {what}");
        }
    }
    // In other units a score has the inverse ones.
    for unit in [1e-25, 1e25] {
        let stein = KernelStein::new(SteinBase::InverseMultiquadric { scale: unit, exponent: -0.5 });
        let (x, y) = (&x * unit, &y * unit);
        let joint = JointHsic::new(vec![Kernel::rbf(unit); 2]).null(Null::Permutations(99));
        let mmd = Mmd::new(Kernel::rbf(unit));
        let score = |p: &[f64]| p.iter().map(|v| -v / unit / unit).collect();
        let want = stein.run(&Device::cpu(), &x, score).unwrap().p_value;
        for device in adapters() {
            assert_eq!(stein.run(device, &x, score).unwrap().p_value, want, "Stein in {unit} on {device}");
            let [here, there] = [&Device::cpu(), device].map(|d| joint.run(d, &[&x, &y]).unwrap().p_value);
            assert_eq!(here, there, "joint HSIC in {unit} on {device}");
            let [here, there] = [&Device::cpu(), device].map(|d| mmd.biased(d, &x, &y).unwrap());
            close(there, here, 1e-5, "MMD in other units");
        }
    }
}

/// Many relabellings of rounded data have one statistic: whether it is reached must not depend on rounding.
#[test]
fn rounded_data_have_ties_on_every_device() {
    for (n, seed) in [(12, 1), (40, 2), (150, 3)] {
        let (x, y) = (normal(n, 1, 0.0, seed).mapv(f64::round), normal(n, 1, 0.4, seed + 9).mapv(f64::round));
        let data = (x, y);
        for (name, test) in SCALED {
            let want = test(&Device::cpu(), &data).unwrap().p_value;
            for device in adapters() {
                let got = test(device, &data).unwrap();
                assert_eq!(got.p_value, want, "{name}, {n} on {device}: {got}");
            }
        }
    }
}

#[test]
fn herding_picks_the_same_rows_everywhere() {
    let x = normal(300, 2, 0.0, 1);
    for shift in [0.0, 1e6, 1.7e9] {
        let x = &x + shift;
        let herd =
            |d: &Device| KernelMeanEmbedding::new(d, &Kernel::rbf(0.7), &x).unwrap().herd(40, None).unwrap();
        let want = herd(&Device::cpu());
        for device in adapters() {
            assert_eq!(herd(device).indices, want.indices, "at {shift} on {device}");
        }
    }
}

#[test]
fn a_statistic_that_is_not_a_number_is_an_error() {
    let (x, y) = (normal(30, 2, 0.0, 1) * 10.0, normal(30, 2, 0.0, 2) * 10.0);
    let huge = Kernel::exponential_dot(1e-3);
    let refused = |found: Result<TestOutcome>, what: &str| {
        assert!(matches!(found, Err(Error::Parameter { .. } | Error::Overflow { .. })), "{what}: {found:?}");
    };
    for device in adapters().cloned().chain([Device::cpu()]) {
        let d = &device;
        refused(TwoSampleTest::with_kernel(huge.clone()).run(d, &x, &y), "MMD");
        let ten = TwoSampleTest::with_kernel(Kernel::exponential_dot(1.0)).run(d, &(&x * 10.0), &(&y * 10.0));
        refused(ten, "MMD by exp(x'y)");
        refused(TwoSampleTest::with_kernel(huge.clone()).null(Null::Gamma).run(d, &x, &y), "MMD, gamma");
        refused(
            TwoSampleTest::with_kernel(huge.clone()).null(Null::Normal { block: 5 }).run(d, &x, &y),
            "blocks",
        );
        refused(IndependenceTest::with_kernels(huge.clone(), huge.clone()).run(d, &x, &y), "HSIC");
        let gamma = IndependenceTest::with_kernels(huge.clone(), huge.clone()).null(Null::Gamma);
        refused(gamma.run(d, &x, &y), "HSIC, gamma");
        refused(JointHsic::new(vec![huge.clone(); 2]).run(d, &[&x, &y]), "joint HSIC");
        let stein = KernelStein::new(SteinBase::Rbf { lengthscale: 1.0 });
        refused(stein.run(d, &x, |p| p.iter().map(|v| 1e200 * v).collect()), "Stein");
        for value in [
            Mmd::new(huge.clone()).biased(d, &x, &y),
            Mmd::new(huge.clone()).unbiased(d, &x, &y),
            Mmd::new(huge.clone()).variance(d, &x, &y),
            Hsic::new(huge.clone(), huge.clone()).biased(d, &x, &y),
        ] {
            assert!(
                matches!(value, Err(Error::Parameter { .. } | Error::Overflow { .. })),
                "{value:?} on {device}"
            );
        }
    }
    // f32 overflows where f64 does not: the CPU decides.
    let (x, y) = (normal(30, 2, 0.0, 1) * 1e4, normal(30, 2, 0.0, 2) * 1e4);
    let test = TwoSampleTest::with_kernel(Kernel::polynomial(5, 1.0)).null(FEW);
    let want = test.run(&Device::cpu(), &x, &y).unwrap();
    for device in adapters() {
        let got = test.run(device, &x, &y).unwrap();
        assert_eq!(
            (got.p_value, got.run.device.as_str()),
            (want.p_value, want.run.device.as_str()),
            "{device}"
        );
    }
}

#[test]
fn absurd_counts_are_refused_before_anything_is_allocated() {
    let cpu = Device::cpu();
    let (x, y) = samples(20);
    let refused = |found: Result<TestOutcome>| {
        assert!(matches!(found, Err(Error::Parameter { .. } | Error::Shape { .. })), "{found:?}");
    };
    for count in [1 << 40, usize::MAX] {
        for null in [Null::Permutations(count), Null::WildBootstrap(count)] {
            refused(TwoSampleTest::median().null(null).run(&cpu, &x, &y));
            refused(IndependenceTest::median().null(null).run(&cpu, &x, &y));
        }
        refused(
            TwoSampleTest::median().null(Null::Spectral { draws: count, eigenvalues: 3 }).run(&cpu, &x, &y),
        );
        let many = Null::Permutations(count);
        refused(JointHsic::new(vec![Kernel::rbf(1.0); 2]).null(many).run(&cpu, &[&x, &y]));
        let base = SteinBase::Rbf { lengthscale: 1.0 };
        let bootstrap = Null::WildBootstrap(count);
        refused(KernelStein::new(base).null(bootstrap).run(&cpu, &x, |p| p.iter().map(|v| -v).collect()));
        for test in [FiniteSetTest::mean_embedding(), FiniteSetTest::smooth_characteristic()] {
            refused(test.clone().locations(count).run(&cpu, &x, &y).map(|f| f.outcome));
            refused(test.locations(2).null(many).run(&cpu, &x, &y).map(|f| f.outcome));
        }
        let places = FiniteSetIndependence::new();
        refused(places.clone().locations(count).run(&cpu, &x, &y).map(|f| f.outcome));
        refused(places.locations(2).null(many).run(&cpu, &x, &y).map(|f| f.outcome));
        let collection = Collection { bandwidths: count, ..Collection::default() };
        refused(TwoSampleTest::aggregated(collection).run(&cpu, &x, &y));
        let mu = KernelMeanEmbedding::new(&cpu, &Kernel::rbf(1.0), x.slice(s![..5, ..])).unwrap();
        assert!(matches!(mu.herd(count, None), Err(Error::Parameter { .. } | Error::Overflow { .. })));
        assert!(matches!(
            Mmd::new(Kernel::rbf(1.0)).block(&x, &y, count),
            Err(Error::Parameter { .. } | Error::Overflow { .. })
        ));
        assert!(matches!(
            Mmd::new(Kernel::rbf(1.0)).incomplete(&x, &y, count),
            Err(Error::Parameter { .. } | Error::Overflow { .. })
        ));
    }
}
