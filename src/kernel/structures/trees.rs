//! Trees by the fragments they share.

use super::objects::ObjectKernel;
use crate::Result;
use crate::check::{parameter, room};

/// An ordered tree with a label at each vertex.
///
/// ```
/// use mercer::kernel::structures::Tree;
/// let np = Tree::node("NP", vec![Tree::leaf("Anna")]);
/// let sentence = Tree::node("S", vec![np, Tree::node("VP", vec![Tree::leaf("sings")])]);
/// assert_eq!(sentence.vertices(), 5);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree<L> {
    /// Children before parents, the root last: nothing here recurses, however deep a tree is.
    labels: Vec<L>,
    children: Vec<Vec<usize>>,
}

impl<L> Tree<L> {
    /// A tree of one vertex.
    pub fn leaf(label: L) -> Self {
        Self::node(label, Vec::new())
    }

    /// A root with these trees below it, in this order.
    pub fn node(label: L, below: Vec<Tree<L>>) -> Self {
        let mut below = below.into_iter();
        let mut tree = below.next().unwrap_or(Tree { labels: Vec::new(), children: Vec::new() });
        let mut roots: Vec<usize> = tree.labels.len().checked_sub(1).into_iter().collect();
        for other in below {
            let shift = tree.labels.len();
            tree.labels.extend(other.labels);
            tree.children
                .extend(other.children.into_iter().map(|c| c.into_iter().map(|i| i + shift).collect()));
            roots.push(tree.labels.len() - 1);
        }
        tree.labels.push(label);
        tree.children.push(roots);
        tree
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> usize {
        self.labels.len()
    }
}

/// The convolution kernel of trees: the number of fragments that two trees share, where each counts `decay^size`.
///
/// A fragment is a vertex with all of its children, each of which either is cut off there or goes on in the same way; its size
/// is how many of its vertices have children (Collins and Duffy). `k = Σ_{u, v} C(u, v)`, where `C = 0` unless both have children and
/// their labels and those of their children agree, and otherwise `C(u, v) = decay Π_i (1 + C(u_i, v_i))`.
///
/// ```
/// use mercer::kernel::structures::{ObjectKernel, Tree, TreeKernel};
/// let noun = |word| Tree::node("N", vec![Tree::leaf(word)]);
/// let (cat, dog) = (Tree::node("NP", vec![noun("cat")]), Tree::node("NP", vec![noun("dog")]));
/// assert_eq!(TreeKernel::new(1.0).value(&cat, &cat)?, 3.0); // N(cat), NP(N), NP(N(cat))
/// assert_eq!(TreeKernel::new(1.0).value(&cat, &dog)?, 1.0); // NP(N)
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeKernel {
    decay: f64,
}

impl TreeKernel {
    /// With the decay of larger fragments, above 0 and at most 1.
    pub fn new(decay: f64) -> Self {
        TreeKernel { decay }
    }
}

impl<L: PartialEq + Send + Sync> ObjectKernel<Tree<L>> for TreeKernel {
    fn value(&self, a: &Tree<L>, b: &Tree<L>) -> Result<f64> {
        let decay = self.decay;
        parameter("decay", decay, decay > 0.0 && decay <= 1.0, "must be above 0 and at most 1")?;
        let (n, m) = (a.vertices(), b.vertices());
        room("vertices", n, m.saturating_mul(8))?;
        let mut common = vec![0.0; n * m];
        let mut sum = 0.0;
        for u in 0..n {
            for v in 0..m {
                let (below, beneath) = (&a.children[u], &b.children[v]);
                let same = a.labels[u] == b.labels[v]
                    && !below.is_empty()
                    && below.len() == beneath.len()
                    && below.iter().zip(beneath).all(|(i, j)| a.labels[*i] == b.labels[*j]);
                if same {
                    let each = below.iter().zip(beneath).map(|(i, j)| 1.0 + common[i * m + j]);
                    common[u * m + v] = decay * each.product::<f64>();
                    sum += common[u * m + v];
                }
            }
        }
        Ok(sum)
    }
}
