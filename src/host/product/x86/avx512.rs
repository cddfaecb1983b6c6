//! Eight packed rows times twenty-four packed columns, in the registers of AVX-512.

use std::arch::x86_64::{_mm512_fnmadd_pd, _mm512_load_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_store_pd};

use super::tile::Tile;

/// The columns of the three vectors of a term are in zmm0 to zmm2, the 192 sums in zmm8 to zmm31.
pub(super) struct Avx512;

/// Row `r` of the `p`th term from where the pointers stand.
#[rustfmt::skip]
macro_rules! row {
    ($p:literal, $r:literal, $a:literal, $s0:literal, $s1:literal, $s2:literal) => {
        concat!(
            "vbroadcastsd ", $a, ", [{a} + 64*", $p, " + 8*", $r, "]\n",
            "vfmadd231pd ", $s0, ", ", $a, ", zmm0\n",
            "vfmadd231pd ", $s1, ", ", $a, ", zmm1\n",
            "vfmadd231pd ", $s2, ", ", $a, ", zmm2\n",
        )
    };
}

#[rustfmt::skip]
macro_rules! term {
    ($p:literal) => {
        concat!(
            "vmovapd zmm0, [{b} + 192*", $p, "]\n",
            "vmovapd zmm1, [{b} + 192*", $p, " + 64]\n",
            "vmovapd zmm2, [{b} + 192*", $p, " + 128]\n",
            row!($p, "0", "zmm3", "zmm8", "zmm9", "zmm10"),
            row!($p, "1", "zmm4", "zmm11", "zmm12", "zmm13"),
            row!($p, "2", "zmm5", "zmm14", "zmm15", "zmm16"),
            row!($p, "3", "zmm6", "zmm17", "zmm18", "zmm19"),
            row!($p, "4", "zmm3", "zmm20", "zmm21", "zmm22"),
            row!($p, "5", "zmm4", "zmm23", "zmm24", "zmm25"),
            row!($p, "6", "zmm5", "zmm26", "zmm27", "zmm28"),
            row!($p, "7", "zmm6", "zmm29", "zmm30", "zmm31"),
        )
    };
}

/// One row of the result: alpha is in zmm0, beta in zmm1.
#[rustfmt::skip]
macro_rules! put {
    ($s0:literal, $s1:literal, $s2:literal) => {
        concat!(
            "vmulpd ", $s0, ", ", $s0, ", zmm0\n",
            "vmulpd ", $s1, ", ", $s1, ", zmm0\n",
            "vmulpd ", $s2, ", ", $s2, ", zmm0\n",
            "test {reads}, {reads}\n",
            "jz 6f\n",
            "vfmadd231pd ", $s0, ", zmm1, [{c}]\n",
            "vfmadd231pd ", $s1, ", zmm1, [{c} + 64]\n",
            "vfmadd231pd ", $s2, ", zmm1, [{c} + 128]\n",
            "6:\n",
            "vmovupd [{c}], ", $s0, "\n",
            "vmovupd [{c} + 64], ", $s1, "\n",
            "vmovupd [{c} + 128], ", $s2, "\n",
            "add {c}, {stride}\n",
        )
    };
}

impl Tile for Avx512 {
    const TALL: usize = 8;
    const WIDE: usize = 24;
    const TERMS: usize = 256;
    const ROWS: usize = 96;

    #[target_feature(enable = "avx512f")]
    #[rustfmt::skip]
    unsafe fn run(terms: usize, a: *const f64, b: *const f64, c: *mut f64, stride: usize, scales: [f64; 2], next: *const f64) {
        // The rows of c are needed once their sums are done: asked for one by one, they do not hold up the panels.
        let ahead = (terms / 4).min(Self::TALL);
        // SAFETY: reads `terms` rows of both panels, reads and writes the tile, and names the registers it writes.
        unsafe {
            std::arch::asm!(
                "vpxorq zmm8, zmm8, zmm8", "vpxorq zmm9, zmm9, zmm9", "vpxorq zmm10, zmm10, zmm10",
                "vpxorq zmm11, zmm11, zmm11", "vpxorq zmm12, zmm12, zmm12", "vpxorq zmm13, zmm13, zmm13",
                "vpxorq zmm14, zmm14, zmm14", "vpxorq zmm15, zmm15, zmm15", "vpxorq zmm16, zmm16, zmm16",
                "vpxorq zmm17, zmm17, zmm17", "vpxorq zmm18, zmm18, zmm18", "vpxorq zmm19, zmm19, zmm19",
                "vpxorq zmm20, zmm20, zmm20", "vpxorq zmm21, zmm21, zmm21", "vpxorq zmm22, zmm22, zmm22",
                "vpxorq zmm23, zmm23, zmm23", "vpxorq zmm24, zmm24, zmm24", "vpxorq zmm25, zmm25, zmm25",
                "vpxorq zmm26, zmm26, zmm26", "vpxorq zmm27, zmm27, zmm27", "vpxorq zmm28, zmm28, zmm28",
                "vpxorq zmm29, zmm29, zmm29", "vpxorq zmm30, zmm30, zmm30", "vpxorq zmm31, zmm31, zmm31",
                "test {ahead}, {ahead}",
                "jz 3f",
                ".p2align 4",
                "2:",
                "prefetcht1 [{next}]",
                "prefetcht0 [{row}]",
                term!("0"),
                "prefetcht0 [{row} + 64]",
                term!("1"),
                "prefetcht0 [{row} + 128]",
                term!("2"),
                "prefetcht0 [{row} + 191]",
                term!("3"),
                "add {row}, {stride}",
                "add {next}, 64",
                "add {a}, 256",
                "add {b}, 768",
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
                "add {a}, 256",
                "add {b}, 768",
                "dec {fours}",
                "jnz 7b",
                "8:",
                "test {rest}, {rest}",
                "jz 5f",
                "4:",
                term!("0"),
                "add {a}, 64",
                "add {b}, 192",
                "dec {rest}",
                "jnz 4b",
                "5:",
                "vbroadcastsd zmm0, [{scales}]",
                "vbroadcastsd zmm1, [{scales} + 8]",
                put!("zmm8", "zmm9", "zmm10"), put!("zmm11", "zmm12", "zmm13"),
                put!("zmm14", "zmm15", "zmm16"), put!("zmm17", "zmm18", "zmm19"),
                put!("zmm20", "zmm21", "zmm22"), put!("zmm23", "zmm24", "zmm25"),
                put!("zmm26", "zmm27", "zmm28"), put!("zmm29", "zmm30", "zmm31"),
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
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _,
                out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _, out("zmm18") _,
                out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm24") _,
                out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _,
                out("zmm31") _,
                options(nostack),
            );
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn substitute(t: *const f64, x: *mut f64) {
        for c in (0..Self::WIDE).step_by(8) {
            // SAFETY: the triangle is 8 x 8, and x has 8 aligned rows of 24.
            unsafe {
                let mut rows: [_; 8] = std::array::from_fn(|r| _mm512_load_pd(x.add(r * Self::WIDE + c)));
                for r in 0..8 {
                    for q in 0..r {
                        rows[r] = _mm512_fnmadd_pd(_mm512_set1_pd(*t.add(q * 8 + r)), rows[q], rows[r]);
                    }
                    rows[r] = _mm512_mul_pd(rows[r], _mm512_set1_pd(*t.add(r * 8 + r)));
                    _mm512_store_pd(x.add(r * Self::WIDE + c), rows[r]);
                }
            }
        }
    }
}
