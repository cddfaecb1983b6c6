//! Throughput of each verb by size, on the CPU (f64) and on every adapter (f32).
//!
//! `cargo run --release --example gpu_vs_cpu [-- --json] [--sizes 256,1024] [--only gemm]`

#[path = "../benches/cases.rs"]
mod cases;

use std::time::{Duration, Instant};

use mercer::Device;
use mercer::device::DeviceOptions;

/// Best of several runs within a budget, after one that compiles; seconds.
fn best(device: &Device, work: &cases::Work) -> mercer::Result<f64> {
    work()?;
    device.sync()?;
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    for _ in 0..10 {
        let run = Instant::now();
        work()?;
        device.sync()?;
        best = best.min(run.elapsed().as_secs_f64());
        if start.elapsed() > Duration::from_secs(1) {
            break;
        }
    }
    Ok(best)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1));
    let json = arguments.iter().any(|a| a == "--json");
    let sizes: Vec<usize> = value("--sizes")
        .map_or(vec![128, 512, 1024], |s| s.split(',').filter_map(|n| n.parse().ok()).collect());
    let mut devices = vec![Device::cpu()];
    for adapter in Device::adapters() {
        match DeviceOptions::new().index(adapter.index).open() {
            Ok(device) => devices.push(device),
            Err(e) => eprintln!("{adapter}: {e}"),
        }
    }
    for device in &devices {
        let software = device.adapter().is_some_and(mercer::device::Adapter::is_software);
        if software && !json {
            println!("note: {device} is a CPU pretending to be a GPU; these are not GPU numbers");
        }
    }
    for case in cases::cases() {
        if value("--only").is_some_and(|only| !case.name.contains(only.as_str())) {
            continue;
        }
        for &n in &sizes {
            for device in &devices {
                let measured = (case.prepare)(device, n).and_then(|work| best(device, &work));
                let seconds = match measured {
                    Ok(seconds) => seconds,
                    Err(e) => {
                        eprintln!("{:28} n = {n:6} {device}: {e}", case.name);
                        continue;
                    }
                };
                let rate = (case.work)(n as f64) / seconds / 1e9;
                let software = device.adapter().is_some_and(mercer::device::Adapter::is_software);
                if json {
                    println!(
                        "{{\"verb\":\"{}\",\"n\":{n},\"device\":\"{device}\",\"software\":{software},\
                         \"seconds\":{seconds:e},\"rate\":{rate},\"unit\":\"G{}/s\"}}",
                        case.name, case.unit
                    );
                } else {
                    let (name, unit, ms) = (case.name, case.unit, seconds * 1e3);
                    println!("{name:28} n = {n:6} {ms:11.3} ms {rate:10.3} G{unit}/s  {device}");
                }
            }
        }
    }
}
