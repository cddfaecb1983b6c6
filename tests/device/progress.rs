//! Long work on a device tells of itself between submissions, and can be ended there.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use mercer::device::DeviceOptions;
use mercer::models::kernel_methods::KernelSolver;
use mercer::prelude::*;
use ndarray::{Array1, Array2};

use crate::support::{adapters, random};

type Seen = Arc<Mutex<Vec<Step>>>;

/// A callback that keeps what it is told, and breaks at its `most`-th call.
fn until(most: usize) -> (Seen, Progress) {
    let seen = Seen::default();
    let to = seen.clone();
    let progress = Progress::new(move |step| {
        let mut seen = to.lock().unwrap();
        seen.push(*step);
        if seen.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    (seen, progress)
}

/// A million points: one product is a hundred submissions, and nobody waits for all of them to be heard.
#[test]
fn a_product_of_a_million_points_can_be_ended_within() {
    let device = DeviceOptions::new().pretend().open().unwrap();
    let n = 1_000_000;
    let x = Array2::from_shape_fn((n, 1), |(i, _)| (i % 1024) as f64 / 1024.0);
    let y = Array1::from_shape_fn(n, |i| (i % 7) as f64);
    let (seen, progress) = until(5);
    // Little memory, for a preconditioner of rank one.
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1)
        .solver(KernelSolver::MatrixFree)
        .memory_budget(32_000_000)
        .progress(progress);
    let ended = model.fit(&device, &x, &y);
    assert!(matches!(ended, Err(Error::Cancelled { iterations: 0, .. })), "{ended:?}");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 5);
    assert!(seen.iter().all(|s| s.made == 0 && s.op == "conjugate_gradients"), "{seen:?}");
    // Four went through, and the fifth call ended it: of a hundred for this product no more were handed over.
    let spent = device.counters();
    assert!((5..10).contains(&spent.submissions), "{} submissions", spent.submissions);
}

/// Where a product is several submissions the callback is called within it, with the numbers of the iteration before; the
/// answer is the same, and a fit that was ended leaves a device that works.
#[test]
fn a_fit_is_heard_and_ended_between_submissions() {
    let (x, y) = (random(500, 2, 1), random(500, 1, 2).remove_axis(ndarray::Axis(1)));
    let model = KernelRidge::new(Kernel::rbf(0.7), 0.5).solver(KernelSolver::MatrixFree).tolerance(1e-8);
    let want = model.fit(&Device::cpu(), &x, &y).unwrap();
    for shared in adapters() {
        let options = DeviceOptions::new().index(shared.adapter().unwrap().index).threshold(0.0);
        let device = options.budget(2e6).open().unwrap();
        let (seen, progress) = until(usize::MAX);
        let got = model.clone().progress(progress).fit(&device, &x, &y).unwrap();
        let off = (got.dual_coefficients() - want.dual_coefficients()).mapv(f64::abs);
        assert!(off.iter().all(|e| *e < 1e-6), "{off} on {device}");
        let seen = seen.lock().unwrap();
        assert!(seen.windows(2).all(|s| s[0].made <= s[1].made), "{seen:?} on {device}");
        let iterations = seen.last().unwrap().made;
        assert!(seen.len() >= 2 * iterations, "{} calls in {iterations} iterations on {device}", seen.len());
        // In the middle of the second product.
        let within = seen.iter().position(|s| s.made == 1).unwrap() + 2;
        let (again, progress) = until(within);
        let ended = model.clone().progress(progress).fit(&device, &x, &y);
        assert!(matches!(ended, Err(Error::Cancelled { iterations: 1, .. })), "{ended:?} on {device}");
        assert_eq!(again.lock().unwrap().len(), within, "on {device}");
        assert_eq!(model.fit(&device, &x, &y).unwrap().dual_coefficients(), got.dual_coefficients());
    }
}
