//! Backpropagation against complex steps, `∂f/∂w = Im f(w + ih)/h` with h = 1e-100: nothing cancels, so that all digits must
//! agree. The networks are written here once more, in complex numbers.

use std::ops::{Add, Div, Mul, Neg, Sub};

use mercer::prelude::*;
use ndarray::Array2;

use crate::support::random;
use crate::{all_near, parameters};

const H: f64 = 1e-100;

#[derive(Debug, Clone, Copy, PartialEq)]
struct C(f64, f64);

impl Add for C {
    type Output = C;
    fn add(self, o: C) -> C {
        C(self.0 + o.0, self.1 + o.1)
    }
}

impl Sub for C {
    type Output = C;
    fn sub(self, o: C) -> C {
        C(self.0 - o.0, self.1 - o.1)
    }
}

impl Mul for C {
    type Output = C;
    fn mul(self, o: C) -> C {
        C(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }
}

impl Div for C {
    type Output = C;
    fn div(self, o: C) -> C {
        let size = o.0 * o.0 + o.1 * o.1;
        C((self.0 * o.0 + self.1 * o.1) / size, (self.1 * o.0 - self.0 * o.1) / size)
    }
}

impl Neg for C {
    type Output = C;
    fn neg(self) -> C {
        C(-self.0, -self.1)
    }
}

impl C {
    fn real(v: f64) -> C {
        C(v, 0.0)
    }

    fn exp(self) -> C {
        let size = self.0.exp();
        C(size * self.1.cos(), size * self.1.sin())
    }

    fn ln(self) -> C {
        C(0.5 * (self.0 * self.0 + self.1 * self.1).ln(), self.1.atan2(self.0))
    }
}

fn unit(h: Activation, a: C) -> C {
    let one = C::real(1.0);
    match h {
        Activation::Identity => a,
        Activation::Sigmoid => one / (one + (-a).exp()),
        Activation::Tanh => {
            let (up, down) = (a.exp(), (-a).exp());
            (up - down) / (up + down)
        }
        Activation::Relu => {
            if a.0 > 0.0 {
                a
            } else {
                C::real(0.0)
            }
        }
        Activation::Softplus => (one + a.exp()).ln(),
        Activation::Step => C::real(f64::from(u8::from(a.0 > 0.0))),
        other => panic!("{other:?} has no form in complex numbers here"),
    }
}

fn sum(all: impl Iterator<Item = C>) -> C {
    all.fold(C::real(0.0), |s, v| s + v)
}

/// `W x + b`; what is left of the parameters.
fn dense<'a>(w: &'a [C], x: &[C], outputs: usize) -> (Vec<C>, &'a [C]) {
    let (matrix, rest) = w.split_at(outputs * x.len());
    let (bias, rest) = rest.split_at(outputs);
    let row = |o: usize| sum(x.iter().zip(&matrix[o * x.len()..]).map(|(x, w)| *w * *x));
    ((0..outputs).map(|o| row(o) + bias[o]).collect(), rest)
}

fn loss(of: OutputLoss, a: &[C], t: &[f64]) -> C {
    let t: Vec<C> = t.iter().map(|t| C::real(*t)).collect();
    let pairs = || a.iter().copied().zip(t.iter().copied());
    match of {
        OutputLoss::Gaussian => sum(pairs().map(|(a, t)| C::real(0.5) * (a - t) * (a - t))),
        OutputLoss::Bernoulli => sum(pairs().map(|(a, t)| (C::real(1.0) + a.exp()).ln() - t * a)),
        OutputLoss::Softmax => {
            let total = sum(a.iter().map(|a| a.exp())).ln();
            sum(pairs().map(|(a, t)| t * (total - a)))
        }
        OutputLoss::Poisson => sum(pairs().map(|(a, t)| a.exp() - t * a)),
        other => panic!("{other:?} has no form in complex numbers here"),
    }
}

/// `∂f/∂w_j` for every j.
fn slopes(w: &[f64], f: impl Fn(&[C]) -> C) -> Vec<f64> {
    let mut at: Vec<C> = w.iter().map(|v| C::real(*v)).collect();
    (0..w.len())
        .map(|j| {
            at[j].1 = H;
            let found = f(&at).1 / H;
            at[j].1 = 0.0;
            found
        })
        .collect()
}

fn row(x: &Array2<f64>, n: usize) -> Vec<C> {
    x.row(n).iter().map(|v| C::real(*v)).collect()
}

/// The gradient by backpropagation of a loss over all rows.
fn gradient(net: &Network, w: &[f64], x: &Array2<f64>, of: OutputLoss, t: &Array2<f64>) -> Vec<f64> {
    let tape = net.record(w, x, None).unwrap();
    let delta = of.delta(tape.output().view(), t.view(), None).unwrap();
    net.backward(w, &tape, &delta).unwrap().parameters
}

