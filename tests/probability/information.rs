//! Information measures: golden numbers of the notes, inequalities as properties.

use mercer::optim::Minimiser;
use mercer::probability::distributions::{Categorical, Dirichlet, Normal, Univariate};
use mercer::probability::gaussian::MultivariateNormal;
use mercer::probability::information::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::{all_near, near};

const P: [f64; 3] = [0.5, 0.3, 0.2];
const Q: [f64; 3] = [0.2, 0.2, 0.6];

fn random(k: usize, seed: u64) -> Vec<f64> {
    Dirichlet::new(&vec![1.0; k]).unwrap().sample(1, seed).unwrap().row(0).to_vec()
}

/// G.1, G.2, G.3, EM-03.
#[test]
fn entropies_and_divergences() {
    near(entropy(&[0.8, 0.2]).unwrap(), 0.5004024, 1e-7);
    near(entropy(&[0.25; 4]).unwrap(), 4f64.ln(), 1e-15);
    assert_eq!(entropy(&[1.0, 0.0]).unwrap(), 0.0);
    near(divergence(&P, &Q).unwrap(), 0.3600624406, 1e-10);
    near(divergence(&Q, &P).unwrap(), 0.3948162052, 1e-10);
    near(divergence(&P, &[0.2, 0.5, 0.3]).unwrap(), 0.2238046572, 1e-10);
    near(divergence(&[0.2, 0.5, 0.3], &P).unwrap(), 0.1937941979, 1e-10);
    near(cross_entropy(&P, &Q).unwrap(), entropy(&P).unwrap() + divergence(&P, &Q).unwrap(), 1e-14);
    assert_eq!(divergence(&[0.5, 0.5], &[1.0, 0.0]).unwrap(), f64::INFINITY);
    let c = Q.map(|q| 3.0 * q);
    near(divergence(&P, &c).unwrap(), divergence(&P, &Q).unwrap() - 3f64.ln(), 1e-14);
    near(bits(divergence(&P, &Q).unwrap()) * 2f64.ln(), divergence(&P, &Q).unwrap(), 1e-15);
    // A density may have a negative entropy.
    assert!(Normal::new(0.0, 0.01).unwrap().entropy() < 0.0);
    for seed in 0..20 {
        let (p, q) = (random(5, seed), random(5, seed + 100));
        assert!(divergence(&p, &q).unwrap() > 0.0 && divergence(&p, &p).unwrap() == 0.0);
        let middle: Vec<f64> = p.iter().zip(&q).map(|(p, q)| 0.5 * (p + q)).collect();
        assert!(entropy(&middle).unwrap() >= 0.5 * (entropy(&p).unwrap() + entropy(&q).unwrap()));
    }
    assert!(entropy(&[0.5, 0.6]).is_err() && divergence(&[0.5, 0.5], &[1.0]).is_err());
}

/// G.4.
#[test]
fn divergence_of_univariate_normals() {
    near(normal_divergence((0.0, 1.0), (1.0, 1.0)).unwrap(), 0.5, 1e-15);
    near(normal_divergence((0.0, 1.0), (1.0, 2.0)).unwrap(), 0.3465735903, 1e-10);
    near(normal_divergence((1.0, 2.0), (0.0, 1.0)).unwrap(), 0.6534264097, 1e-10);
    let (p, q) = (Normal::new(0.3, 0.7).unwrap(), Normal::new(-0.5, 1.9).unwrap());
    let direct =
        crate::integral(-12.0, 12.0, 20_000, |x| p.density(x) * (p.log_density(x) - q.log_density(x)));
    near(normal_divergence((0.3, 0.7), (-0.5, 1.9)).unwrap(), direct, 1e-9);
}

/// G.5: `E_p[LLR] = KL(p ‖ q) ≥ 0 ≥ E_q[LLR]`.
#[test]
fn log_likelihood_ratios() {
    let l = log_ratio(&P, &Q).unwrap();
    let mean = |w: &[f64]| w.iter().zip(&l).map(|(w, l)| w * l).sum::<f64>();
    near(mean(&P), divergence(&P, &Q).unwrap(), 1e-14);
    near(mean(&Q), -divergence(&Q, &P).unwrap(), 1e-14);
}

