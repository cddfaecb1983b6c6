//! The house: what may name what. Arrows point down, between layers and between families of models.

use std::collections::BTreeSet;
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

/// The text without comments and without its tests, which stand at the end: they may name what code may not.
pub fn code(path: &Path) -> String {
    if path.file_stem().is_some_and(|s| s == "tests") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let tested = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..tested].lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Layers from the ground up; each may name those below it, and itself. `gpu` reports in the words of `device` (adapters,
/// counters): those two are one floor.
const LAYERS: [&[&str]; 18] = [
    &["error"],
    &["host"],
    &["check"],
    &["progress"],
    &["random"],
    &["configure"],
    &["gpu", "device"],
    &["matrix"],
    &["saved"],
    &["kernel"],
    &["ops"],
    &["linalg"],
    &["optim"],
    &["probability"],
    &["learn"],
    &["inference"],
    &["stats"],
    &["models"],
];

/// What the crate exports at its root, and where it comes from.
const EXPORTED: [(&str, &str); 9] = [
    ("Error", "error"),
    ("Result", "error"),
    ("Device", "device"),
    ("Kernel", "kernel"),
    ("Matrix", "matrix"),
    ("Precision", "matrix"),
    ("Progress", "progress"),
    ("Step", "progress"),
    ("prelude", "models"),
];

/// Families that may name another one; whatever that one may name is allowed too.
const ARROWS: &[(&str, &str)] = &[
    ("bayes_opt", "gp"),
    ("generative", "latent"),
    ("gp", "kernel_methods"),
    ("graph", "cluster"),
    ("latent", "mixture"),
    ("mixture", "cluster"),
];

/// Every path that a `use crate::...` tree or a `crate::...` in the text names, without `crate`.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let before = text[..at].chars().next_back();
        if before.is_none_or(|c| !(c.is_alphanumeric() || c == '_')) {
            tree(&text[at + "crate::".len()..], &[], &mut found);
        }
    }
    found
}

/// Reads one path or one `{...}` at the head of the text; what follows it is returned.
fn tree<'a>(text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut text = text.trim_start();
    if let Some(inside) = text.strip_prefix('{') {
        text = inside.trim_start();
        while !text.starts_with('}') && !text.is_empty() {
            text = tree(text, before, found).trim_start();
            text = text.strip_prefix(',').unwrap_or(text).trim_start();
        }
        return text.strip_prefix('}').unwrap_or(text);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*')).unwrap_or(text.len());
    let path: Vec<String> = before.iter().cloned().chain([text[..end].to_owned()]).collect();
    let mut rest = &text[end..];
    if let Some(deeper) = rest.strip_prefix("::") {
        return tree(deeper, &path, found);
    }
    found.push(path);
    // `a::b as c`.
    if let Some(renamed) = rest.trim_start().strip_prefix("as ") {
        let end = renamed.find([',', '}', ';']).unwrap_or(renamed.len());
        rest = &renamed[end..];
    }
    // An attribute or anything else that is no list goes on to the next separator.
    rest
}

#[test]
fn trees_are_read_whole() {
    let text = "use crate::{a::{b, c as d}, e}; fn f() -> crate::g::H { crate::i!() } use other_crate::no;";
    let read: Vec<String> = paths(text).iter().map(|p| p.join("::")).collect();
    assert_eq!(read, ["a::b", "a::c", "e", "g::H", "i"]);
}

/// The first folder or file below `src/` that a source file belongs to.
fn room(file: &Path) -> String {
    let inside = file.strip_prefix("src").unwrap().iter().next().unwrap().to_str().unwrap();
    inside.trim_end_matches(".rs").to_owned()
}

fn height(room: &str) -> Option<usize> {
    let room = EXPORTED.iter().find(|(name, _)| *name == room).map_or(room, |(_, from)| from);
    LAYERS.iter().position(|floor| floor.contains(&room))
}

#[test]
fn arrows_point_down() {
    let mut upwards = Vec::new();
    for file in files("src", "rs") {
        let from = room(&file);
        if from == "lib" || from == "prelude" {
            continue;
        }
        let own = height(&from).unwrap_or_else(|| panic!("{}: a room without a floor", file.display()));
        for path in paths(&code(&file)) {
            // A macro at the root, or something that this list does not know yet, would be on no floor.
            let above = height(&path[0]).unwrap_or_else(|| panic!("{} names {path:?}", file.display()));
            if above > own {
                upwards.push(format!("{} names {}, which is above it", file.display(), path.join("::")));
            }
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
    for file in files("src/device", "rs").into_iter().chain(files("src/matrix", "rs")) {
        let knows = paths(&code(&file)).iter().any(|p| p[0] == "Kernel");
        assert!(!knows, "{} knows what a kernel is", file.display());
    }
}

/// The families that each family may name.
fn allowed(family: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let mut next: Vec<&str> = vec![family];
    while let Some(from) = next.pop() {
        let new: Vec<&str> =
            ARROWS.iter().filter(|(a, b)| *a == from && !all.contains(b)).map(|(_, b)| *b).collect();
        all.extend(new.iter().copied());
        next.extend(new);
    }
    all
}

#[test]
fn families_have_no_cycle() {
    for (family, _) in ARROWS.iter().copied() {
        assert!(!allowed(family).contains(family), "{family} may name itself through others");
    }
    for file in files("src/models", "rs") {
        let family = file.strip_prefix("src/models").unwrap().iter().next().unwrap().to_str().unwrap();
        let family = family.trim_end_matches(".rs");
        if family == "mod" {
            continue;
        }
        for path in paths(&code(&file)).iter().filter(|p| p[0] == "models" && p.len() > 1) {
            let other = path[1].as_str();
            let is_family = Path::new(&format!("src/models/{other}")).exists()
                || Path::new(&format!("src/models/{other}.rs")).exists();
            assert!(
                !is_family || other == family || allowed(family).contains(other),
                "{} names {}: no arrow leads from {family} to {other}",
                file.display(),
                path.join("::")
            );
        }
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
    for verb in verbs.iter().filter(|v| !["mod", "tests"].contains(&v.as_str())) {
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
