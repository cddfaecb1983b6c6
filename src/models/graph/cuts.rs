//! What a partition of the vertices cuts.

use super::similarity::Graph;
use crate::Result;
use crate::check::{parameter, require};

impl Graph {
    /// `cut(A, B) = Σ_{i in A, j in B} w_ij`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a vertex that does not exist.
    pub fn cut(&self, a: &[usize], b: &[usize]) -> Result<f64> {
        let n = self.order();
        let known = a.iter().chain(b).all(|v| *v < n);
        require("Graph::cut", known, || format!("a vertex is none of the {n} there are"))?;
        let mut inside = vec![false; n];
        for &j in b {
            inside[j] = true;
        }
        Ok(a.iter().flat_map(|&i| self.weights().row(i)).filter(|(j, _)| inside[*j]).map(|(_, w)| w).sum())
    }

    /// `Σ_k cut(C_k, C̄_k)`, where C is given by the part of each vertex: every edge that is cut counts twice.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless each vertex has a part.
    pub fn total_cut(&self, parts: &[usize]) -> Result<f64> {
        Ok(self.by_part("Graph::total_cut", parts)?.iter().map(|p| p.cut).sum())
    }

    /// `Σ_k cut(C_k, C̄_k) / |C_k| = Σ_k h_kᵀ L h_k` with `h_k = 1_{C_k} / √|C_k|`.
    ///
    /// # Errors
    /// As [`Graph::total_cut`].
    pub fn ratio_cut(&self, parts: &[usize]) -> Result<f64> {
        let parts = self.by_part("Graph::ratio_cut", parts)?;
        Ok(parts.iter().filter(|p| p.size > 0.0).map(|p| p.cut / p.size).sum())
    }

    /// `Σ_k cut(C_k, C̄_k) / vol(C_k)`, where `vol` is the sum of degrees.
    ///
    /// # Errors
    /// As [`Graph::total_cut`], and [`Error::Parameter`](crate::Error::Parameter) if a part has no edge at all: its
    /// volume is zero.
    pub fn normalised_cut(&self, parts: &[usize]) -> Result<f64> {
        let parts = self.by_part("Graph::normalised_cut", parts)?;
        for p in parts.iter().filter(|p| p.size > 0.0) {
            parameter("volume of a part", p.volume, p.volume > 0.0, "every part must have an edge")?;
        }
        Ok(parts.iter().filter(|p| p.size > 0.0).map(|p| p.cut / p.volume).sum())
    }

    fn by_part(&self, op: &'static str, parts: &[usize]) -> Result<Vec<Part>> {
        let n = self.order();
        require(op, parts.len() == n, || format!("{n} vertices, {} of them in parts", parts.len()))?;
        // The numbers of parts may have gaps of any size: they are names.
        let (labels, of) = crate::learn::Labels::of(parts)?;
        let mut all = vec![Part::default(); labels.classes().len()];
        for (i, &part) in of.iter().enumerate() {
            all[part].size += 1.0;
            all[part].volume += self.degrees()[i];
            let leaving = self.weights().row(i).filter(|(j, _)| of[*j] != part);
            all[part].cut += leaving.map(|(_, w)| w).sum::<f64>();
        }
        Ok(all)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Part {
    size: f64,
    volume: f64,
    cut: f64,
}
