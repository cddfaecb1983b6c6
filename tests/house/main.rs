//! The order of the house, and the shaders in it: checked without a GPU.

#[path = "../support/mod.rs"]
mod support;

mod conformance;
mod course;
mod layers;
mod shaders;
