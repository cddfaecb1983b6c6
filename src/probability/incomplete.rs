//! Incomplete gamma and beta functions with their digits in the tails, for parameters of any size. Checked against 40 digits
//! on a grid to 1e8 in `tests/probability/large.rs`.
//!
//! Up to a bound by series and continued fractions, of `O(√a)` terms; beyond it by Temme's uniform expansions about the normal
//! distribution, `DLMF` 8.12 and 8.18(ii).

use super::normal;
use super::stirling::{LN_TAU, binomial, deviance, poisson};

/// From this shape on three terms of the uniform expansion of the incomplete gamma function are exact to rounding.
const UNIFORM_GAMMA: f64 = 1e4;
/// From here on, both shapes, the first term of that of the incomplete beta function is: the next is of `1/a`.
const UNIFORM_BETA: f64 = 1e10;
/// Most terms of a continued fraction; it takes about `5 √a`.
const MOST: usize = 10_000_000;

/// Powers of η in `c_0`, `c_1`, `c_2`: `c_0 = 1/(λ-1) - 1/η`, `η c_k = c_{k-1}' + g_k η/(λ-1)`. Made by
/// `tests/oracle/large.py`.
const TEMME: [&[f64]; 3] = [
    &[
        -3.333_333_333_333_333e-1,
        8.333_333_333_333_333e-2,
        -1.481_481_481_481_481_5e-2,
        1.157_407_407_407_407_3e-3,
        3.527_336_860_670_194e-4,
        -1.787_551_440_329_218e-4,
        3.919_263_178_522_438e-5,
        -2.185_448_510_679_992_4e-6,
        -1.854_062_210_715_16e-6,
        8.296_711_340_953_087e-7,
        -1.766_595_273_682_607_8e-7,
        6.707_853_543_401_498e-9,
        1.026_180_978_424_030_9e-8,
        -4.382_036_018_453_353e-9,
    ],
    &[
        -1.851_851_851_851_852e-3,
        -3.472_222_222_222_222e-3,
        2.645_502_645_502_645_4e-3,
        -9.902_263_374_485_596e-4,
        2.057_613_168_724_279_8e-4,
        -4.018_775_720_164_609e-7,
        -1.809_855_033_448_997_7e-5,
        7.649_160_916_081_11e-6,
    ],
    &[4.133_597_883_597_883e-3, -2.681_327_160_493_827_3e-3, 7.716_049_382_716_049e-4],
];

