//! `cargo bench`: the verbs by size, on the CPU and on every adapter, side by side.

mod cases;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mercer::Device;

fn verbs(c: &mut Criterion) {
    let mut devices = vec![Device::cpu()];
    for adapter in Device::adapters() {
        if adapter.is_software() {
            println!("note: {adapter} is a CPU pretending to be a GPU; its times are not GPU times");
        }
        devices.extend(Device::nth(adapter.index));
    }
    for case in cases::cases() {
        let mut group = c.benchmark_group(format!("{} by {}", case.name, case.unit));
        group.sample_size(10);
        for n in [128usize, 512] {
            group.throughput(Throughput::Elements((case.work)(n as f64) as u64));
            for device in &devices {
                let Ok(work) = (case.prepare)(device, n) else { continue };
                group.bench_function(BenchmarkId::new(device.to_string(), n), |b| {
                    b.iter(|| {
                        work().expect("the operands were accepted");
                        device.sync().expect("the device answers");
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, verbs);
criterion_main!(benches);
