//! What a test costs on its way to a device and back.

use mercer::device::DeviceOptions;
use mercer::stats::{Null, TwoSampleTest};

use crate::loops::{adapters, normal};

/// Samples and labels go up, one block of sums comes down.
#[test]
fn an_mmd_test_reads_back_once() {
    for adapter in adapters() {
        // A device of its own: others count too.
        let index = adapter.adapter().expect("a GPU").index;
        let device = DeviceOptions::new().index(index).threshold(0.0).open().unwrap();
        let (n, d, resamples, kernels) = (100, 3, 199, 20);
        let (x, y) = (normal(n, d, 0.0, 1), normal(n, d, 0.3, 2));
        let before = device.counters();
        TwoSampleTest::new().null(Null::Permutations(resamples)).run(&device, &x, &y).unwrap();
        let after = device.counters();
        let all = 2 * n as u64;
        assert_eq!(after.read_backs - before.read_backs, 1, "{device}");
        // One row of forms, of row sums, of squares and of the diagonal for each kernel, in f32.
        let down = 4 * kernels * (resamples as u64 + 1 + 3 * all);
        assert_eq!(after.bytes_down - before.bytes_down, down, "{device}");
        // Points and weights once, both in whole vec4s, and some numbers for each kernel.
        let up = after.bytes_up - before.bytes_up;
        let data = 4 * all * (4 + resamples as u64 + 1);
        assert!((data..data + 64 * kernels).contains(&up), "{up} bytes for {data} of data on {device}");
        let dispatches = after.dispatches - before.dispatches;
        assert!(dispatches <= 14 * kernels, "{dispatches} dispatches on {device}");
    }
}
