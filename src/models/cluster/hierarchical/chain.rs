//! Merges by chains of nearest neighbours, with distances updated by Lance and Williams.

use super::dendrogram::{Dendrogram, Merge};
use super::model::Linkage;
use crate::{Progress, Result};

/// Distances below the diagonal, row by row.
struct Below(Vec<f64>);

impl Below {
    fn place(i: usize, j: usize) -> usize {
        let (i, j) = (i.max(j), i.min(j));
        i * (i - 1) / 2 + j
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.0[Self::place(i, j)]
    }
}

/// The tree of n observations by the distances below their diagonal.
///
/// A chain goes from a cluster to its nearest one until two are nearest to each other; those are merged. All four distances
/// never shrink when clusters merge, so that the tree is that of merging the nearest two of all.
pub(super) fn merges(
    n: usize,
    mut distances: Vec<f64>,
    linkage: Linkage,
    progress: &Progress,
) -> Result<Dendrogram> {
    if linkage == Linkage::Ward {
        for d in &mut distances {
            *d *= *d;
        }
    }
    let mut d = Below(distances);
    let mut size = vec![1usize; n];
    let (mut chain, mut found) = (Vec::new(), Vec::new());
    while found.len() + 1 < n {
        if chain.is_empty() {
            chain.extend((0..n).find(|&i| size[i] > 0));
        }
        let (a, b, near) = loop {
            let here = chain[chain.len() - 1];
            // The one before in the chain wins a tie: otherwise it may run in circles.
            let mut best = chain.len().checked_sub(2).map(|at| (chain[at], d.at(here, chain[at])));
            for other in (0..n).filter(|&j| j != here && size[j] > 0) {
                let to = d.at(here, other);
                if best.is_none_or(|(_, least)| to < least) {
                    best = Some((other, to));
                }
            }
            let Some((next, near)) = best else { break (here, here, 0.0) };
            if chain.len() > 1 && next == chain[chain.len() - 2] {
                chain.truncate(chain.len() - 2);
                break (here.min(next), here.max(next), near);
            }
            chain.push(next);
        };
        let (na, nb) = (size[a] as f64, size[b] as f64);
        for c in (0..n).filter(|&c| c != a && c != b && size[c] > 0) {
            let (ac, bc, nc) = (d.at(a, c), d.at(b, c), size[c] as f64);
            d.0[Below::place(b, c)] = match linkage {
                Linkage::Single => ac.min(bc),
                Linkage::Complete => ac.max(bc),
                Linkage::Average => (na * ac + nb * bc) / (na + nb),
                Linkage::Ward => ((na + nc) * ac + (nb + nc) * bc - nc * near) / (na + nb + nc),
            };
        }
        // The merged cluster lives on as b.
        size[b] += size[a];
        size[a] = 0;
        let height = if linkage == Linkage::Ward { near.max(0.0).sqrt() } else { near };
        found.push((a, b, height));
        progress.report("Hierarchical::fit", found.len(), n - 1, height)?;
    }
    Ok(in_order(n, found))
}

/// The merges by ascending height, each of two clusters by their numbers: observations first, then merges.
fn in_order(n: usize, mut found: Vec<(usize, usize, f64)>) -> Dendrogram {
    found.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut parent: Vec<usize> = (0..2 * n).collect();
    let mut size = vec![1usize; n];
    let mut merges = Vec::with_capacity(found.len());
    for (at, (a, b, height)) in found.into_iter().enumerate() {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        let (left, right) = (a.min(b), a.max(b));
        (parent[a], parent[b]) = (n + at, n + at);
        size.push(size[a] + size[b]);
        merges.push(Merge { left, right, height, size: size[n + at] });
    }
    Dendrogram { observations: n, merges }
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
