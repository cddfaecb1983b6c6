//! Fitted values written and read back: the same bits, on any machine, and files that were tampered with refused.
#![cfg(feature = "serde")]

#[path = "../support/mod.rs"]
mod support;

mod bayes_opt;
mod classify;
mod cluster;
mod composed;
mod features;
mod gp;
mod latent;
mod linear;
mod probability;
mod sequence;
mod sparse;

use ndarray::{Array, Dimension};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// By a text format and by a binary one that does not describe itself.
fn through<T: Serialize + DeserializeOwned>(own: &T) -> [T; 2] {
    let text = serde_json::to_string(own).unwrap();
    let bytes = postcard::to_stdvec(own).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()]
}

/// Equal to the last bit.
#[track_caller]
fn same<D: Dimension>(a: &Array<f64, D>, b: &Array<f64, D>) {
    assert_eq!(a.dim(), b.dim());
    assert!(a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()), "{a} is not {b}");
}

/// What is said of a file in which something was put in another thing's place.
#[track_caller]
fn refused<T: Serialize + DeserializeOwned>(own: &T, at: &str, value: impl Into<Value>) -> String {
    let mut file = serde_json::to_value(own).unwrap();
    *file.pointer_mut(at).unwrap_or_else(|| panic!("nothing at {at}")) = value.into();
    match serde_json::from_value::<T>(file) {
        Ok(_) => panic!("a file with another {at} is read"),
        Err(e) => e.to_string(),
    }
}

/// A binary file that ends too soon is an error, and one with a wrong byte is an error or another model, never a panic.
fn damaged<T: Serialize + DeserializeOwned>(own: &T) {
    let bytes = postcard::to_stdvec(own).unwrap();
    let step = (bytes.len() / 150).max(1);
    for end in (0..bytes.len()).step_by(step) {
        assert!(postcard::from_bytes::<T>(&bytes[..end]).is_err(), "{end} of {} bytes are read", bytes.len());
    }
    for at in (0..bytes.len()).step_by(step) {
        for with in [0x01, 0x80, 0xff] {
            let mut other = bytes.clone();
            other[at] ^= with;
            drop(postcard::from_bytes::<T>(&other));
        }
    }
}
