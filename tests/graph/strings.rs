use std::collections::HashMap;

use mercer::kernel::structures::{ObjectKernel, StringKernel, TfIdf};
use mercer::{Error, Result};
use ndarray::Array2;

use crate::{close, least, oracle, table};

/// Two globins of the notes, their gaps removed.
pub const HBA: &str = "GSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDDLHAHKL";
pub const LGB: &str = "NNPELQAHAGKVFKLVEEAAIQQLQVTVGVVTDATLKNLGSVHVSKG";
const WORDS: [&str; 8] = ["abab", "aba", "b", "", "banana", "ananas", "ééé", "abcabc"];

/// How often each substring is in a string, by looking.
fn substrings(s: &str) -> HashMap<String, f64> {
    let s: Vec<char> = s.chars().collect();
    let mut found = HashMap::new();
    for i in 0..s.len() {
        for j in i..s.len() {
            *found.entry(s[i..=j].iter().collect()).or_default() += 1.0;
        }
    }
    found
}

fn looked_up(a: &str, b: &str, weight: impl Fn(usize) -> f64) -> f64 {
    let (a, b) = (substrings(a), substrings(b));
    a.iter().filter_map(|(s, x)| b.get(s).map(|y| weight(s.chars().count()) * x * y)).sum()
}

#[test]
fn globins_are_as_alike_as_in_the_notes() {
    let value = |k: StringKernel, a: &str, b: &str| k.value(a, b).unwrap();
    assert_eq!((HBA.len(), LGB.len()), (42, 47));
    let all = StringKernel::all_substrings();
    assert_eq!(
        [(HBA, LGB), (HBA, HBA), (LGB, LGB)].map(|(a, b)| value(all.clone(), a, b)),
        [169.0, 1069.0, 1286.0]
    );
    assert_eq!(value(StringKernel::decaying(0.5), HBA, LGB), 81.75);
    assert_eq!(value(StringKernel::spectrum(2), HBA, LGB), 11.0);
    assert_eq!(value(StringKernel::spectrum(3), HBA, LGB), 0.0);
    let bag = StringKernel::bag_of_characters();
    assert_eq!(
        [(HBA, LGB), (HBA, HBA), (LGB, LGB)].map(|(a, b)| value(bag.clone(), a, b)),
        [158.0, 188.0, 201.0]
    );
    assert_eq!((value(all, "abab", "aba"), value(bag, "abab", "aba")), (10.0, 6.0));
}

#[test]
fn tables_find_what_looking_finds() {
    let weights = [1.0, 0.0, 2.5];
    for a in WORDS {
        for b in WORDS {
            let same = |k: StringKernel, w: &dyn Fn(usize) -> f64| {
                let (got, want) = (k.value(a, b).unwrap(), looked_up(a, b, w));
                assert!((got - want).abs() < 1e-12, "{k:?} of {a:?} and {b:?}: {got} and {want}");
                assert_eq!(got, k.value(b, a).unwrap());
            };
            same(StringKernel::all_substrings(), &|_| 1.0);
            same(StringKernel::decaying(0.3), &|l| 0.3f64.powf(l as f64));
            same(StringKernel::spectrum(3), &|l| f64::from(u8::from(l == 3)));
            same(StringKernel::by_length(weights), &|l| weights.get(l - 1).copied().unwrap_or(0.0));
            same(StringKernel::by_length([1.0]), &|l| f64::from(u8::from(l == 1)));
        }
    }
}

/// Every choice of places, and what it spans.
fn subsequences(s: &str, length: usize, decay: f64) -> HashMap<Vec<char>, f64> {
    let s: Vec<char> = s.chars().collect();
    let mut found = HashMap::new();
    for code in 0u32..1 << s.len() {
        let at: Vec<usize> = (0..s.len()).filter(|i| code >> i & 1 == 1).collect();
        if at.len() == length {
            let span = at[length - 1] - at[0] + 1;
            *found.entry(at.iter().map(|&i| s[i]).collect()).or_insert(0.0) += decay.powf(span as f64);
        }
    }
    found
}

#[test]
fn gaps_are_counted_by_their_spans() {
    for (length, decay) in [(1, 0.5), (2, 0.5), (3, 0.8), (4, 1.0)] {
        for a in WORDS {
            for b in WORDS {
                let (x, y) = (subsequences(a, length, decay), subsequences(b, length, decay));
                let want: f64 = x.iter().filter_map(|(s, v)| y.get(s).map(|w| v * w)).sum();
                let got = StringKernel::gappy(length, decay).value(a, b).unwrap();
                assert!((got - want).abs() < 1e-12, "{length} of {a:?} and {b:?}: {got} and {want}");
            }
        }
    }
}

#[test]
fn strings_have_positive_matrices_and_empty_ones_no_length() {
    let all = [
        StringKernel::all_substrings(),
        StringKernel::decaying(0.5),
        StringKernel::spectrum(2),
        StringKernel::gappy(2, 0.7),
        StringKernel::bag_of_characters(),
    ];
    for kernel in all {
        let gram: Array2<f64> = ObjectKernel::<str>::gram(&kernel, &WORDS).unwrap();
        assert!(least(&gram) > -1e-12, "{kernel:?}");
        assert_eq!(gram[[3, 3]], 0.0);
        let unit = kernel.clone().normalised();
        let scaled: Array2<f64> = ObjectKernel::<str>::gram(&unit, &WORDS).unwrap();
        assert!(scaled.iter().all(|v| (0.0..=1.0 + 1e-12).contains(v)));
        assert_eq!((scaled[[3, 3]], scaled[[3, 0]]), (0.0, 0.0));
        let cross = ObjectKernel::<str>::cross(&kernel, &["ab", ""], &WORDS).unwrap();
        assert_eq!(cross.dim(), (2, 8));
        assert_eq!(cross[[0, 1]], kernel.value("ab", "aba").unwrap());
    }
    let nothing: [&str; 0] = [];
    assert!(ObjectKernel::<str>::gram(&StringKernel::spectrum(2), &nothing).is_err());
    let bad = |k: StringKernel| assert!(matches!(k.value("a", "a"), Err(Error::Parameter { .. })), "{k:?}");
    bad(StringKernel::spectrum(0));
    bad(StringKernel::gappy(0, 0.5));
    bad(StringKernel::gappy(2, 1.5));
    // Weights that grow with the length pass all numbers for long strings.
    let long = "a".repeat(400);
    assert!(matches!(StringKernel::decaying(10.0).value(&long, &long), Err(Error::Overflow { .. })));
    bad(StringKernel::decaying(0.0));
    bad(StringKernel::by_length([-1.0]));
}

#[test]
fn a_bag_does_not_know_the_order() {
    let bag = StringKernel::bag_of_characters();
    assert_eq!(bag.value("banana", "ananas").unwrap(), bag.value("nbaaan", "sanana").unwrap());
}

#[test]
fn documents_are_compared_as_by_scikit_learn() -> Result<()> {
    let all = oracle("documents");
    let corpus: Vec<&str> = all["corpus"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
    let kernel = TfIdf::new(&corpus)?;
    let gram = ObjectKernel::<str>::gram(&kernel, &corpus)?;
    close(&gram, &table(&all["gram"]), 1e-12, "the cosines");
    assert_eq!(kernel.words().next().unwrap().0, "a");
    assert_eq!(kernel.value("", "the cat")?, 0.0);
    assert!(kernel.value("zebra", "zebra")? > 0.999);
    let nothing: [&str; 0] = [];
    assert!(TfIdf::new(&nothing).is_err());
    Ok(())
}
