//! Ratings of items by users, most of them missing: a sparse matrix that is read by user and by item.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::check::{numbers, pairs, parameter, require, room};
use crate::learn::{Inputs, Targets};
use crate::{Error, Result};

/// What one user said of one item.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rating {
    /// The user, counted from 0.
    pub user: usize,
    /// The item, counted from 0.
    pub item: usize,
    /// The rating.
    pub value: f64,
    /// How much it counts: 1 unless said otherwise.
    pub weight: f64,
}

/// Ratings `y_ui` for those pairs of a user and an item that were exposed, `e_ui = 1`.
///
/// Each pair is rated at most once. Users and items without a rating are part of the table.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let nan = f64::NAN; // no rating
/// let table = Ratings::from_table(array![[nan, 1.0], [2.0, nan], [5.0, 4.0]])?;
/// assert_eq!((table.users(), table.items(), table.len()), (3, 2, 4));
/// assert_eq!(table.get(2, 1), Some(4.0));
/// assert_eq!(table.user_means()[2], 4.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    users: usize,
    items: usize,
    /// Ordered by user, then by item.
    entries: Vec<Rating>,
    /// Where the entries of each user begin.
    starts: Vec<usize>,
    /// Indices of entries, ordered by item, then by user.
    by_item: Vec<usize>,
    item_starts: Vec<usize>,
}

impl Ratings {
    /// The table of `users x items` with the rating `y_r` of each row `(user, item)` of `x`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a pair that is not of whole numbers, lies beyond the table or is rated twice,
    /// [`Error::Shape`] or [`Error::NotFinite`] for bad data.
    pub fn new(
        users: usize,
        items: usize,
        x: impl Inputs,
        y: impl Targets<Of = ndarray::ArrayRef<f64, ndarray::Ix1>>,
    ) -> Result<Self> {
        Self::read("Ratings::new", x.inputs().view(), y.targets().view(), None, (Some(users), Some(items)))
    }

    /// A table with one row a user and one column an item; NaN is no rating.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for an infinity, [`Error::Shape`] for a table without a rating.
    pub fn from_table(table: impl Inputs) -> Result<Self> {
        let table = table.inputs();
        numbers("Ratings::from_table", "the table", table.mapv(|v| if v.is_nan() { 0.0 } else { v }).view())?;
        let rated = table.indexed_iter().filter(|(_, v)| !v.is_nan());
        let entries =
            rated.map(|((user, item), &value)| Rating { user, item, value, weight: 1.0 }).collect::<Vec<_>>();
        Self::of(table.nrows(), table.ncols(), entries)
    }

    /// Ratings in any order.
    ///
    /// # Errors
    /// As [`Ratings::new`].
    pub fn of(users: usize, items: usize, mut entries: Vec<Rating>) -> Result<Self> {
        require("Ratings", !entries.is_empty(), || "there are no ratings".to_owned())?;
        room("users", users, 16)?;
        room("items", items, 16)?;
        for r in &entries {
            parameter("user", r.user as f64, r.user < users, "must be below the number of users")?;
            parameter("item", r.item as f64, r.item < items, "must be below the number of items")?;
            if !r.value.is_finite() {
                let (row, col) = (r.user, r.item);
                return Err(Error::NotFinite { op: "Ratings", what: "the table", value: r.value, row, col });
            }
            let fit = r.weight >= 0.0 && r.weight.is_finite();
            parameter("weight of a rating", r.weight, fit, "must be finite and not negative")?;
        }
        let total: f64 = entries.iter().map(|r| r.weight).sum();
        parameter("sum of weights", total, total > 0.0 && total.is_finite(), "must be positive and finite")?;
        entries.sort_by_key(|r| (r.user, r.item));
        if let Some(two) =
            entries.windows(2).find(|two| (two[0].user, two[0].item) == (two[1].user, two[1].item))
        {
            let name = format!("item rated twice by user {}", two[0].user);
            parameter(
                &name,
                two[0].item as f64,
                false,
                "a pair has one rating: average them, or keep the last",
            )?;
        }
        let mut by_item: Vec<usize> = (0..entries.len()).collect();
        by_item.sort_by_key(|&e| (entries[e].item, entries[e].user));
        let (starts, item_starts) =
            (starts(users, entries.iter().map(|r| r.user)), starts(items, entries.iter().map(|r| r.item)));
        Ok(Ratings { users, items, entries, starts, by_item, item_starts })
    }

    /// Pairs and targets of a fit; sizes that are not given are those of the largest numbers.
    pub(super) fn read(
        op: &'static str,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        size: (Option<usize>, Option<usize>),
    ) -> Result<Self> {
        pairs(op, x, y.insert_axis(ndarray::Axis(1)))?;
        let found = indices(op, x)?;
        let largest = |f: fn(&(usize, usize)) -> usize| found.iter().map(f).max().unwrap_or(0) + 1;
        let users = size.0.unwrap_or_else(|| largest(|p| p.0));
        let items = size.1.unwrap_or_else(|| largest(|p| p.1));
        let weight = |r: usize| weights.map_or(1.0, |w| w[r]);
        let entry = |(r, (user, item))| Rating { user, item, value: y[r], weight: weight(r) };
        Self::of(users, items, found.into_iter().enumerate().map(entry).collect())
    }

