// Pair hidden Markov models: out[pair] = (f, e) with f 2^e the sum over all alignments of two sequences, less the last factor.
//
// A workgroup has a pair. Cells (i, j) of an antidiagonal i + j = s depend on the two before it only, so that lanes share it; a
// cell has the states (match, insertion in x, insertion in y) and an exponent of its own, by which nothing underflows.
// Three antidiagonals of WIDTH cells stand in workgroup memory, the shorter sequence (x) along them.
//
// Twin: `PairHmm::log_value`, by `cpu` in src/ops/pair_hmm.rs. Grid: (across, ceil(count / across), 1).

override WIDTH: u32 = 64u; // letters of the shorter sequence, and one more, at most

struct Params {
    count: u32,  // pairs
    across: u32, // workgroups along x
    letters: u32,
    open: f32,   // an insertion in x: from a match, from itself
    extend: f32,
    mm: f32,     // a match: from the three states
    mu: f32,
    mv: f32,
    vm: f32,     // an insertion in y: from the two others
    vu: f32,
}

@group(0) @binding(0) var<storage, read> emission: array<f32>;       // of matches, letters x letters, then of insertions
@group(0) @binding(1) var<storage, read> code: array<u32>;           // all sequences, one after the other
@group(0) @binding(2) var<storage, read> places: array<vec4<u32>>;   // start and length of x, then of y, a pair
@group(0) @binding(3) var<storage, read_write> out: array<vec2<f32>>;
var<immediate> params: Params;
var<workgroup> cells: array<vec4<f32>, 3 * WIDTH>;

const NOWHERE = vec4(0.0, 0.0, 0.0, -1073741824.0);

// 2^e for e of at most 127; zero below what f32 holds.
fn power(e: i32) -> f32 {
    return select(0.0, bitcast<f32>(u32(max(e, -126) + 127) << 23u), e > -127);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let pair = group.y * params.across + group.x;
    let at = places[min(pair, params.count - 1u)];
    let nx = at.y;
    let ny = at.w;
    let inserted = params.letters * params.letters;
    for (var s = 0u; s <= nx + ny; s++) {
        let now = (s % 3u) * WIDTH;
        let before = ((s + 2u) % 3u) * WIDTH;
        let earlier = ((s + 1u) % 3u) * WIDTH;
        let last = min(s, nx);
        for (var i = s - min(s, ny) + lane; i <= last; i += 64u) {
            let j = s - i;
            var a = NOWHERE; // (i - 1, j)
            var b = NOWHERE; // (i, j - 1)
            var c = NOWHERE; // (i - 1, j - 1)
            let x = code[at.x + max(i, 1u) - 1u];
            let y = code[at.z + max(j, 1u) - 1u];
            if i > 0u { a = cells[before + i - 1u]; }
            if j > 0u { b = cells[before + i]; }
            if i > 0u && j > 0u { c = cells[earlier + i - 1u]; }
            let most = max(max(a.w, b.w), c.w);
            let from_c = fma(params.mm, c.x, fma(params.mu, c.y, params.mv * c.z));
            let from_a = fma(params.open, a.x, params.extend * a.y);
            let from_b = fma(params.vm, b.x, fma(params.vu, b.y, params.extend * b.z));
            var f = vec3(
                emission[x * params.letters + y] * from_c * power(i32(c.w - most)),
                emission[inserted + x] * from_a * power(i32(a.w - most)),
                emission[inserted + y] * from_b * power(i32(b.w - most)),
            );
            let top = max(max(f.x, f.y), f.z);
            let e = i32(bitcast<u32>(top) >> 23u) - 127;
            var cell = select(NOWHERE, vec4(f * power(-e), most + f32(e)), top > 0.0);
            if s == 0u { cell = vec4(1.0, 0.0, 0.0, 0.0); }
            cells[now + i] = cell;
        }
        workgroupBarrier();
    }
    if lane == 0u && pair < params.count {
        let end = cells[((nx + ny) % 3u) * WIDTH + nx];
        out[pair] = vec2(fma(params.mm, end.x, fma(params.mu, end.y, params.mv * end.z)), end.w);
    }
}
