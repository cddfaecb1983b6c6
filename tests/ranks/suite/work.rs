//! Work that is dealt out, and devices.

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;

use super::{CPU, grouped, rows, shares, targets};

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
}
