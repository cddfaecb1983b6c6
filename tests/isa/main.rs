//! Every shader through AMD's compiler, for three generations of GPUs, without one: a table, and what must hold of it.
//!
//! `cargo test --test isa` needs Mesa's RADV (Debian's `mesa-vulkan-drivers`). The driver reads the family from its
//! environment, so that each has a process of its own. `cargo test --test isa -- write FOLDER` writes the shaders' texts.

#[path = "../support/mod.rs"]
mod support;

mod mix;
mod radv;
mod spirv;

use std::process::{Command, ExitCode};

use mix::{Loop, Mix, loops};
use radv::{Compiled, Compiler};
use support::assembled::assembled;

const FAMILIES: [&str; 3] = ["NAVI21", "GFX1100", "VEGA10"];
const FAMILY: &str = "RADV_FORCE_FAMILY";

/// Of the kernels the one that all are measured by, as it stands in a pipeline's name.
const PLAIN: &str = ";SqDist@None;Exponential(0, 0);learned";

/// A part of what there is, or of one.
fn ratio(part: u32, of: u32) -> f64 {
    f64::from(part) / f64::from(of.max(1))
}

type Failure = Box<dyn std::error::Error>;

/// A shader with its constants, and what became of it.
struct Shader {
    key: String,
    verb: String,
    entry: String,
    constants: Vec<(String, f64)>,
    compiled: Compiled,
    loops: Vec<Loop>,
}

impl Shader {
    /// Whether a constant has this value.
    fn is(&self, name: &str, value: f64) -> bool {
        self.constants.iter().any(|(n, v)| n == name && *v == value)
    }

    fn line(&self) -> String {
        let (c, hot) = (&self.compiled, self.hot());
        let flags: Vec<String> = self.constants.iter().map(|(n, v)| format!("{n}={v}")).collect();
        format!(
            "{:<22} {:>4} {:>6} {:>6} {:>6} | {:>13} {:>5} {:>5} {:>4.0} % {:>9.2} {:>8} | {:>4.0} % | {}",
            self.verb,
            c.registers,
            c.occupancy,
            c.workgroup_bytes,
            c.spills,
            hot.fma,
            hot.float,
            hot.transcendental + hot.integer,
            100.0 * ratio(hot.fma, hot.vector()),
            ratio(hot.lds_words, hot.fma),
            hot.barriers,
            100.0 * hot.peak(),
            flags.join(" "),
        )
    }

    /// The loop with the most fused products, the innermost of equals.
    fn hot(&self) -> Mix {
        self.loops.iter().max_by_key(|l| (l.own.fma, l.depth)).map_or(Mix::default(), |l| l.own)
    }
}

/// Compiles a shader by its name, `key.entry [("NAME", 1.0), ...]` as the library names its pipelines.
fn compiled(compiler: &Compiler, name: &str, source: &str, checked: bool) -> Result<Shader, Failure> {
    let (front, list) = name.rsplit_once(" [").ok_or("constants end a name")?;
    let (key, entry) = front.rsplit_once('.').ok_or("an entry point ends a key")?;
    let mut constants = Vec::new();
    for pair in list.trim_end_matches(']').split("), ").filter(|p| !p.is_empty()) {
        let (name, value) = pair.split_once(", ").ok_or("a constant is a pair")?;
        let name = name.trim_matches(|c| c == '(' || c == '"');
        constants.push((name.to_owned(), value.trim_end_matches(')').parse()?));
    }
    let compiled = compiler.compile(&spirv::of(source, entry, &constants, checked), entry)?;
    let loops = loops(&compiled.assembly);
    let verb = key.split_whitespace().next().unwrap_or(key).to_owned();
    Ok(Shader { key: key.to_owned(), verb, entry: entry.to_owned(), constants, compiled, loops })
}

