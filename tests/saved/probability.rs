//! Distributions and latent processes as files.

use mercer::Kernel;
use mercer::models::gp::{LatentGp, LogisticLikelihood, PoissonLikelihood};
use mercer::probability::distributions::*;
use mercer::probability::gaussian::{LinearGaussian, MultivariateNormal, MultivariateT};
use ndarray::array;

use crate::{damaged, refused, same, through};

#[test]
fn distributions_come_back() {
    macro_rules! back {
        ($($own:expr),+ $(,)?) => { $({
            let own = $own.unwrap();
            for read in &through(&own) {
                assert_eq!(read, &own);
            }
            damaged(&own);
        })+ };
    }
    let v = array![[2.0, 0.3], [0.3, 1.0]];
    let normal = MultivariateNormal::new(array![1.0, -2.0].view(), v.view());
    back![
        Normal::new(0.1, 0.3),
        StudentT::new(3.0, 0.1, 2.0),
        Laplace::new(0.1, 2.0),
        Exponential::new(0.7),
        Gamma::new(2.0, 0.3),
        InverseGamma::new(2.0, 0.3),
        Beta::new(0.5, 2.0),
        VonMises::new(0.4, 2.0),
        Bernoulli::new(0.3),
        Binomial::new(10, 0.3),
        Poisson::new(4.5),
        Categorical::new(&[0.2, 0.8]),
        Multinomial::new(5, &[0.2, 0.8]),
        Dirichlet::new(&[0.5, 1.5, 2.0]),
        Wishart::new(3.5, v.view()),
        InverseWishart::new(3.5, v.view()),
        NormalInverseGamma::new(0.1, 1.0, 2.0, 3.0),
        NormalInverseWishart::new(array![0.1, 0.2].view(), 1.0, 3.5, v.view()),
        MultivariateT::new(4.0, array![0.1, 0.2].view(), v.view()),
        LinearGaussian::new(normal.clone().unwrap(), v.view(), array![0.0, 1.0].view(), v.view()),
        normal,
    ];
}

#[test]
fn parameters_out_of_their_domain_are_refused() {
    refused(&Normal::new(0.1, 0.3).unwrap(), "/deviation", -1.0);
    refused(&Gamma::new(2.0, 0.3).unwrap(), "/rate", 0.0);
    refused(&InverseGamma::new(2.0, 0.3).unwrap(), "/of/rate", 0.0);
    refused(&Bernoulli::new(0.3).unwrap(), "/no", 0.3);
    refused(&Categorical::new(&[0.2, 0.8]).unwrap(), "/p/0", 0.5);
    refused(&Dirichlet::new(&[0.5, 1.5]).unwrap(), "/alpha/1", -1.0);
    let v = array![[2.0, 0.3], [0.3, 1.0]];
    refused(&Wishart::new(3.5, v.view()).unwrap(), "/degrees", 0.5);
    let normal = MultivariateNormal::new(array![1.0, -2.0].view(), v.view()).unwrap();
    let file = serde_json::to_string(&normal).unwrap().replace("0.3", "0.4");
    assert!(serde_json::from_str::<MultivariateNormal>(&file).is_err(), "a factor of another matrix");
}

#[test]
fn latent_processes_predict_the_same() {
    let (x, new) = (array![[0.0], [1.0], [2.0], [3.0]], array![[0.5], [9.0]]);
    let kernel = Kernel::rbf(2.0).scaled(4.0);
    let counts = LatentGp::laplace(&kernel, &PoissonLikelihood, &x, array![1.0, 2.0, 6.0, 11.0]).unwrap();
    let labels = LatentGp::laplace(&kernel, &LogisticLikelihood, &x, array![-1.0, -1.0, 1.0, 1.0]).unwrap();
    let by_ep = LatentGp::expectation_propagation(&kernel, &x, array![-1.0, -1.0, 1.0, 1.0]).unwrap();
    for gp in [counts, labels, by_ep] {
        let (mean, covariance) = gp.latent_joint(&new).unwrap();
        for read in through(&gp) {
            let (m, c) = read.latent_joint(&new).unwrap();
            same(&mean, &m);
            same(&covariance, &c);
            assert_eq!(read.log_evidence(), gp.log_evidence());
        }
        damaged(&gp);
        refused(&gp, "/mode/0", 7.0);
        refused(&gp, "/alpha", serde_json::json!([1.0]));
    }
}
