//! The loops over all variables that every step of the solver makes, in the vector registers of the machine at hand.

#![allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]

use std::ops::Range;

use pulp::Arch;

/// Values that are looked at before a maximum is located.
const CHUNK: usize = 64;
/// Sums or maxima side by side.
const LANES: usize = 8;

/// `f += Σ c row`, over these columns of the rows.
pub(super) fn add_rows(f: &mut [f64], rows: &[(&[f64], f64)], columns: Range<usize>) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (fours, rest) = rows.as_chunks::<4>();
            // f passes through the registers once for four rows.
            for [(r0, c0), (r1, c1), (r2, c2), (r3, c3)] in fours {
                let [r0, r1, r2, r3] = [r0, r1, r2, r3].map(|r| &r[columns.clone()]);
                for ((((f, a), b), c), d) in f.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
                    *f += (c0 * a + c1 * b) + (c2 * c + c3 * d);
                }
            }
            for (row, by) in rest {
                for (f, a) in f.iter_mut().zip(&row[columns.clone()]) {
                    *f += by * a;
                }
            }
        },
    );
}

/// `v -= e (b_i row_i + b_j row_j)`.
pub(super) fn step(v: &mut [f64], e: &[f64], (row_i, by_i): (&[f64], f64), (row_j, by_j): (&[f64], f64)) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (((v, e), a), b) in v.iter_mut().zip(e).zip(row_i).zip(row_j) {
                *v -= e * (by_i * a + by_j * b);
            }
        },
    );
}

/// The largest `v + up` with its place, and the least `v + low`; the place is that of the first of equals.
pub(super) fn extremes(v: &[f64], up: &[f64], low: &[f64]) -> (f64, usize, f64) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (mut top, mut at, mut bottom) = (f64::NEG_INFINITY, usize::MAX, f64::INFINITY);
            let mut raised = [0.0; CHUNK];
            for ((first, v), (up, low)) in
                (0..).step_by(CHUNK).zip(v.chunks(CHUNK)).zip(up.chunks(CHUNK).zip(low.chunks(CHUNK)))
            {
                let raised = &mut raised[..v.len()];
                for ((r, v), up) in raised.iter_mut().zip(v).zip(up) {
                    *r = v + up;
                }
                let here = largest(raised);
                if here > top {
                    top = here;
                    at = first + raised.iter().position(|r| *r == here).unwrap_or(0);
                }
                for ((r, v), low) in raised.iter_mut().zip(v).zip(low) {
                    *r = -(v + low);
                }
                bottom = smaller(-largest(raised), bottom);
            }
            (top, at, bottom)
        },
    )
}

/// What is known of the first variable of a step: its `v`, its e, its `k(x, x)`, and the least curvature.
pub(super) struct First {
    pub top: f64,
    pub sign: f64,
    pub diagonal: f64,
    pub flat: f64,
}

/// The variable whose step down with the first one's step up gains most, if it gains more than `best`: its gain and place.
pub(super) fn partner(
    first: &First,
    (v, low): (&[f64], &[f64]),
    (e, diagonal): (&[f64], &[f64]),
    row: &[f64],
    best: f64,
) -> Option<(f64, usize)> {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (mut best, mut found) = (best, None);
            let mut gains = [0.0; CHUNK];
            for start in (0..v.len()).step_by(CHUNK) {
                let part = start..v.len().min(start + CHUNK);
                let (v, low, e) = (&v[part.clone()], &low[part.clone()], &e[part.clone()]);
                let (diagonal, row, gains) =
                    (&diagonal[part.clone()], &row[part.clone()], &mut gains[..part.len()]);
                for i in 0..v.len() {
                    let slope = larger(first.top - (v[i] + low[i]), 0.0);
                    let curvature = first.diagonal + diagonal[i] - 2.0 * first.sign * e[i] * row[i];
                    gains[i] = slope * slope / larger(curvature, first.flat);
                }
                let here = largest(gains);
                if here > best {
                    best = here;
                    found = gains.iter().position(|g| *g == here).map(|i| (here, start + i));
                }
            }
            found
        },
    )
}

/// The larger of two numbers, in one instruction: the second if the first is no number.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for part in whole {
        for l in 0..LANES {
            lanes[l] = larger(part[l], lanes[l]);
        }
    }
    rest.iter().chain(&lanes).fold(f64::NEG_INFINITY, |m, v| larger(*v, m))
}
