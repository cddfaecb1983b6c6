//! The bytes of a plan against those that a fit takes, counted by the allocator of this binary.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mercer::learn::plan::Plan;
use mercer::linalg::landmarks;
use mercer::models::gp::{Inducing, SparseGpRegressor};
use mercer::models::kernel_methods::features::Landmarks;
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::{Device, Error, Kernel, Progress, Result};
use ndarray::Array2;

use crate::problem;

/// What faer keeps for each thread from its first large product on, whatever comes later: a slab of this size, and whole
/// pages for twice the third-level cache, which differs from machine to machine.
const SLAB: usize = 1 << 20;
const PAGE: usize = 4096;

/// The system's allocator, and how much it has handed out.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn bytes(layout: Layout) -> usize {
    if layout.size() == SLAB || layout.align() == PAGE { 0 } else { layout.size() }
}

fn count(layout: Layout) {
    PEAK.fetch_max(HELD.fetch_add(bytes(layout), Relaxed) + bytes(layout), Relaxed);
}

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(bytes(layout), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Set in the process that counts: only there is nothing else running.
const ALONE: &str = "MERCER_TEST_COUNTS_BYTES";

/// The most that was allocated at once during `run`, beyond what was there before.
fn taken<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let out = run();
    (PEAK.load(Relaxed) - before, out)
}

const CHOICES: [Landmarks; 3] = [Landmarks::Uniform, Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky];

/// Two iterations hold all that a whole fit holds.
fn two() -> Progress {
    Progress::new(|step| if step.made < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
}

/// A plan promises room: it must be enough, and not many times too much.
fn compare<T>(name: &str, plan: &Plan, fit: impl FnOnce() -> Result<T>) {
    let (bytes, out) = taken(fit);
    assert!(matches!(out, Ok(_) | Err(Error::Cancelled { .. })), "{name}: {:?}", out.err());
    let share = bytes as f64 / plan.host_bytes as f64;
    println!("{name}: {:.1} MB taken, {plan}", bytes as f64 / 1e6);
    assert!(share <= 1.0 && share > 0.4, "{name}: {bytes} bytes taken, {} planned", plan.host_bytes);
}

#[test]
fn plans_are_kept() {
    if std::env::var_os(ALONE).is_none() {
        let binary = std::env::current_exe().unwrap();
        let args = ["memory::plans_are_kept", "--exact", "--nocapture", "--test-threads=1"];
        let out = Command::new(binary).args(args).env(ALONE, "1").output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let cpu = Device::cpu();
    let data = |n, d| -> (Array2<f64>, Array2<f64>) { problem(n, d, 131) };
    // Threads and their stacks are not the fit's.
    let (x, y) = data(1000, 3);
    KernelRidge::new(Kernel::rbf(1.0), 0.1).fit(&cpu, x.view(), y.view()).unwrap();

    for n in [900, 1500] {
        let (x, y) = data(n, 6);
        let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::Dense);
        compare("dense", &model.plan(&cpu, n, 6, 2), || model.fit(&cpu, x.view(), y.view()));
    }
    let (x, y) = data(4000, 6);
    for budget in [2_000_000, 40_000_000] {
        let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::MatrixFree);
        let model = model.memory_budget(budget).tolerance(1e-14).progress(two());
        compare("matrix-free", &model.plan(&cpu, 4000, 6, 2), || model.fit(&cpu, x.view(), y.view()));
    }
    // With few landmarks of many points their choice takes the most, each in its own way.
    for (n, m) in [(3000, 400), (60_000, 300), (600_000, 12)] {
        let (x, y) = data(n, 6);
        for how in CHOICES {
            let model = Falkon::new(Kernel::rbf(1.0), 0.1, m).landmarks(how);
            let model = model.tolerance(1e-14).progress(two());
            let name = format!("Falkon, {how:?}");
            compare(&name, &model.plan(&cpu, n, 6, 2), || model.fit(&cpu, x.view(), y.view()));
        }
    }
    for (n, count) in [(2000, 300), (40_000, 100)] {
        let (x, y) = data(n, 6);
        for by in CHOICES {
            let inducing = Inducing::Among { count, by, seed: 0 };
            let model = SparseGpRegressor::new(Kernel::rbf(1.0), inducing).chunk(200);
            let name = format!("sparse, {by:?}");
            compare(&name, &model.plan(&cpu, n, 6, 2), || model.fit(&cpu, x.view(), y.view()));
        }
    }
}

/// What a fit keeps of a choice among many points is that choice.
#[test]
fn landmarks_keep_no_room_for_the_others() {
    let which = landmarks(100_000, 5, 1).unwrap();
    assert!(which.capacity() < 100, "room for {}", which.capacity());
}
