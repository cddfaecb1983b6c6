//! Feature maps.

use mercer::models::kernel_methods::features::{Landmarks, Nystrom, RandomFourier};
use mercer::{Device, Kernel};

use crate::support::random;
use crate::{damaged, refused, same, through};

#[test]
fn landmarks_give_the_same_features() {
    let (x, new) = (random(60, 2, 1), random(20, 2, 2));
    // White noise does not count between landmarks; many of them make K_zz singular but for the jitter.
    for kernel in [Kernel::rbf(0.5), Kernel::rbf(3.0) + Kernel::white(0.5), Kernel::linear()] {
        let map =
            Nystrom::new(kernel, 25).landmarks(Landmarks::KMeansPlusPlus).fit(&Device::cpu(), &x).unwrap();
        for back in through(&map) {
            same(&back.transform(new.view()).unwrap(), &map.transform(new.view()).unwrap());
            assert_eq!((back.jitter(), back.kernel()), (map.jitter(), map.kernel()));
        }
        damaged(&map);
    }
    let map = Nystrom::new(Kernel::rbf([0.5, 1.0]), 5).fit(&Device::cpu(), &x).unwrap();
    assert!(refused(&map, "/whitening/l/lower/2", 0.0).contains("pivot 1"));
    assert!(refused(&map, "/whitening/l/lower/1", 3.0).contains("row 1"));
    assert!(refused(&map, "/whitening/l/order", 4).contains("triangle"));
    assert!(refused(&map, "/whitening/l/order", u64::MAX).contains("triangle"));
    assert!(refused(&map, "/whitening/jitter", -1.0).contains("jitter"));
    assert!(refused(&map, "/kernel/Leaf/scales/0/value", 0.0).contains("lengthscale"));
}

#[test]
fn frequencies_give_the_same_features() {
    let new = random(20, 2, 2);
    let map = RandomFourier::new(2.0 * Kernel::matern32(1.0), 10).seed(3).fit(&Device::cpu(), &new).unwrap();
    for back in through(&map) {
        same(&back.transform(new.view()).unwrap(), &map.transform(new.view()).unwrap());
    }
    damaged(&map);
    assert!(refused(&map, "/amplitude", -2.0).contains("amplitude"));
    assert!(refused(&map, "/omega/data/0", "nan").contains("omega"));
}
