//! Labels and their indices.

use mercer::learn::Labels;
use mercer::prelude::*;

#[test]
fn there_and_back() {
    let y = ["oak", "fern", "oak", "rose"];
    let (labels, index) = Labels::of(&y).unwrap();
    assert_eq!(labels.classes(), ["fern", "oak", "rose"]);
    assert_eq!(index, [1, 0, 1, 2]);
    assert_eq!(labels.names(&index).unwrap(), y);
    assert_eq!(labels.indices(&["rose"]).unwrap(), [2]);
    assert_eq!(Labels::of(&[2.5f64.to_bits(), 1.0f64.to_bits()]).unwrap().1, [1, 0]);
}

#[test]
fn refused() {
    let none: [u8; 0] = [];
    assert!(matches!(Labels::of(&none), Err(Error::Shape { .. })));
    assert!(matches!(Labels::of_classes(&["oak", "oak"]), Err(Error::Parameter { .. })));
    let (labels, _) = Labels::of_classes(&[false, true]).unwrap();
    assert!(matches!(labels.names(&[2]), Err(Error::Parameter { .. })));
    let (labels, _) = Labels::of(&["oak"]).unwrap();
    let error = labels.indices(&["oak", "elm"]).unwrap_err();
    assert!(error.to_string().contains("label 1"), "{error}");
}
