//! A randomised attack on every public model, test and verb: no input may make them panic, abort, hang or lie.
//!
//! `cargo run --release --example attack -- 100000 [ADAPTER]` tries so many inputs, on the CPU or on the adapter whose name
//! contains ADAPTER. Each failure is a line that reproduces it: `attack one CASE SEED [ADAPTER]`. An input may be refused by
//! an error; what is returned must be finite.
//!
//! Inputs are tried in a child process, so that an abort or a hang ends the child and not the attack.

mod cases;
mod draw;

use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use mercer::device::DeviceOptions;
use mercer::{Device, Error};

use cases::cases;
use draw::Draw;

/// Longest time for one input, all compilation of shaders included.
const PATIENCE: Duration = Duration::from_secs(60);
/// Address space of a child: counts that memory has no room for must be refused by us, not by the system's killer.
const DONE: &str = "done";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize| args.get(i).map(String::as_str);
    match word(0) {
        Some("child") => child(word(1), word(2), word(3), word(4)),
        Some("one") => one(word(1), word(2), word(3)),
        count => attack(count.and_then(|c| c.parse().ok()).unwrap_or(2000), word(1).unwrap_or("cpu")),
    }
}

fn device(name: Option<&str>) -> Device {
    match name {
        None | Some("cpu") => Device::cpu(),
        Some(name) => DeviceOptions::new().name(name).threshold(0.0).open().expect("the adapter opens"),
    }
}

/// What an input did: nothing wrong, or a sentence.
fn tried(case: usize, seed: u64, device: &Device) -> Result<(), String> {
    let (_, run) = cases()[case];
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&mut Draw::new(seed), device)));
    match outcome {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Err(format!("panic: {}", text.unwrap_or_default()))
        }
        Ok(Err(Error::DeviceLost(why))) => Err(format!("the device was lost: {why}")),
        Ok(Err(Error::Gpu { op, message })) => Err(format!("the driver refused {op}: {message}")),
        Ok(Err(_)) => Ok(()),
        Ok(Ok(numbers)) => match numbers.iter().find(|v| !v.is_finite()) {
            None => Ok(()),
            Some(v) => Err(format!("Ok, and holds {v}")),
        },
    }
}

/// Inputs `from..to`, one line before each and one after all.
fn child(from: Option<&str>, to: Option<&str>, base: Option<&str>, name: Option<&str>) -> ExitCode {
    let number = |w: Option<&str>| w.and_then(|w| w.parse().ok()).unwrap_or(0u64);
    let (device, base) = (device(name), number(base));
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = std::io::stdout();
    for i in number(from)..number(to) {
        drop(writeln!(out, "{i}"));
        if let Err(what) = tried(case_of(i), base.wrapping_add(i), &device) {
            drop(writeln!(out, "{i} {}", what.lines().next().unwrap_or_default()));
        }
    }
    drop(writeln!(out, "{DONE}"));
    ExitCode::SUCCESS
}

fn case_of(i: u64) -> usize {
    (i % cases().len() as u64) as usize
}

fn one(case: Option<&str>, seed: Option<&str>, name: Option<&str>) -> ExitCode {
    let Some(case) = cases().iter().position(|(n, _)| Some(*n) == case) else {
        println!("cases: {}", cases().iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", "));
        return ExitCode::FAILURE;
    };
    let seed = seed.and_then(|s| s.parse().ok()).unwrap_or(0);
    match tried(case, seed, &device(name)) {
        Ok(()) => println!("nothing wrong"),
        Err(what) => println!("{what}"),
    }
    ExitCode::SUCCESS
}

fn attack(count: u64, name: &str) -> ExitCode {
    let base = 0x5eed;
    let (mut next, mut failures) = (0, 0u64);
    let mut fail = |i: u64, what: &str| {
        failures += 1;
        println!("attack one {} {} {name}   # {what}", cases()[case_of(i)].0, base + i);
    };
    while next < count {
        let mut process = spawn(next, count, base, name);
        let lines = lines_of(&mut process);
        let mut last = next;
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if line == DONE => {
                    last = count;
                    break;
                }
                Ok(line) => match line.split_once(' ') {
                    None => last = line.parse().unwrap_or(last),
                    Some((i, what)) => fail(i.parse().unwrap_or(last), what),
                },
                Err(RecvTimeoutError::Timeout) => {
                    fail(last, "hangs");
                    last += 1;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    fail(last, "aborts");
                    last += 1;
                    break;
                }
            }
        }
        drop(process.kill());
        drop(process.wait());
        next = last;
    }
    println!("{count} inputs on {name}, {} kinds: {failures} failures", cases().len());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn spawn(from: u64, to: u64, base: u64, name: &str) -> Child {
    let own = std::env::current_exe().expect("this program has a path");
    let args = ["child".to_owned(), from.to_string(), to.to_string(), base.to_string(), name.to_owned()];
    let command = Command::new(own).args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    command.expect("a child process starts")
}

fn lines_of(process: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    let out = process.stdout.take().expect("it was asked for");
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}
