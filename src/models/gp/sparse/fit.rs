//! The fit: on a GPU the search runs there in f32, and what it has found is judged and made again in f64.

use ndarray::{Array2, ArrayView2};

use super::data::{Data, chunk};
use super::evidence::{SparseEvidence, gradient};
use super::factors::{Factors, Setting};
use super::fitted::FittedSparseGp;
use super::regressor::SparseGpRegressor;
use super::search::{Place, Search, scales};
use crate::check::{pairs, positive, require, parameter};
use crate::learn::plan::affords;
use crate::optim::{Minimiser, Minimum, Stop};
use crate::{Device, Error, Result};

const OP: &str = "SparseGpRegressor::fit";
/// What F in f32 may be off by, relative to its size.
const DOUBT: f64 = 1e-4;

impl SparseGpRegressor {
    /// F and its gradient at the parameters as they are, for `x`, `n x d`, and `y`, `n x p`: outputs share everything.
    ///
    /// F is f64 whatever the device. A device in f32 makes the gradient, unless F is off by more than 1e-4 there; then
    /// that is f64 too.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn evidence(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<SparseEvidence> {
        let cpu = Device::cpu();
        let z = self.start(device, x, y)?;
        let data = self.data(&cpu, &z, x, y)?;
        let place = self.here(z);
        let at = self.at(&cpu, &place);
        let factors = Factors::new(&at, &data)?;
        if device.is_gpu() {
            match self.data(device, &place.z, x, y).and_then(|data| self.seen(device, &place, &data, true)) {
                Ok(seen) if agree(factors.value, seen.value) => {
                    return Ok(SparseEvidence { value: factors.value, ..seen });
                }
                Ok(_) => {}
                Err(e) if beyond_f32(&e) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(SparseEvidence { value: factors.value, ..gradient(&at, &data, &factors, true)? })
    }

    /// Fits to `x`, `n x d`, and `y`, `n x p`: the outputs share kernel, noise and inducing points.
    ///
    /// The device is that of the search. If it computes in f32, F is made again in f64 where the search ended; if the
    /// two do not agree to 1e-4, or f32 let it get stuck, the search goes on from there in f64. What is fitted is f64
    /// on the CPU: one pass over the data is little beside a search, and `L⁻¹` takes more digits than f32 has.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for bad input, among it noise that is not positive
    /// and white noise in the kernel; [`Error::UnknownName`] for a prior of none of its hyper-parameters;
    /// [`Error::NotPositiveDefinite`] if `K_zz` is not, in spite of the jitter; [`Error::OverBudget`] beyond the
    /// [memory budget](Self::memory_budget); [`Error::Cancelled`]; [`Error::Unsupported`] for a kernel that the device of
    /// a search cannot run.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedSparseGp> {
        let cpu = Device::cpu();
        let z = self.start(device, x, y)?;
        let data = self.data(&cpu, &z, x, y)?;
        let search = Search::new(self, scales(x), z)?;
        let mut start = search.start();
        let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) else {
            return self.finish(&data, self.here(search.inducing().clone()), None);
        };
        let mut before = None;
        if device.is_gpu() {
            let on_device = self.data(device, search.inducing(), x, y);
            match on_device.and_then(|data| self.search(minimiser, &search, &start, device, &data)) {
                Err(e) if beyond_f32(&e) => {}
                Err(other) => return Err(other),
                Ok(seen) => {
                    let fitted = self.finish(&data, search.place(&seen.point)?, Some(seen.clone()))?;
                    let posterior =
                        |f: &FittedSparseGp, at: &[f64]| f.log_marginal_likelihood() + search.log_prior(at);
                    let found = posterior(&fitted, &seen.point);
                    if agree(found, -seen.value) && seen.stop != Stop::Stalled {
                        return Ok(fitted);
                    }
                    // What f32 has chosen may be worse than what was given.
                    let given = self.finish(&data, search.place(&start)?, None);
                    if !given.is_ok_and(|g| posterior(&g, &start) > found) {
                        start.clone_from(&seen.point);
                    }
                    before = Some(seen);
                }
            }
        }
        let mut found = self.search(minimiser, &search, &start, &cpu, &data)?;
        if let Some(before) = before {
            found.iterations += before.iterations;
            found.evaluations += before.evaluations;
            found.failures += before.failures;
        }
        self.finish(&data, search.place(&found.point)?, Some(found))
    }

    /// The minimum of -F, less the logarithm of the prior, on this device.
    fn search(
        &self,
        minimiser: &Minimiser,
        search: &Search,
        start: &[f64],
        device: &Device,
        data: &Data,
    ) -> Result<Minimum> {
        minimiser.run(start, &search.bounds(), |v| {
            let place = search.place(v)?;
            let found = self.seen(device, &place, data, self.move_inducing)?;
            Ok(search.objective(v, &place, &found))
        })
    }

    /// F and its gradient as this device sees them.
    fn seen(&self, device: &Device, place: &Place, data: &Data, inducing: bool) -> Result<SparseEvidence> {
        let at = self.at(device, place);
        gradient(&at, data, &Factors::new(&at, data)?, inducing)
    }

    /// The process at this place, from data on the CPU.
    fn finish(&self, data: &Data, place: Place, minimum: Option<Minimum>) -> Result<FittedSparseGp> {
        let factors = Factors::new(&self.at(&Device::cpu(), &place), data)?;
        Ok(FittedSparseGp::new(self, place, factors, minimum))
    }

    /// Where the inducing points start, once parameters and inputs are known to be in order.
    fn start(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Array2<f64>> {
        positive("noise", self.noise)?;
        let jitter = self.jitter;
        parameter("jitter", jitter, jitter >= 0.0 && jitter.is_finite(), "must be finite and not negative")?;
        self.space()?;
        require(OP, !self.kernel.has_white_noise(), || {
            "white noise in the kernel: inducing variables have none, give it as `noise`".to_owned()
        })?;
        pairs(OP, x, y)?;
        self.inducing.check(OP, x)?;
        let need = self.plan(device, x.nrows(), x.ncols(), y.ncols()).need();
        affords(
            OP,
            need,
            self.budget,
            "raise `memory_budget`, or take fewer inducing points or smaller chunks",
        )?;
        self.inducing.choose(&self.kernel, x)
    }

    fn data(&self, device: &Device, z: &Array2<f64>, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Data> {
        let rows = self.chunk.unwrap_or_else(|| chunk(z.nrows()));
        Data::new(OP, device, &self.kernel, x, y, rows)
    }

    fn here(&self, z: Array2<f64>) -> Place {
        Place { kernel: self.kernel.clone(), noise: self.noise, z }
    }

    fn at<'a>(&self, device: &'a Device, place: &'a Place) -> Setting<'a> {
        let (method, jitter) = (self.method, self.jitter);
        Setting { device, kernel: &place.kernel, noise: place.noise, z: &place.z, method, jitter }
    }
}

/// What f32 has made indefinite or infinite need not be: the data are known to be finite, and f64 goes on.
fn beyond_f32(e: &Error) -> bool {
    matches!(e, Error::NotPositiveDefinite { .. } | Error::NoConvergence { .. } | Error::NotFinite { .. })
}

/// Whether F in f32 is near enough to F in f64; a NaN is not.
fn agree(exact: f64, seen: f64) -> bool {
    (exact - seen).abs() <= DOUBT * exact.abs().max(1.0)
}
