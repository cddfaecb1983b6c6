//! Does a test that promises five false alarms in a hundred keep its word? Every test of the library, on data where its
//! hypothesis is true: rejections at level 0.05, beside the exact binomial 99 % interval of their number.
//!
//! `cargo run --release --example calibration` makes 200 repetitions at small n; `-- --full` makes 1000, with 500
//! observations for tests that look at all pairs and 5000 for those that are linear in n. Tests by permutation are exact at
//! every n; those by a law are so as n grows, which is what the larger n is for. It ends in a table and in how many rows
//! lie outside, one in a hundred of which is due to chance. Rows of one kind see the same data, and their counts move
//! together. `--only Agg` makes the rows whose name contains that.

use std::error::Error;
use std::time::Instant;

use mercer::stats::{
    Collection, Combine, Estimator, FiniteSetIndependence, FiniteSetTest, IndependenceTest, JointHsic,
    KernelChoice, KernelStein, Null, PairChoice, Placement, SteinBase, TwoSampleTest,
};
use mercer::{Device, Kernel};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use statrs::distribution::{Binomial, DiscreteCDF};

const LEVEL: f64 = 0.05;
const RESAMPLES: Null = Null::Permutations(199);
const SIGNS: Null = Null::WildBootstrap(199);

/// The p-value of one repetition of a test with n observations.
type Repetition = Box<dyn Fn(usize, u64) -> mercer::Result<f64> + Sync>;

/// A test, and whether its time is linear in n.
struct Row {
    name: &'static str,
    linear: bool,
    run: Repetition,
}

fn normal(n: usize, d: usize, part: u64, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Streams from the far end: the tests draw their resamples from the near one.
    rng.set_stream(u64::MAX - part);
    Array2::from_shape_simple_fn((n, d), || rng.sample(StandardNormal))
}

/// Two samples of one distribution, the second a little longer where it may be.
fn two(name: &'static str, test: TwoSampleTest) -> Row {
    let equal = test == test.clone().null(SIGNS);
    let linear = [2, 10].iter().any(|&block| test == test.clone().null(Null::Normal { block }));
    let run = move |n: usize, seed| {
        let (x, y) = (normal(n, 2, 0, seed), normal(if equal { n } else { n + n / 4 }, 2, 1, seed));
        Ok(test.clone().seed(seed).run(&Device::cpu(), x.view(), y.view())?.p_value)
    };
    Row { name, linear, run: Box::new(run) }
}

/// Two independent variables.
fn pair(name: &'static str, test: IndependenceTest) -> Row {
    let run = move |n, seed| {
        let (x, y) = (normal(n, 2, 0, seed), normal(n, 1, 1, seed));
        Ok(test.clone().seed(seed).run(&Device::cpu(), x.view(), y.view())?.p_value)
    };
    Row { name, linear: false, run: Box::new(run) }
}

fn places(name: &'static str, test: FiniteSetTest) -> Row {
    let run = move |n, seed| {
        let (x, y) = (normal(n, 2, 0, seed), normal(n, 2, 1, seed));
        Ok(test.clone().seed(seed).run(&Device::cpu(), x.view(), y.view())?.outcome.p_value)
    };
    Row { name, linear: true, run: Box::new(run) }
}

fn covariances(name: &'static str, placement: Placement) -> Row {
    let run = move |n, seed| {
        let (placement, null) = (placement.clone(), RESAMPLES);
        let test = FiniteSetIndependence::new().locations(2).placement(placement).null(null).seed(seed);
        let (x, y) = (normal(n, 2, 0, seed), normal(n, 1, 1, seed));
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.outcome.p_value)
    };
    Row { name, linear: true, run: Box::new(run) }
}

fn joint() -> Row {
    let run = |n, seed| {
        let data: Vec<_> = (0..3).map(|v| normal(n, 1, v, seed)).collect();
        let views: Vec<_> = data.iter().map(|x| x.view()).collect();
        let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]).null(Null::Permutations(99)).alpha(LEVEL);
        Ok(test.seed(seed).run(&Device::cpu(), &views)?.p_value)
    };
    Row { name: "joint HSIC of three variables", linear: false, run: Box::new(run) }
}

fn stein(name: &'static str, base: SteinBase) -> Row {
    let run = move |n, seed| {
        let test = KernelStein::new(base).null(Null::WildBootstrap(199)).seed(seed);
        let score = |x: &[f64]| x.iter().map(|v| -v).collect();
        Ok(test.run(&Device::cpu(), normal(n, 2, 0, seed).view(), score)?.p_value)
    };
    Row { name, linear: false, run: Box::new(run) }
}

