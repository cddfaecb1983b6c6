//! A tile of a product: so many sums that they just fill the registers.

/// The shape of a tile, how operands are cut for it, and the loop that fills it. A type for each instruction set.
pub(super) trait Tile {
    /// Rows of A in a panel.
    const TALL: usize;
    /// Columns of B in a panel.
    const WIDE: usize;
    /// Terms of the sums that a panel holds.
    const TERMS: usize;
    /// Rows of A whose panels stay in the second cache.
    const ROWS: usize;

    /// `c = alpha a b + beta c` for the scales `[alpha, beta]`, where c is a whole tile whose rows are `stride` entries
    /// apart; it is not read if beta is zero. From `next` on, a line for every four terms is fetched into the second
    /// cache meanwhile; that may lie anywhere.
    ///
    /// # Safety
    /// The panels hold so many terms, `b` is aligned to 64 bytes, c is there, and the machine has the instructions.
    unsafe fn run(
        terms: usize,
        a: *const f64,
        b: *const f64,
        c: *mut f64,
        stride: usize,
        scales: [f64; 2],
        next: *const f64,
    );

    /// `x = t⁻¹ x` for `TALL` rows of `WIDE`: t is packed by columns, with the inverse of its diagonal.
    ///
    /// # Safety
    /// As [`Tile::run`], and x is aligned like b.
    unsafe fn substitute(t: *const f64, x: *mut f64);
}
