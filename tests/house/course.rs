//! `docs/course.md`: every item of the lecture notes once, counted right, and every place and test that it names exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Items of the three sets of notes.
const ITEMS: usize = 558;
/// Words that stand between `pub` and the name of an item.
const KINDS: [&str; 10] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "unsafe", "union"];

fn course() -> String {
    fs::read_to_string("docs/course.md").unwrap()
}

/// `| id | title | where | test |`.
#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    id: &'a str,
    title: &'a str,
    place: &'a str,
    test: &'a str,
}

impl Row<'_> {
    fn state(&self) -> &'static str {
        if self.place == "-" {
            "absent"
        } else if self.place.contains("; partial: ") {
            "partial"
        } else {
            "done"
        }
    }
}

fn cells(line: &str) -> Option<Vec<&str>> {
    Some(line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect())
}

/// The row on a line, if there is one: its first cell is letters, a dash or a dot, and a number.
fn row(line: &str) -> Option<Row<'_>> {
    let cells = cells(line)?;
    let [id, title, place, test] = cells[..] else { return None };
    let (letters, number) = id.split_once(['-', '.'])?;
    let is_id = !letters.is_empty()
        && letters.bytes().all(|b| b.is_ascii_uppercase())
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit());
    is_id.then_some(Row { id, title, place, test })
}

fn rows(text: &str) -> Vec<Row<'_>> {
    text.lines().filter_map(row).collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn counts(rows: &[Row]) -> [usize; 4] {
    let of = |state: &str| rows.iter().filter(|r| r.state() == state).count();
    [rows.len(), of("done"), of("partial"), of("absent")]
}

#[test]
fn every_item_is_there_once() {
    let text = course();
    let rows = rows(&text);
    assert_eq!(rows.len(), ITEMS);
    let ids: BTreeSet<&str> = rows.iter().map(|r| r.id).collect();
    assert_eq!(ids.len(), ITEMS, "an id stands there twice");
    for row in &rows {
        assert!(!row.title.trim().is_empty(), "{} has no title", row.id);
        match row.state() {
            "absent" => assert_eq!(row.test, "-", "{} is nowhere, and tested", row.id),
            "partial" => assert!(quoted(row.place).next().is_some(), "{} names no place", row.id),
            _ => assert!(
                quoted(row.place).next().is_some() && quoted(row.test).next().is_some(),
                "{} is done, and lacks a place or a test",
                row.id
            ),
        }
    }
}

#[test]
fn its_counts_are_right() {
    let text = course();
    let [total, done, partial, absent] = counts(&rows(&text));
    let said = format!("**{total} items: {done} done, {partial} partial, {absent} absent.**");
    assert!(text.lines().any(|l| l == said), "the rows say {said}");

    // The table at the top: a line for each set of notes, in the order of their sections.
    let by_notes: Vec<[usize; 4]> = text
        .split("\n## ")
        .skip(1)
        .map(|section| counts(&rows(section)))
        .filter(|counts| counts[0] > 0)
        .collect();
    let table: Vec<[usize; 4]> = text
        .lines()
        .filter_map(|line| {
            let cells = cells(line)?;
            let [_, numbers @ ..] = &cells[..] else { return None };
            let numbers = numbers.iter().map(|n| n.parse::<usize>().ok()).collect::<Option<Vec<_>>>()?;
            <[usize; 4]>::try_from(numbers).ok()
        })
        .collect();
    assert_eq!(table, by_notes);
}

/// Texts of a source file, or of every one in a folder.
fn sources(place: &Path) -> Vec<String> {
    if place.is_file() {
        return vec![fs::read_to_string(place).unwrap()];
    }
    let inside = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    inside
        .filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "rs"))
        .flat_map(|p| sources(&p))
        .collect()
}

/// The folder or file of the module that a path begins with, and what is left: an item, and perhaps its method.
fn module(path: &str) -> (PathBuf, Vec<&str>) {
    let mut here = PathBuf::from("src");
    let mut left: Vec<&str> = path.split("::").collect();
    // The last segment is an item, also where a file has its name.
    while left.len() > 1 {
        let folder = here.join(left[0]);
        let file = folder.with_extension("rs");
        if folder.is_dir() {
            here = folder;
        } else if file.is_file() {
            here = file;
        } else {
            break;
        }
        left.remove(0);
    }
    (here, left)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line declares a public item of that name.
fn declares(line: &str, name: &str) -> bool {
    let Some(item) = line.trim_start().strip_prefix("pub ") else { return false };
    let mut words = item.split(|c: char| !is_word(c)).filter(|w| !w.is_empty());
    KINDS.iter().any(|kind| item.starts_with(&format!("{kind} ")))
        && words.find(|w| !KINDS.contains(w)) == Some(name)
}

/// Whether a line makes a method of that name: as a function, or in a list of getters or setters.
fn makes(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("const ").unwrap_or(line);
    match line.strip_prefix("fn ") {
        Some(function) => function.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_word)),
        None => line.strip_prefix(name).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with("=>") || (rest.starts_with(':') && !rest.starts_with("::"))
        }),
    }
}

/// What is wrong with a place: a source file, or a path of a public item with perhaps a method.
fn fault(place: &str) -> Option<String> {
    if place.starts_with("src/") {
        return (!Path::new(place).is_file()).then(|| "no such file".to_owned());
    }
    let (home, left) = module(place);
    if home == Path::new("src") {
        return Some("no such module".to_owned());
    }
    let [item, methods @ ..] = &left[..] else { return None };
    let texts = sources(&home);
    let any = |holds: &dyn Fn(&str) -> bool| texts.iter().any(|t| t.lines().any(holds));
    if !any(&|line: &str| declares(line, item)) {
        return Some(format!("no public {item} in {}", home.display()));
    }
    let absent = methods.iter().find(|method| !any(&|line: &str| makes(line, method)))?;
    Some(format!("no {absent} in {}", home.display()))
}

#[test]
fn every_place_is_there() {
    let text = course();
    let mut faults = BTreeMap::new();
    for row in rows(&text) {
        for place in quoted(row.place) {
            if let Some(fault) = fault(place) {
                faults.insert(format!("{} {place}", row.id), fault);
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_test_is_there() {
    let text = course();
    let mut faults = Vec::new();
    for row in rows(&text) {
        for test in quoted(row.test) {
            let found = test.split_once("::").is_some_and(|(file, name)| {
                fs::read_to_string(file).is_ok_and(|source| source.contains(&format!("fn {name}(")))
            });
            if !found {
                faults.push(format!("{} {test}", row.id));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_fault_is_found() {
    assert_eq!(fault("src/kernel/mod.rs"), None);
    assert_eq!(fault("kernel::Kernel::rbf"), None);
    assert!(fault("src/kernel/nowhere.rs").is_some());
    assert!(fault("nowhere::Kernel").is_some());
    assert!(fault("kernel::Nothing").is_some());
    assert!(fault("ops::nothing").is_some());
    assert!(fault("kernel::Kernel::nothing").is_some());
    assert!(row("| X.1 | a title | - | - |").is_some());
    assert!(row("| id | title | where | test |").is_none());
}
