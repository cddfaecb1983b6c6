//! The Chinese restaurant process, and mixtures of as many normal clusters as the data ask for, by Gibbs sampling. Checked in
//! `tests/probability/mixtures.rs`.

use ndarray::{Array1, ArrayView2, Axis};

use crate::Result;
use crate::check::{inputs, parameter, positive, require, room};
use crate::learn::configure::getters;
use crate::probability::distributions::NormalInverseWishart;
use crate::probability::special::{log_gamma, log_sum_exp};

/// Customers who sit at a table with probability proportional to those there already, or at a new one in proportion to α.
///
/// ```
/// use mercer::inference::ChineseRestaurant;
/// let process = ChineseRestaurant::new(2.0)?;
/// let tables = process.sample(1000, 1)?.into_iter().max().unwrap() + 1;
/// assert!((tables as f64 - process.expected_tables(1000)).abs() < 12.0); // about α ln n
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChineseRestaurant {
    concentration: f64,
}

getters!(ChineseRestaurant {
    /// α.
    concentration: f64,
});

impl ChineseRestaurant {
    /// The process with this α.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless it is positive.
    pub fn new(concentration: f64) -> Result<Self> {
        positive("concentration", concentration)?;
        Ok(ChineseRestaurant { concentration })
    }

    /// `Σ_{i<n} α/(α + i)`, about `α ln n`: the expected number of tables of n customers.
    pub fn expected_tables(&self, customers: usize) -> f64 {
        (0..customers).map(|i| self.concentration / (self.concentration + i as f64)).sum()
    }

    /// `ln p` of a seating: `K ln α + Σ ln (n_k - 1)! + ln Γ(α) - ln Γ(α + n)`, whatever the order of the customers.
    pub fn log_probability(&self, tables: &[usize]) -> f64 {
        // Whatever the numbers of the tables, there are no more of them than customers.
        let mut seated = std::collections::BTreeMap::<usize, f64>::new();
        for &t in tables {
            *seated.entry(t).or_default() += 1.0;
        }
        let a = self.concentration;
        seated.len() as f64 * a.ln() + seated.values().map(|&c| log_gamma(c)).sum::<f64>() + log_gamma(a)
            - log_gamma(a + tables.len() as f64)
    }

    /// The tables of n customers, numbered as they open; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
    pub fn sample(&self, customers: usize, seed: u64) -> Result<Vec<usize>> {
        room("customers", customers, 8)?;
        let mut next = crate::random::uniforms(seed, 0);
        let mut counts: Vec<f64> = Vec::new();
        let mut out = Vec::with_capacity(customers);
        for i in 0..customers {
            let mut u = next() * (self.concentration + i as f64);
            let table = counts.iter().position(|c| {
                u -= c;
                u < 0.0
            });
            let table = table.unwrap_or(counts.len());
            if table == counts.len() {
                counts.push(0.0);
            }
            counts[table] += 1.0;
            out.push(table);
        }
        Ok(out)
    }

    /// Tables of the rows of `x` after some sweeps of Gibbs sampling: each row in turn leaves its table and chooses one by how many sit
    /// there and how well it fits them, with the clusters' means and covariances integrated out. The seed decides.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of features than the prior's, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for no sweeps.
    pub fn gibbs(
        &self,
        prior: &NormalInverseWishart,
        x: ArrayView2<f64>,
        sweeps: usize,
        seed: u64,
    ) -> Result<Vec<usize>> {
        const OP: &str = "ChineseRestaurant::gibbs";
        inputs(OP, x, prior.mean().len())?;
        require(OP, x.nrows() > 0, || "there are no rows".to_owned())?;
        parameter("sweeps", sweeps as f64, sweeps > 0, "must be at least 1")?;
        let n = x.nrows();
        let mut next = crate::random::uniforms(seed, 1);
        // Everybody alone: tables merge more readily than they split.
        let mut z: Vec<usize> = (0..n).collect();
        for _ in 0..sweeps {
            for i in 0..n {
                z[i] = usize::MAX;
                let mut tables: Vec<usize> = z.iter().copied().filter(|t| *t != usize::MAX).collect();
                tables.sort_unstable();
                tables.dedup();
                let row = x.row(i).insert_axis(Axis(0));
                let fit = |members: &[usize]| {
                    let now = if members.is_empty() {
                        prior.clone()
                    } else {
                        prior.posterior_weighted(
                            x.select(Axis(0), members).view(),
                            Array1::ones(members.len()).view(),
                        )?
                    };
                    Ok::<f64, crate::Error>(now.predictive()?.log_density(row)?[0])
                };
                let mut logs = Vec::with_capacity(tables.len() + 1);
                for &t in &tables {
                    let members: Vec<usize> = (0..n).filter(|&j| z[j] == t).collect();
                    logs.push((members.len() as f64).ln() + fit(&members)?);
                }
                logs.push(self.concentration.ln() + fit(&[])?);
                let total = log_sum_exp(&logs);
                let mut u = next();
                let chosen = logs.iter().position(|l| {
                    u -= (l - total).exp();
                    u < 0.0
                });
                let free = (0..=tables.len()).find(|t| !tables.contains(t)).unwrap_or(tables.len());
                z[i] = chosen.and_then(|c| tables.get(c).copied()).unwrap_or(free);
            }
        }
        // Numbered as they first occur.
        let mut order: Vec<usize> = Vec::new();
        Ok(z.iter()
            .map(|t| {
                order.iter().position(|o| o == t).unwrap_or_else(|| {
                    order.push(*t);
                    order.len() - 1
                })
            })
            .collect())
    }
}