/// EM-04: Jensen's and Gibbs' inequalities.
#[test]
fn jensens_gap() {
    for seed in 0..20 {
        let (p, x) = (random(6, seed), random(6, seed + 50));
        assert!(jensen_gap(&p, &x, |x| x * x).unwrap() >= 0.0);
        assert!(jensen_gap(&p, &x, |x| -x.ln()).unwrap() >= 0.0);
        near(jensen_gap(&p, &[2.0; 6], f64::exp).unwrap(), 0.0, 1e-12);
    }
}

/// G.6, G.8, G.9.
#[test]
fn generalised_entropies_of_points() {
    let (p, x) = ([0.8, 0.2], [1.0, -1.0]);
    near(PointLoss::Squared.entropy(&p, &x).unwrap(), 0.64, 1e-15);
    near(PointLoss::ZeroOne.entropy(&p, &x).unwrap(), 0.2, 1e-15);
    // Brute force over estimates.
    let least = (0..=200)
        .map(|i| f64::from(i) * 0.01 - 1.0)
        .map(|e| 0.8 * (1.0 - e) * (1.0 - e) + 0.2 * (1.0 + e) * (1.0 + e));
    near(least.fold(f64::INFINITY, f64::min), 0.64, 1e-12);
    let joint = array![[0.3, 0.1], [0.05, 0.25], [0.1, 0.2]];
    let values = [0.0, 1.0, 3.0];
    for loss in [PointLoss::Squared, PointLoss::ZeroOne, PointLoss::Log] {
        let all = loss.entropy(&joint.sum_axis(Axis(1)).to_vec(), &values).unwrap();
        let given = loss.conditional_entropy(joint.view(), &values).unwrap();
        assert!(given <= all);
        near(loss.mutual_information(joint.view(), &values).unwrap(), all - given, 1e-12);
        let free = array![[0.06, 0.14], [0.24, 0.56]];
        near(loss.mutual_information(free.view(), &values[..2]).unwrap(), 0.0, 1e-14);
        assert_eq!(loss.entropy(&[0.0, 1.0, 0.0], &values).unwrap(), 0.0);
    }
    near(mutual_information(joint.view()).unwrap(), mutual_information(joint.t()).unwrap(), 1e-14);
    let h = entropy(&joint.sum_axis(Axis(1)).to_vec()).unwrap() - conditional_entropy(joint.view()).unwrap();
    near(mutual_information(joint.view()).unwrap(), h, 1e-14);
    // A single y may leave more uncertainty than no y.
    let odd = array![[0.9, 0.05], [0.0, 0.05]];
    let y = PointLoss::Log.entropy(&[0.5, 0.5], &values[..2]).unwrap();
    assert!(y > PointLoss::Log.entropy(&odd.sum_axis(Axis(1)).to_vec(), &values[..2]).unwrap());
}

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

