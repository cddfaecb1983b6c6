//! Samples of hyper-parameters as they are saved. Checked in `tests/saved/gp.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{BayesianGp, Device, GpRegressor, Result, pairs, require};
use crate::saved::{Format, Grid, Record, saved_as};

const OP: &str = "a saved BayesianGp";

#[derive(Serialize, Deserialize)]
#[serde(rename = "BayesianGp")]
struct Saved<'a> {
    format: Format,
    model: Cow<'a, GpRegressor>,
    x: Grid<'a>,
    y: Grid<'a>,
    names: Cow<'a, [String]>,
    thetas: Cow<'a, [Vec<f64>]>,
    log_posterior: Cow<'a, [f64]>,
    evaluations: usize,
    failures: usize,
}

saved_as!(BayesianGp, Saved);

impl<'a> Record<'a, BayesianGp> for Saved<'a> {
    fn of(own: &'a BayesianGp) -> Result<Self> {
        Ok(Saved {
            format: Format,
            model: Cow::Borrowed(&own.model),
            x: Grid::new(&own.x),
            y: Grid::new(&own.y),
            names: Cow::Borrowed(&own.names),
            thetas: Cow::Borrowed(&own.thetas),
            log_posterior: Cow::Borrowed(&own.log_posterior),
            evaluations: own.evaluations,
            failures: own.failures,
        })
    }

    fn restored(self) -> Result<BayesianGp> {
        let (model, device) = (self.model.into_owned(), Device::cpu());
        let (x, y) = (self.x.into_array(), self.y.into_array());
        pairs(OP, x.view(), y.view())?;
        model.kernel().fits(OP, x.ncols())?;
        let instead = "use `SparseGpRegressor`";
        model.affords(OP, &device, (x.nrows(), x.ncols(), y.ncols()), false, instead)?;
        let space = model.space(x.nrows())?;
        let (names, thetas) = (self.names.into_owned(), self.thetas.into_owned());
        require(OP, names == space.names, || format!("samples of {names:?}, a model of {:?}", space.names))?;
        for (i, theta) in thetas.iter().enumerate() {
            let within = theta.iter().zip(&space.bounds).all(|(t, (low, high))| (low..=high).contains(&t));
            require(OP, theta.len() == names.len() && within, || {
                format!("sample {i} is {theta:?}, which the model does not allow")
            })?;
        }
        let log_posterior = self.log_posterior.into_owned();
        let whole = !thetas.is_empty() && log_posterior.iter().all(|v| v.is_finite());
        require(OP, whole && thetas.len() == log_posterior.len(), || {
            format!("{} samples, log posterior of {}", thetas.len(), log_posterior.len())
        })?;
        let (evaluations, failures) = (self.evaluations, self.failures);
        Ok(BayesianGp { model, device, x, y, names, thetas, log_posterior, evaluations, failures })
    }
}
