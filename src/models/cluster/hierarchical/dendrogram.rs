//! The tree of merges: cuts, the order of its leaves, and how to draw it.

use crate::Result;
use crate::check::{components, parameter};

/// Two clusters that became one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Merge {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) height: f64,
    pub(super) size: usize,
}

crate::learn::configure::getters!(Merge {
    /// The cluster with the lower number: an observation if that is below n, else merge number `left - n`.
    left: usize,
    /// The cluster with the higher number.
    right: usize,
    /// The distance of the two.
    height: f64,
    /// Observations in both together.
    size: usize,
});

/// n - 1 merges by ascending height: cluster `n + i` is what merge i made.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dendrogram {
    pub(super) observations: usize,
    pub(super) merges: Vec<Merge>,
}

impl Dendrogram {
    /// How many observations there are: n.
    pub fn observations(&self) -> usize {
        self.observations
    }

    /// The merges, by ascending height.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The cluster of each observation when there are k of them, numbered in the order of their first members.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if k is zero or above n.
    pub fn cut(&self, k: usize) -> Result<Vec<usize>> {
        components("clusters", k, self.observations)?;
        Ok(self.after(self.observations - k))
    }

    /// The cluster of each observation when nothing is merged above `height`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if it is NaN.
    pub fn cut_at(&self, height: f64) -> Result<Vec<usize>> {
        parameter("height", height, !height.is_nan(), "must be a number")?;
        Ok(self.after(self.merges.iter().filter(|m| m.height <= height).count()))
    }

    /// The clusters after so many merges.
    fn after(&self, merges: usize) -> Vec<usize> {
        let n = self.observations;
        let mut parent: Vec<usize> = (0..n + merges).collect();
        for (at, merge) in self.merges[..merges].iter().enumerate() {
            (parent[merge.left], parent[merge.right]) = (n + at, n + at);
        }
        // Parents have higher numbers: from the top down each is known before it is asked for.
        for i in (0..n + merges).rev() {
            parent[i] = parent[parent[i]];
        }
        let mut names = vec![usize::MAX; n + merges];
        let mut count = 0;
        let mut name = |root: usize| {
            if names[root] == usize::MAX {
                names[root] = count;
                count += 1;
            }
            names[root]
        };
        parent[..n].iter().map(|root| name(*root)).collect()
    }

    /// The observations from left to right, so that no two branches cross.
    pub fn order(&self) -> Vec<usize> {
        let n = self.observations;
        let (mut order, mut next) = (Vec::with_capacity(n), Vec::new());
        next.extend(self.merges.len().checked_sub(1).map(|last| n + last).or((n == 1).then_some(0)));
        while let Some(cluster) = next.pop() {
            if cluster < n {
                order.push(cluster);
            } else {
                let merge = &self.merges[cluster - n];
                next.extend([merge.right, merge.left]);
            }
        }
        order
    }

    /// The drawing: for each merge the corners of its bracket, (x, height), from the foot of its left branch over the top to
    /// the foot of its right one. Leaves stand at x = 0, 1, 2, ... in the order of [`Dendrogram::order`].
    pub fn brackets(&self) -> Vec<[(f64, f64); 4]> {
        let n = self.observations;
        let mut at = vec![(0.0, 0.0); n];
        for (place, leaf) in self.order().into_iter().enumerate() {
            at[leaf] = (place as f64, 0.0);
        }
        let mut brackets = Vec::with_capacity(self.merges.len());
        for merge in &self.merges {
            let ((x0, y0), (x1, y1)) = (at[merge.left], at[merge.right]);
            brackets.push([(x0, y0), (x0, merge.height), (x1, merge.height), (x1, y1)]);
            at.push((0.5 * (x0 + x1), merge.height));
        }
        brackets
    }

    /// An error unless every merge is of two clusters that exist and that nothing else has merged.
    #[cfg(feature = "serde")]
    pub(super) fn check(&self, op: &'static str) -> Result<()> {
        let n = self.observations;
        let mut taken = vec![false; n + self.merges.len()];
        let mut fits = n > 0 && self.merges.len() + 1 == n;
        for (at, m) in self.merges.iter().enumerate().take_while(|_| n > 0) {
            for part in [m.left, m.right] {
                fits &= part < n + at && !std::mem::replace(&mut taken[part.min(n + at)], true);
            }
            fits &= m.height.is_finite();
        }
        crate::check::require(op, fits, || format!("the merges are no tree of {n} observations"))
    }
}
