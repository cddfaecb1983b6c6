//! The fit: F in f64, its gradient by the device.

use ndarray::{Array2, ArrayRef, ArrayView2};

use super::data::{Data, chunk};
use super::evidence::{SparseEvidence, gradient};
use super::first_pass::{Factors, Hyper};
use super::fitted::FittedSparseGp;
use super::model::SparseGpRegressor;
use super::variables::{SearchPoint, Variables, scales};
use crate::check::{not_negative, pairs, positive, require};
use crate::learn::inherent::fits;
use crate::learn::plan::affords;
use crate::learn::{Fit, Inputs, TargetDim, Targets};
use crate::{Device, Error, Result};

const OP: &str = "SparseGpRegressor::fit";
/// What F in f32 may be off by, relative to its size.
const DOUBT: f64 = 1e-4;

impl SparseGpRegressor {
    /// F and its gradient at the parameters as they are, for `x`, `n x d`, and targets `y`, which share everything.
    ///
    /// Both are f64 on the CPU whatever the device: a gradient is a difference of large sums, of which f32 keeps three
    /// digits. The search of a fit takes the device's, unless F is off by more than 1e-4 there.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn evidence<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
    ) -> Result<SparseEvidence> {
        let (x, y) = (x.inputs(), y.targets());
        let (x, y) = (x.view(), D::columns(&y));
        let z = self.start(device, x, y)?;
        let exact = self.data(&Device::cpu(), &z, x, y)?;
        let at = SearchPoint { kernel: self.kernel.clone(), noise: self.noise, z };
        self.evidence_at(&at, &exact, None, true)
    }

    /// F in f64; its gradient by the device of `fast` if that sees the same F.
    fn evidence_at(
        &self,
        at: &SearchPoint,
        exact: &Data,
        fast: Option<&Data>,
        inducing: bool,
    ) -> Result<SparseEvidence> {
        let at = self.at(at);
        let factors = Factors::new(&at, exact)?;
        let value = factors.value;
        if let Some(fast) = fast {
            match Factors::new(&at, fast).and_then(|f| gradient(&at, fast, &f, inducing)) {
                Ok(found) if agree(value, found.value) => return Ok(SparseEvidence { value, ..found }),
                Ok(_) => {}
                Err(e) if beyond_f32(&e) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(SparseEvidence { value, ..gradient(&at, exact, &factors, inducing)? })
    }
}

fits!(SparseGpRegressor: Regress -> FittedSparseGp);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for SparseGpRegressor {
    type Fitted = FittedSparseGp<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<FittedSparseGp<D>> {
        let y = D::columns(y);
        let z = self.start(device, x, y)?;
        let exact = self.data(&Device::cpu(), &z, x, y)?;
        let variables = Variables::new(self, scales(x), z)?;
        let start = variables.start();
        let (mut at, mut minimum, mut place) = (variables.point(&start)?, None, Device::cpu());
        if let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) {
            let fast = self.fast(device, &at.z, x, y)?;
            place = fast.as_ref().map_or(place, |f| f.device().clone());
            let found = minimiser.run(&start, &variables.bounds(), |v| {
                let at = variables.point(v)?;
                let found = self.evidence_at(&at, &exact, fast.as_ref(), self.move_inducing)?;
                Ok(variables.objective(v, &at, &found))
            })?;
            at = variables.point(&found.point)?;
            minimum = Some(found);
        }
        let factors = Factors::new(&self.at(&at), &exact)?;
        Ok(FittedSparseGp::new(self, place, at, factors, minimum))
    }
}

impl SparseGpRegressor {
    /// Where the inducing points start, once parameters and inputs are known to be in order.
    fn start(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Array2<f64>> {
        positive("noise", self.noise)?;
        not_negative("jitter", self.jitter)?;
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

    /// The data on a GPU, if that is where gradients are to be made.
    fn fast(
        &self,
        device: &Device,
        z: &Array2<f64>,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<Option<Data>> {
        let flops = self.plan(device, x.nrows(), x.ncols(), y.ncols()).flops_per_iteration;
        let device = device.suited_to(flops);
        let data = if device.is_gpu() { Some(self.data(&device, z, x, y)?) } else { None };
        Ok(data.filter(|d| d.device().is_gpu()))
    }

    fn at<'a>(&self, point: &'a SearchPoint) -> Hyper<'a> {
        let (method, jitter) = (self.method, self.jitter);
        Hyper { kernel: &point.kernel, noise: point.noise, z: &point.z, method, jitter }
    }
}

/// What f32 has made indefinite or infinite need not be: the data are known to be finite, and f64 goes on.
fn beyond_f32(e: &Error) -> bool {
    matches!(
        e,
        Error::NotPositiveDefinite { .. }
            | Error::NoConvergence { .. }
            | Error::NotFinite { .. }
            | Error::Overflow { .. }
    )
}

/// Whether F in f32 is near enough to F in f64; a NaN is not.
fn agree(exact: f64, seen: f64) -> bool {
    (exact - seen).abs() <= DOUBT * exact.abs().max(1.0)
}
