//! The Rust half of the peers' protocol; `protocol.py` is the other half, function by function.
//!
//! A side is a process. It reads one request a line (a JSON object) and answers one line: `value` (seconds of one run, or
//! megabytes), `check` (two numbers that identify the result, on a request's first run) or `error`.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde_json::{Value, json};

/// Whatever went wrong, as the line to print.
pub type Failure = Box<dyn std::error::Error>;

/// One run of a prepared request; asked to, it also returns the check of its result.
pub type Job = Box<dyn FnMut(bool) -> Result<(f64, Option<[f64; 2]>), Failure>>;

/// A job that times `run` and, outside the clock, brings its result home with `fetch`: values in row-major order, and
/// the number of columns.
pub fn timed<T: 'static>(
    mut run: impl FnMut() -> Result<T, Failure> + 'static,
    fetch: impl Fn(T) -> Result<(Vec<f64>, usize), Failure> + 'static,
) -> Job {
    Box::new(move |wanted| {
        let start = Instant::now();
        let result = run()?;
        let seconds = start.elapsed().as_secs_f64();
        let check =
            if wanted { fetch(result).map(|(values, cols)| Some(check(&values, cols)))? } else { None };
        Ok((seconds, check))
    })
}

/// Answers requests until the input ends; inputs are made once a request and kept.
pub fn serve(mut prepare: impl FnMut(&Value) -> Result<Job, Failure>) {
    let mut jobs: HashMap<String, Job> = HashMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer =
            answer(&mut jobs, &mut prepare, line).unwrap_or_else(|e| json!({ "error": e.to_string() }));
        println!("{answer}");
        std::io::stdout().flush().expect("the driver reads our answers");
    }
}

fn answer(
    jobs: &mut HashMap<String, Job>,
    prepare: &mut impl FnMut(&Value) -> Result<Job, Failure>,
    line: String,
) -> Result<Value, Failure> {
    let first = !jobs.contains_key(&line);
    if first {
        let job = prepare(&serde_json::from_str(&line)?)?;
        jobs.insert(line.clone(), job);
    }
    let (value, check) = jobs.get_mut(&line).expect("just inserted")(first)?;
    Ok(json!({ "value": value, "check": check }))
}

/// A size in a request.
///
/// # Errors
/// The request has no such size.
pub fn size(request: &Value, key: &str) -> Result<usize, Failure> {
    let value = request[key].as_u64().ok_or_else(|| format!("the request has no {key}: {request}"))?;
    Ok(usize::try_from(value)?)
}

/// `count` numbers in [-1/2, 1/2) by splitmix64: the same on both sides of the protocol.
pub fn uniform(seed: u64, count: usize) -> Vec<f64> {
    let draw = |i: u64| {
        let mut z = (seed << 40).wrapping_add(i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count as u64).map(draw).collect()
}

/// A well-conditioned positive definite matrix of order n: symmetric noise plus sqrt(n) on the diagonal.
pub fn positive_definite(seed: u64, n: usize) -> Vec<f64> {
    let noise = uniform(seed, n * n);
    let entry = |k: usize| {
        let (i, j) = (k / n, k % n);
        0.5 * (noise[i * n + j] + noise[j * n + i]) + if i == j { (n as f64).sqrt() } else { 0.0 }
    };
    (0..n * n).map(entry).collect()
}

/// A random projection u' A w and the Frobenius norm: a wrong entry anywhere moves the first.
pub fn check(values: &[f64], cols: usize) -> [f64; 2] {
    let (u, w) = (uniform(101, values.len() / cols), uniform(102, cols));
    let row = |(row, u): (&[f64], &f64)| u * row.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>();
    let projection = values.chunks_exact(cols).zip(&u).map(row).sum();
    [projection, values.iter().map(|a| a * a).sum::<f64>().sqrt()]
}

/// The most memory that this process has held so far, in MB.
///
/// # Errors
/// The system does not say.
pub fn peak_megabytes() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0 / 1e6)
}