    /// How many users there are.
    pub fn users(&self) -> usize {
        self.users
    }

    /// How many items there are.
    pub fn items(&self) -> usize {
        self.items
    }

    /// How many pairs are rated.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: a table has a rating.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All ratings, ordered by user, then by item.
    pub fn entries(&self) -> &[Rating] {
        &self.entries
    }

    /// The ratings of one user; none for a user beyond the table.
    pub fn of_user(&self, user: usize) -> &[Rating] {
        if user < self.users { &self.entries[self.starts[user]..self.starts[user + 1]] } else { &[] }
    }

    /// The ratings of one item, ordered by user; none for an item beyond the table.
    pub fn of_item(&self, item: usize) -> impl ExactSizeIterator<Item = &Rating> + Clone {
        let range = if item < self.items { self.item_starts[item]..self.item_starts[item + 1] } else { 0..0 };
        self.by_item[range].iter().map(|&e| &self.entries[e])
    }

    /// The rating of a pair, if it was exposed.
    pub fn get(&self, user: usize, item: usize) -> Option<f64> {
        let own = self.of_user(user);
        own.binary_search_by_key(&item, |r| r.item).ok().map(|at| own[at].value)
    }

    /// The exposure mask `e`, users x items.
    pub fn exposure(&self) -> Array2<bool> {
        let mut mask = Array2::from_elem((self.users, self.items), false);
        self.entries.iter().for_each(|r| mask[[r.user, r.item]] = true);
        mask
    }

    /// The weighted mean of all ratings.
    pub fn mean(&self) -> f64 {
        mean(self.entries.iter())
    }

    /// The mean rating of each user; NaN for one without ratings.
    pub fn user_means(&self) -> Array1<f64> {
        (0..self.users).map(|u| mean(self.of_user(u).iter())).collect()
    }

    /// The mean rating of each item; NaN for one without ratings.
    pub fn item_means(&self) -> Array1<f64> {
        (0..self.items).map(|i| mean(self.of_item(i))).collect()
    }

    /// Items as users and users as items.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let turn = |r: &Rating| Rating { user: r.item, item: r.user, ..*r };
        let entries: Vec<Rating> = self.by_item.iter().map(|&e| turn(&self.entries[e])).collect();
        let mut by_item: Vec<usize> = (0..entries.len()).collect();
        by_item.sort_by_key(|&e| (entries[e].item, entries[e].user));
        let (users, items) = (self.items, self.users);
        let (starts, item_starts) = (self.item_starts.clone(), self.starts.clone());
        Ratings { users, items, entries, starts, by_item, item_starts }
    }

    /// As inputs and targets: one row `(user, item)` a rating, and its value.
    pub fn to_pairs(&self) -> (Array2<f64>, Array1<f64>) {
        let pair = |(r, c): (usize, usize)| {
            let e = &self.entries[r];
            if c == 0 { e.user as f64 } else { e.item as f64 }
        };
        (Array2::from_shape_fn((self.len(), 2), pair), self.entries.iter().map(|r| r.value).collect())
    }

    /// Some of the ratings, in a table of the same size.
    ///
    /// # Errors
    /// [`Error::Shape`] for none, or for an index beyond [`Ratings::len`].
    pub fn select(&self, which: &[usize]) -> Result<Self> {
        let inside = which.iter().all(|&e| e < self.len());
        require("Ratings::select", inside, || format!("there are {} ratings", self.len()))?;
        Self::of(self.users, self.items, which.iter().map(|&e| self.entries[e]).collect())
    }

    /// Users without a rating that counts.
    pub fn cold_users(&self) -> Vec<usize> {
        (0..self.users).filter(|&u| self.of_user(u).iter().all(|r| r.weight == 0.0)).collect()
    }

    /// Items without a rating that counts.
    pub fn cold_items(&self) -> Vec<usize> {
        (0..self.items).filter(|&i| self.of_item(i).all(|r| r.weight == 0.0)).collect()
    }
}

/// The pairs of a user and an item that rows of inputs speak of.
pub(super) fn indices(op: &'static str, x: ArrayView2<f64>) -> Result<Vec<(usize, usize)>> {
    require(op, x.ncols() == 2, || format!("a row is a user and an item; x has {} columns", x.ncols()))?;
    let whole = |name: &str, v: f64| -> Result<usize> {
        let fits = (0.0..9e15).contains(&v) && v.fract() == 0.0;
        parameter(name, v, fits, "users and items are whole numbers, counted from 0")?;
        Ok(v as usize)
    };
    x.rows().into_iter().map(|row| Ok((whole("user", row[0])?, whole("item", row[1])?))).collect()
}

fn mean<'a>(ratings: impl Iterator<Item = &'a Rating>) -> f64 {
    let (sum, weight) = ratings.fold((0.0, 0.0), |(s, w), r| (s + r.weight * r.value, w + r.weight));
    sum / weight
}

/// Where each of so many groups begins in a list that is ordered by group.
fn starts(groups: usize, of: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = vec![0; groups + 1];
    of.for_each(|g| counts[g + 1] += 1);
    for g in 0..groups {
        counts[g + 1] += counts[g];
    }
    counts
}
