//! Work that is dealt out, and devices.

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use ndarray::{Array2, Axis, s};

use super::{CPU, grouped, noise, rows, shares, targets};

/// Work that is dealt out gives the bits of one process.
pub fn dealt_work(ranks: &dyn Ranks) {
    let x = grouped(40).mapv(|v| 0.1 * v);
    let y = targets(&x);
    let folds = CrossValidation::by(KFold::new(5).shuffled(1));
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
    let whole = folds.scores(&model, &CPU(), &x, &y, r2).unwrap();
    assert_eq!(folds.scores_across(ranks, &model, &CPU(), &x, &y, r2).unwrap(), whole);
    // One candidate fails, wherever it is judged.
    let candidates = [0.01, 1.0, -1.0, 100.0].map(|p| KernelRidge::new(Kernel::rbf(1.0), p));
    let search = Search::over(candidates).by(KFold::new(4)).best(r2);
    let (one, all) = (search.fit(&CPU(), &x, &y).unwrap(), search.fit_across(ranks, &CPU(), &x, &y).unwrap());
    assert_eq!((one.index(), one.table()), (all.index(), all.table()));
    // Permutations, restarts and chains: whatever is a function of its number.
    let statistic = |i: usize| {
        let order = mercer::stats::permutation(40, 40, 7, i).unwrap();
        Ok(order.iter().enumerate().map(|(at, &j)| y[j] * x[[at, 0]]).sum::<f64>())
    };
    let restart = |i: usize| Ok(KMeans::new(4).restarts(1).seed(i as u64).fit(&CPU(), &x)?.cost());
    let chain = |i: usize| {
        let params = mercer::inference::monte_carlo::SliceParams::new().samples(20).seed(i as u64);
        let run = mercer::inference::monte_carlo::slice_sample(&[0.1], &[(-5.0, 5.0)], &params, |v| {
            Ok(-v[0] * v[0])
        })?;
        Ok(run.points.iter().map(|p| p[0]).collect::<Vec<f64>>())
    };
    mercer::learn::ranks::meet(ranks, |all| {
        let null = all.deal("permutations", 99, statistic)?;
        assert_eq!(null, (0..99).map(|i| statistic(i).unwrap()).collect::<Vec<_>>());
        let costs = all.deal("restarts", 7, restart)?;
        assert_eq!(costs, (0..7).map(|i| restart(i).unwrap()).collect::<Vec<_>>());
        let draws = all.deal("chains", 4, chain)?;
        assert_eq!(draws, (0..4).map(|i| chain(i).unwrap()).collect::<Vec<_>>());
        Ok(())
    })
    .unwrap();
}

/// Tests whose resamples are dealt out, and chains: the p-values and the draws of one process, to the bit.
pub fn dealt_tests_and_chains(ranks: &dyn Ranks) {
    let x = grouped(40).mapv(|v| 0.1 * v);
    let y = Array2::from_shape_fn((30, 3), |(i, j)| x[[i, j]] + 0.1 * noise(i, j + 90));
    let paired = Array2::from_shape_fn((40, 2), |(i, j)| 0.2 * x[[i, j]] + 0.5 * noise(i, j + 95));
    let close = |found: &TestOutcome, whole: &TestOutcome| {
        assert_eq!(found.p_value.to_bits(), whole.p_value.to_bits());
        assert_eq!(found.rejects(), whole.rejects());
        super::near("statistic", [&found.statistic], [&whole.statistic]);
    };
    let one = TwoSampleTest::with_kernel(Kernel::rbf(1.0));
    for test in [
        one.clone().null(Null::Permutations(99)),
        one.clone().estimator(Estimator::Biased).null(Null::Permutations(3)),
        one.null(Null::Gamma),
        TwoSampleTest::new().null(Null::Permutations(60)),
    ] {
        let whole = test.run(&CPU(), &x, &y).unwrap();
        for (own, other) in shares(ranks, 40).into_iter().zip(shares(ranks, 30)) {
            close(&test.run_across(ranks, rows(&x, &own), rows(&y, &other)).unwrap(), &whole);
        }
    }
    let one = IndependenceTest::with_kernels(Kernel::rbf(1.0), Kernel::rbf(0.5));
    for test in [
        one.clone().null(Null::Permutations(99)),
        one.clone().null(Null::Permutations(2)),
        one.clone().null(Null::WildBootstrap(50)),
        one.null(Null::Permutations(20)).memory(1000),
        IndependenceTest::new().null(Null::Permutations(60)),
    ] {
        let whole = test.run(&CPU(), &x, &paired).unwrap();
        for own in shares(ranks, 40) {
            close(&test.run_across(ranks, rows(&x, &own), rows(&paired, &own)).unwrap(), &whole);
        }
    }
    let starts = ndarray::array![[0.1, 0.0], [0.5, -1.0], [-2.0, 1.0], [0.0, 0.3]];
    let params = mercer::inference::monte_carlo::SliceParams::new().samples(20).seed(3);
    let (bounds, density) = ([(-5.0, 5.0); 2], |v: &[f64]| Ok(-v[0] * v[0] - 0.5 * (v[1] - v[0]).powi(2)));
    let whole = mercer::inference::monte_carlo::slice_chains(&starts, &bounds, &params, density).unwrap();
    let found =
        mercer::inference::monte_carlo::slice_chains_across(ranks, &starts, &bounds, &params, density);
    let found = found.unwrap();
    assert_eq!(found.draws(), whole.draws());
    assert_eq!(found.log_density(), whole.log_density());
}

