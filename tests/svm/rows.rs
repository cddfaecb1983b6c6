//! The cache decides how long a fit takes, and nothing else.

use mercer::prelude::*;

use crate::cpu;
use crate::support::random;

#[test]
fn a_cache_of_one_row_finds_the_same_machine() {
    let x = random(120, 3, 1) * 2.0;
    let y: Vec<usize> =
        (0..120).map(|i| usize::from(x[[i, 0]] > 0.2) + usize::from(x[[i, 1]] * x[[i, 2]] > 0.3)).collect();
    let model = SvmClassifier::new(Kernel::rbf(0.7) + Kernel::white(0.1), 5.0).tolerance(1e-9);
    let all = model.fit(&cpu(), &x, &y).unwrap();
    let one = model.clone().cache_bytes(1).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(all.dual_coefficients(), one.dual_coefficients());
    assert!(all.certificates().iter().all(|c| c.violation <= 1e-9));
}

#[test]
fn rows_long_enough_for_several_cores() {
    // 1,300 points of 120 features: a row is shared among tasks. Were one of them wrong, the gradient that is computed anew
    // at the end, by another verb, would not agree with what the rows have made of it, and the search would not end.
    let x = random(1300, 120, 2);
    let fitted = OneClassSvm::new(Kernel::rbf(8.0), 0.05).fit(&cpu(), &x).unwrap();
    let proof = fitted.certificate();
    assert!(proof.violation <= 1e-3 * fitted.threshold() && !proof.stalled, "{proof}");
    assert!(proof.gap() >= -1e-9 && proof.bounded <= 65 && proof.support >= 65, "{proof}");
}
