//! Every estimator has its line in the conformance test.

use std::fs;

use crate::layers::{code, files};

/// Types that choose among models or fit them by the piece: each of those models has a line of its own, and what they add
/// is checked in `tests/learn`.
const COMPOSED: [&str; 2] = ["Search", "Guided"];

/// A type that users make by other names.
const ALIASES: [(&str, &str); 1] = [("DiscreteMixture", "BernoulliMixture")];

/// The type of an `impl` block, by its head: `<D: Dim> Fit<D> for Ridge<D> {` is `Ridge`. None in a macro.
fn subject(head: &str) -> Option<&str> {
    if head.contains('$') {
        return None;
    }
    let mut depth = 0;
    let generics = head.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    })?;
    let rest = if head.starts_with('<') { &head[generics + 1..] } else { head };
    rest.split(" for ").last()?.trim_start().split(['<', ' ', '{']).next()
}

/// Names of the types whose `fit` is public: by the macro, or written out.
fn estimators() -> Vec<String> {
    let mut found = Vec::new();
    for file in files("src/models", "rs").into_iter().chain(files("src/learn", "rs")) {
        let text = code(&file);
        for macros in ["fits!(", "fits_across!("] {
            for rest in text.split(macros).skip(1) {
                found.push(rest.split([':', '<']).next().unwrap_or_default().trim().to_owned());
            }
        }
        let mut own = None;
        for line in text.lines().map(str::trim_start) {
            if let Some(head) = line.strip_prefix("impl").filter(|head| head.starts_with(['<', ' '])) {
                own = subject(head);
            }
            if line.starts_with("pub fn fit(") || line.starts_with("pub fn fit<") {
                found.extend(own.map(str::to_owned));
            }
        }
    }
    // The macros' own patterns are no types.
    found.retain(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    found.retain(|name| !COMPOSED.contains(&name.as_str()));
    found.sort();
    found.dedup();
    found
}

/// Whether a line makes a value of the type: `Type::new(..)`, `Type::other(..)`, or `Type` alone, which `fit` may follow.
fn is_built(lines: &str, name: &str) -> bool {
    let name = ALIASES.iter().find(|(own, _)| *own == name).map_or(name, |(_, alias)| alias);
    ["::", ",", ".fit("].iter().any(|end| lines.contains(&format!(" {name}{end}")))
}

#[test]
fn every_estimator_has_a_line() {
    let lines: String =
        files("tests/conformance", "rs").iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let all = estimators();
    for known in ["KMeans", "Ridge", "GpRegressor", "BayesianLinearRegression", "Pipeline", "Standardise"] {
        assert!(all.iter().any(|name| name == known), "{known} is not found among {all:?}");
    }
    let without: Vec<_> = all.iter().filter(|name| !is_built(&lines, name)).collect();
    assert!(without.is_empty(), "no line in tests/conformance for {without:?}");
}

#[test]
fn every_estimator_is_attacked() {
    let cases = fs::read_to_string("examples/attack/cases.rs").unwrap();
    let without: Vec<_> = estimators().into_iter().filter(|name| !is_built(&cases, name)).collect();
    assert!(without.is_empty(), "no kind in examples/attack for {without:?}");
}

#[test]
fn heads_are_read() {
    assert_eq!(subject("<D: Dim> Fit<ArrayRef<f64, D>> for Ridge<D> {"), Some("Ridge"));
    assert_eq!(subject(" KMeans {"), Some("KMeans"));
    assert_eq!(subject("<M, S, F> Search<M, S, F> {"), Some("Search"));
    assert_eq!(subject("<M> $name<M> {"), None);
}
