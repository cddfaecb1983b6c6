//! Generated WGSL: valid for every back end, independent of parameter values, and honest about what it cannot do.

use std::collections::HashMap;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::zoo;
use crate::Error;
use crate::kernel::{Custom, Kernel};

const VALUE: &str = "
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var s = stats_zero();
  for (var p = 0u; p < 2u; p++) {
    s = stats_add(s, p, x[p], x[p + 1u], x[p + 2u], x[p + 3u], x[p + 4u]);
  }
  out[id.x] = kernel_value(s, vec4<f32>(0.0));
GRADIENT
}
";

const GRADIENT: &str = "
  var g: array<f32, G>;
  let ds = kernel_grad(s, vec4<f32>(0.0), vec4<f32>(1.0), &g);
  for (var k = 0u; k < NWEIGHT; k++) {
    out[id.x] += weight_term(k, ds, 0u, x[0], x[1], x[2], x[3], x[4]);
  }
  for (var k = 0u; k < NGRAD; k++) {
    out[id.x].x += g[k];
  }
";

/// The kernel's text with a small entry point, as a tile shader would use it.
fn shader(k: &Kernel, gradient: bool) -> String {
    let source = k.program_for("test", 3).unwrap().wgsl(gradient).unwrap().source;
    source + &VALUE.replace("GRADIENT", if gradient { GRADIENT } else { "" })
}

fn validate(source: &str) -> Result<(naga::Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string(source))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .map_err(|e| e.emit_to_string(source))?;
    Ok((module, info))
}

fn on_gpu() -> Vec<Kernel> {
    let mut all = zoo::leaves();
    all.extend(zoo::composites());
    all.push(Kernel::precomputed(ndarray::Array2::eye(5)) + Kernel::rbf(1.0).on([1, 2]));
    all
}

#[test]
fn every_back_end_accepts_every_kernel() {
    for k in on_gpu() {
        for gradient in [false, true] {
            let source = shader(&k, gradient);
            let (module, info) = validate(&source).unwrap_or_else(|e| panic!("{k}: {e}\n{source}"));
            naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None)
                .unwrap_or_else(|e| panic!("SPIR-V of {k}: {e}"));
            let msl = naga::back::msl::Options { fake_missing_bindings: true, ..Default::default() };
            naga::back::msl::write_string(&module, &info, &msl, &naga::back::msl::PipelineOptions::default())
                .unwrap_or_else(|e| panic!("MSL of {k}: {e}"));
            let hlsl = naga::back::hlsl::Options { fake_missing_bindings: true, ..Default::default() };
            let mut text = String::new();
            naga::back::hlsl::Writer::new(&mut text, &hlsl, &naga::back::hlsl::PipelineOptions::default())
                .write(&module, &info, None)
                .unwrap_or_else(|e| panic!("HLSL of {k}: {e}"));
        }
    }
}

#[test]
fn text_depends_on_structure_and_not_on_values() {
    for k in on_gpu() {
        let values: Vec<f64> = k.params().iter().map(|p| p.value * 1.5 + 0.1).collect();
        let other = k.with_values(&values).unwrap();
        // Equal values must not make two weight vectors one.
        let level = k.with_values(&vec![1.0; values.len()]).unwrap();
        for gradient in [false, true] {
            let [a, b, c] =
                [&k, &other, &level].map(|k| k.program_for("test", 3).unwrap().wgsl(gradient).unwrap());
            assert_eq!((&a.source, &a.key), (&b.source, &b.key), "{k}");
            assert_eq!((&a.source, &a.key), (&c.source, &c.key), "{k}");
            assert_eq!(a.theta.len(), b.theta.len());
            assert!(a.theta.len() >= 4 && a.theta.len() % 4 == 0);
            if !values.is_empty() {
                assert_ne!(a.theta, b.theta, "values travel in the buffer: {k}");
            }
        }
    }
}

#[test]
fn equal_keys_mean_equal_sources() {
    let mut seen: HashMap<String, String> = HashMap::new();
    // The same structure from another expression, and the same expression with other numbers.
    let again = on_gpu().into_iter().map(|k| k.scaled(2.0)).chain(on_gpu().into_iter().map(|k| 3.0 * k));
    let (mut shaders, mut met) = (0, 0);
    for k in on_gpu().into_iter().chain(again) {
        for gradient in [false, true] {
            let w = k.program_for("test", 3).unwrap().wgsl(gradient).unwrap();
            shaders += 1;
            if let Some(source) = seen.insert(w.key.clone(), w.source.clone()) {
                assert_eq!(source, w.source, "{k}");
                met += 1;
            }
        }
    }
    assert!(met > 2 * on_gpu().len() - 1, "equal structures must meet in the cache");
    let sources: std::collections::HashSet<&String> = seen.values().collect();
    assert!(sources.len() > 100 && shaders > 300, "different structures must not: {}", sources.len());
}

#[test]
fn the_buffer_holds_slots_then_weights_then_tables() {
    let k =
        Kernel::rbf([1.0, 2.0, 4.0]) + Kernel::precomputed(ndarray::array![[1.0, 0.5], [0.5, 2.0]]).on([1]);
    let theta = k.program_for("test", 3).unwrap().wgsl(false).unwrap().theta;
    let want = [[-0.5, 0.0, 0.0, 0.0], [1.0, 0.25, 0.0625, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.5, 0.5, 2.0]];
    assert_eq!(theta, want.concat());
}

#[test]
fn what_the_gpu_cannot_do_is_refused() {
    let refused = |k: &Kernel, gradient: bool| {
        matches!(k.program_for("test", 3).unwrap().wgsl(gradient), Err(Error::Unsupported { .. }))
    };
    assert!(refused(&(Kernel::rbf(1.0) + Kernel::matern(0.8, 1.0)), false));
    let closure = Custom::new("mine", |x, y, p| p[0] * (x[0] * y[0])).positive("c", 1.0);
    assert!(refused(&Kernel::custom(closure.clone()), false));
    let value_only = Kernel::custom(closure.wgsl("a * b", "p[0] * s"));
    assert!(!refused(&value_only, false));
    assert!(refused(&value_only, true));
    assert!(!refused(&zoo::custom(), true));
}

#[test]
fn chained_sums_are_the_derivative() {
    // Sums that a shader would return for one pair: by hand for rbf with its own length scales, scaled by c.
    let (c, l) = (3.0, [0.8, 1.5, 2.5]);
    let k = c * Kernel::rbf(l);
    let program = k.program_for("test", 3).unwrap();
    let square = [0.36, 0.64, 0.01];
    let value = (-0.5 * (0..3).map(|f| square[f] / (l[f] * l[f])).sum::<f64>()).exp();
    // ∂/∂c = value; ∂/∂w_f = -½ c value d_f².
    let by_weight = square.map(|d| -0.5 * c * value * d).to_vec();
    let got = program.chain(&[value], &[by_weight]);
    assert!((got[0] - value).abs() < 1e-15);
    for f in 0..3 {
        let want = c * value * square[f] / l[f].powi(3);
        assert!((got[1 + f] - want).abs() < 1e-14, "{} {want}", got[1 + f]);
    }
}
