use mercer::Error;
use mercer::kernel::structures::{
    Fused, ObjectKernel, Part, StringKernel, aligned_weights, alignment, centred_alignment, fuse,
};
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::support::random;
use crate::{close, least};

fn inner(phi: &Array2<f64>) -> Array2<f64> {
    phi.dot(&phi.t())
}

/// A sum of kernels is that of features side by side, each scaled by the root of its weight.
#[test]
fn weights_scale_features() {
    let (a, b) = (random(7, 3, 1), random(7, 2, 2));
    let side = concatenate![Axis(1), a.clone() * 2f64.sqrt(), b.clone() * 0.5f64.sqrt()];
    let (ka, kb) = (inner(&a), inner(&b));
    let fused = fuse(&[(2.0, ka.view()), (0.5, kb.view())]).unwrap();
    close(&fused, &inner(&side), 1e-12, "side by side");
    assert!(least(&fused) > -1e-12);
    assert_eq!(fuse(&[(1.0, ka.view()), (0.0, kb.view())]).unwrap(), ka);
    assert!(matches!(fuse(&[(-1.0, ka.view())]), Err(Error::Parameter { .. })));
    assert!(fuse(&[]).is_err() && fuse(&[(1.0, ka.view()), (1.0, Array2::<f64>::eye(3).view())]).is_err());
}

#[test]
fn alignment_is_a_cosine() {
    let y = array![1.0, -1.0, 1.0, -1.0, -1.0];
    let target = Array2::from_shape_fn((5, 5), |(i, j)| y[i] * y[j]);
    let k = inner(&random(5, 2, 3));
    assert!((alignment(k.view(), (&k * 3.0).view()).unwrap() - 1.0).abs() < 1e-14);
    let both = (&k * &target).sum() / (&k * &k).sum().sqrt() / 5.0;
    assert!((alignment(k.view(), target.view()).unwrap() - both).abs() < 1e-14);
    // A constant added to a kernel changes nothing once it is centred.
    let (one, other) =
        (centred_alignment(k.view(), target.view()), centred_alignment((&k + 7.0).view(), target.view()));
    assert!((one.unwrap() - other.unwrap()).abs() < 1e-12);
    assert!(centred_alignment(Array2::<f64>::ones((5, 5)).view(), target.view()).is_err());
}

/// No other weights, of a grid, are aligned better.
#[test]
fn the_best_weights_are_found() {
    let y: Array1<f64> = (0..12).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let noise = random(12, 3, 4);
    let told = &noise * 0.5 + y.view().insert_axis(Axis(1));
    let sources = [inner(&told), inner(&random(12, 3, 5)), inner(&random(12, 1, 6))];
    let views: Vec<_> = sources.iter().map(|k| k.view()).collect();
    let target = Array2::from_shape_fn((12, 12), |(i, j)| y[i] * y[j]);
    let judged = |c: &[f64]| {
        let parts: Vec<_> = c.iter().zip(&views).map(|(c, k)| (*c, *k)).collect();
        centred_alignment(fuse(&parts).unwrap().view(), target.view()).unwrap()
    };
    let c = aligned_weights(&views, y.view()).unwrap();
    assert!(c.iter().all(|c| *c >= 0.0) && (c.dot(&c) - 1.0).abs() < 1e-12);
    let best = judged(c.as_slice().unwrap());
    for code in 1..1000 {
        let other = [code % 10, code / 10 % 10, code / 100].map(|v| f64::from(v) / 9.0);
        assert!(judged(&other) <= best + 1e-12, "{other:?}");
    }
    assert!(aligned_weights(&views, array![1.0].view()).is_err());
}

struct Protein {
    sequence: String,
    note: String,
    size: usize,
}

/// Numbers that are near.
struct Near;
impl ObjectKernel<usize> for Near {
    fn value(&self, a: &usize, b: &usize) -> mercer::Result<f64> {
        Ok((-(*a as f64 - *b as f64).powi(2) / 200.0).exp())
    }
}

/// Records of strings, a note and a number, and a classifier of all of them.
#[test]
fn records_are_fused_and_classified() {
    let protein = |s: &str, n: &str, size| Protein { sequence: s.to_owned(), note: n.to_owned(), size };
    let all = vec![
        protein("MVLSPADKTN", "oxygen", 3),
        protein("MVLSAADKTN", "oxygen carrier", 4),
        protein("GGGKKKRRRR", "binds dna", 50),
        protein("GGKKKKRRRW", "dna binding", 60),
    ];
    let sequence = || Part::new(|p: &Protein| p.sequence.as_str(), StringKernel::spectrum(2).normalised());
    let note = || Part::new(|p: &Protein| p.note.as_str(), StringKernel::all_substrings().normalised());
    let size = || Part::new(|p: &Protein| &p.size, Near);
    let fused = Fused::new().with(1.0, sequence()).with(0.5, note()).with(2.0, size());
    let gram: Array2<f64> = ObjectKernel::<Protein>::gram(&fused, &all).unwrap();
    let parts = [sequence().gram(&all), note().gram(&all), size().gram(&all)].map(mercer::Result::unwrap);
    let want = &parts[0] + &(&parts[1] * 0.5) + &(&parts[2] * 2.0);
    close(&gram, &want, 1e-14, "the sum");
    let without = Fused::new().with(1.0, sequence()).with(0.0, note());
    close(&ObjectKernel::<Protein>::gram(&without, &all).unwrap(), &parts[0], 0.0, "a weight of zero");
    assert!(Fused::new().with(-1.0, note()).value(&all[0], &all[1]).is_err());
    let index = Array2::from_shape_fn((4, 1), |(i, _)| i as f64);
    let model = GpClassifier::new(Kernel::precomputed(gram).scaled(4.0));
    let fit = model.fit(&Device::cpu(), &index, ["heme", "heme", "dna", "dna"]).unwrap();
    assert_eq!(fit.predict(&index).unwrap(), ["heme", "heme", "dna", "dna"]);
}
