//! Decisions at points that a machine has not seen: what its sigmoid is fitted to.

use super::classifier::SvmClassifier;
use super::machine::Machine;
use super::rows::Rows;
use crate::Result;

impl SvmClassifier {
    /// The decision at every point by a machine that has not seen it.
    pub(super) fn held_out(
        &self,
        rows: &mut Rows,
        y: &[f64],
        weights: &[f64],
        folds: usize,
        whole: &Machine,
    ) -> Result<Vec<f64>> {
        let n = y.len();
        let mut order: Vec<usize> = (0..n).collect();
        crate::random::shuffle(&mut order, self.seed, 0);
        // Each fold has its share of both classes.
        order.sort_by(|a, b| y[*a].total_cmp(&y[*b]));
        let mut scores = vec![0.0; n];
        let mut row = vec![0.0; n];
        for fold in 0..folds.min(n) {
            let (held, kept): (Vec<_>, Vec<_>) = (0..n).partition(|&at| at % folds == fold);
            let [held, kept] = [held, kept].map(|at| at.into_iter().map(|at| order[at]).collect::<Vec<_>>());
            let side: Vec<f64> = kept.iter().map(|&i| y[i]).collect();
            let two = side.iter().any(|v| *v > 0.0) && side.iter().any(|v| *v < 0.0);
            let some: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
            // A fold without one of the classes says that all is the other one, as LIBSVM has it.
            let fitted = if two {
                self.machine(&mut rows.some(&kept)?, &side, &some)
            } else {
                let sign = side.first().copied().unwrap_or(0.0);
                for &i in &held {
                    scores[i] = sign;
                }
                continue;
            };
            let Ok(machine) = fitted else {
                // What is feasible for all may not be for a part: then the whole machine speaks.
                if let Err(e @ crate::Error::Cancelled { .. }) = fitted {
                    return Err(e);
                }
                let f = rows.product(&whole.coefficients)?;
                for &i in &held {
                    scores[i] = f[i] + whole.offset;
                }
                continue;
            };
            for &i in &held {
                scores[i] = machine.offset;
            }
            for (&j, c) in kept.iter().zip(&machine.coefficients).filter(|(_, c)| **c != 0.0) {
                rows.row(j, &mut row);
                for &i in &held {
                    scores[i] += c * row[i];
                }
            }
        }
        Ok(scores)
    }
}