/// A rank has the adapter of its number on its machine; with more ranks than adapters they are shared.
pub fn a_device_for_each_rank(ranks: &dyn Ranks) {
    let any = |_: &mercer::device::Adapter| true;
    let usable: Vec<_> = Device::adapters().into_iter().filter(|a| a.usable).collect();
    let own = ranks.adapter(&any);
    if usable.is_empty() {
        assert!(own.is_none());
    } else {
        assert_eq!(own.as_ref().unwrap().index, usable[ranks.local_rank() % usable.len()].index);
    }
    assert!(ranks.adapter(&|_| false).is_none());
    // Those that are no hardware are not taken unless asked for.
    let real = usable.iter().any(|a| !a.is_software());
    assert_eq!(ranks.device().is_gpu(), real);
    // Each on its own, however small; the last one on the CPU. What ends in f64 is the same.
    let x = grouped(90);
    let whole = KMeans::new(3).seed(4).fit(&CPU(), &x).unwrap();
    let opened = own.filter(|_| ranks.rank() + 1 < ranks.size() || ranks.size() == 1);
    let device = opened.map_or_else(CPU, |adapter| {
        mercer::device::DeviceOptions::new().index(adapter.index).threshold(0.0).open().unwrap()
    });
    for own in shares(ranks, 90) {
        let fit = KMeans::new(3).seed(4).fit_across(ranks, &device, rows(&x, &own)).unwrap();
        super::near("centres", fit.centres(), whole.centres());
        assert_eq!(fit.labels(), &whole.labels()[own]);
    }
    if ranks.size() == 2 {
        on_devices_of_their_own(ranks, &device);
    }
}

/// Of two ranks one on an adapter, one on the CPU. Sums of f32 here and of f64 there: what ends in f64 on every rank is as exact, what does not is near.
fn on_devices_of_their_own(ranks: &dyn Ranks, device: &Device) {
    let x = grouped(90);
    let (y, two) = (targets(&x), (0..90).map(|i| noise(i, 21) + 0.1 * x[[i, 0]] > 5.3).collect::<Vec<_>>());
    let far = |what: &str, found: &Array2<f64>, wanted: &Array2<f64>, tolerance: f64| {
        let size = wanted.fold(0f64, |m, v| m.max(v.abs()));
        let gap = (found - wanted).fold(0f64, |m, v| m.max(v.abs()));
        assert!(gap <= tolerance * size, "{what}: {gap:e} of {size:e}");
    };
    let mixture = GaussianMixture::new(3).seed(1).tolerance(1e-13);
    let (logistic, ridge, pca) = (LogisticRegression::new(0.1), Ridge::new(0.5), Pca::new(2));
    let fits = (
        mixture.fit(&CPU(), &x).unwrap(),
        logistic.fit(&CPU(), &x, &two[..]).unwrap(),
        ridge.fit(&CPU(), &x, &y).unwrap(),
        pca.fit(&CPU(), &x).unwrap(),
    );
    // Products of f32 on some ranks, residuals of f64 on all.
    let near_by = x.mapv(|v| 0.2 * v);
    let kernel = Kernel::rbf(1.3) + Kernel::constant(0.5);
    let krr = KernelRidge::new(kernel.clone(), 0.1).solver(KernelSolver::MatrixFree).tolerance(1e-11);
    let falkon = Falkon::new(kernel, 0.1, 20).seed(5).tolerance(1e-11);
    let at = |fit: FittedKernelRidge<ndarray::Ix1>| fit.predict(&near_by).unwrap().insert_axis(Axis(1));
    let by = |fit: FittedFalkon<ndarray::Ix1>| fit.predict(&near_by).unwrap().insert_axis(Axis(1));
    let whole = (krr.fit(&CPU(), &near_by, &y).unwrap(), falkon.fit(&CPU(), &near_by, &y).unwrap());
    let whole = (at(whole.0), by(whole.1));
    for own in shares(ranks, 90) {
        let (part, some) = (rows(&near_by, &own), y.slice(s![own]));
        let fit = krr.fit_across(ranks, device, part, some).unwrap();
        assert_eq!(fit.device().is_gpu(), device.is_gpu());
        far("kernel ridge", &at(fit), &whole.0, 1e-9);
        far("falkon", &by(falkon.fit_across(ranks, device, part, some).unwrap()), &whole.1, 1e-9);
    }
    for own in shares(ranks, 90) {
        let part = rows(&x, &own);
        let fit = mixture.fit_across(ranks, device, part).unwrap();
        far("mixture", fit.means(), fits.0.means(), 1e-9);
        let fit = logistic.fit_across(ranks, device, part, &two[own.clone()]).unwrap();
        far("logistic", fit.coefficients(), fits.1.coefficients(), 1e-6);
        let fit = ridge.fit_across(ranks, device, part, y.slice(s![own])).unwrap();
        far("ridge", fit.coefficients(), fits.2.coefficients(), 1e-6);
        let fit = pca.fit_across(ranks, device, part).unwrap();
        far("pca", fit.components(), fits.3.components(), 1e-5);
    }
}
