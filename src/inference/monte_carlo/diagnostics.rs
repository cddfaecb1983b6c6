//! Whether chains have mixed, and how much their averages can be trusted. Checked in `tests/inference/chains.rs`.

use ndarray::Array1;

use super::chains::Chains;
use crate::Result;
use crate::check::parameter;

/// Mean and variance (n - 1) of a sequence.
fn moments(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0))
}

/// Autocovariances of lags `0..=most`, divided by n.
fn autocovariance(x: &[f64], most: usize) -> Vec<f64> {
    let n = x.len();
    let mean = x.iter().sum::<f64>() / n as f64;
    let c: Vec<f64> = x.iter().map(|v| v - mean).collect();
    let lag = |k: usize| c[..n - k].iter().zip(&c[k..]).map(|(a, b)| a * b).sum::<f64>() / n as f64;
    (0..=most.min(n - 1)).map(lag).collect()
}

/// The effective number of independent draws in several sequences, by Geyer's initial monotone sequence of pairs.
fn effective(parts: &[Vec<f64>]) -> f64 {
    let (m, n) = (parts.len() as f64, parts[0].len());
    let all = m * n as f64;
    if n < 4 {
        return all;
    }
    let each: Vec<(f64, f64)> = parts.iter().map(|p| moments(p)).collect();
    let within = each.iter().map(|e| e.1).sum::<f64>() / m;
    let means: Vec<f64> = each.iter().map(|e| e.0).collect();
    let between = if parts.len() > 1 { moments(&means).1 } else { 0.0 };
    let total = within * (n as f64 - 1.0) / n as f64 + between;
    if total <= 0.0 {
        return all;
    }
    // Lags are looked at until a pair of them is negative, which is seldom far.
    let mut most = 64.min(n - 1);
    loop {
        let covariances: Vec<Vec<f64>> = parts.iter().map(|p| autocovariance(p, most)).collect();
        let rho = |t: usize| {
            let mean = covariances.iter().map(|c| c[t]).sum::<f64>() / m;
            if t == 0 { 1.0 } else { 1.0 - (within - mean * n as f64 / (n as f64 - 1.0)) / total }
        };
        let (mut sum, mut before, mut t, mut ended) = (0.0, f64::INFINITY, 0, false);
        while t < most {
            let pair = rho(t) + rho(t + 1);
            if pair <= 0.0 {
                ended = true;
                break;
            }
            before = pair.min(before);
            sum += before;
            t += 2;
        }
        if ended || most + 1 >= n {
            let time = (2.0 * sum - 1.0).max(1.0 / all.log10().max(1.0));
            return all / time;
        }
        most = (most * 4).min(n - 1);
    }
}

impl Chains {
    /// Both halves of every chain, for one variable.
    fn halves(&self, j: usize) -> Vec<Vec<f64>> {
        let mut parts = Vec::new();
        for d in self.draws() {
            let x = d.column(j).to_vec();
            let half = (x.len() / 2).max(1);
            parts.push(x[..half].to_vec());
            parts.push(x[x.len() - half..].to_vec());
        }
        parts
    }

    fn each(&self, f: impl Fn(usize) -> f64) -> Array1<f64> {
        (0..self.draws()[0].ncols()).map(f).collect()
    }

    /// Split R-hat of each variable: `√((n-1)/n + B/(nW))` over the halves of all chains. Above 1.01 they have not mixed.
    pub fn r_hat(&self) -> Array1<f64> {
        self.each(|j| {
            let parts = self.halves(j);
            let n = parts[0].len() as f64;
            let each: Vec<(f64, f64)> = parts.iter().map(|p| moments(p)).collect();
            let within = each.iter().map(|e| e.1).sum::<f64>() / parts.len() as f64;
            let between = moments(&each.iter().map(|e| e.0).collect::<Vec<_>>()).1;
            // Chains that never move and lie together are one point; apart, they have not met.
            if within > 0.0 {
                ((n - 1.0) / n + between / within).sqrt()
            } else if between > 0.0 {
                f64::INFINITY
            } else {
                1.0
            }
        })
    }

    /// The effective number of independent samples behind the mean of each variable.
    pub fn effective_size(&self) -> Array1<f64> {
        self.each(|j| effective(&self.halves(j)))
    }

    /// The mean of each variable over all chains.
    pub fn mean(&self) -> Array1<f64> {
        self.each(|j| moments(&self.pooled().column(j).to_vec()).0)
    }

    /// The variance of each variable over all chains.
    pub fn variance(&self) -> Array1<f64> {
        self.each(|j| moments(&self.pooled().column(j).to_vec()).1)
    }

    /// The Monte Carlo error of each mean: the standard deviation over the root of the effective size.
    pub fn standard_error(&self) -> Array1<f64> {
        let size = self.effective_size();
        self.variance().iter().zip(&size).map(|(v, n)| (v / n).sqrt()).collect()
    }

    /// The autocorrelation of one variable of one chain at lags `0..=most`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a chain or a variable that is not there.
    pub fn autocorrelation(&self, chain: usize, variable: usize, most: usize) -> Result<Vec<f64>> {
        let d = self.draws()[0].ncols();
        parameter("chain", chain as f64, chain < self.draws().len(), "there are fewer chains")?;
        parameter("variable", variable as f64, variable < d, "there are fewer variables")?;
        let c = autocovariance(&self.draws()[chain].column(variable).to_vec(), most);
        let at_zero = if c[0] > 0.0 { c[0] } else { 1.0 };
        Ok(c.iter().map(|v| v / at_zero).collect())
    }

    /// Geweke's z of each chain (row) and variable: the mean of its first tenth against that of its second half, in
    /// Monte Carlo errors. Beyond 3 the chain had not settled.
    pub fn geweke(&self) -> Vec<Array1<f64>> {
        let z = |x: &[f64]| {
            let n = x.len();
            let (head, tail) = (&x[..(n / 10).max(1)], &x[n / 2..]);
            let part = |p: &[f64]| {
                let (mean, variance) = moments(p);
                (mean, variance / effective(&[p.to_vec()]))
            };
            let ((a, va), (b, vb)) = (part(head), part(tail));
            if va + vb > 0.0 { (a - b) / (va + vb).sqrt() } else { 0.0 }
        };
        self.draws().iter().map(|d| d.columns().into_iter().map(|c| z(&c.to_vec())).collect()).collect()
    }
}
