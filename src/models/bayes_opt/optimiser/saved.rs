//! A search that was interrupted, as it is saved. Checked in `tests/saved/bayes_opt.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{BayesOptimiser, Device, GpRegressor, Result, Rule, UnitBox};
use crate::check::{require, parameter};
use crate::models::gp::SavedGp;
use crate::saved::{Format, Record, saved_as};

const OP: &str = "a saved BayesOptimiser";

#[derive(Serialize, Deserialize)]
#[serde(rename = "BayesOptimiser")]
struct Saved<'a> {
    format: Format,
    bounds: Cow<'a, [(f64, f64)]>,
    model: Cow<'a, GpRegressor>,
    rule: Rule,
    initial: usize,
    seed: u64,
    told: Cow<'a, [Vec<f64>]>,
    y: Cow<'a, [f64]>,
    pending: Cow<'a, [Vec<f64>]>,
    asked: u64,
    /// Learned again it would be another one: a search for hyper-parameters starts from those that were learned last.
    fitted: Option<SavedGp<'a>>,
}

saved_as!(BayesOptimiser, Saved);

impl<'a> Record<'a, BayesOptimiser> for Saved<'a> {
    fn of(own: &'a BayesOptimiser) -> Result<Self> {
        Ok(Saved {
            format: Format,
            bounds: Cow::Borrowed(own.space.bounds()),
            model: Cow::Borrowed(&own.model),
            rule: own.rule,
            initial: own.initial,
            seed: own.seed,
            told: Cow::Borrowed(&own.told),
            y: Cow::Borrowed(&own.y),
            pending: Cow::Borrowed(&own.pending),
            asked: own.asked,
            fitted: own.fitted.as_ref().map(SavedGp::of).transpose()?,
        })
    }

    fn restored(self) -> Result<BayesOptimiser> {
        let model = self.model.into_owned();
        let space = UnitBox::new(&self.bounds)?;
        if let Rule::Score(acquisition, _) = self.rule {
            acquisition.check()?;
        }
        parameter("initial", self.initial as f64, self.initial > 0, "there must be at least one")?;
        parameter("asked", self.asked as f64, self.asked < u64::MAX / 2, "nobody has asked for so many")?;
        model.kernel().fits(OP, space.dim())?;
        let (told, observed) = (self.told.into_owned(), self.y.into_owned());
        require(OP, told.len() == observed.len(), || {
            format!("{} points, {} observations", told.len(), observed.len())
        })?;
        let mut search = BayesOptimiser {
            device: Device::cpu(),
            space,
            model,
            rule: self.rule,
            initial: self.initial,
            seed: self.seed,
            told: Vec::new(),
            x: Vec::new(),
            y: Vec::new(),
            pending: Vec::new(),
            asked: self.asked,
            fitted: None,
        };
        // As they were told, and refused as they would have been.
        told.iter().zip(observed).try_for_each(|(x, y)| search.tell(x, y))?;
        search.pending = self.pending.into_owned();
        search.pending.iter().try_for_each(|x| search.space.inner(x).map(drop))?;
        search.fitted = self.fitted.map(SavedGp::restored).transpose()?;
        if let Some(gp) = &search.fitted {
            let same = gp.x().rows().into_iter().zip(&search.x).all(|(a, b)| a.iter().eq(b));
            require(OP, same && gp.x().nrows() == search.x.len() && gp.y().ncols() == 1, || {
                "the model is not one of the points that were told".to_owned()
            })?;
        }
        Ok(search)
    }
}
