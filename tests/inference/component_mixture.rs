//! Mixtures of any component: rows without weight.

use mercer::inference::ComponentMixture;
use mercer::probability::distributions::Gamma;
use ndarray::{Array1, array};

use crate::near;

#[test]
fn a_row_without_weight_has_no_part_though_nothing_allows_it() {
    let parts = || vec![Gamma::new(2.0, 1.0).unwrap(), Gamma::new(9.0, 1.0).unwrap()];
    let start = ComponentMixture::new(&[0.5, 0.5], parts()).unwrap();
    let x = array![[1.0], [2.0], [1.5], [9.0], [11.0], [8.0]];
    let fitted = start.fit(x.view(), Array1::ones(6).view(), 3, 0.0).unwrap();
    // A Gamma variable is positive.
    let more = array![[1.0], [2.0], [-4.0], [1.5], [9.0], [11.0], [8.0]];
    let w = array![1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let again = start.fit(more.view(), w.view(), 3, 0.0).unwrap();
    near(again.weights()[0], fitted.weights()[0], 1e-12);
    fitted.trace().iter().zip(again.trace()).for_each(|(a, b)| near(*a, *b, 1e-9));
}
