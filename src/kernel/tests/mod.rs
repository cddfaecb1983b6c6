//! The program against the definition: values, derivatives and generated WGSL.

mod derivatives;
mod input_gradient;
mod tiles;
mod wgsl;
mod zoo;