/// What does not hold of a shader.
fn complaints(s: &Shader, family: &str) -> Vec<String> {
    let (mut said, hot) = (Vec::new(), s.hot());
    let mut must = |holds: bool, what: String| {
        if !holds {
            said.push(what);
        }
    };
    let share = ratio;
    // Before RDNA whole waves are counted, and a wave has 256 registers of its own: there it says something else.
    let occupied = |least: u64| family == "VEGA10" || s.compiled.occupancy >= least;
    let occupancy = format!("occupancy {}", s.compiled.occupancy);
    let wide = hot.lds_reads == hot.lds_wide;
    // The direct shape runs on software adapters only.
    let hardware = !s.verb.starts_with("gemm_direct");
    let spills = format!("{} registers spilled, {} bytes of scratch", s.compiled.spills, s.compiled.scratch);
    must(!hardware || s.compiled.spills + s.compiled.scratch == 0, spills);
    // Loops with a barrier place rows in workgroup memory, where those past the end are the last one again.
    let inner = hot.fma >= 16 && hot.barriers == 0;
    must(!hardware || !inner || hot.clamps == 0, format!("{} clamps in the hot loop", hot.clamps));
    must(s.compiled.workgroup_bytes <= 16_384, format!("{} bytes of LDS", s.compiled.workgroup_bytes));
    if s.verb.starts_with("gemm_tiled") {
        must(share(hot.fma, hot.vector()) >= 0.85, format!("FMA {} of {}", hot.fma, hot.vector()));
        must(wide && share(hot.lds_words, hot.fma) <= 0.26, format!("{} LDS words", hot.lds_words));
        must(occupied(8), occupancy.clone());
        // The product loop is entered four times for each block of k, which has 1024 products an invocation. The small
        // tile stages twice as much for these, and halves have to be unpacked.
        let outer: u32 = s.loops.iter().filter(|l| l.depth == 1).map(|l| l.own.vector()).sum();
        must(hot.fma == 256, format!("{} products in the loop of four for each block of k", hot.fma));
        let whole = share(1024, 4 * hot.vector() + outer);
        let halves = if s.verb.contains('1') { 0.04 } else { 0.0 };
        let least = if s.is("LANES", 8.0) { 0.88 } else { 0.9 } - halves;
        must(whole >= least, format!("FMA {:.1} % of a block of k", 100.0 * whole));
    }
    // One row of x an invocation against sixteen of y: 64 differences and 64 fused products for each vec4 of features, and what
    // places those rows in workgroup memory. Its own vec4 of x is the only load; lists are touched outside.
    if s.verb.starts_with("nearest_k") {
        must(share(hot.fma + hot.float, hot.vector()) >= 0.85 && hot.float <= hot.fma, format!("{hot:?}"));
        must(wide && hot.loads <= 1 && share(hot.lds_words, hot.fma) <= 1.0, format!("{hot:?}"));
        must(occupied(12), occupancy.clone());
    } else if s.verb.starts_with("nearest") || s.key.contains(PLAIN) {
        must(share(hot.fma + hot.float, hot.vector()) >= 0.95, format!("{hot:?}"));
        must(wide && hot.float <= hot.fma, format!("{hot:?}"));
        must(occupied(12), occupancy);
        let epilogue = s.loops.iter().find(|l| l.depth == 1).map_or(0, |l| l.own.vector());
        must(
            !s.is("ONE", 1.0) || epilogue <= 100,
            format!("{epilogue} vector instructions beside the pairs"),
        );
    }
    if s.verb.starts_with("gram_sum") {
        // The loops that reduce are those of the derivatives by each feature's weight.
        for l in s.loops.iter().filter(|l| l.depth >= 2 && l.own.barriers > 0) {
            must(l.own.barriers <= 3 && l.own.lds_reads <= 40, format!("{:?} a vec4 of features", l.own));
        }
    }
    // A vec4 an invocation: x, the centre and the weight in, one of two products out; only the weight is less than four words.
    if s.verb == "moments" {
        let all = mix::whole(&s.compiled.assembly);
        must(all.loads + all.stores - all.wide <= 1 && all.stores <= 2, format!("{all:?}"));
    }
    // Of a pair one reciprocal, and in the plane four fused products; nothing is loaded, and one point read for four pairs.
    if s.verb == "tsne_forces" && s.entry == "push" {
        let useful = hot.fma + hot.float + hot.transcendental;
        must(share(useful, hot.vector()) >= 0.9 && 4 * hot.transcendental <= hot.fma, format!("{hot:?}"));
        must(hot.loads == 0 && 4 * hot.lds_reads <= hot.transcendental, format!("{hot:?}"));
        must(occupied(8), format!("occupancy {}", s.compiled.occupancy));
    }
    if s.verb == "gaussian_log_density" && s.entry == "full" {
        must(hot.loads == 0, format!("{} loads in the hot loop", hot.loads));
        // Of eight rows of W with 16 features: 128 fused products, but x - m once more and the squares.
        must(!s.is("STAGED", 4.0) || share(hot.fma, hot.vector()) >= 0.75, format!("{hot:?}"));
        must(!s.is("STAGED", 4.0) || occupied(8), format!("occupancy {}", s.compiled.occupancy));
    }
    said
}

