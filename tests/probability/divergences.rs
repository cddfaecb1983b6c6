//! Families of divergences: what they have in common, the variational form, transport.

use mercer::probability::distributions::Dirichlet;
use mercer::probability::gaussian::MultivariateNormal;
use mercer::probability::information::*;
use ndarray::{Array2, Axis, array};

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

/// Numbers by hand for P and Q of G.3, and of distributions that share nothing.
#[test]
fn values_of_f_divergences() {
    use FDivergence::*;
    let sum = |f: &dyn Fn(f64, f64) -> f64| P.iter().zip(&Q).map(|(p, q)| f(*p, *q)).sum::<f64>();
    near(KullbackLeibler.between(&P, &Q).unwrap(), 0.3600624406, 1e-10);
    near(Reverse.between(&P, &Q).unwrap(), 0.3948162052, 1e-10);
    // 0.3²/0.2 + 0.1²/0.2 + 0.4²/0.6.
    near(ChiSquare.between(&P, &Q).unwrap(), 0.45 + 0.05 + 0.16 / 0.6, 1e-14);
    near(TotalVariation.between(&P, &Q).unwrap(), 0.4, 1e-15);
    near(Hellinger.between(&P, &Q).unwrap(), sum(&|p, q| (p.sqrt() - q.sqrt()).powi(2)), 1e-14);
    near(TwiceJensenShannon.between(&P, &Q).unwrap(), 2.0 * jensen_shannon(&P, &Q).unwrap(), 1e-14);
    let (left, right) = ([1.0, 0.0], [0.0, 1.0]);
    for (f, want) in [
        (KullbackLeibler, f64::INFINITY),
        (Reverse, f64::INFINITY),
        (ChiSquare, f64::INFINITY),
        (TotalVariation, 1.0),
        (Hellinger, 2.0),
        (TwiceJensenShannon, 2.0 * 2f64.ln()),
    ] {
        let got = f.between(&left, &right).unwrap();
        assert!(got == want || (got - want).abs() < 1e-14, "{f:?}: {got}");
        // The slope at infinity is the limit of f(u)/u.
        let far = f.generator(1e12) / 1e12;
        let slope = f.slope_at_infinity();
        assert!(if slope.is_finite() { (far - slope).abs() < 1e-5 } else { far > 20.0 }, "{f:?}: {far}");
    }
}

/// G.18: Rényi's divergence is continuous at one, to the digits of KL.
#[test]
fn renyi_near_one() {
    let kl = divergence(&P, &Q).unwrap();
    // dD/dα at one is half the variance of the log ratio.
    let l = log_ratio(&P, &Q).unwrap();
    let variance: f64 = P.iter().zip(&l).map(|(p, l)| p * (l - kl) * (l - kl)).sum();
    for t in [1e-3, 1e-6, 1e-9, 1e-12, -1e-6, -1e-12] {
        near(renyi_divergence(&P, &Q, 1.0 + t).unwrap(), kl + 0.5 * variance * t, t * t + 1e-14);
    }
    assert_eq!(renyi_divergence(&[0.5, 0.5], &[1.0, 0.0], 1.2).unwrap(), f64::INFINITY);
    near(renyi_divergence(&[0.5, 0.5], &[1.0, 0.0], 0.8).unwrap(), -(0.5f64.powf(0.8)).ln() / 0.2, 1e-13);
    near(renyi_divergence(&P, &Q, 2.0).unwrap(), (0.25 / 0.2 + 0.09 / 0.2 + 0.04 / 0.6f64).ln(), 1e-14);
}

/// `I(X; Y, Z) = I(X; Z) + I(X; Y | Z)`, and a chain X - Z - Y has none left.
#[test]
fn conditional_mutual_information_of_tables() {
    let p = ndarray::Array3::from_shape_vec((2, 3, 2), random(12, 5)).unwrap();
    let together = Array2::from_shape_fn((2, 6), |(x, yz)| p[[x, yz / 2, yz % 2]]);
    let alone = mutual_information(p.sum_axis(Axis(1)).view()).unwrap();
    let given = conditional_mutual_information(p.view()).unwrap();
    near(mutual_information(together.view()).unwrap(), alone + given, 1e-14);
    let (z, x, y) = ([0.3, 0.7], [[0.2, 0.8], [0.6, 0.4]], [[0.5, 0.5], [0.1, 0.9]]);
    let chain = ndarray::Array3::from_shape_fn((2, 2, 2), |(i, j, k)| z[k] * x[k][i] * y[k][j]);
    near(conditional_mutual_information(chain.view()).unwrap(), 0.0, 1e-15);
    assert!(mutual_information(chain.sum_axis(Axis(2)).view()).unwrap() > 0.01);
    assert!(conditional_mutual_information((&chain * 2.0).view()).is_err());
}

/// KL of Dirichlet distributions: the Bregman form of the exponential family.
#[test]
fn divergence_of_dirichlets() {
    use mercer::probability::exponential::{ExponentialFamily, Member};
    let (a, b) = ([1.5, 2.0, 0.7], [0.4, 3.0, 2.2]);
    let direct = Dirichlet::new(&a).unwrap().divergence(&Dirichlet::new(&b).unwrap()).unwrap();
    let less = |a: [f64; 3]| a.map(|a| a - 1.0);
    let bregman = Member::Dirichlet { categories: 3 }.divergence(&less(a), &less(b)).unwrap();
    near(direct, bregman, 1e-11);
}