#[test]
fn dense_layers_with_every_unit_and_loss() {
    let x = random(6, 3, 41);
    let losses = [
        (OutputLoss::Gaussian, random(6, 2, 42)),
        (OutputLoss::Bernoulli, random(6, 2, 43).mapv(|v| f64::from(u8::from(v > 0.0)))),
        (OutputLoss::Softmax, Array2::from_shape_fn((6, 2), |(n, k)| f64::from(u8::from(n % 2 == k)))),
        (OutputLoss::Poisson, random(6, 2, 44).mapv(|v| (3.0 + 3.0 * v).round())),
    ];
    for h in [
        Activation::Identity,
        Activation::Sigmoid,
        Activation::Tanh,
        Activation::Relu,
        Activation::Softplus,
        Activation::Step,
    ] {
        let net = Network::mlp(3, &[5, 4], 2, h).unwrap();
        let w = parameters(&net, 45);
        for (of, t) in &losses {
            let whole = |w: &[C]| {
                sum((0..x.nrows()).map(|n| {
                    let (a, rest) = dense(w, &row(&x, n), 5);
                    let a: Vec<C> = a.into_iter().map(|a| unit(h, a)).collect();
                    let (a, rest) = dense(rest, &a, 4);
                    let a: Vec<C> = a.into_iter().map(|a| unit(h, a)).collect();
                    loss(*of, &dense(rest, &a, 2).0, &t.row(n).to_vec())
                }))
            };
            let got = gradient(&net, &w, &x, *of, t);
            all_near(&got, &slopes(&w, whole), 1e-13, &format!("{h:?}, {of:?}"));
        }
    }
}

/// `x + inner(x)`, a mask, and a convolution with pools of both kinds.
#[test]
fn residual_sparse_and_convolutional_layers() {
    let (x, t) = (random(4, 3, 46), random(4, 2, 47));
    let inner = Network::mlp(3, &[4], 3, Activation::Tanh).unwrap();
    let net = Network::new(vec![Layer::residual(inner), Layer::dense(3, 2)]).unwrap();
    let w = parameters(&net, 48);
    let whole = |w: &[C]| {
        sum((0..4).map(|n| {
            let own = row(&x, n);
            let (a, rest) = dense(w, &own, 4);
            let a: Vec<C> = a.into_iter().map(|a| unit(Activation::Tanh, a)).collect();
            let (a, rest) = dense(rest, &a, 3);
            let a: Vec<C> = a.into_iter().zip(&own).map(|(a, x)| a + *x).collect();
            loss(OutputLoss::Gaussian, &dense(rest, &a, 2).0, &t.row(n).to_vec())
        }))
    };
    all_near(&gradient(&net, &w, &x, OutputLoss::Gaussian, &t), &slopes(&w, whole), 1e-13, "residual");

    let mask = ndarray::array![[true, false, true], [false, true, true]];
    let net = Network::new(vec![Layer::sparse(&mask), Layer::activate(2, Activation::Softplus)]).unwrap();
    let w = parameters(&net, 49);
    let whole = |w: &[C]| {
        let open: Vec<C> = w
            .iter()
            .zip(mask.iter().chain(&[true; 2]))
            .map(|(w, m)| if *m { *w } else { C::real(0.0) })
            .collect();
        sum((0..4).map(|n| {
            let a = dense(&open, &row(&x, n), 2).0.into_iter().map(|a| unit(Activation::Softplus, a));
            loss(OutputLoss::Gaussian, &a.collect::<Vec<_>>(), &t.row(n).to_vec())
        }))
    };
    all_near(&gradient(&net, &w, &x, OutputLoss::Gaussian, &t), &slopes(&w, whole), 1e-13, "sparse");

    // Two channels of 4 x 4, three filters of 3 x 3 with a border of zeros, pools of 2 x 2.
    let picture = Picture { channels: 2, height: 4, width: 4 };
    let (x, t) = (random(3, 32, 50), random(3, 12, 51));
    for pooling in [Pooling::Mean, Pooling::Max] {
        let first = Layer::convolution(picture, 3, 3, 1, 1);
        let second = Layer::pool(first.picture().unwrap(), 2, pooling);
        let net = Network::new(vec![first, second, Layer::activate(12, Activation::Sigmoid)]).unwrap();
        let w = parameters(&net, 52);
        let whole = |w: &[C]| {
            sum((0..3).map(|n| {
                let own = row(&x, n);
                let at = |f: usize, i: usize, j: usize| {
                    let place = |c: usize, a: usize, b: usize| {
                        let inside = (1..5).contains(&(i + a)) && (1..5).contains(&(j + b));
                        if inside { own[16 * c + 4 * (i + a - 1) + j + b - 1] } else { C::real(0.0) }
                    };
                    let weight = |c: usize, a: usize, b: usize| w[((f * 2 + c) * 3 + a) * 3 + b];
                    let all = (0..18).map(|p| (p / 9, p / 3 % 3, p % 3));
                    sum(all.map(|(c, a, b)| weight(c, a, b) * place(c, a, b))) + w[54 + f]
                };
                let pooled = |p: usize| {
                    let (f, i, j) = (p / 4, 2 * (p / 2 % 2), 2 * (p % 2));
                    let four = [at(f, i, j), at(f, i, j + 1), at(f, i + 1, j), at(f, i + 1, j + 1)];
                    match pooling {
                        Pooling::Mean => C::real(0.25) * sum(four.into_iter()),
                        Pooling::Max => {
                            four.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap()
                        }
                    }
                };
                let a: Vec<C> = (0..12).map(|p| unit(Activation::Sigmoid, pooled(p))).collect();
                loss(OutputLoss::Gaussian, &a, &t.row(n).to_vec())
            }))
        };
        let got = gradient(&net, &w, &x, OutputLoss::Gaussian, &t);
        all_near(&got, &slopes(&w, whole), 1e-13, &format!("convolution, {pooling:?}"));
    }
}
