//! Numbers of twice the digits, each an unevaluated sum of two: what f64 is judged by where f64 itself loses count.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double(pub f64, pub f64);

impl From<f64> for Double {
    fn from(v: f64) -> Self {
        Double(v, 0.0)
    }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let part = s - a;
    (s, (a - (s - part)) + (b - part))
}

fn quick(a: f64, b: f64) -> Double {
    let s = a + b;
    Double(s, b - (s - a))
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.0, other.0);
        let (t, f) = two_sum(self.1, other.1);
        let Double(s, e) = quick(s, e + t);
        quick(s, e + f)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Double(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let p = self.0 * other.0;
        let e = self.0.mul_add(other.0, -p);
        quick(p, e + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Double::from(self.0 / other.0);
        let rest = self - first * other;
        let second = Double::from(rest.0 / other.0);
        let rest = rest - second * other;
        first + second + Double::from(rest.0 / other.0)
    }
}

impl Double {
    pub fn sqrt(self) -> Self {
        if self.0 <= 0.0 {
            return Double(0.0, 0.0);
        }
        let root = Double::from(self.0.sqrt());
        root + (self - root * root) / (root + root)
    }

    /// By its series at a 1024th of the argument, squared ten times.
    pub fn exp(self) -> Self {
        let small = Double(self.0 / 1024.0, self.1 / 1024.0);
        let (mut term, mut sum) = (small, small);
        for k in 2..16 {
            term = term * small / Double::from(f64::from(k));
            sum = sum + term;
        }
        // Of `e^x - 1`, which keeps its digits: `(1 + s)² - 1 = 2s + s²`.
        for _ in 0..10 {
            sum = sum + sum + sum * sum;
        }
        sum + Double::from(1.0)
    }
}
