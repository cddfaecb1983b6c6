//! Philox 4x32-10: four words of 32 bits from a counter and a key, by ten rounds of multiplication (Salmon et al. 2011).
//! Checked in `tests/inference/random.rs` against the vectors that its authors publish.

use std::convert::Infallible;

use pulp::{Arch, Simd, WithSimd};
use rand::TryRng;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;
const LOW: u64 = u32::MAX as u64;

/// The four words of a counter under a key: `ten rounds of (hi(m₁c₂) ⊕ c₁ ⊕ k₀, lo(m₁c₂), hi(m₀c₀) ⊕ c₃ ⊕ k₁, lo(m₀c₀))`.
///
/// ```
/// use mercer::random::philox;
/// assert_eq!(philox([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let wide = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    let (mut c, mut k) = (counter, key);
    for _ in 0..ROUNDS {
        let (high0, low0) = wide(MULTIPLIERS[0], c[0]);
        let (high1, low1) = wide(MULTIPLIERS[1], c[2]);
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0];
        k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
    }
    c
}

/// Blocks that are made together: so many chains of products hide each other's latency.
pub(crate) const LANES: usize = 16;

/// [`philox`] of [`LANES`] blocks of a stream, one after another: word w of block `first + l` is the low half of `[w][l]`.
///
/// A product of vector registers reads the low halves of its lanes: what else is in them need not be taken away.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
#[allow(clippy::needless_range_loop, reason = "a lane is the same place of four arrays")]
pub(crate) fn philox_lanes(first: u64, stream: u64, seed: u64) -> [[u64; LANES]; 4] {
    let ([s, t], mut k) = (halves(stream), halves(seed));
    let mut c = [[0; LANES], [0; LANES], [u64::from(s); LANES], [u64::from(t); LANES]];
    for l in 0..LANES {
        c[0][l] = first.wrapping_add(l as u64);
        c[1][l] = c[0][l] >> 32;
    }
    for _ in 0..ROUNDS {
        let [k0, k1] = k.map(u64::from);
        let mut next = [[0; LANES]; 4];
        for l in 0..LANES {
            let x = u64::from(MULTIPLIERS[0]) * (c[0][l] & LOW);
            let y = u64::from(MULTIPLIERS[1]) * (c[2][l] & LOW);
            next[0][l] = (y >> 32) ^ c[1][l] ^ k0;
            next[1][l] = y;
            next[2][l] = (x >> 32) ^ c[3][l] ^ k1;
            next[3][l] = x;
        }
        c = next;
        k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
    }
    c
}

/// A stream of random words that can be entered anywhere: word i of a stream depends on the seed, the stream and i alone.
///
/// The key is the seed; the counter is the number of the block (64 bits) and the number of the stream (64 bits). It is a
/// generator of the crate `rand`, so that every distribution of `rand_distr` can be drawn from it.
///
/// ```
/// use mercer::random::Philox;
/// let mut chain = Philox::new(7, 0);
/// let first: Vec<f64> = (0..3).map(|_| chain.uniform()).collect();
/// let again: Vec<f64> = { let mut c = Philox::new(7, 0); (0..3).map(|_| c.uniform()).collect() };
/// assert_eq!(first, again);
/// assert_ne!(Philox::new(7, 1).uniform(), first[0]);
/// ```
#[derive(Debug, Clone)]
pub struct Philox {
    key: [u32; 2],
    stream: [u32; 2],
    block: u64,
    words: [u32; 4],
    used: usize,
}

impl Philox {
    /// The stream of this number under the seed, from its first word on.
    pub fn new(seed: u64, stream: u64) -> Self {
        Philox { key: halves(seed), stream: halves(stream), block: 0, words: [0; 4], used: 4 }
    }

    /// The same stream from block `block` on: word `4 block` is the next.
    #[must_use]
    pub fn at(mut self, block: u64) -> Self {
        (self.block, self.used) = (block, 4);
        self
    }

    /// The next word of 32 bits.
    pub fn word(&mut self) -> u32 {
        if self.used == 4 {
            let [low, high] = halves(self.block);
            self.words = philox([low, high, self.stream[0], self.stream[1]], self.key);
            self.block = self.block.wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// The next words, as many as `out` has room for: whole blocks side by side in vector registers.
    pub(crate) fn fill(&mut self, out: &mut [u32]) {
        let begun = (4 - self.used).min(out.len());
        let (first, rest) = out.split_at_mut(begun);
        for w in first.iter_mut() {
            *w = self.word();
        }
        let (whole, last) = rest.split_at_mut(rest.len() / (4 * LANES) * (4 * LANES));
        let seed = u64::from(self.key[0]) | u64::from(self.key[1]) << 32;
        let stream = u64::from(self.stream[0]) | u64::from(self.stream[1]) << 32;
        Arch::new().dispatch(Blocks { out: whole, first: self.block, stream, seed });
        self.block = self.block.wrapping_add(whole.len() as u64 / 4);
        for w in last.iter_mut() {
            *w = self.word();
        }
    }

    fn words(&mut self) -> u64 {
        let low = u64::from(self.word());
        low | (u64::from(self.word()) << 32)
    }
}

/// Words of whole groups of blocks.
struct Blocks<'a> {
    out: &'a mut [u32],
    first: u64,
    stream: u64,
    seed: u64,
}

impl WithSimd for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        for (b, out) in self.out.chunks_exact_mut(4 * LANES).enumerate() {
            let words = philox_lanes(self.first.wrapping_add((b * LANES) as u64), self.stream, self.seed);
            let mut pairs = [0u64; 2 * LANES];
            for l in 0..LANES {
                pairs[2 * l] = pair(words[0][l], words[1][l]);
                pairs[2 * l + 1] = pair(words[2][l], words[3][l]);
            }
            out.copy_from_slice(bytemuck::cast_slice(&pairs));
        }
    }
}

/// Two words, the low halves of these, as they follow each other in memory.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
pub(crate) fn pair(first: u64, second: u64) -> u64 {
    u64::from_le(first & LOW | second << 32)
}

fn halves(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

impl TryRng for Philox {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.words())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        for part in dst.chunks_mut(4) {
            part.copy_from_slice(&self.word().to_le_bytes()[..part.len()]);
        }
        Ok(())
    }
}
