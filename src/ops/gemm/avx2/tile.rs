//! Four packed rows times twelve packed columns, in registers.

use std::arch::x86_64::{__m256d, _mm256_setzero_pd};

/// One term of the 48 sums.
macro_rules! term {
    ($p:literal) => {
        concat!(
            "vmovapd ymm12, [{b} + 96*",
            $p,
            "]\n",
            "vmovapd ymm13, [{b} + 96*",
            $p,
            " + 32]\n",
            "vmovapd ymm14, [{b} + 96*",
            $p,
            " + 64]\n",
            "vbroadcastsd ymm15, [{a} + 32*",
            $p,
            "]\n",
            "vfmadd231pd ymm0, ymm15, ymm12\n",
            "vfmadd231pd ymm1, ymm15, ymm13\n",
            "vfmadd231pd ymm2, ymm15, ymm14\n",
            "vbroadcastsd ymm15, [{a} + 32*",
            $p,
            " + 8]\n",
            "vfmadd231pd ymm3, ymm15, ymm12\n",
            "vfmadd231pd ymm4, ymm15, ymm13\n",
            "vfmadd231pd ymm5, ymm15, ymm14\n",
            "vbroadcastsd ymm15, [{a} + 32*",
            $p,
            " + 16]\n",
            "vfmadd231pd ymm6, ymm15, ymm12\n",
            "vfmadd231pd ymm7, ymm15, ymm13\n",
            "vfmadd231pd ymm8, ymm15, ymm14\n",
            "vbroadcastsd ymm15, [{a} + 32*",
            $p,
            " + 24]\n",
            "vfmadd231pd ymm9, ymm15, ymm12\n",
            "vfmadd231pd ymm10, ymm15, ymm13\n",
            "vfmadd231pd ymm11, ymm15, ymm14\n",
        )
    };
}

/// The sums over `terms` of 4 packed rows times 12 packed columns, row by row.
///
/// # Safety
/// The panels hold so many terms, `b` is aligned, and the machine has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
#[rustfmt::skip]
pub(super) unsafe fn tile(terms: usize, a: *const f64, b: *const f64) -> [__m256d; 12] {
    let mut sums = [_mm256_setzero_pd(); 12];
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11] = &mut sums;
    // SAFETY: reads `terms` rows of both panels, and writes the registers it names.
    unsafe {
        std::arch::asm!(
            "test {fours}, {fours}",
            "jz 3f",
            ".p2align 4",
            "2:",
            term!("0"), term!("1"), term!("2"), term!("3"),
            "add {a}, 128",
            "add {b}, 384",
            "dec {fours}",
            "jnz 2b",
            "3:",
            "test {rest}, {rest}",
            "jz 5f",
            "4:",
            term!("0"),
            "add {a}, 32",
            "add {b}, 96",
            "dec {rest}",
            "jnz 4b",
            "5:",
            a = inout(reg) a => _,
            b = inout(reg) b => _,
            fours = inout(reg) terms / 4 => _,
            rest = inout(reg) terms % 4 => _,
            inout("ymm0") *s0, inout("ymm1") *s1, inout("ymm2") *s2, inout("ymm3") *s3,
            inout("ymm4") *s4, inout("ymm5") *s5, inout("ymm6") *s6, inout("ymm7") *s7,
            inout("ymm8") *s8, inout("ymm9") *s9, inout("ymm10") *s10, inout("ymm11") *s11,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(nostack, readonly),
        );
    }
    sums
}
