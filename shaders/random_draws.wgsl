// What is drawn from random words: two normal numbers from two, and a decision from one.
//
// Logarithm, sine and cosine are written out: WGSL allows its own an absolute error of 5e-4. Prepended to what draws.
// Padding: none. Twin: `normals` in src/ops/random.rs and `Threshold` in src/random. Grid: none, this text has no entry.

const SHARE: f32 = 5.9604644775390625e-8; // 2^-24
const LN2: f32 = 0.69314718;

// -ln(k 2^-24) for k in 1..2^24: k = m 2^(e + 1), -ln m = 2 artanh((1 - m) / (1 + m)).
fn minus_log(k: u32) -> f32 {
    if k >= 16777216u { return 0.0; }
    let e = firstLeadingBit(k);
    let top = 2u << e;
    let s = f32(top - k) / f32(top + k);
    let z = s * s;
    var sum = fma(z, 1.0 / 15.0, 1.0 / 13.0);
    sum = fma(z, sum, 1.0 / 11.0);
    sum = fma(z, sum, 1.0 / 9.0);
    sum = fma(z, sum, 1.0 / 7.0);
    sum = fma(z, sum, 0.2);
    sum = fma(z, sum, 1.0 / 3.0);
    return fma(2.0 * s * z, sum, 2.0 * s) + f32(23u - e) * LN2;
}

// Cosine and sine of v 2^-24 turns: of at most an eighth by their series, then so many quarters.
fn on_circle(v: u32) -> vec2<f32> {
    let turned = v + 2097152u;
    let angle = f32(i32(turned & 4194303u) - 2097152) * 3.7450704e-7; // 2 pi 2^-24
    let z = angle * angle;
    let c = fma(z, fma(z, fma(z, fma(z, 2.4801587e-5, -1.3888889e-3), 4.1666668e-2), -0.5), 1.0);
    let s = fma(angle * z, fma(z, fma(z, fma(z, 2.7557319e-6, -1.984127e-4), 8.333333e-3), -0.16666667), angle);
    switch (turned >> 22u) & 3u {
        case 0u: { return vec2(c, s); }
        case 1u: { return vec2(-s, c); }
        case 2u: { return vec2(-c, -s); }
        default: { return vec2(s, -c); }
    }
}

// Box and Muller: two numbers of two words.
fn normals(a: u32, b: u32) -> vec2<f32> {
    return sqrt(2.0 * minus_log((a >> 8u) + 1u)) * on_circle(b >> 8u);
}

// The word against round(p 2^32); below 2^-9 the fraction decides, above there is none.
fn decided(word: u32, p: f32) -> u32 {
    let scaled = p * 4294967296.0;
    if !(scaled < 4294967296.0) { return bitcast<u32>(1.0); }
    let whole = floor(max(scaled, 0.0));
    let threshold = u32(whole) + select(0u, 1u, scaled - whole >= 0.5);
    return select(0u, bitcast<u32>(1.0), word < threshold);
}
