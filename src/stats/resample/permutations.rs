//! Seeded permutations and signs: resample b of a seed is the same on every device and on any number of threads.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Result;
use crate::check::room;

/// The generator of resample `index`: each has its own stream, so that they can be drawn in any order.
pub(in crate::stats) fn stream(seed: u64, index: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index as u64);
    rng
}

/// The first `take` entries of a uniform permutation of `0..n`, by Fisher and Yates: permutation `index` of `seed`.
///
/// ```
/// use mercer::stats::permutation;
/// let mut p = permutation(5, 5, 7, 0)?;
/// assert_eq!(p[..2], permutation(5, 2, 7, 0)?); // fewer entries are the same ones
/// p.sort_unstable();
/// assert_eq!(p, [0, 1, 2, 3, 4]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for more numbers than memory has room for.
pub fn permutation(n: usize, take: usize, seed: u64, index: usize) -> Result<Vec<usize>> {
    room("n", n, size_of::<usize>())?;
    Ok(permuted(n, take, seed, index))
}

/// [`permutation`] of as many as there are observations.
pub(in crate::stats) fn permuted(n: usize, take: usize, seed: u64, index: usize) -> Vec<usize> {
    let mut rng = stream(seed, index);
    let mut p: Vec<usize> = (0..n).collect();
    let take = take.min(n);
    for i in 0..take {
        let j = rng.random_range(i..n);
        p.swap(i, j);
    }
    p.truncate(take);
    p
}

/// `n` independent signs, +1 or -1 with equal probability: sign vector `index` of `seed`.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for more numbers than memory has room for.
pub fn signs(n: usize, seed: u64, index: usize) -> Result<Vec<f64>> {
    room("n", n, size_of::<f64>())?;
    Ok(drawn_signs(n, seed, index))
}

/// [`signs`] of as many as there are observations.
pub(in crate::stats) fn drawn_signs(n: usize, seed: u64, index: usize) -> Vec<f64> {
    let mut rng = stream(seed, index);
    (0..n).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect()
}

/// Every way to choose `m` of `0..n`, in lexicographic order.
pub(in crate::stats) fn combinations(n: usize, m: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut chosen: Vec<usize> = (0..m).collect();
    loop {
        all.push(chosen.clone());
        let Some(at) = (0..m).rev().find(|&i| chosen[i] < n - m + i) else { return all };
        chosen[at] += 1;
        for i in at + 1..m {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
}

/// Every permutation of `0..n`, in lexicographic order.
pub(in crate::stats) fn all_permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut p: Vec<usize> = (0..n).collect();
    loop {
        all.push(p.clone());
        let Some(i) = (1..n).rev().find(|&i| p[i - 1] < p[i]) else { return all };
        let j = (i..n).rev().find(|&j| p[j] > p[i - 1]).expect("p[i] itself is larger");
        p.swap(i - 1, j);
        p[i..].reverse();
    }
}
