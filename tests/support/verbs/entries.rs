//! Verbs that draw, reduce, map and move entries.

use mercer::Result;
use mercer::ops::{
    Along, Draw, Map, Reduction, RowList, Zip, argmin, bernoulli, bernoulli_by, categorical, centre,
    centre_columns, gather_listed, gather_rows, logsumexp, map, permutation, permute, permuted_sums, random,
    random_words, reduce, softmax, zip,
};
use mercer::random::Threshold;

use super::{Verb, at_sizes, column, down, spd, up, v};

pub fn verbs() -> Vec<Verb> {
    vec![
        v("random", 1e-6, |d| {
            let half = [Threshold::new(0.5)?];
            let whole = |v: Vec<usize>| column(v.into_iter().map(|k| k as f64).collect());
            let words = random_words(d, 0, 131, 7, 1)?;
            let mut all = at_sizes(|n| {
                let u = random(d, (n, 7), Draw::Uniform, 7, 1)?;
                let z = random(d, (n, 7), Draw::Normal, 7, 1)?;
                Ok(vec![bernoulli(&u, 8, 1)?, bernoulli_by(d, (n, 7), &half, 7, 1)?, u, z])
            })?;
            all.push(column(words.into_iter().map(f64::from).collect()));
            all.push(whole(categorical(d, &[0.2, 0.0, 0.5, 0.1], 131, 7, 1)?));
            all.push(whole(permutation(d, 131, 7, 1)?));
            Ok(all)
        }),
        v("reduce", 1e-6, |d| {
            at_sizes(|n| {
                let a = up(d, n, 70, 1)?;
                let kinds =
                    [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::SumSquares];
                let both = [Along::EachRow, Along::EachColumn];
                both.iter().flat_map(|&along| kinds.map(|kind| reduce(&a, along, kind))).collect()
            })
        }),
        v("logsumexp", 1e-6, |d| at_sizes(|n| Ok(vec![logsumexp(&up(d, n, 70, 1)?)?]))),
        v("softmax", 1e-6, |d| at_sizes(|n| Ok(vec![softmax(&up(d, n, 70, 1)?)?]))),
        v("argmin", 1e-6, |d| Ok(vec![column(argmin(&up(d, 65, 131, 1)?)?.values)])),
        v("centre", 2e-6, |d| {
            at_sizes(|n| {
                let (x, means) = centre_columns(&up(d, n, 5, 1)?)?;
                Ok(vec![centre(&spd(d, n)?)?, x, means])
            })
        }),
        v("gather", 1e-6, |d| {
            let order: Vec<usize> = (0..65).map(|i| (i * 17) % 65).collect();
            down(vec![gather_rows(&up(d, 65, 7, 1)?, &order)?, permute(&spd(d, 65)?, &order)?])
        }),
        v("permuted_sums", 3e-6, |d| {
            let orders = [3, 17].map(|step| (0..65).map(|i| (i * step) % 65).collect::<Vec<usize>>());
            Ok(vec![column(permuted_sums(&spd(d, 65)?, &spd(d, 65)?, &orders)?)])
        }),
        v("gather_listed", 1e-6, |d| {
            at_sizes(|n| {
                let a = up(d, n, 7, 1)?;
                let list = RowList::new(&a, (0..130).map(|i| i * 5 % n).collect())?;
                Ok(vec![gather_listed(&a, &list, 64..130)?])
            })
        }),
        v("map", 1e-5, |d| {
            let a = up(d, 65, 7, 1)?;
            let positive = map(&a, Map::Affine { scale: 0.5, shift: 1.0 })?;
            let any = [Map::Exp, Map::Square, Map::Abs, Map::Tanh, Map::Sigmoid, Map::MaxWith(0.25)];
            let above = [Map::Log, Map::Sqrt, Map::Recip];
            let mut all = any.map(|f| map(&a, f)).into_iter().collect::<Result<Vec<_>>>()?;
            all.extend(above.map(|f| map(&positive, f)).into_iter().collect::<Result<Vec<_>>>()?);
            for b in [positive, up(d, 65, 1, 2)?, up(d, 1, 7, 3)?] {
                for op in [Zip::Add, Zip::Sub, Zip::Mul] {
                    all.push(zip(&a, &b, op)?);
                }
            }
            all.push(zip(&a, &map(&a, Map::Affine { scale: 0.1, shift: 2.0 })?, Zip::Div)?);
            down(all)
        }),
    ]
}