/// `P(a, x)` and `Q(a, x)` about the normal distribution: `Q = Φ(-η√a) + φ(η√a)/√a Σ c_k(η) a^-k`, `½η² = λ - 1 - ln λ`,
/// `λ = x/a`.
fn uniform_gamma(a: f64, x: f64) -> (f64, f64) {
    let half_square = deviance(a, x);
    if half_square > 800.0 {
        return if x < a { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    let z = (2.0 * half_square).sqrt().copysign(x - a);
    let eta = z / a.sqrt();
    let series = |c: &[f64]| c.iter().rev().fold(0.0, |s, c| s * eta + c);
    let sum = TEMME.iter().rev().fold(0.0, |s, c| s / a + series(c));
    let rest = (-half_square - 0.5 * (LN_TAU + a.ln())).exp() * sum;
    (normal::cdf(z) - rest, normal::cdf(-z) + rest)
}

/// `P(a, x) = γ(a, x)/Γ(a)`, the regularised lower incomplete gamma function, for a > 0 and x ≥ 0; NaN elsewhere.
///
/// By its series below `a + 1`, where it is not close to one; from `a = 1e4` on by the uniform expansion.
pub fn gamma_lower(a: f64, x: f64) -> f64 {
    match x {
        _ if !(a > 0.0 && x >= 0.0) => f64::NAN,
        0.0 => 0.0,
        f64::INFINITY => 1.0,
        _ if a == f64::INFINITY => 0.0,
        _ if a >= UNIFORM_GAMMA => uniform_gamma(a, x).0,
        _ if x >= a + 1.0 => 1.0 - gamma_upper(a, x),
        _ => {
            let (mut term, mut sum, mut k) = (1.0, 1.0, a);
            while term > 1e-17 * sum {
                k += 1.0;
                term *= x / k;
                sum += term;
            }
            (poisson(a, x).exp() * sum).min(1.0)
        }
    }
}

/// `Q(a, x) = 1 - P(a, x)`, with its own digits where it is small: from `a + 1` on by Lentz's continued fraction.
pub fn gamma_upper(a: f64, x: f64) -> f64 {
    match x {
        _ if !(a > 0.0 && x >= 0.0) => f64::NAN,
        0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ if a == f64::INFINITY => 1.0,
        _ if a >= UNIFORM_GAMMA => uniform_gamma(a, x).1,
        _ if x < a + 1.0 => 1.0 - gamma_lower(a, x),
        _ => {
            let mut b = x + 1.0 - a;
            let mut c = f64::MAX;
            let mut d = 1.0 / b;
            let mut fraction = d;
            for i in 1..MOST {
                let n = -(i as f64) * (i as f64 - a);
                b += 2.0;
                d = 1.0 / (n * d + b);
                c = b + n / c;
                let step = c * d;
                fraction *= step;
                if (step - 1.0).abs() < 1e-16 {
                    break;
                }
            }
            (poisson(a, x).exp() * a * fraction).min(1.0)
        }
    }
}

/// `I_x(a, b)`, the regularised incomplete beta function, for a, b > 0 and x in [0, 1]; NaN elsewhere.
///
/// Of ten digits as far as `1 - x` has them: from `a = b = 1e12` on, the last bit of x is worth more.
pub fn beta_lower(a: f64, b: f64, x: f64) -> f64 {
    beta_parts(a, b, x, 1.0 - x)
}

/// `I_x(a, b)` from x and `y = 1 - x`, either of which may be the one that is known to more digits.
pub(super) fn beta_parts(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let inside = a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
    match x {
        _ if !inside || a.is_infinite() || b.is_infinite() => f64::NAN,
        0.0 => 0.0,
        _ if y == 0.0 => 1.0,
        _ if a.min(b) >= UNIFORM_BETA => uniform_beta(a, b, x, y),
        // Beyond about the mean the other side is the smaller, and its fraction the faster.
        _ if (a + 1.0) * y < (b + 1.0) * x => 1.0 - beta_parts_below(b, a, y, x),
        _ => beta_parts_below(a, b, x, y),
    }
}

/// `x^a y^b/B(a, b)` times the continued fraction of Didonato and Morris (1992), for x below about the mean; of x it takes
/// `(a + b)y - b`, which has its digits where x is close to one.
fn beta_parts_below(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let scale = binomial(a, b, x, y).exp() * a * (b / n);
    let less = 1.0 + if a > b { n * y - b } else { a - n * x };
    let first = less / (1.0 + 1.0 / a);
    let (mut c, mut d) = (first, 0.0);
    let mut fraction = first;
    for i in 1..MOST {
        let k = i as f64;
        let s = a + 2.0 * k - 1.0;
        let w = k * (b - k) * x;
        let numerator = (a + k - 1.0) / s * ((n + k - 1.0) / s) * (w * x);
        let denominator = k + w / s + (a + k) / (s + 2.0) * (less + k * (1.0 + y));
        d = (denominator + numerator * d).recip();
        c = denominator + numerator / c;
        let step = c * d;
        fraction *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (scale / fraction).clamp(0.0, 1.0)
}

/// `Φ(η√n) + φ(η√n)/√n (1/η - √(ab)/n/(x - a/n))`, `n = a + b`, `½nη² = a ln(a/nx) + b ln(b/ny)`.
fn uniform_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let half_square = deviance(a, n * x) + deviance(b, n * y);
    let off = if x < y { x - a / n } else { b / n - y };
    let z = (2.0 * half_square).sqrt().copysign(off);
    let width = (a / n * (b / n)).sqrt();
    // At the mean it is a difference of infinities, and constant to z/n.
    let first = if z.abs() < 0.5 { (b - a) / n / (3.0 * width) } else { n.sqrt() / z - width / off };
    (normal::cdf(z) + (-half_square - 0.5 * (LN_TAU + n.ln())).exp() * first).clamp(0.0, 1.0)
}
