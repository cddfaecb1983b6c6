//! Every estimator has its line in the conformance test.

use std::fs;

use crate::layers::{code, files};

/// Names of the types whose `fit` is public: by the macro, or written out.
fn estimators() -> Vec<String> {
    let mut found = Vec::new();
    for file in files("src/models", "rs").into_iter().chain(files("src/learn", "rs")) {
        let text = code(&file);
        for rest in text.split("fits!(").skip(1) {
            found.push(rest.split(':').next().unwrap_or_default().trim().to_owned());
        }
        let mut own = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("impl").filter(|rest| !rest.contains('$')) {
                let name = rest.split(" for ").last().unwrap_or_default().trim_start_matches('<');
                let name = name.rsplit("> ").next().unwrap_or_default().trim();
                name.split(['<', ' ', '{']).next().unwrap_or_default().clone_into(&mut own);
            }
            if line.trim_start().starts_with("pub fn fit(") || line.trim_start().starts_with("pub fn fit<") {
                found.push(own.clone());
            }
        }
    }
    // The macros' own patterns are no types.
    found.retain(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    found.sort();
    found.dedup();
    found
}

/// Whether a line makes a value of the type: `Type::new(..)`, or `Type` alone.
fn is_built(lines: &str, name: &str) -> bool {
    lines.contains(&format!(" {name}::")) || lines.contains(&format!(" {name},"))
}

#[test]
fn every_estimator_has_a_line() {
    let lines = fs::read_to_string("tests/conformance/lines.rs").unwrap();
    let all = estimators();
    assert!(all.len() > 10, "only {all:?} are found");
    let without: Vec<_> = all.iter().filter(|name| !is_built(&lines, name)).collect();
    assert!(without.is_empty(), "no line in tests/conformance/lines.rs for {without:?}");
}
