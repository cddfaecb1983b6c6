//! The word with which a fitted value begins.

#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// The format that this version writes, and the only one that it reads.
#[cfg(feature = "serde")]
const NOW: u32 = 1;

/// Written as its number; read only if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Format;

#[cfg(feature = "serde")]
impl Serialize for Format {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(NOW)
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match u32::deserialize(from)? {
            NOW => Ok(Format),
            other => {
                Err(D::Error::custom(format!("saved in format {other}; this version of mercer reads {NOW}")))
            }
        }
    }
}
