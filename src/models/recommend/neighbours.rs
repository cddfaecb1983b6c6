//! Neighbourhood recommenders: what similar users said of the item, or what the user said of similar items.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::rated::{Recommend, rating_fits, recommends};
use super::ratings::{Rating, Ratings};
use crate::Result;
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{not_negative, parameter, room};
use crate::learn::configure::{getters, setters};
use crate::saved::Format;

/// Whose neighbours are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Around {
    /// Users who rated the same items alike.
    Users,
    /// Items that the same users rated alike.
    Items,
}

/// Which mean a similarity is taken around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SimilarityMeans {
    /// The mean of everything that the user has rated: one item in common gives a similarity of ±1.
    #[default]
    All,
    /// The mean of what both have rated, which is Pearson's correlation: undefined with one item in common.
    CoRated,
}

/// Neighbours: `ŷ_ui = ȳ_u + Σ_v κ_uv (y_vi - ȳ_v) / Σ_v |κ_uv|` over the k most similar users v who rated i.
///
/// `κ_uv = Σ_i (y_ui - ȳ_u)(y_vi - ȳ_v) / √(Σ_i (y_ui - ȳ_u)² Σ_i (y_vi - ȳ_v)²)` over the items that both have rated.
/// Where that is 0/0 the pair are no neighbours; who has no neighbour is predicted the own mean, and who has no rating
/// the mean of all. [`Neighbours::items`] is the same on the transposed table. Predictions may leave the range of
/// ratings. Runs on the CPU; the similarities of n users are stored, n x n.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let table = Ratings::from_table(array![[5.0, 1.0, 4.0], [4.0, 2.0, f64::NAN], [1.0, 5.0, 2.0]])?;
/// let fitted = Neighbours::users(1).fit_ratings(&table)?;
/// assert!((fitted.rating(1, 2) - (3.0 + (4.0 - 10.0 / 3.0))).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbours {
    around: Around,
    count: usize,
    means: SimilarityMeans,
    significance: f64,
    size: (Option<usize>, Option<usize>),
}

impl Neighbours {
    /// The k most similar users.
    pub fn users(count: usize) -> Self {
        let (means, size) = (SimilarityMeans::All, (None, None));
        Neighbours { around: Around::Users, count, means, significance: 0.0, size }
    }

    /// The k most similar items.
    pub fn items(count: usize) -> Self {
        Neighbours { around: Around::Items, ..Self::users(count) }
    }
}

setters!(Neighbours {
    /// Which mean similarities are taken around.
    means: SimilarityMeans,
    /// Ratings in common below which a similarity counts for less: it is multiplied by `min(n, γ)/γ`. 0 by default:
    /// never.
    significance: f64,
});

rating_fits!(Neighbours: -> FittedNeighbours);

impl Neighbours {
    fn run(&self, ratings: &Ratings) -> Result<FittedNeighbours> {
        parameter("neighbours", self.count as f64, self.count > 0, "must be at least 1")?;
        not_negative("significance", self.significance)?;
        let table = if self.around == Around::Users { ratings.clone() } else { ratings.transposed() };
        let n = table.users();
        room("users or items to compare", n, 8 * n)?;
        let overall = ratings.mean();
        let means = table.user_means().mapv(|m| if m.is_finite() { m } else { overall });
        let row = |u: usize| -> Vec<f64> { (0..n).map(|v| self.similarity(&table, &means, u, v)).collect() };
        let flat: Vec<f64> = (0..n).into_par_iter().flat_map_iter(row).collect();
        let similarity = Array2::from_shape_fn((n, n), |(u, v)| flat[u * n + v]);
        let (around, count) = (self.around, self.count);
        let ratings = table.entries().to_vec();
        let size = (table.users(), table.items());
        Ok(FittedNeighbours {
            format: Format,
            around,
            count,
            similarity,
            means,
            size,
            ratings,
            table: Some(table),
        })
    }

