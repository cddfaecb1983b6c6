//! Families of divergences: what they have in common, the variational form, transport.

use mercer::probability::distributions::Dirichlet;
use mercer::probability::gaussian::MultivariateNormal;
use mercer::probability::information::*;
use ndarray::{Array2, array};

use crate::information::{P, Q, random};
use crate::{all_near, near};

/// G.9: no processing of Y adds information about X.
#[test]
fn data_processing() {
    for seed in 0..10 {
        let joint = Array2::from_shape_vec((3, 4), random(12, seed)).unwrap();
        let channel = Dirichlet::new(&[0.7; 3]).unwrap().sample(4, seed + 7).unwrap();
        let further = joint.dot(&channel);
        assert!(
            mutual_information(further.view()).unwrap() <= mutual_information(joint.view()).unwrap() + 1e-14
        );
        let (p, q) = (random(4, seed), random(4, seed + 40));
        let merged = |p: &[f64]| vec![p[0] + p[1], p[2] + p[3]];
        for f in [
            FDivergence::KullbackLeibler,
            FDivergence::Reverse,
            FDivergence::TwiceJensenShannon,
            FDivergence::ChiSquare,
            FDivergence::Hellinger,
            FDivergence::TotalVariation,
        ] {
            let whole = f.between(&p, &q).unwrap();
            assert!(whole >= 0.0 && f.between(&merged(&p), &merged(&q)).unwrap() <= whole + 1e-14);
            near(f.between(&p, &p).unwrap(), 0.0, 1e-14);
        }
    }
}

/// G.10, G.16.
#[test]
fn f_divergences() {
    near(FDivergence::KullbackLeibler.between(&P, &Q).unwrap(), 0.3600624406, 1e-10);
    near(jensen_shannon(&P, &Q).unwrap(), 0.0905658500, 1e-10);
    near(FDivergence::TwiceJensenShannon.between(&P, &Q).unwrap(), 0.1811316999, 1e-10);
    near(jensen_shannon(&P, &Q).unwrap(), jensen_shannon(&Q, &P).unwrap(), 1e-15);
    near(jensen_shannon(&[1.0, 0.0], &[0.0, 1.0]).unwrap(), 2f64.ln(), 1e-15);
    near(FDivergence::TwiceJensenShannon.between(&[1.0, 0.0], &[0.0, 1.0]).unwrap(), 2.0 * 2f64.ln(), 1e-15);
    near(
        f_divergence(&P, &Q, |u| (u - 1.0) * (u - 1.0), f64::INFINITY).unwrap(),
        0.09 / 0.2 + 0.01 / 0.2 + 0.16 / 0.6,
        1e-14,
    );
}

/// G.11: every T is a lower bound, the best attains the divergence, and ascent finds it.
#[test]
fn the_variational_form() {
    for (g, want) in [
        (Discriminator::KullbackLeibler, 0.3600624406),
        (Discriminator::TwiceJensenShannon, 0.1811316999),
        (Discriminator::Adversarial, -1.2051626612),
    ] {
        let best = g.optimum(&P, &Q).unwrap();
        near(g.bound(&P, &Q, &best).unwrap(), want, 1e-9);
        for (t, (p, q)) in best.iter().zip(P.iter().zip(Q)) {
            near(g.ratio(*t), p / q, 1e-12);
        }
        for seed in 0..20 {
            let t: Vec<f64> = random(3, seed).iter().map(|v| -v).collect();
            assert!(g.bound(&P, &Q, &t).unwrap() <= want + 1e-10);
        }
        let found = g.ascend(&P, &Q, &[-0.7; 3], 0.1, 5000).unwrap();
        all_near(&found, &best, 1e-6);
    }
}

/// G.12: closed forms, Young's inequality, the biconjugate.
#[test]
fn convex_conjugates() {
    let exp = |u: f64| fenchel_conjugate(|t| (t - 1.0).exp(), (-60.0, 20.0), u).unwrap();
    for u in [0.2, 1.0, 3.0] {
        near(exp(u), u * f64::ln(u), 1e-9);
        for t in [-1.0, 0.5, 2.0] {
            assert!(u * t <= (t - 1f64).exp() + exp(u) + 1e-9);
        }
    }
    let square = |u: f64| fenchel_conjugate(|t| 0.5 * t * t, (-50.0, 50.0), u).unwrap();
    near(square(1.7), 0.5 * 1.7 * 1.7, 1e-10);
    near(fenchel_conjugate(square, (-40.0, 40.0), 2.3).unwrap(), 0.5 * 2.3 * 2.3, 1e-6);
    assert!(fenchel_conjugate(|t| t * t, (1.0, 1.0), 0.0).is_err());
}

/// G.15, G.17, G.18.
#[test]
fn alpha_renyi_and_chernoff() {
    for (alpha, want) in
        [(-1.0, 0.5066667), (1e-6, 0.3948161), (0.5, 0.3696524), (1.0 - 1e-6, 0.3600624), (2.0, 0.3833333)]
    {
        near(alpha_divergence(&P, &Q, alpha).unwrap(), want, 1.1e-7);
        near(alpha_divergence(&P, &Q, alpha).unwrap(), alpha_divergence(&Q, &P, 1.0 - alpha).unwrap(), 1e-12);
    }
    near(alpha_divergence(&P, &Q, 1.0).unwrap(), divergence(&P, &Q).unwrap(), 1e-14);
    let bc: f64 = P.iter().zip(Q).map(|(p, q)| (p * q).sqrt()).sum();
    near(alpha_divergence(&P, &Q, 0.5).unwrap(), 4.0 * (1.0 - bc), 1e-13);
    near(bhattacharyya(&P, &Q).unwrap(), -bc.ln(), 1e-14);
    near(renyi_divergence(&P, &Q, 0.5).unwrap(), -2.0 * bc.ln(), 1e-13);
    near(renyi_divergence(&P, &Q, 1.0).unwrap(), divergence(&P, &Q).unwrap(), 1e-14);
    near(renyi_divergence(&P, &Q, 1.0 + 1e-5).unwrap(), divergence(&P, &Q).unwrap(), 1e-4);
    near(chernoff(&P, &Q, 0.3).unwrap(), 0.7 * renyi_divergence(&P, &Q, 0.3).unwrap(), 1e-13);
}

/// G.20.
#[test]
fn wasserstein_distances() {
    let x = [0.3, 1.0, 2.5, 0.1];
    let w = [1.0; 4];
    near(wasserstein((&x, &w), (&x, &w)).unwrap(), 0.0, 1e-15);
    near(wasserstein((&x, &w), (&x.map(|x| x + 1.7), &w)).unwrap(), 1.7, 1e-14);
    near(wasserstein((&[0.0], &[3.0]), (&[0.0, 4.0], &[3.0, 1.0])).unwrap(), 1.0, 1e-15);
    let points =
        MultivariateNormal::spherical(array![0.0, 0.0, 0.0].view(), 1.0).unwrap().sample(200, 1).unwrap();
    near(sliced_wasserstein(points.view(), points.view(), 20, 1).unwrap(), 0.0, 1e-15);
    // A shift is seen by its mean length along a random direction of three dimensions: one half.
    let moved = &points + &array![2.0, 0.0, 0.0];
    near(sliced_wasserstein(points.view(), moved.view(), 4000, 1).unwrap(), 1.0, 0.05);
}
