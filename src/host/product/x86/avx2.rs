//! Four packed rows times twelve packed columns, in the registers of AVX2.
//!
//! In assembly because the compiler moves one of the twelve vectors of sums to memory, which halves its speed.

use std::arch::x86_64::{_mm256_fnmadd_pd, _mm256_load_pd, _mm256_mul_pd, _mm256_set1_pd, _mm256_store_pd};

use super::tile::Tile;

/// The columns of the three vectors of a term are in ymm12 to ymm14, the 48 sums in ymm0 to ymm11.
pub(super) struct Avx2;

/// Row `r` of the `p`th term from where the pointers stand.
#[rustfmt::skip]
macro_rules! row {
    ($p:literal, $r:literal, $s0:literal, $s1:literal, $s2:literal) => {
        concat!(
            "vbroadcastsd ymm15, [{a} + 32*", $p, " + 8*", $r, "]\n",
            "vfmadd231pd ", $s0, ", ymm15, ymm12\n",
            "vfmadd231pd ", $s1, ", ymm15, ymm13\n",
            "vfmadd231pd ", $s2, ", ymm15, ymm14\n",
        )
    };
}

#[rustfmt::skip]
macro_rules! term {
    ($p:literal) => {
        concat!(
            "vmovapd ymm12, [{b} + 96*", $p, "]\n",
            "vmovapd ymm13, [{b} + 96*", $p, " + 32]\n",
            "vmovapd ymm14, [{b} + 96*", $p, " + 64]\n",
            row!($p, "0", "ymm0", "ymm1", "ymm2"),
            row!($p, "1", "ymm3", "ymm4", "ymm5"),
            row!($p, "2", "ymm6", "ymm7", "ymm8"),
            row!($p, "3", "ymm9", "ymm10", "ymm11"),
        )
    };
}

/// One row of the result: alpha is in ymm12, beta in ymm13.
#[rustfmt::skip]
macro_rules! put {
    ($s0:literal, $s1:literal, $s2:literal) => {
        concat!(
            "vmulpd ", $s0, ", ", $s0, ", ymm12\n",
            "vmulpd ", $s1, ", ", $s1, ", ymm12\n",
            "vmulpd ", $s2, ", ", $s2, ", ymm12\n",
            "test {reads}, {reads}\n",
            "jz 6f\n",
            "vfmadd231pd ", $s0, ", ymm13, [{c}]\n",
            "vfmadd231pd ", $s1, ", ymm13, [{c} + 32]\n",
            "vfmadd231pd ", $s2, ", ymm13, [{c} + 64]\n",
            "6:\n",
            "vmovupd [{c}], ", $s0, "\n",
            "vmovupd [{c} + 32], ", $s1, "\n",
            "vmovupd [{c} + 64], ", $s2, "\n",
            "add {c}, {stride}\n",
        )
    };
}

impl Tile for Avx2 {
    const TALL: usize = 4;
    const WIDE: usize = 12;
    const TERMS: usize = 256;
    const ROWS: usize = 32;

    #[target_feature(enable = "avx2,fma")]
    #[rustfmt::skip]
    unsafe fn run(terms: usize, a: *const f64, b: *const f64, c: *mut f64, stride: usize, scales: [f64; 2], next: *const f64) {
        // The rows of c are needed once their sums are done: asked for one by one, they do not hold up the panels.
        let ahead = (terms / 4).min(Self::TALL);
        // SAFETY: reads `terms` rows of both panels, reads and writes the tile, and names the registers it writes.
        unsafe {
            std::arch::asm!(
                "vpxor ymm0, ymm0, ymm0", "vpxor ymm1, ymm1, ymm1", "vpxor ymm2, ymm2, ymm2",
                "vpxor ymm3, ymm3, ymm3", "vpxor ymm4, ymm4, ymm4", "vpxor ymm5, ymm5, ymm5",
                "vpxor ymm6, ymm6, ymm6", "vpxor ymm7, ymm7, ymm7", "vpxor ymm8, ymm8, ymm8",
                "vpxor ymm9, ymm9, ymm9", "vpxor ymm10, ymm10, ymm10", "vpxor ymm11, ymm11, ymm11",
                "test {ahead}, {ahead}",
                "jz 3f",
                ".p2align 4",
                "2:",
                "prefetcht1 [{next}]",
                "prefetcht0 [{row}]",
                term!("0"), term!("1"),
                "prefetcht0 [{row} + 95]",
                term!("2"), term!("3"),
                "add {row}, {stride}",
                "add {next}, 64",
                "add {a}, 128",
                "add {b}, 384",
                "dec {ahead}",
                "jnz 2b",
                "3:",
                "test {fours}, {fours}",
                "jz 8f",
                ".p2align 4",
                "7:",
                "prefetcht1 [{next}]",
                term!("0"), term!("1"), term!("2"), term!("3"),
                "add {next}, 64",
                "add {a}, 128",
                "add {b}, 384",
                "dec {fours}",
                "jnz 7b",
                "8:",
                "test {rest}, {rest}",
                "jz 5f",
                "4:",
                term!("0"),
                "add {a}, 32",
                "add {b}, 96",
                "dec {rest}",
                "jnz 4b",
                "5:",
                "vbroadcastsd ymm12, [{scales}]",
                "vbroadcastsd ymm13, [{scales} + 8]",
                put!("ymm0", "ymm1", "ymm2"), put!("ymm3", "ymm4", "ymm5"),
                put!("ymm6", "ymm7", "ymm8"), put!("ymm9", "ymm10", "ymm11"),
                // The compiler does not look into this text: it would leave the upper halves in use.
                "vzeroupper",
                a = inout(reg) a => _,
                b = inout(reg) b => _,
                c = inout(reg) c => _,
                stride = in(reg) 8 * stride,
                scales = in(reg) scales.as_ptr(),
                reads = in(reg) usize::from(scales[1] != 0.0),
                row = inout(reg) c => _,
                next = inout(reg) next => _,
                ahead = inout(reg) ahead => _,
                fours = inout(reg) terms / 4 - ahead => _,
                rest = inout(reg) terms % 4 => _,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _,
                out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
                options(nostack),
            );
        }
    }

    #[target_feature(enable = "avx2,fma")]
    unsafe fn substitute(t: *const f64, x: *mut f64) {
        for c in (0..Self::WIDE).step_by(4) {
            // SAFETY: the triangle is 4 x 4, and x has 4 aligned rows of 12.
            unsafe {
                let mut rows: [_; 4] = std::array::from_fn(|r| _mm256_load_pd(x.add(r * Self::WIDE + c)));
                for r in 0..4 {
                    for q in 0..r {
                        rows[r] = _mm256_fnmadd_pd(_mm256_set1_pd(*t.add(q * 4 + r)), rows[q], rows[r]);
                    }
                    rows[r] = _mm256_mul_pd(rows[r], _mm256_set1_pd(*t.add(r * 4 + r)));
                    _mm256_store_pd(x.add(r * Self::WIDE + c), rows[r]);
                }
            }
        }
    }
}
