//! Nyström's map as it is saved. Checked in `tests/saved/features.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Kernel, NystromFeatures, Result};
use crate::models::kernel_methods::features::whitening::SavedWhitening;
use crate::saved::{Format, Record, saved_as};

#[derive(Serialize, Deserialize)]
#[serde(rename = "NystromFeatures")]
struct Saved<'a> {
    format: Format,
    kernel: Cow<'a, Kernel>,
    whitening: SavedWhitening<'a>,
}

saved_as!(NystromFeatures, Saved);

impl<'a> Record<'a, NystromFeatures> for Saved<'a> {
    fn of(own: &'a NystromFeatures) -> Result<Self> {
        let (kernel, whitening) = (Cow::Borrowed(&own.kernel), SavedWhitening::of(&own.whitening));
        Ok(Saved { format: Format, kernel, whitening })
    }

    fn restored(self) -> Result<NystromFeatures> {
        let kernel = self.kernel.into_owned();
        let whitening = self.whitening.restored("saved NystromFeatures", &kernel)?;
        Ok(NystromFeatures { kernel, whitening })
    }
}
