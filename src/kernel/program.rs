//! The straight-line program that an expression lowers to, the same for both devices.
//!
//! A pair (x, y) enters through *statistics*, each a weighted sum over columns of the prepared data Z; instructions
//! in single-assignment form turn those into the value. Numbers that depend on hyper-parameters live in *slots* and
//! in *weights*, and linear *links* carry derivatives by slots and weights back to the parameters.

use std::sync::Arc;

use super::custom::Custom;
use super::expr::Table;
use super::map::MapFn;

/// Index of a statistic.
pub(crate) type StatId = usize;
/// Index of a slot.
pub(crate) type SlotId = usize;
/// Index of an instruction, which is also the name of its value.
pub(crate) type ValueId = usize;

/// What a statistic sums over features; `a` and `b` are the two values of one feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// (a - b)².
    SqDist,
    /// a·b.
    Dot,
    /// |a - b|.
    L1,
    /// sin²(π(a - b)·slot): the slot holds the frequency 1/period.
    SinSq(SlotId),
    /// The derivative of [`Form::SinSq`] by its slot: π(a - b) sin(2π(a - b)·slot).
    SinSqSlope(SlotId),
    /// a².
    NormX,
    /// b².
    NormY,
    /// a.
    SumX,
    /// b.
    SumY,
    /// A user's term; only the GPU sums it, the CPU calls the closure on the whole points.
    Custom(usize),
    /// A user's term for the derivative by one parameter.
    CustomSlope(usize, usize),
}

/// Σ over `cols` of weight · form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stat {
    pub form: Form,
    /// Columns of Z, all different.
    pub cols: Vec<usize>,
    /// `cols` as stretches of neighbours: (index into `cols`, first column, length).
    pub runs: Vec<(usize, usize, usize)>,
    /// One for each entry of `cols`; ones if absent.
    pub weights: Option<Vec<f64>>,
    /// Whether the weights depend on parameters.
    pub learned: bool,
    /// Needed for derivatives only.
    pub gradient_only: bool,
}

impl Stat {
    pub fn new(form: Form, cols: &[usize], weights: Option<Vec<f64>>) -> Self {
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, &c) in cols.iter().enumerate() {
            match runs.last_mut() {
                Some((_, first, len)) if *first + *len == c => *len += 1,
                _ => runs.push((at, c, 1)),
            }
        }
        let learned = weights.is_some();
        Stat { form, cols: cols.to_vec(), runs, weights, learned, gradient_only: false }
    }
}

/// One step; it may use statistics, slots and the values of earlier steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Instr {
    /// The slot.
    Constant(SlotId),
    /// The statistic.
    Stat(StatId),
    /// slot·s + slot.
    Affine(StatId, SlotId, SlotId),
    /// exp(slot·s): Gaussian, Laplacian, periodic, exponential.
    Exponential(StatId, SlotId),
    /// Matérn of order p/2 for p = 1, 3, 5, at u = slot·s.
    Matern(u8, StatId, SlotId),
    /// Matérn of any order at u = slot·s.
    MaternNu(f64, StatId, SlotId),
    /// (1 + u/(2α))^-α at u = slot·s; the second slot is α.
    Rational(StatId, SlotId, SlotId),
    /// (1 + u)^-α at u = slot·s; the second slot is α.
    RationalBeta(StatId, SlotId, SlotId),
    /// dot/√(nx·ny).
    Cosine { dot: StatId, nx: StatId, ny: StatId },
    /// The network kernel; `scale` multiplies all statistics, `sq` is the squared distance under the same weights.
    Arcsine { dot: StatId, nx: StatId, ny: StatId, sq: StatId, scale: SlotId, bias: SlotId },
    /// The slot on the diagonal of one data set, 0 elsewhere.
    White(SlotId),
    /// Entry (x, y) of the precomputed matrix of that number.
    Lookup { table: usize, x: StatId, y: StatId },
    /// A user's kernel: its number, its statistic, its first slot, its statistics for derivatives.
    Custom { id: usize, stat: StatId, slots: SlotId, slopes: Vec<StatId> },
    /// tanh(v).
    Tanh(ValueId),
    /// v + v.
    Add(ValueId, ValueId),
    /// v·v.
    Mul(ValueId, ValueId),
    /// slot·v.
    Scale(ValueId, SlotId),
    /// v^m.
    PowI(ValueId, u32),
    /// exp(v).
    Exp(ValueId),
    /// Σᵣ slotᵣ vʳ, with consecutive slots: the first and their number.
    Horner(ValueId, SlotId, usize),
}

/// Columns of Z computed from others before any tile: one application of a map or a matrix.
#[derive(Debug, Clone)]
pub(crate) struct Derived {
    pub source: Vec<usize>,
    pub function: Function,
    pub first: usize,
}

/// How derived columns are computed.
#[derive(Debug, Clone)]
pub(crate) enum Function {
    Map(MapFn),
    Matrix(Arc<Table>),
}

/// d slot / d parameter.
#[derive(Debug, Clone)]
pub(crate) struct SlotLink {
    pub slot: SlotId,
    pub param: usize,
    pub slope: f64,
}

/// d weight / d parameter, for the weight of entry `at` of the columns of a statistic.
#[derive(Debug, Clone)]
pub(crate) struct WeightLink {
    pub stat: StatId,
    pub at: usize,
    pub param: usize,
    pub slope: f64,
}

/// A kernel ready to run on points with `d` features.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Features of the raw points.
    pub d: usize,
    /// Columns of Z: the raw features, then the derived columns.
    pub dz: usize,
    /// The number of hyper-parameters of the kernel.
    pub params: usize,
    pub stats: Vec<Stat>,
    pub code: Vec<Instr>,
    pub slots: Vec<f64>,
    pub tables: Vec<Arc<Table>>,
    pub customs: Vec<Arc<Custom>>,
    pub derived: Vec<Derived>,
    pub slot_links: Vec<SlotLink>,
    pub weight_links: Vec<WeightLink>,
    /// Raw or derived columns that hold indices into a table: (column, table).
    pub indices: Vec<(usize, usize)>,
}

impl Program {
    /// The slots that parameters reach, in the order of the scalar gradient.
    pub(crate) fn learned_slots(&self) -> Vec<SlotId> {
        (0..self.slots.len()).filter(|&s| self.slot_links.iter().any(|l| l.slot == s)).collect()
    }

    /// The statistics whose weights parameters reach, in the order of the weight gradients.
    pub(crate) fn learned_stats(&self) -> Vec<StatId> {
        (0..self.stats.len()).filter(|&s| self.stats[s].learned).collect()
    }

    /// Turns sums over pairs into derivatives by the parameters, on the natural scale.
    ///
    /// `scalar` has one entry for each learned slot, `weight` one vector over the columns of Z for each learned
    /// statistic, both as the generated WGSL numbers them.
    pub(crate) fn chain(&self, scalar: &[f64], weight: &[Vec<f64>]) -> Vec<f64> {
        let mut out = vec![0.0; self.params];
        let slots = self.learned_slots();
        for l in &self.slot_links {
            let at = slots.binary_search(&l.slot).expect("a linked slot is learned");
            out[l.param] += l.slope * scalar[at];
        }
        let stats = self.learned_stats();
        for l in &self.weight_links {
            let at = stats.binary_search(&l.stat).expect("a linked statistic is learned");
            out[l.param] += l.slope * weight[at][self.stats[l.stat].cols[l.at]];
        }
        out
    }
}
