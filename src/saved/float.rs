//! Numbers that need not be finite: JSON has no NaN, and serde would write a null that cannot be read.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An f64 as it is in binary formats; in text a NaN or an infinity is a word.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() || !to.is_human_readable() {
            return to.serialize_f64(self.0);
        }
        to.serialize_str(if self.0.is_nan() {
            "nan"
        } else if self.0 > 0.0 {
            "inf"
        } else {
            "-inf"
        })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() { from.deserialize_any(Text) } else { f64::deserialize(from).map(Number) }
    }
}

struct Text;

impl de::Visitor<'_> for Text {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a number, \"nan\", \"inf\" or \"-inf\"")
    }

    fn visit_f64<E>(self, v: f64) -> Result<Number, E> {
        Ok(Number(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Number, E> {
        Ok(Number(v as f64))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Number, E> {
        Ok(Number(v as f64))
    }

    fn visit_str<E: de::Error>(self, v: &str) -> Result<Number, E> {
        match v {
            "nan" => Ok(Number(f64::NAN)),
            "inf" => Ok(Number(f64::INFINITY)),
            "-inf" => Ok(Number(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(de::Unexpected::Str(v), &self)),
        }
    }
}

/// For a field of type f64: `#[serde(with = "crate::saved::number")]`.
pub(crate) mod number {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub fn serialize<S: Serializer>(v: &f64, to: S) -> Result<S::Ok, S::Error> {
        Number(*v).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Number::deserialize(from).map(|n| n.0)
    }
}

/// For a field of type `Vec<f64>`.
pub(crate) mod numbers {
    use super::{Deserialize, Deserializer, Number, Serializer};

    pub fn serialize<S: Serializer>(v: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(v.iter().map(|v| Number(*v)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Number>::deserialize(from)?.into_iter().map(|n| n.0).collect())
    }
}
