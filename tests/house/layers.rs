use std::fs;
use std::path::{Path, PathBuf};

pub fn files(dir: &str, ending: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(path.to_str().unwrap(), ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
    all
}

/// The text without comments: prose may name what code may not.
pub fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Layers from the ground up; each may name those below it, and itself.
const LAYERS: [&str; 11] =
    ["error", "gpu", "device", "matrix", "saved", "kernel", "ops", "linalg", "optim", "stats", "models"];

#[test]
fn arrows_point_down() {
    for (height, layer) in LAYERS.iter().enumerate() {
        let folder = format!("src/{layer}");
        let own = if Path::new(&folder).is_dir() { files(&folder, "rs") } else { Vec::new() };
        for file in own {
            for above in &LAYERS[height + 1..] {
                // `gpu` reports in the words of `device` (adapters, counters): those two are one floor.
                if (*layer, *above) == ("gpu", "device") {
                    continue;
                }
                let named = code(&file).contains(&format!("crate::{above}"));
                assert!(!named, "{} names {above}, which is above it", file.display());
            }
        }
    }
    for file in files("src/device", "rs").into_iter().chain(files("src/matrix", "rs")) {
        assert!(!code(&file).contains("crate::Kernel"), "{} knows what a kernel is", file.display());
    }
}

#[test]
fn only_gpu_names_wgpu() {
    for file in files("src", "rs") {
        let inside = file.starts_with("src/gpu");
        assert!(inside || !code(&file).contains("wgpu::"), "{} names wgpu", file.display());
    }
}

#[test]
fn every_verb_has_its_shader_and_its_test_and_every_shader_its_verb() {
    let stem = |p: &PathBuf| p.file_stem().unwrap().to_str().unwrap().to_owned();
    let list = |dir: &str, ending: &str| -> Vec<String> {
        let top = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
        top.filter(|p| p.extension().is_some_and(|e| e == ending)).map(|p| stem(&p)).collect()
    };
    let (verbs, shaders, tests) = (list("src/ops", "rs"), list("shaders", "wgsl"), list("tests/ops", "rs"));
    for verb in verbs.iter().filter(|v| *v != "mod") {
        let own = |s: &&String| *s == verb || s.starts_with(&format!("{verb}_"));
        assert!(shaders.iter().find(own).is_some(), "no shader for {verb}");
        assert!(tests.contains(verb), "no test for {verb}");
    }
    for shader in &shaders {
        let own = |v: &&String| *v == shader || shader.starts_with(&format!("{v}_"));
        assert!(verbs.iter().find(own).is_some(), "no verb for {shader}.wgsl");
    }
}

#[test]
fn no_word_that_has_no_meaning() {
    for file in files("src", "rs") {
        for word in ["utils", "helpers", "common", "base"] {
            assert!(file.file_stem().is_none_or(|s| s != word), "{}: find a better name", file.display());
        }
    }
}

/// A shader opens with what it computes, how, and where its twin is.
#[test]
fn shaders_have_headers() {
    for file in files("shaders", "wgsl") {
        let text = fs::read_to_string(&file).unwrap();
        let header: Vec<&str> = text.lines().take_while(|l| l.starts_with("//")).collect();
        assert!((1..=12).contains(&header.len()), "{}: a header of {} lines", file.display(), header.len());
        assert!(
            header.concat().contains("src/ops/") || header.concat().contains("Prepended"),
            "{}",
            file.display()
        );
    }
}
