//! Elementary functions without branches or tables, which the compiler turns into vector code.
//!
//! They are inlined into functions compiled for the machine's own instruction set. `FMA` says whether that set has
//! a fused multiply-add: without one `f64::mul_add` is a slow library call. Checked against `std`.

/// a·b + c.
#[inline(always)]
pub(crate) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// eˣ to within 2 units in the last place; 0 far below, ∞ far above, NaN for NaN.
///
/// x = n ln 2 + r with |r| ≤ ½ ln 2, a polynomial for eʳ, then 2ⁿ in two factors so that subnormal results and the
/// last binade before overflow come out right.
#[inline(always)]
pub(crate) fn exp<const FMA: bool>(x: f64) -> f64 {
    // Adding this rounds to an integer, which then stands in the low bits.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    const LN2_HI: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    // Comparisons that are false for NaN let it through, as `clamp` by min and max would not.
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let k = fma::<FMA>(x, std::f64::consts::LOG2_E, SHIFT);
    let n = k - SHIFT;
    let r = fma::<FMA>(n, -LN2_LO, fma::<FMA>(n, -LN2_HI, x));
    // In pairs, pairs of pairs and so on: a chain of five instead of eleven.
    let (r2, pair) = (r * r, |low: f64, high: f64| fma::<FMA>(high, r, low));
    let r4 = r2 * r2;
    let a = fma::<FMA>(
        pair(4.166_666_666_666_650_5e-2, 8.333_333_333_316_527e-3),
        r2,
        pair(0.5, 0.166_666_666_666_666_85),
    );
    let b = fma::<FMA>(
        pair(2.480_158_715_923_547_3e-5, 2.755_723_629_119_288_3e-6),
        r2,
        pair(1.388_888_888_897_745e-3, 1.984_126_989_605_092e-4),
    );
    let c =
        fma::<FMA>(2.088_606_211_072_837e-9, r2, pair(2.755_739_112_349_004_7e-7, 2.511_129_308_928_765e-8));
    let p = fma::<FMA>(fma::<FMA>(c, r4, b), r4, a);
    let p = fma::<FMA>(r2, p, r) + 1.0;
    let biased = k.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(2046);
    let half = biased >> 1;
    p * f64::from_bits(half << 52) * f64::from_bits(biased.wrapping_sub(half) << 52)
}

/// sin(πt) and cos(πt) up to the common sign (-1)^round(t), which their products and squares do not see.
#[inline(always)]
pub(crate) fn sin_cos_pi<const FMA: bool>(t: f64) -> (f64, f64) {
    // The same trick rounds to the nearest integer; beyond 2^51 there is no fraction left to keep.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let whole = if t.abs() < 2.251_799_813_685_248e15 { (t + SHIFT) - SHIFT } else { t };
    let x = std::f64::consts::PI * (t - whole);
    let y = x * x;
    // Taylor series to x²¹ and x²²: below rounding for |x| ≤ π/2.
    let (mut s, mut c) = (1.0, 1.0);
    for i in 0..10 {
        s = fma::<FMA>(s, y * RATIO[2 * i + 1], 1.0);
        c = fma::<FMA>(c, y * RATIO[2 * i], 1.0);
    }
    (x * s, fma::<FMA>(-0.5 * y, c, 1.0))
}

/// -1/(k(k + 1)) for k = 21, 20, ..., 2: the ratios of neighbouring terms, smallest first.
const RATIO: [f64; 20] = {
    let mut a = [0.0; 20];
    let mut i = 0;
    while i < 20 {
        let k = 21 - i;
        a[i] = -1.0 / (k * (k + 1)) as f64;
        i += 1;
    }
    a
};

/// Σ h(i) over i < n, with eight running sums; n must be a multiple of eight.
#[inline(always)]
pub(crate) fn sum(n: usize, h: impl Fn(usize) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    for i in (0..n).step_by(8) {
        for (l, lane) in lanes.iter_mut().enumerate() {
            *lane += h(i + l);
        }
    }
    lanes.iter().sum()
}

/// ln(1 + v) - v/(1 + v) for v ≥ 0, without cancellation: with z = v/(2 + v) it is
/// 2z²/(1 + z) + 2(z³/3 + z⁵/5 + ...).
pub(crate) fn log1p_excess(v: f64) -> f64 {
    if v > 0.1 {
        return v.ln_1p() - v / (1.0 + v);
    }
    let z = v / (2.0 + v);
    let y = z * z;
    let series = (0..7).rev().fold(0.0, |s, k| s * y + 1.0 / f64::from(2 * k + 3));
    2.0 * y / (1.0 + z) + 2.0 * z * y * series
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact values are what is tested")]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> f64 {
        if a == b {
            return 0.0;
        }
        let ulp = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
        (a - b).abs() / ulp
    }

    #[test]
    fn exp_is_within_two_units() {
        let mut worst: f64 = 0.0;
        for i in 0..2_000_000 {
            let x = -745.0 + 1454.7 * f64::from(i) / 2e6 + 1e-7 * f64::from(i % 17);
            worst = worst.max(ulps(exp::<true>(x), x.exp())).max(ulps(exp::<false>(x), x.exp()));
        }
        for i in 0..200_000 {
            let x = -2.0 + 4.0 * f64::from(i) / 2e5;
            worst = worst.max(ulps(exp::<true>(x), x.exp())).max(ulps(exp::<false>(x), x.exp()));
        }
        assert!(worst <= 2.0, "{worst} ulp");
    }

    #[test]
    fn exp_at_the_ends() {
        for (x, want) in [
            (0.0, 1.0),
            (-0.0, 1.0),
            (f64::NEG_INFINITY, 0.0),
            (f64::INFINITY, f64::INFINITY),
            (-1e6, 0.0),
            (1e6, f64::INFINITY),
            (-746.0, 0.0),
            (709.79, f64::INFINITY),
        ] {
            assert_eq!(exp::<true>(x), want, "{x}");
            assert_eq!(exp::<false>(x), want, "{x}");
        }
        assert!(exp::<true>(f64::NAN).is_nan() && exp::<false>(f64::NAN).is_nan());
        assert!(exp::<true>(709.78).is_finite());
        assert!(exp::<true>(-745.1) > 0.0);
    }

    #[test]
    fn sine_and_cosine_of_pi_t() {
        for i in -4000..4000 {
            let t = f64::from(i) * 0.000_731;
            let (s, c) = sin_cos_pi::<true>(t);
            let r = std::f64::consts::PI * (t - t.round());
            assert!((s - r.sin()).abs() < 4e-16 && (c - r.cos()).abs() < 4e-16, "{t}: {s} {c}");
        }
        assert_eq!(sin_cos_pi::<true>(3.0), (0.0, 1.0));
        assert_eq!(sin_cos_pi::<false>(1e300).0, 0.0);
    }

    #[test]
    fn excess_joins_its_two_branches() {
        for v in [1e-9, 1e-4, 0.05, 0.0999, 0.1001, 2.0_f64] {
            let z = v / (2.0 + v);
            let series: f64 = (0..400).map(|k| z.powi(2 * k + 3) / f64::from(2 * k + 3)).sum();
            let want = 2.0 * z * z / (1.0 + z) + 2.0 * series;
            assert!((log1p_excess(v) - want).abs() <= 1e-14 * want, "{v}");
        }
    }
}
