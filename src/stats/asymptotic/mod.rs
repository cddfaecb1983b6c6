//! Null distributions as n grows: no resamples, and no more than approximately the level asked for.

mod independence;
mod law;
mod two_sample;
