//! Random frequencies as they are saved. Checked in `tests/saved/features.rs`.

use serde::{Deserialize, Serialize};

use super::{RandomFourierFeatures, Result};
use crate::saved::{Format, Grid, Record, saved_as};

#[derive(Serialize, Deserialize)]
#[serde(rename = "RandomFourierFeatures")]
struct Saved<'a> {
    format: Format,
    omega: Grid<'a>,
    amplitude: f64,
}

saved_as!(RandomFourierFeatures, Saved);

impl<'a> Record<'a, RandomFourierFeatures> for Saved<'a> {
    fn of(own: &'a RandomFourierFeatures) -> Result<Self> {
        Ok(Saved { format: Format, omega: Grid::new(&own.omega), amplitude: own.amplitude })
    }

    fn restored(self) -> Result<RandomFourierFeatures> {
        RandomFourierFeatures::from_frequencies(self.omega.into_array(), self.amplitude)
    }
}
