use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{close, list, oracle, table, whole};

const ALL: [(&str, Linkage); 4] = [
    ("single", Linkage::Single),
    ("complete", Linkage::Complete),
    ("average", Linkage::Average),
    ("ward", Linkage::Ward),
];

#[test]
fn merges_are_those_of_scipy() {
    let trees = oracle("trees");
    let x = table(&trees["x"]);
    for (name, linkage) in ALL {
        let fit = Hierarchical::new(4).linkage(linkage).fit(&Device::cpu(), &x).unwrap();
        for (merge, want) in fit.dendrogram().merges().iter().zip(trees[name]["merges"].as_array().unwrap()) {
            let want = list(want);
            assert_eq!(
                [merge.left(), merge.right(), merge.size()],
                [want[0], want[1], want[3]].map(|v| v as usize),
                "{name}"
            );
            close([&merge.height()], [&want[2]], 1e-12, name);
        }
        assert_eq!(adjusted_rand(&whole(&trees[name]["four"]), fit.labels()).unwrap(), 1.0, "{name}");
        assert_eq!(fit.predict(&x).unwrap(), fit.labels());
        let distances =
            Array2::from_shape_fn((25, 25), |(i, j)| (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt());
        let by_distance = Hierarchical::new(4).linkage(linkage).fit_dissimilarity(&distances).unwrap();
        assert_eq!(by_distance.labels(), fit.labels());
    }
}

#[test]
fn partitions_are_nested_and_heights_ascend() {
    let x = random(30, 2, 1);
    for (name, linkage) in ALL {
        let fit = Hierarchical::new(1).linkage(linkage).fit(&Device::cpu(), &x).unwrap();
        let tree = fit.dendrogram();
        assert_eq!(tree.merges().len(), 29);
        assert!(tree.merges().windows(2).all(|w| w[0].height() <= w[1].height()), "{name}");
        for k in 1..30 {
            let (coarse, fine) = (tree.cut(k).unwrap(), tree.cut(k + 1).unwrap());
            assert_eq!(coarse.iter().max(), Some(&(k - 1)));
            let within = |i: usize, j: usize| fine[i] != fine[j] || coarse[i] == coarse[j];
            assert!((0..30).all(|i| (0..30).all(|j| within(i, j))), "{name} at {k}");
        }
        let height = tree.merges()[19].height();
        assert_eq!(tree.cut_at(height).unwrap(), tree.cut(10).unwrap());
        let mut order = tree.order();
        // The drawing: each bracket stands on its two branches, and its top is the height of the merge.
        let brackets = tree.brackets();
        assert_eq!(brackets.len(), 29);
        let place: Vec<f64> =
            (0..30).map(|leaf| order.iter().position(|o| *o == leaf).unwrap() as f64).collect();
        // The span of leaves under each cluster, and where its stem is.
        let (mut spans, mut stems): (Vec<_>, Vec<_>) = place.iter().map(|p| ((*p, *p), (*p, 0.0))).unzip();
        for (merge, [left, up, down, right]) in tree.merges().iter().zip(&brackets) {
            let (a, b) = (merge.left(), merge.right());
            assert_eq!((*left, *right), (stems[a], stems[b]), "{name}: feet");
            assert_eq!((up.1, down.1), (merge.height(), merge.height()), "{name}: top");
            assert_eq!((up.0, down.0), (left.0, right.0), "{name}: upright");
            assert!(up.1 >= left.1 && down.1 >= right.1, "{name}: upwards");
            // Siblings stand side by side: no bracket of one is above the other.
            assert_eq!(spans[a].1 + 1.0, spans[b].0, "{name}: {:?} {:?}", spans[a], spans[b]);
            assert!(
                left.0 >= spans[a].0
                    && left.0 <= spans[a].1
                    && right.0 >= spans[b].0
                    && right.0 <= spans[b].1
            );
            spans.push((spans[a].0, spans[b].1));
            stems.push((0.5 * (left.0 + right.0), merge.height()));
        }
        assert_eq!(spans[58], (0.0, 29.0));
        // Neighbouring leaves: the members of each cluster stand together.
        let labels = tree.cut(5).unwrap();
        let runs = order.windows(2).filter(|w| labels[w[0]] != labels[w[1]]).count();
        assert_eq!(runs, 4);
        order.sort_unstable();
        assert_eq!(order, (0..30).collect::<Vec<_>>());
    }
}

/// Single linkage merges along the minimum spanning tree, in the order of its edges (Prim's algorithm).
#[test]
fn single_linkage_is_the_minimum_spanning_tree() {
    let x = random(40, 3, 2);
    let d = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt();
    let (mut inside, mut edges) = (vec![0], Vec::new());
    while inside.len() < 40 {
        let outside = (0..40).filter(|j| !inside.contains(j));
        let near = outside.map(|j| (inside.iter().map(|&i| d(i, j)).fold(f64::INFINITY, f64::min), j));
        let (length, j) = near.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        edges.push(length);
        inside.push(j);
    }
    edges.sort_by(f64::total_cmp);
    let fit = Hierarchical::new(1).linkage(Linkage::Single).fit(&Device::cpu(), &x).unwrap();
    let heights: Vec<f64> = fit.dendrogram().merges().iter().map(Merge::height).collect();
    close(&heights, &edges, 1e-14, "the lengths of its edges");
    // And its cut at a height is a graph's components.
    let parts = Neighbourhood::epsilon(heights[20]).graph(&x).unwrap().components();
    assert_eq!(fit.dendrogram().cut_at(heights[20]).unwrap(), parts);
}

/// Half of a squared height is what the sum of squares grows by.
#[test]
fn ward_merges_cost_what_their_heights_say() {
    let x = random(15, 2, 3);
    let fit = Hierarchical::new(1).fit(&Device::cpu(), &x).unwrap();
    let tree = fit.dendrogram();
    let cost = |labels: &[usize]| -> f64 {
        (0..15)
            .map(|k| {
                let rows: Vec<usize> = (0..15).filter(|&i| labels[i] == k).collect();
                if rows.is_empty() {
                    return 0.0;
                }
                let part = x.select(ndarray::Axis(0), &rows);
                (&part - &part.mean_axis(ndarray::Axis(0)).unwrap()).mapv(|v| v * v).sum()
            })
            .sum()
    };
    for k in 1..15 {
        let grown = cost(&tree.cut(k).unwrap()) - cost(&tree.cut(k + 1).unwrap());
        let height = tree.merges()[14 - k].height();
        close([&grown], [&(0.5 * height * height)], 1e-12, "a merge");
    }
}

#[test]
fn small_and_bad_trees() {
    let one = Hierarchical::new(1).fit(&Device::cpu(), array![[1.0]]).unwrap();
    assert_eq!((one.labels(), one.dendrogram().order()), (&[0][..], vec![0]));
    let same = Hierarchical::new(2).fit(&Device::cpu(), Array2::<f64>::ones((5, 2))).unwrap();
    assert!(same.dendrogram().merges().iter().all(|m| m.height() == 0.0));
    assert!(Hierarchical::new(3).fit(&Device::cpu(), array![[1.0], [2.0]]).is_err());
    assert!(Hierarchical::new(0).fit(&Device::cpu(), array![[1.0], [2.0]]).is_err());
    assert!(
        Hierarchical::new(DendrogramCut::Height(-1.0)).fit(&Device::cpu(), array![[1.0], [2.0]]).is_err()
    );
    for bad in
        [array![[0.0, 1.0], [2.0, 0.0]], array![[0.0, -1.0], [-1.0, 0.0]], array![[1.0, 1.0], [1.0, 0.0]]]
    {
        assert!(Hierarchical::new(1).fit_dissimilarity(&bad).is_err());
    }
}
