//! Verbs that compare rows: kernels, densities, distances.

use mercer::Result;
use mercer::kernel::structures::PairHmm;
use mercer::ops::{
    Map, Second, Waves, Weights, Whitening, fourier, gaussian_log_density, gram, gram_diagonal, gram_sum,
    gram_sum_grad, gram_vec, map, moments, nearest, nearest_k, pair_hmm,
};
use ndarray::Array1;

use super::{SIZES, Verb, at_sizes, column, kernel, points, up, v};

pub fn verbs() -> Vec<Verb> {
    vec![
        v("gram", 3e-6, |d| {
            at_sizes(|n| {
                let (x, y) = (up(d, n, 3, 1)?, up(d, 66, 3, 2)?);
                Ok(vec![gram(&kernel(), &x, None)?, gram(&kernel(), &x, Some(&y))?])
            })
        }),
        v("gram_diagonal", 3e-6, |d| at_sizes(|n| Ok(vec![gram_diagonal(&kernel(), &up(d, n, 3, 1)?)?]))),
        v("gram_vec", 1e-5, |d| {
            at_sizes(|n| {
                let (x, few, many) = (up(d, n, 3, 1)?, up(d, n, 2, 2)?, up(d, n, 20, 3)?);
                Ok(vec![gram_vec(&kernel(), &x, None, &few)?, gram_vec(&kernel(), &x, None, &many)?])
            })
        }),
        v("gram_sum", 1e-5, |d| {
            let mut all = Vec::new();
            for n in SIZES {
                let (x, w, u) = (up(d, n, 3, 1)?, up(d, n, n, 2)?, up(d, n, 2, 3)?);
                let low = Weights::LowRank { u: &u, v: &u };
                all.push(column(vec![gram_sum(&kernel(), &x, None, low)?]));
                all.push(column(gram_sum_grad(&kernel(), &x, None, Weights::Dense(&w))?.gradient));
            }
            Ok(all)
        }),
        v("gaussian_log_density", 1e-5, |d| {
            at_sizes(|n| {
                let (x, means, offset) = (up(d, n, 7, 1)?, up(d, 5, 7, 2)?, up(d, 1, 5, 3)?);
                let (w, s) = (up(d, 35, 7, 4)?, up(d, 5, 7, 5)?);
                let full = gaussian_log_density(&x, &means, Whitening::Full(&w), &offset)?;
                Ok(vec![full, gaussian_log_density(&x, &means, Whitening::Diagonal(&s), &offset)?])
            })
        }),
        v("moments", 1e-5, |d| {
            let (x, centres) = (up(d, 65, 7, 1)?, up(d, 5, 7, 2)?);
            let r = map(&up(d, 65, 5, 3)?, Map::Square)?;
            let both = [Second::Full, Second::Diagonal].map(|second| moments(&x, &r, &centres, second));
            let all = both.into_iter().collect::<Result<Vec<_>>>()?;
            Ok(all.into_iter().flat_map(|m| [column(m.mass.to_vec()), m.first, m.second]).collect())
        }),
        v("nearest", 1e-5, |d| {
            let found = nearest(&up(d, 131, 5, 1)?, &up(d, 65, 5, 2)?)?;
            Ok(vec![column(found.squared_distance)])
        }),
        v("nearest_k", 1e-5, |d| {
            let found = nearest_k(&up(d, 131, 5, 1)?, &up(d, 65, 5, 2)?, 7)?;
            Ok(vec![found.squared_distance])
        }),
        v("fourier", 2e-6, |d| {
            at_sizes(|n| {
                let (turns, phases) = (up(d, n, 7, 1)?, up(d, 1, 7, 2)?);
                [Waves::Cosine, Waves::Both].map(|w| fourier(&turns, &phases, 0.5, w)).into_iter().collect()
            })
        }),
        v("pair_hmm", 1e-6, |d| {
            let hmm = PairHmm::new(
                "ab",
                points(2, 2, 1) * 0.0 + 0.25,
                Array1::from(vec![0.3, 0.7]),
                0.2,
                0.4,
                0.1,
            )?;
            let word = |n: usize| (0..n).map(|i| if i * i % 3 == 0 { 'a' } else { 'b' }).collect::<String>();
            let words = [0, 1, 63, 64, 127, 128, 200].map(word);
            Ok(vec![pair_hmm(d, &hmm, &words, None)?, pair_hmm(d, &hmm, &words[..1], Some(&words[..]))?])
        }),
    ]
}
