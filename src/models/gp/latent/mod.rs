//! Gaussian processes under any likelihood that factorises: Laplace's approximation, and expectation propagation for the
//! probit. Dense, in f64 on the CPU. Checked in `tests/probability/latent_gp.rs`.

mod about;
mod ep;
mod laplace;
mod likelihood;
mod predictive;

pub use about::LatentAbout;
pub use laplace::LatentGp;
pub use likelihood::{
    GaussianLikelihood, Local, LogisticLikelihood, PointLikelihood, PoissonLikelihood, ProbitLikelihood,
    StudentTLikelihood,
};
