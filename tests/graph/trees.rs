//! Trees and sets.

use mercer::kernel::structures::{ObjectKernel, SetKernel, StringKernel, Tree, TreeKernel};
use ndarray::Array2;

use crate::least;

/// A tree as it is written: `S(NP(a) VP(b))`.
#[derive(Clone, PartialEq)]
struct Written(char, Vec<Written>);

impl Written {
    fn tree(&self) -> Tree<char> {
        Tree::node(self.0, self.1.iter().map(Written::tree).collect())
    }

    fn vertices(&self) -> Vec<&Written> {
        std::iter::once(self).chain(self.1.iter().flat_map(Written::vertices)).collect()
    }

    /// Every fragment with this root, as text, and its size.
    fn fragments(&self) -> Vec<(String, i32)> {
        if self.1.is_empty() {
            return Vec::new();
        }
        let mut all = vec![(format!("{}(", self.0), 1)];
        for child in &self.1 {
            let mut ways = vec![(child.0.to_string(), 0)];
            ways.extend(child.fragments());
            all = all
                .iter()
                .flat_map(|(t, s)| ways.iter().map(move |(u, r)| (format!("{t}{u} "), s + r)))
                .collect();
        }
        all
    }
}

/// Trees from a number, with few labels so that they share fragments.
fn grown(code: usize, depth: usize) -> Written {
    let below = if depth == 0 { 0 } else { code % 3 };
    let label = if below == 0 { ['x', 'y'][code % 2] } else { ['A', 'B'][code / 3 % 2] };
    Written(label, (0..below).map(|i| grown(code / 6 + i * 5, depth - 1)).collect())
}

#[test]
fn fragments_are_counted() {
    let all: Vec<Written> = (1..40).map(|c| grown(c * 37, 3)).collect();
    for decay in [1.0, 0.5] {
        for (a, b) in all.iter().zip(all.iter().skip(1)).chain(all.iter().zip(&all)) {
            let mut want = 0.0;
            for u in a.vertices() {
                for v in b.vertices() {
                    let theirs = v.fragments();
                    let shared = u.fragments().into_iter().filter(|f| theirs.contains(f));
                    want += shared.map(|(_, size)| f64::powi(decay, size)).sum::<f64>();
                }
            }
            let got = TreeKernel::new(decay).value(&a.tree(), &b.tree()).unwrap();
            assert!((got - want).abs() < 1e-9 * (1.0 + want), "{got} and {want}");
        }
    }
    let trees: Vec<Tree<char>> = all.iter().map(Written::tree).collect();
    let gram: Array2<f64> = TreeKernel::new(0.4).gram(&trees).unwrap();
    assert!(least(&gram) > -1e-12);
    assert!(TreeKernel::new(0.0).value(&trees[0], &trees[0]).is_err());
}

#[test]
fn deep_trees_do_not_overflow() {
    let mut deep = Tree::leaf('x');
    for _ in 0..2000 {
        deep = Tree::node('A', vec![deep]);
    }
    assert_eq!(deep.vertices(), 2001);
    assert!(TreeKernel::new(0.4).value(&deep, &deep).unwrap().is_finite());
}

#[test]
fn sets_are_sums_over_pairs() {
    let bag = StringKernel::bag_of_characters();
    let sets: Vec<Vec<String>> = [vec!["ab", "b"], vec!["a"], vec![], vec!["abc", "c", "ca"]]
        .map(|s| s.into_iter().map(str::to_owned).collect())
        .to_vec();
    let (sum, mean) = (SetKernel::<_, str>::sum(bag.clone()), SetKernel::<_, str>::mean(bag.clone()));
    for a in &sets {
        for b in &sets {
            let all: f64 = a.iter().flat_map(|x| b.iter().map(|y| bag.value(x, y).unwrap())).sum();
            assert_eq!(sum.value(&a[..], &b[..]).unwrap(), all);
            let pairs = (a.len() * b.len()).max(1) as f64;
            assert!((mean.value(&a[..], &b[..]).unwrap() - all / pairs).abs() < 1e-15);
        }
    }
    let gram: Array2<f64> = ObjectKernel::<[String]>::gram(&mean, &sets).unwrap();
    assert!(least(&gram) > -1e-12 && gram[[2, 2]] == 0.0);
}
