//! One screen about your GPU, to be pasted into an issue: each verb and five computations, measured on the CPU (f64) and on
//! the device (f32), beside what a model of the card says.
//!
//! `cargo run --release --example gpu_vs_cpu [-- --device NAME] [--card NAME,TFLOPS,GB/S[,UNITS]] [--sizes 256,1024]
//! [--only gemm] [--json]`

#[path = "support/card.rs"]
mod card;
#[path = "../benches/cases.rs"]
mod cases;
#[path = "support/computations.rs"]
mod computations;

use std::time::{Duration, Instant};

use mercer::device::{Adapter, Card, DeviceOptions};
use mercer::{Device, Result};

/// A computation that takes longer than this is not tried at the next size.
const PATIENCE: f64 = 3.0;

/// Best of several runs within a second, after one that compiles, and what a model says of one; seconds.
fn best(device: &Device, work: &dyn Fn() -> Result<()>) -> Result<(f64, f64)> {
    let once = || {
        let (run, model) = (Instant::now(), device.counters().model_nanoseconds);
        work()?;
        device.sync()?;
        let model = (device.counters().model_nanoseconds - model) as f64 / 1e9;
        Ok::<_, mercer::Error>((run.elapsed().as_secs_f64(), model))
    };
    let (start, mut best) = (Instant::now(), once()?);
    while start.elapsed() < Duration::from_secs(1) {
        let again = once()?;
        best = (best.0.min(again.0), again.1);
    }
    Ok(best)
}

struct Screen {
    json: bool,
    device: Device,
    card: String,
}

impl Screen {
    fn head(&self, adapter: &Adapter) {
        if self.json {
            return;
        }
        println!("mercer {} on {}, driver {}", env!("CARGO_PKG_VERSION"), self.device, adapter.driver);
        println!("beside {}; model of {} (docs/gpu.md), no measurement", Device::cpu(), self.card);
        if adapter.is_software() {
            println!(
                "note: this is a CPU pretending to be a GPU; these are not GPU numbers, and the model is not of it"
            );
        }
        println!(
            "{:54} {:>8} {:>10} {:>10} {:>10} {:>8}",
            "", "n", "CPU ms", "device ms", "model ms", "ratio"
        );
    }

    fn row(
        &self,
        name: &str,
        n: usize,
        host: Option<f64>,
        there: Option<(f64, f64)>,
        times: f64,
        rate: &str,
    ) {
        let ms = |seconds: Option<f64>| seconds.map_or("-".to_owned(), |s| format!("{:.3}", 1e3 * s / times));
        let (took, model) = (there.map(|t| t.0), there.map(|t| t.1));
        let ratio = there.map_or("-".to_owned(), |(took, model)| format!("{:.1}", took / model));
        let (a, b, c) = (ms(host), ms(took), ms(model));
        if self.json {
            let device = &self.device;
            println!(
                "{{\"name\":\"{name}\",\"n\":{n},\"device\":\"{device}\",\"cpu_ms\":\"{a}\",\
                 \"device_ms\":\"{b}\",\"model_ms\":\"{c}\",\"rate\":\"{rate}\"}}"
            );
        } else {
            println!("{name:54} {n:>8} {a:>10} {b:>10} {c:>10} {ratio:>8}  {rate}");
        }
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1));
    let wanted = |name: &str| value("--only").is_none_or(|only| name.contains(only.as_str()));
    let sizes: Vec<usize> =
        value("--sizes").map_or(vec![1024], |s| s.split(',').filter_map(|n| n.parse().ok()).collect());
    let options = value("--device").map_or(DeviceOptions::new(), |name| DeviceOptions::new().name(name));
    let opened = options.open()?;
    // A card that nobody knows is compared with one of the middle.
    let own = card::asked(&arguments).or_else(|| opened.card().cloned());
    let card = own.or_else(|| Card::named("RX 6800 XT")).expect("a card of the table");
    let screen = Screen {
        json: arguments.iter().any(|a| a == "--json"),
        card: card.name().to_owned(),
        device: options.card(card).threshold(0.0).open()?,
    };
    if let Some(adapter) = screen.device.adapter() {
        screen.head(adapter);
    }
    let (cpu, device) = (Device::cpu(), &screen.device);
    for case in cases::cases().into_iter().filter(|case| wanted(case.name)) {
        for &n in &sizes {
            let on = |device: &Device| (case.prepare)(device, n).and_then(|work| best(device, &*work)).ok();
            let there = on(device);
            let rate = there.map_or(String::new(), |(took, _)| {
                format!("{:.3} G{}/s", (case.work)(n as f64) / took / 1e9, case.unit)
            });
            screen.row(case.name, n, on(&cpu).map(|t| t.0), there, 1.0, &rate);
        }
    }
    for computation in computations::computations().into_iter().filter(|c| wanted(c.name)) {
        let (mut host, mut there) = (Some((0.0, 0.0)), Some((0.0, 0.0)));
        for n in computation.sizes {
            let next = |last: Option<(f64, f64)>, device: &Device| {
                last.filter(|(took, _)| *took < PATIENCE)?;
                best(device, &|| (computation.run)(device, n)).ok()
            };
            (host, there) = (next(host, &cpu), next(there, device));
            if host.is_some() || there.is_some() {
                screen.row(computation.name, n, host.map(|t| t.0), there, computation.times, "");
            }
        }
    }
    Ok(())
}
