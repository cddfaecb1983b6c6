//! Integrals over an interval by panels of a Gauss-Legendre rule: for distribution functions that have no closed form.

/// Nodes and weights on [-1, 1], the positive half of eight.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// `∫ f` from `a` to `b` by eight nodes in each of `panels` panels.
pub(crate) fn integral(a: f64, b: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    let width = (b - a) / panels as f64;
    let panel = |i: usize| {
        let (middle, half) = (a + (i as f64 + 0.5) * width, 0.5 * width);
        NODES.iter().map(|&(t, w)| w * (f(middle - half * t) + f(middle + half * t))).sum::<f64>() * half
    };
    (0..panels).map(panel).sum()
}
