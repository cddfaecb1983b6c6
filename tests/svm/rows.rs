//! The cache decides how long a fit takes, and nothing else; so does shrinking.

use mercer::prelude::*;

use crate::support::random;
use crate::{all_near, cpu};

#[test]
fn a_cache_of_one_row_finds_the_same_machine() {
    let x = random(120, 3, 1) * 2.0;
    let y: Vec<usize> =
        (0..120).map(|i| usize::from(x[[i, 0]] > 0.2) + usize::from(x[[i, 1]] * x[[i, 2]] > 0.3)).collect();
    let model = SvmClassifier::new(Kernel::rbf(0.7) + Kernel::white(0.1), 5.0).tolerance(1e-9);
    let all = model.fit(&cpu(), &x, &y).unwrap();
    let one = model.clone().cache_bytes(1).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(all.dual_coefficients(), one.dual_coefficients());
    let whole = model.clone().shrinking(false).fit(&cpu(), &x, &y).unwrap();
    let want = whole.decision(&x).unwrap();
    all_near(&all.decision(&x).unwrap(), want.as_slice().unwrap(), 1e-6, "shrinking");
    assert!(all.certificates().iter().all(|c| c.violation <= 1e-9));
}

#[test]
fn rows_long_enough_for_several_cores() {
    // 3,600 points of 30 features: a row is shared among tasks that begin at whole panels.
    let x = random(3600, 30, 2);
    let y: Vec<bool> = (0..3600).map(|i| x[[i, 0]] > 0.0).collect();
    let model = SvmClassifier::new(Kernel::linear(), 1e-3).tolerance(1e-2);
    let fitted = model.fit(&cpu(), &x, &y).unwrap();
    let proof = &fitted.certificates()[0];
    assert!(proof.violation <= 1e-2 && proof.gap() >= -1e-9, "{proof}");
    assert!(fitted.score(&x, &y).unwrap() > 0.9);
}
