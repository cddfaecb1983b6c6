use mercer::stats::{Collection, Hsic, IndependenceTest, KernelChoice, Mmd, Null, TwoSampleTest};
use mercer::{Device, Error, Kernel};
use ndarray::Array2;

use crate::loops::{column, normal};

fn mmd() -> Mmd {
    Mmd::new(Kernel::rbf(1.0))
}

#[test]
fn samples_too_small_or_of_different_spaces() {
    let cpu = Device::cpu();
    let (empty, one, two) = (Array2::<f64>::zeros((0, 2)), normal(1, 2, 0.0, 1), normal(5, 2, 0.0, 2));
    let other = normal(5, 3, 0.0, 3);
    for bad in [&empty, &other] {
        assert!(matches!(mmd().biased(&cpu, two.view(), bad.view()), Err(Error::Shape { .. })));
        assert!(matches!(mmd().witness(&cpu, two.view(), two.view(), bad.view()), Err(Error::Shape { .. })));
    }
    assert!(mmd().biased(&cpu, one.view(), two.view()).is_ok());
    for bad in [&empty, &one, &other] {
        assert!(matches!(mmd().unbiased(&cpu, bad.view(), two.view()), Err(Error::Shape { .. })));
        assert!(matches!(mmd().variance(&cpu, two.view(), bad.view()), Err(Error::Shape { .. })));
        assert!(matches!(mmd().linear_time(bad.view(), two.view()), Err(Error::Shape { .. })));
        for test in [TwoSampleTest::new(), TwoSampleTest::median()] {
            assert!(matches!(test.run(&cpu, two.view(), bad.view()), Err(Error::Shape { .. })));
        }
    }
    let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0));
    for bad in [&empty, &one] {
        assert!(matches!(hsic.biased(&cpu, two.view(), bad.view()), Err(Error::Shape { .. })));
        assert!(matches!(hsic.biased(&cpu, bad.view(), bad.view()), Err(Error::Shape { .. })));
        let test = IndependenceTest::new();
        assert!(matches!(test.run(&cpu, bad.view(), bad.view()), Err(Error::Shape { .. })));
    }
    assert!(hsic.biased(&cpu, two.view(), other.view()).is_ok(), "x and y may differ in features");
}

/// Zero bandwidth: refused where one is to be found; a fixed kernel sees no difference.
#[test]
fn all_points_equal() {
    let cpu = Device::cpu();
    let (x, y) = (Array2::<f64>::ones((6, 2)), Array2::<f64>::ones((7, 2)));
    for test in [TwoSampleTest::new(), TwoSampleTest::median()] {
        assert!(matches!(test.run(&cpu, x.view(), y.view()), Err(Error::Parameter { .. })));
    }
    let test = IndependenceTest::new();
    assert!(matches!(test.run(&cpu, x.view(), x.view()), Err(Error::Parameter { .. })));
    assert!(mmd().biased(&cpu, x.view(), y.view()).unwrap().abs() < 1e-15);
    let outcome = TwoSampleTest::with_kernel(Kernel::rbf(1.0)).run(&cpu, x.view(), y.view()).unwrap();
    assert_eq!(outcome.p_value, 1.0, "every permutation ties");
    let test = IndependenceTest::with_kernels(Kernel::rbf(1.0), Kernel::rbf(1.0));
    assert_eq!(test.run(&cpu, x.view(), x.view()).unwrap().p_value, 1.0);
}

#[test]
fn values_that_are_not_numbers() {
    let cpu = Device::cpu();
    let good = normal(8, 1, 0.0, 1);
    for value in [f64::NAN, f64::INFINITY] {
        let mut bad = good.clone();
        bad[[3, 0]] = value;
        let found = TwoSampleTest::new().run(&cpu, good.view(), bad.view());
        assert!(matches!(found, Err(Error::NotFinite { what: "y", row: 3, col: 0, .. })), "{found:?}");
        let found = IndependenceTest::new().run(&cpu, bad.view(), good.view());
        assert!(matches!(found, Err(Error::NotFinite { what: "x", row: 3, .. })), "{found:?}");
        assert!(matches!(mmd().block(good.view(), bad.view(), 2), Err(Error::NotFinite { .. })));
        assert!(matches!(
            Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0)).terms(&cpu, bad.view(), good.view()),
            Err(Error::NotFinite { .. })
        ));
    }
}

#[test]
fn settings_outside_of_their_domain() {
    let cpu = Device::cpu();
    let (x, y) = (normal(8, 1, 0.0, 1), normal(9, 1, 0.0, 2));
    let run = |test: TwoSampleTest| test.run(&cpu, x.view(), y.view());
    let parameter = |found| matches!(found, Err(Error::Parameter { .. }));
    for null in [Null::Permutations(0), Null::WildBootstrap(0)] {
        let found = run(TwoSampleTest::new().null(null));
        assert!(matches!(found, Err(Error::Parameter { .. } | Error::Shape { .. })), "B = 0: {found:?}");
        let test = IndependenceTest::new().null(null);
        assert!(parameter(test.run(&cpu, x.view(), x.view())), "B = 0");
    }
    let wild = run(TwoSampleTest::new().null(Null::WildBootstrap(10)));
    assert!(matches!(wild, Err(Error::Shape { .. })), "unequal samples cannot be swapped");
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(parameter(run(TwoSampleTest::new().alpha(alpha))));
    }
    for share in [0.0, 1.0, f64::NAN] {
        let kernel = KernelChoice::PowerRatio { collection: Collection::default(), share };
        assert!(parameter(run(TwoSampleTest::new().kernel(kernel))));
    }
    let none = Collection { bandwidths: 0, ..Collection::default() };
    assert!(parameter(run(TwoSampleTest::aggregated(none))));
    let none = Collection { families: vec![], ..Collection::default() };
    assert!(parameter(run(TwoSampleTest::aggregated(none))));
    assert!(parameter(run(TwoSampleTest::with_kernel(Kernel::rbf(-1.0)))));
    let many = normal(40, 1, 0.0, 3);
    let all = TwoSampleTest::median().null(Null::Exhaustive);
    assert!(parameter(all.run(&cpu, many.view(), many.view())), "too many arrangements");
    assert!(matches!(mmd().incomplete(x.view(), y.view(), 8), Err(Error::Parameter { .. })));
    assert!(matches!(mmd().block(x.view(), y.view(), 5), Err(Error::Parameter { .. })));
    let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0));
    let short = hsic.cross_covariance(&cpu, x.view(), x.view(), &[1.0], &[1.0]);
    assert!(matches!(short, Err(Error::Shape { .. })));
    assert!(matches!(
        hsic.unbiased(&cpu, column(&[1.0, 2.0]).view(), column(&[1.0, 2.0]).view()),
        Err(Error::Shape { .. })
    ));
}
