//! What information is good for: capacity, code lengths, description lengths; and estimates of it from samples.

use mercer::probability::distributions::{Normal, Univariate};
use mercer::probability::gaussian::MultivariateNormal;
use mercer::probability::information::*;
use ndarray::{Array1, Axis, array};

use crate::information::random;
use crate::{all_near, near};

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