    /// κ of two rows; NaN where it has no value.
    fn similarity(&self, table: &Ratings, means: &Array1<f64>, u: usize, v: usize) -> f64 {
        let both: Vec<(&Rating, &Rating)> = common(table.of_user(u), table.of_user(v));
        let weight: f64 = both.iter().map(|(a, b)| a.weight * b.weight).sum();
        let (mu, mv) = match self.means {
            SimilarityMeans::All => (means[u], means[v]),
            SimilarityMeans::CoRated => {
                let mean = |f: fn(&(&Rating, &Rating)) -> f64| {
                    both.iter().map(|p| p.0.weight * p.1.weight * f(p)).sum::<f64>() / weight
                };
                (mean(|p| p.0.value), mean(|p| p.1.value))
            }
        };
        let (mut uv, mut uu, mut vv) = (0.0, 0.0, 0.0);
        let (mut all_u, mut all_v) = (0.0, 0.0);
        for (a, b) in &both {
            let (w, du, dv) = (a.weight * b.weight, a.value - mu, b.value - mv);
            (uv, uu, vv) = (uv + w * du * dv, uu + w * du * du, vv + w * dv * dv);
            (all_u, all_v) = (all_u + w * a.value * a.value, all_v + w * b.value * b.value);
        }
        // Below this a spread is what rounding made of equal ratings.
        let spread = uu > 1e-24 * all_u && vv > 1e-24 * all_v;
        let kappa = if spread { (uv / (uu.sqrt() * vv.sqrt())).clamp(-1.0, 1.0) } else { f64::NAN };
        let trust =
            if self.significance > 0.0 { (both.len() as f64 / self.significance).min(1.0) } else { 1.0 };
        kappa * trust
    }
}

/// The ratings of items that both lists have; both are ordered by item.
fn common<'a>(a: &'a [Rating], b: &'a [Rating]) -> Vec<(&'a Rating, &'a Rating)> {
    let find = |r: &'a Rating| b.binary_search_by_key(&r.item, |q| q.item).ok().map(|at| (r, &b[at]));
    a.iter().filter_map(find).collect()
}

/// Fitted [`Neighbours`]: similarities, means and the ratings themselves.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedNeighbours {
    format: Format,
    around: Around,
    count: usize,
    /// Of users, or of items if those are compared: the table below is transposed then.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    similarity: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    means: Array1<f64>,
    size: (usize, usize),
    ratings: Vec<Rating>,
    /// The ratings in order; made of the list where it was loaded.
    #[cfg_attr(feature = "serde", serde(skip))]
    table: Option<Ratings>,
}

getters!(FittedNeighbours {
    /// The similarities κ of users, or of items if those are compared; NaN where a pair has none.
    similarity: &Array2<f64>,
    /// The mean rating of each user, or of each item if those are compared; the mean of all for one without ratings.
    means: &Array1<f64>,
    /// Whose neighbours are asked.
    around: Around,
});

impl FittedNeighbours {
    /// The ratings of one column of the table, as (row, value).
    fn column(&self, column: usize) -> Vec<(usize, f64)> {
        match &self.table {
            Some(table) => table.of_item(column).map(|r| (r.user, r.value)).collect(),
            None => self.ratings.iter().filter(|r| r.item == column).map(|r| (r.user, r.value)).collect(),
        }
    }
}

impl Recommend for FittedNeighbours {
    fn size(&self) -> (usize, usize) {
        if self.around == Around::Users { self.size } else { (self.size.1, self.size.0) }
    }

    fn rating(&self, user: usize, item: usize) -> f64 {
        let (u, i) = if self.around == Around::Users { (user, item) } else { (item, user) };
        let kappa = self.similarity.row(u);
        let mut near: Vec<(f64, f64)> = (self.column(i).into_iter())
            .filter(|&(v, _)| v != u && !kappa[v].is_nan())
            .map(|(v, value)| (kappa[v], value - self.means[v]))
            .collect();
        // Stable: of equals the first index comes first.
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(self.count);
        let size: f64 = near.iter().map(|(k, _)| k.abs()).sum();
        let pull: f64 = near.iter().map(|(k, d)| k * d).sum();
        if size > 0.0 { self.means[u] + pull / size } else { self.means[u] }
    }
}

recommends!(FittedNeighbours);

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNeighbours);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedNeighbours {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedNeighbours";
        let n = self.size.0;
        let fits = self.similarity.dim() == (n, n)
            && self.means.len() == n
            && self.means.iter().all(|m| m.is_finite());
        require(OP, fits, || format!("similarities or means that are not those of {n}"))?;
        Ratings::of(self.size.0, self.size.1, self.ratings.clone()).map(|_| ())
    }
}