/// G.7: the logarithm returns p; another loss does not.
#[test]
fn generalised_entropies_of_distributions() {
    let minimiser = Minimiser::new().tolerance(1e-10).max_iterations(2000);
    let (h, best) = distributional_entropy(&P, |q| (-q.ln(), -1.0 / q), &minimiser).unwrap();
    near(h, entropy(&P).unwrap(), 1e-10);
    all_near(&best, &P, 1e-5);
    let (h, best) = distributional_entropy(&P, |q| (1.0 - q, -1.0), &minimiser).unwrap();
    near(h, 0.5, 1e-3);
    assert!(best[0] > 0.99); // all on the mode
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

/// G.19.
#[test]
fn capacity_is_the_minimax_redundancy() {
    let c = channel_capacity(array![[0.9, 0.1], [0.1, 0.9]].view(), 1e-12).unwrap();
    near(bits(c.nats), 0.5310044064, 1e-10);
    all_near(&c.input, &[0.5, 0.5], 1e-9);
    let rows = array![[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4], [0.2, 0.7, 0.1]];
    let c = channel_capacity(rows.view(), 1e-9).unwrap();
    for (row, r) in rows.rows().into_iter().zip(&c.input) {
        let k = divergence(&row.to_vec(), &c.output).unwrap();
        assert!(k <= c.nats + 1e-8 && (*r < 1e-6 || (k - c.nats).abs() < 1e-4));
    }
    let fewer = channel_capacity(rows.slice(ndarray::s![..2, ..]), 1e-9).unwrap();
    assert!(fewer.nats <= c.nats && c.nats <= 3f64.ln());
}

/// E.1.
#[test]
fn kraft_lengths() {
    for seed in 0..10 {
        let p = random(6, seed);
        let l = code_lengths(&p).unwrap();
        assert!(kraft_sum(&l) <= 1.0);
        let mean: f64 = p.iter().zip(&l).map(|(p, l)| p * f64::from(*l)).sum();
        let h = bits(entropy(&p).unwrap());
        assert!(h <= mean && mean < h + 1.0);
    }
    assert_eq!(code_lengths(&[0.5, 0.25, 0.125, 0.125]).unwrap(), [1, 2, 3, 3]);
    assert!(code_lengths(&[1.0, 0.0]).is_err());
}

/// E.2: the data of the notes, polynomials of degree 0 to 8.
#[test]
fn two_part_description_length() {
    let t = array![0.509, 0.409, 1.1, 1.109, 0.109, 0.191, -1.109, -0.95, -0.559, -0.659];
    let want = [19.8529, 14.7442, 16.2466, 11.8371, 13.4666, 10.0131, 11.6720, 11.6887, 12.8913];
    let mut found = Vec::new();
    for (m, want) in want.into_iter().enumerate() {
        // Orthogonal columns, so that the fit is a projection.
        let mut rest = t.clone();
        let mut columns: Vec<Array1<f64>> = Vec::new();
        for degree in (0i32..).take(m + 1) {
            let mut c: Array1<f64> = (0..10).map(|i| (0.1 * f64::from(i) - 0.45).powi(degree)).collect();
            for _ in 0..2 {
                for before in &columns {
                    let dot = c.dot(before);
                    c.scaled_add(-dot, before);
                }
            }
            c /= c.dot(&c).sqrt();
            let dot = rest.dot(&c);
            rest.scaled_add(-dot, &c);
            columns.push(c);
        }
        let loss = rest.dot(&rest) / 10.0;
        let log = -5.0 * (std::f64::consts::TAU * std::f64::consts::E * loss).ln();
        let dl = description_length(log, m + 2, 10.0).unwrap();
        near(dl, want, 1e-4);
        // Half of BIC, in bits.
        near(dl, bits(0.5 * mercer::probability::bayes::bic(log, m + 2, 10.0)), 1e-10);
        found.push(dl);
    }
    let best = (0..9).fold(0, |b, i| if found[i] < found[b] { i } else { b });
    assert_eq!(best, 5);
    assert!(description_length(f64::INFINITY, 3, 10.0).is_err());
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

#[test]
fn estimates_from_samples() {
    let n = Normal::new(0.0, 4.0).unwrap();
    let x = n.sample(2000, 1).unwrap();
    near(histogram_entropy(&x.to_vec(), 30).unwrap(), n.entropy(), 0.06);
    let column = x.clone().insert_axis(Axis(1));
    near(neighbour_entropy(column.view(), 3).unwrap(), n.entropy(), 0.06);
    let m = MultivariateNormal::new(array![0.0, 0.0].view(), array![[1.0, 0.8], [0.8, 1.0]].view()).unwrap();
    let rows = m.sample(1000, 2).unwrap();
    near(neighbour_entropy(rows.view(), 3).unwrap(), m.entropy(), 0.1);
    let information =
        histogram_mutual_information(&rows.column(0).to_vec(), &rows.column(1).to_vec(), 10).unwrap();
    near(information, -0.5 * (1.0f64 - 0.64).ln(), 0.12);
    let other =
        MultivariateNormal::new(array![1.0, 0.0].view(), array![[1.0, 0.0], [0.0, 1.0]].view()).unwrap();
    let far = neighbour_divergence(rows.view(), other.sample(1000, 3).unwrap().view(), 5).unwrap();
    near(far, m.divergence(&other).unwrap(), 0.25);
    assert!(histogram_entropy(&[1.0, 1.0], 1).is_err() && neighbour_entropy(column.view(), 0).is_err());
}

/// T.7: `NLL - KL(p_D ‖ p_θ) = H(p_D)`, whatever θ.
#[test]
fn maximum_likelihood_is_an_m_projection() {
    let x = [0usize, 1, 1, 2, 1, 0];
    let empirical = Categorical::fit(3, &x).unwrap();
    for seed in 0..5 {
        let theta = Categorical::new(&random(3, seed)).unwrap();
        let nll = -x.iter().map(|&x| theta.log_density(x)).sum::<f64>() / 6.0;
        let kl = divergence(empirical.probabilities(), theta.probabilities()).unwrap();
        near(nll - kl, empirical.entropy(), 1e-13);
    }
}
