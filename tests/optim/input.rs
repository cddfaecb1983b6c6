use mercer::Error;
use mercer::optim::Minimiser;

use crate::{FREE, rosenbrock};

#[test]
fn bad_input() {
    let run = |start: &[f64], bounds: &[(f64, f64)]| Minimiser::default().run(start, bounds, rosenbrock);
    assert!(matches!(run(&[], &[]), Err(Error::Shape { .. })));
    assert!(matches!(run(&[0.0, 0.0], &[FREE]), Err(Error::Shape { .. })));
    assert!(matches!(run(&[0.0, f64::NAN], &[FREE; 2]), Err(Error::NotFinite { row: 1, .. })));
    assert!(matches!(run(&[0.0, f64::INFINITY], &[FREE; 2]), Err(Error::NotFinite { .. })));
    for bad in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
        assert!(matches!(run(&[0.0, 0.0], &[FREE, bad]), Err(Error::Parameter { .. })), "{bad:?}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let minimiser = Minimiser::new().tolerance(tolerance);
        assert!(matches!(minimiser.run(&[0.0, 0.0], &[FREE; 2], rosenbrock), Err(Error::Parameter { .. })));
    }
    let short = Minimiser::default().run(&[0.0, 0.0], &[FREE; 2], |_| Ok((0.0, vec![0.0])));
    assert!(matches!(short, Err(Error::Shape { .. })));
}
