//! What a piece of AMD's machine code consists of.

use std::collections::HashMap;
use std::ops::{AddAssign, RangeInclusive};

/// Instructions by kind, each counted once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mix {
    pub fma: u32,
    pub float: u32,
    pub transcendental: u32,
    pub integer: u32,
    pub lds_reads: u32,
    /// Of these, the ones of four words.
    pub lds_wide: u32,
    pub lds_words: u32,
    pub loads: u32,
    /// Loads and stores of global memory that move four words.
    pub wide: u32,
    pub stores: u32,
    pub barriers: u32,
    /// Indices that are held below a length.
    pub clamps: u32,
}

impl Mix {
    /// All vector instructions.
    pub fn vector(&self) -> u32 {
        self.fma + self.float + self.transcendental + self.integer
    }

    /// The share of the peak that the loop allows: a vector instruction takes a slot; workgroup memory, which two units share,
    /// two slots for a word beside them; whichever takes longer counts.
    pub fn peak(&self) -> f64 {
        let slots = self.vector().max(2 * self.lds_words).max(1);
        f64::from(self.fma) / f64::from(slots)
    }

    fn count(&mut self, op: &str) {
        let starts = |list: &[&str]| list.iter().any(|p| op.starts_with(p));
        let base = op.replacen("v_dual_", "v_", 1);
        let four = op.contains("dwordx4") || op.ends_with("b128");
        self.clamps += u32::from(starts(&["v_min_u32", "v_min_i32", "v_med3_u32", "v_med3_i32"]));
        let float = ["add", "sub", "subrev", "mul", "min", "max", "ldexp", "mul_legacy"];
        if starts(&["v_fma", "v_pk_fma", "v_mad_f32", "v_mac_f32", "v_dual_fma"]) {
            self.fma += 1;
        } else if starts(&["v_exp", "v_log", "v_rcp", "v_rsq", "v_sqrt", "v_sin", "v_cos"]) {
            self.transcendental += 1;
        } else if starts(&["v_div_", "v_dot"])
            || float.iter().any(|f| base.starts_with(&format!("v_{f}_f32")))
        {
            self.float += 1;
        } else if op.starts_with("v_") {
            self.integer += 1;
        } else if starts(&["ds_read", "ds_load"]) {
            self.lds_reads += 1;
            self.lds_wide += u32::from(op.ends_with("b128"));
            let words = ["b32", "b64", "b96", "b128"]
                .iter()
                .position(|w| op.ends_with(w))
                .map_or(1, |w| w as u32 + 1);
            let twice = op.starts_with("ds_read2") || op.starts_with("ds_load_2addr");
            self.lds_words += words * (1 + u32::from(twice));
        } else if starts(&["buffer_load", "global_load"]) {
            self.loads += 1;
            self.wide += u32::from(four);
        } else if starts(&["buffer_store", "global_store"]) {
            self.stores += 1;
            self.wide += u32::from(four);
        } else if op.starts_with("s_barrier") {
            self.barriers += 1;
        }
    }
}

impl AddAssign for Mix {
    fn add_assign(&mut self, o: Self) {
        self.fma += o.fma;
        self.float += o.float;
        self.transcendental += o.transcendental;
        self.integer += o.integer;
        self.lds_reads += o.lds_reads;
        self.lds_wide += o.lds_wide;
        self.lds_words += o.lds_words;
        self.loads += o.loads;
        self.wide += o.wide;
        self.stores += o.stores;
        self.barriers += o.barriers;
        self.clamps += o.clamps;
    }
}

/// A loop: how deep it lies, and what it consists of without the loops inside it.
#[derive(Debug, Clone, Copy)]
pub struct Loop {
    pub depth: usize,
    pub own: Mix,
}

/// The blocks of a disassembly, by their numbers.
fn blocks(text: &str) -> Vec<(u32, Vec<&str>)> {
    let mut blocks: Vec<(u32, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("BB").and_then(|l| l.split(':').next()?.parse().ok()) {
            blocks.push((number, Vec::new()));
        } else if let Some((_, code)) = blocks.last_mut() {
            let code_only = line.split(';').next().unwrap_or("").trim();
            code.extend(code_only.split(" :: ").filter(|part| !part.is_empty()));
        }
    }
    blocks
}

/// All instructions of a disassembly.
pub fn whole(text: &str) -> Mix {
    let mut all = Mix::default();
    let lines = blocks(text).into_iter().flat_map(|(_, code)| code);
    lines.for_each(|line| all.count(line.split_whitespace().next().unwrap_or("")));
    all
}

/// The loops of a disassembly, outer before inner.
pub fn loops(text: &str) -> Vec<Loop> {
    let blocks = blocks(text);
    // A branch may name a block that was merged into the next.
    let place = |target: u32| blocks.iter().position(|(number, _)| *number >= target).unwrap_or(blocks.len());
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for (at, (_, code)) in blocks.iter().enumerate() {
        for target in code.iter().filter_map(|line| {
            let target = line.strip_prefix("s_branch").or_else(|| line.strip_prefix("s_cbranch"))?;
            target.split("BB").nth(1)?.trim().parse().ok()
        }) {
            let first = place(target);
            if first <= at {
                let end = ends.entry(first).or_insert(at);
                *end = at.max(*end);
            }
        }
    }
    let mut spans: Vec<RangeInclusive<usize>> = ends.into_iter().map(|(first, last)| first..=last).collect();
    spans.sort_by_key(|span| (*span.start(), usize::MAX - span.end()));
    let inside =
        |a: &RangeInclusive<usize>, b: &RangeInclusive<usize>| b.contains(a.start()) && b.contains(a.end());
    let of = |span: &RangeInclusive<usize>| {
        let inner: Vec<_> = spans.iter().filter(|other| *other != span && inside(other, span)).collect();
        let mut own = Mix::default();
        for at in span.clone().filter(|at| !inner.iter().any(|other| other.contains(at))) {
            blocks[at].1.iter().for_each(|line| own.count(line.split_whitespace().next().unwrap_or("")));
        }
        Loop { depth: spans.iter().filter(|other| inside(span, other)).count(), own }
    };
    spans.iter().map(of).collect()
}
