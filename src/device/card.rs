//! A model of a graphics card: how long work would take by its data sheet. Nothing here was measured.

/// A graphics card by its data sheet, and a model of how long it takes for what is recorded.
///
/// A launch takes the longest of its arithmetic at a share of the peak (which depends on the shader, by what AMD's
/// compiler makes of it), of its memory traffic at four fifths of the bandwidth, and of neither, and a fixed time on top.
/// Fewer workgroups than compute units use as many units. Uploads and read-backs take the time of the bus; work on the
/// host, such as residuals in f64, is not counted. `docs/gpu.md` has a table of what comes out.
///
/// ```
/// use mercer::device::{Card, DeviceOptions};
/// use mercer::{Matrix, ops::{Trans, gemm}};
/// let card = Card::new("a card of mine", 10e12, 400e9).units(40);
/// let device = DeviceOptions::new().pretend().card(card).open()?;
/// let a = Matrix::from_array(&device, ndarray::Array2::<f32>::zeros((2048, 2048)).view())?;
/// let before = device.counters().model_nanoseconds;
/// gemm(1.0, &a, Trans::No, &a, Trans::No)?;
/// let model = (device.counters().model_nanoseconds - before) as f64 / 1e9;
/// assert!((1.7e-3..3e-3).contains(&model)); // 17 Gflop at 10 Tflop/s and somewhat less than that
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    name: String,
    flops: f64,
    bandwidth: f64,
    units: usize,
    launch: f64,
    link: f64,
}

/// Part of the memory's bandwidth that long streams reach.
const STREAM: f64 = 0.8;
/// Part of the peak that a computation as a whole reaches, for plans that know only its operations.
const OVERALL: f64 = 0.6;
/// Seconds from the end of a submission until the host has the first byte.
const ROUND_TRIP: f64 = 30e-6;

/// Name, peak of f32 in flop/s, bytes a second, compute units, bytes a second of the bus; as their makers state them. RDNA3's
/// second issue slot is not counted: compilers seldom fill it.
const CARDS: [(&str, f64, f64, usize, f64); 11] = [
    ("RTX 4090", 82.6e12, 1008e9, 128, 25e9),
    ("RTX 3080", 29.8e12, 760e9, 68, 25e9),
    ("RTX 3060", 12.7e12, 360e9, 28, 25e9),
    ("RX 7900 XTX", 30.7e12, 960e9, 96, 25e9),
    ("RX 6800 XT", 20.7e12, 512e9, 72, 25e9),
    ("RX 6600", 8.9e12, 224e9, 28, 12e9),
    ("Arc A770", 17.2e12, 560e9, 32, 25e9),
    ("Apple M2 Max", 13.6e12, 400e9, 38, 100e9),
    ("Apple M1", 2.6e12, 68e9, 8, 30e9),
    ("Iris Xe", 2.1e12, 68e9, 6, 20e9),
    ("Vega 8", 1.1e12, 40e9, 8, 15e9),
];

/// Words that make another card of a name that ends before them.
const OTHERS: [&str; 8] = ["ti", "super", "laptop", "xt", "pro", "max", "ultra", "s"];

impl Card {
    /// A card by its peak in f32, flop/s (a fused multiply-add is two), and its memory's bandwidth, bytes/s. It has 32 compute
    /// units, takes 6 µs a launch and hangs at a bus of 25 GB/s unless said otherwise.
    pub fn new(name: &str, flops: f64, bandwidth: f64) -> Self {
        Card { name: name.to_owned(), flops, bandwidth, units: 32, launch: 6e-6, link: 25e9 }
    }

    /// The number of compute units (streaming multiprocessors, cores).
    #[must_use]
    pub fn units(self, units: usize) -> Self {
        Card { units, ..self }
    }

    /// Seconds from one dependent launch to the next, if they have nothing to do.
    #[must_use]
    pub fn launch(self, seconds: f64) -> Self {
        Card { launch: seconds, ..self }
    }

    /// Bytes a second between host and device.
    #[must_use]
    pub fn link(self, bytes_per_second: f64) -> Self {
        Card { link: bytes_per_second, ..self }
    }

    /// Some common cards.
    pub fn all() -> Vec<Card> {
        let card = |&(name, flops, bandwidth, units, link): &(&str, f64, f64, usize, f64)| {
            Card::new(name, flops, bandwidth).units(units).link(link)
        };
        CARDS.iter().map(card).collect()
    }

    /// The card that an adapter's name names, if it is one of [`Card::all`].
    pub fn named(adapter: &str) -> Option<Card> {
        let adapter = adapter.to_lowercase();
        Card::all().into_iter().find(|card| {
            let found = adapter.split_once(&card.name.to_lowercase());
            found.is_some_and(|(_, rest)| {
                let next: String =
                    rest.trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
                !OTHERS.contains(&next.as_str()) && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            })
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds for so many floating-point operations at six tenths of the peak: the leading order of a plan.
    pub fn seconds(&self, flops: f64) -> f64 {
        flops / (OVERALL * self.flops)
    }

    /// Seconds of one launch of so many workgroups.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nothing to launch"))]
    pub(crate) fn dispatch(&self, shader: &str, multiply_adds: f64, bytes: f64, groups: f64) -> f64 {
        let busy = (groups / self.units as f64).min(1.0);
        let arithmetic = 2.0 * multiply_adds / (share(shader) * self.flops * busy);
        self.launch + arithmetic.max(bytes / (STREAM * self.bandwidth))
    }

    /// Seconds of an upload.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nothing to upload to"))]
    pub(crate) fn transfer(&self, bytes: f64) -> f64 {
        bytes / self.link
    }

    /// Seconds of a read-back, for which the host waits.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nothing to read"))]
    pub(crate) fn read_back(&self, bytes: f64) -> f64 {
        ROUND_TRIP + bytes / self.link
    }
}

/// Part of the peak that a shader's machine code allows on RDNA2, as `cargo test --test isa` reads it off.
fn share(shader: &str) -> f64 {
    match shader {
        // One wave whose steps wait for each other: 14 µs for a block of 64.
        s if s.starts_with("cholesky_factor") => 0.1,
        s if s.starts_with("gemm") => 0.8,
        s if s.starts_with("gram_sum") => 0.55,
        s if s.starts_with("gram") || s.starts_with("nearest") => 0.75,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::Card;

    /// As drivers spell them; what is like a card and none is not taken for it.
    #[test]
    fn adapters_are_known_by_name() {
        let named = |adapter: &str| Card::named(adapter).map(|card| card.name().to_owned());
        assert_eq!(named("AMD Radeon RX 6800 XT (RADV NAVI21)").as_deref(), Some("RX 6800 XT"));
        assert_eq!(named("NVIDIA GeForce RTX 3080").as_deref(), Some("RTX 3080"));
        assert_eq!(named("Apple M1").as_deref(), Some("Apple M1"));
        for other in ["NVIDIA GeForce RTX 3080 Ti", "Apple M1 Pro", "AMD Radeon RX 6600 XT", "llvmpipe"] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