fn rows() -> mercer::Result<Vec<Row>> {
    let resampled = |test: TwoSampleTest| test.null(RESAMPLES);
    let fixed =
        |null, estimator| TwoSampleTest::with_kernel(Kernel::rbf(1.0)).null(null).estimator(estimator);
    let half = KernelChoice::PowerRatio { collection: Collection::default(), share: 0.5 };
    let shuffled = |test: IndependenceTest| test.null(RESAMPLES);
    let kernels = || IndependenceTest::with_kernels(Kernel::rbf(1.0), Kernel::laplacian(1.0));
    let with = |null, estimator| kernels().null(null).estimator(estimator);
    let few = || Collection { bandwidths: 2, ..Collection::default() };
    let fused = PairChoice::Aggregate { x: few(), y: few(), combine: Combine::FUSE };
    let spectral = Null::Spectral { draws: 499, eigenvalues: 20 };
    let found = Placement::Optimised { share: 0.5, max_iterations: 15 };
    let me = || FiniteSetTest::mean_embedding().locations(2);
    let scf = || FiniteSetTest::smooth_characteristic().locations(2);
    let (biased, unbiased) = (Estimator::Biased, Estimator::Unbiased);
    Ok(vec![
        two("MMD-FUSE", resampled(TwoSampleTest::new())),
        two("MMDAgg", resampled(TwoSampleTest::aggregated(Collection::default()))),
        two("MMD, median", resampled(TwoSampleTest::median())),
        two("MMD, power ratio on half", resampled(TwoSampleTest::new().kernel(half))),
        two("MMD, wild bootstrap", fixed(SIGNS, unbiased)),
        two("MMD, gamma, biased", fixed(Null::Gamma, biased)),
        two("MMD, gamma, unbiased", fixed(Null::Gamma, unbiased)),
        two("MMD, spectral", fixed(spectral, biased)),
        two("MMD, linear time", fixed(Null::Normal { block: 2 }, unbiased)),
        two("MMD, blocks of 10", fixed(Null::Normal { block: 10 }, unbiased)),
        two("energy distance", resampled(TwoSampleTest::energy(1.0)?)),
        places("mean embedding, optimised", me().placement(found.clone())),
        places("mean embedding, random", me().placement(Placement::Random)),
        places("characteristic function, optimised", scf().placement(found.clone())),
        places("characteristic function, random", scf().placement(Placement::Random)),
        pair("HSICAgg", shuffled(IndependenceTest::new())),
        pair("HSIC, fused", shuffled(IndependenceTest::new().kernels(fused))),
        pair("HSIC, median", shuffled(IndependenceTest::median())),
        pair("HSIC, unbiased", with(RESAMPLES, unbiased)),
        pair("HSIC, wild bootstrap", with(SIGNS, biased)),
        pair("HSIC, gamma, biased", with(Null::Gamma, biased)),
        pair("HSIC, gamma, unbiased", with(Null::Gamma, unbiased)),
        pair("distance covariance", shuffled(IndependenceTest::distance_covariance(1.0)?)),
        joint(),
        covariances("finite-set independence, optimised", found),
        covariances("finite-set independence, random", Placement::Random),
        stein("Stein, Gaussian", SteinBase::Rbf { lengthscale: 1.0 }),
        stein("Stein, inverse multiquadric", SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 }),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let full = std::env::args().any(|a| a == "--full");
    let only = std::env::args().skip_while(|a| a != "--only").nth(1).unwrap_or_default();
    let (repetitions, all_pairs, linear) = if full { (1000, 500, 5000) } else { (200, 100, 1000) };
    let law = Binomial::new(LEVEL, repetitions)?;
    let (low, high) = (law.inverse_cdf(0.005), law.inverse_cdf(0.995));
    println!(
        "{repetitions} repetitions of a true hypothesis at level {LEVEL}; {low} to {high} rejections are due\n"
    );
    println!("{:<38}{:>6}{:>12}{:>9}{:>9}", "test", "n", "rejections", "rate", "seconds");
    let (mut outside, mut rows) = (0, rows()?);
    rows.retain(|row| row.name.contains(&only));
    for row in &rows {
        let (n, start) = (if row.linear { linear } else { all_pairs }, Instant::now());
        let one = |seed| Ok::<u64, mercer::Error>(u64::from((row.run)(n, seed)? <= LEVEL));
        let count = (0..repetitions).into_par_iter().map(one).sum::<Result<u64, _>>()?;
        let inside = (low..=high).contains(&count);
        outside += usize::from(!inside);
        let rate = count as f64 / repetitions as f64;
        let (mark, seconds) = (if inside { "" } else { "  outside" }, start.elapsed().as_secs_f64());
        println!("{:<38}{n:>6}{count:>12}{rate:>9.3}{seconds:>9.1}{mark}", row.name);
    }
    println!("\n{outside} of {} tests lie outside of their 99 % interval", rows.len());
    Ok(())
}