/// All shaders of one family: prints the table, and says how many complaints there are.
fn child(family: &str) -> Result<usize, Failure> {
    let compiler = Compiler::open()?;
    let mut all = assembled();
    all.sort();
    all.dedup();
    println!("{family}: {} shaders", all.len());
    println!(
        "{:<22} VGPR  waves    LDS spills | hot loop: FMA float other  FMA   words/FMA barriers | peak | constants",
        ""
    );
    let (mut count, mut seen) = (0, std::collections::HashSet::new());
    let mut complain = |name: &str, what: &str| {
        println!("    FAILED {name}: {what}");
        count += 1;
    };
    // A name that no longer fits would make criteria hold of nothing.
    let mut verbs = vec!["gemm_tiled", "gram", "gram_vec", "gram_sum", "nearest", "nearest_k"];
    verbs.extend(["gaussian_log_density", "tsne_forces", "moments"]);
    for verb in verbs {
        let measured = |name: &str| name.contains(PLAIN) || !verb.starts_with("gram");
        if !all.iter().any(|(name, _)| name.starts_with(verb) && measured(name)) {
            complain(verb, "no shader to measure");
        }
    }
    // Products of halves, and kernels of halves stored as halves.
    for half in ["gemm_tiled11", "gemm_tiled10", "gram11", "gram_vec11"] {
        if !all.iter().any(|(name, _)| name.starts_with(half)) {
            complain(half, "no shader of half storage");
        }
    }
    for (name, source) in &all {
        let shader = compiled(&compiler, name, source, false)?;
        let line = shader.line();
        // Kernels of the same shape make the same line.
        if seen.insert(line.clone()) {
            println!("{line}");
        }
        for what in complaints(&shader, family) {
            complain(name, &what);
        }
        // With checks on, a product still spends three quarters of its hot loop on fused products.
        if shader.verb.starts_with("gemm_tiled") {
            let hot = compiled(&compiler, name, source, true)?.hot();
            if 4 * hot.fma < 3 * hot.vector() {
                complain(name, &format!("checked: FMA {} of {}", hot.fma, hot.vector()));
            }
        }
    }
    Ok(count)
}

/// Writes the text of every shader once into a folder, for other compilers.
fn write(folder: &str) -> std::io::Result<usize> {
    let texts: std::collections::BTreeSet<String> = assembled().into_iter().map(|(_, text)| text).collect();
    std::fs::create_dir_all(folder)?;
    for (i, text) in texts.iter().enumerate() {
        std::fs::write(format!("{folder}/{i:03}.wgsl"), text)?;
    }
    Ok(texts.len())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, folder] = &args[..]
        && word == "write"
    {
        return match write(folder) {
            Ok(count) => {
                println!("{count} shaders in {folder}");
                ExitCode::SUCCESS
            }
            Err(e) => {
                println!("{folder}: {e}");
                ExitCode::FAILURE
            }
        };
    }
    if let Ok(family) = std::env::var(FAMILY) {
        return match child(&family) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(count) => {
                println!("{family}: {count} criteria are not met");
                ExitCode::FAILURE
            }
            Err(e) => {
                println!("{family}: {e}; is mesa-vulkan-drivers installed?");
                ExitCode::FAILURE
            }
        };
    }
    let here = std::env::current_exe().expect("this test is a file");
    let icd = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
    let mut good = true;
    for family in FAMILIES {
        let status = Command::new(&here)
            .env(FAMILY, family)
            .env("VK_ICD_FILENAMES", icd)
            .env("VK_DRIVER_FILES", icd)
            .env_remove("VK_ADD_DRIVER_FILES")
            .status();
        good &= status.is_ok_and(|s| s.success());
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
