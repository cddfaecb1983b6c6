//! Every verb on every adapter against the CPU, with the worst error of each: what to run on an unknown GPU.
//!
//! `cargo run --release --example selfcheck [-- --emit-wgsl DIR]`
//!
//! The last line is `N passed, M failed`, and the exit code is 1 if anything failed. `--emit-wgsl` also writes every
//! shader as it was assembled, so that other compilers can be tried on them.

#[path = "../tests/support/verbs/mod.rs"]
mod verbs;

use std::path::Path;
use std::process::ExitCode;

use mercer::Device;
use mercer::device::{DeviceOptions, LimitPolicy, ProductShape};
use ndarray::Array2;

/// The largest distance of an entry from the CPU's, relative to the CPU's largest entry; infinite for a misfit or NaN.
fn worst(got: &[Array2<f64>], want: &[Array2<f64>]) -> f64 {
    if got.len() != want.len() {
        return f64::INFINITY;
    }
    let mut worst = 0f64;
    for (g, w) in got.iter().zip(want) {
        let scale = w.iter().fold(f64::MIN_POSITIVE, |s, v| s.max(v.abs()));
        if g.dim() != w.dim() || g.iter().any(|v| !v.is_finite()) {
            return f64::INFINITY;
        }
        worst = g.iter().zip(w).fold(worst, |s, (g, w)| s.max((g - w).abs() / scale));
    }
    worst
}

fn emit(dir: &Path, devices: &[Device]) -> std::io::Result<usize> {
    std::fs::create_dir_all(dir)?;
    let mut all: Vec<(String, String)> = devices.iter().flat_map(Device::shaders).collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all.dedup_by(|a, b| a.1 == b.1);
    for (i, (name, text)) in all.iter().enumerate() {
        let stem: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // The standard wants to be told; naga knows of subgroups and not of the directive.
        let enable = if text.contains("quadBroadcast") { "enable subgroups;\n" } else { "" };
        std::fs::write(dir.join(format!("{i:03}_{stem}.wgsl")), format!("{enable}{text}"))?;
    }
    Ok(all.len())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let target = arguments.iter().position(|a| a == "--emit-wgsl").and_then(|i| arguments.get(i + 1));
    let adapters = Device::adapters();
    println!("{} adapters; the best device for work is {}\n", adapters.len(), Device::best());
    if adapters.is_empty() {
        println!(
            "no adapter to check: `apt-get install mesa-vulkan-drivers libvulkan1` gives a software one"
        );
        println!("0 passed, 1 failed");
        return ExitCode::FAILURE;
    }
    let (mut passed, mut failed) = (0, 0);
    let mut devices = Vec::new();
    for adapter in &adapters {
        println!(
            "{adapter}\n    driver {}, bindings of {} MiB",
            adapter.driver,
            adapter.limits.binding_bytes >> 20
        );
        // As it is, and then as the other kind would be used: both shapes of products, WebGPU's default limits.
        let as_it_is = DeviceOptions::new().index(adapter.index);
        let other = if adapter.is_software() { ProductShape::Tiled } else { ProductShape::Direct };
        let narrow = as_it_is.clone().limits(LimitPolicy::WebGpuDefaults).products(other);
        let checked = narrow.clone().checked(true);
        for (what, options) in [("all limits", as_it_is), ("WebGPU's default limits", narrow.clone())] {
            let device = match options.open() {
                Ok(device) => device,
                Err(e) => {
                    println!("    {what}: {e}");
                    failed += 1;
                    continue;
                }
            };
            println!("    {what}\n      {:18} {:>10} {:>10}", "verb", "worst", "allowed");
            for verb in verbs::verbs() {
                let want = (verb.run)(&Device::cpu());
                let (line, good) = match ((verb.run)(&device), want) {
                    (Ok(got), Ok(want)) => {
                        let off = worst(&got, &want);
                        (format!("{off:10.1e} {:10.1e}", verb.tolerance), off <= verb.tolerance)
                    }
                    (Err(e), _) | (_, Err(e)) => (e.to_string(), false),
                };
                println!("      {:18} {line}{}", verb.name, if good { "" } else { "   FAILED" });
                if good { passed += 1 } else { failed += 1 }
            }
            devices.push(device);
        }
        // The library's shaders run without run-time checks; with them they must give the same bits.
        if let (Ok(free), Ok(checked)) = (narrow.open(), checked.open()) {
            let same = |verb: &verbs::Verb| match ((verb.run)(&free), (verb.run)(&checked)) {
                (Ok(one), Ok(other)) => one == other,
                _ => false,
            };
            let differ: Vec<_> = verbs::verbs().into_iter().filter(|v| !same(v)).map(|v| v.name).collect();
            let said =
                if differ.is_empty() { "the same bits".to_owned() } else { format!("{differ:?}   FAILED") };
            println!("    run-time checks of shaders on and off: {said}");
            if differ.is_empty() { passed += 1 } else { failed += 1 }
        }
    }
    if let Some(dir) = target {
        match emit(Path::new(dir), &devices) {
            Ok(count) => println!("{count} shaders written to {dir}"),
            Err(e) => {
                println!("could not write shaders to {dir}: {e}");
                failed += 1;
            }
        }
    }
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
