//! Mini-batches: which rows each step sees, decided by a seed.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::Result;
use crate::check::parameter;
use crate::configure::setters;
use crate::random::shuffle;

/// How rows are put into batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// Each row once an epoch, in an order that the seed decides anew for each epoch.
    #[default]
    Shuffled,
    /// Each row once an epoch, in the order of the data: the incremental gradient method.
    Sequential,
    /// Uniform draws with replacement: every batch is an unbiased sample of all rows.
    Replacement,
    /// Each row with probability size/n, independently: what the accounting of private training assumes.
    Poisson,
}

/// The rows of each batch of each epoch.
///
/// ```
/// use mercer::optim::Batches;
/// let epoch = Batches::new(10, 4).seed(1).epoch(0)?;
/// assert_eq!(epoch.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Batches {
    rows: usize,
    size: usize,
    order: Order,
    seed: u64,
}

impl Batches {
    /// Batches of n rows, at most `size` in each.
    pub fn new(rows: usize, size: usize) -> Self {
        Batches { rows, size, order: Order::Shuffled, seed: 0 }
    }
}

setters!(Batches {
    /// How rows are put into batches; shuffled unless said otherwise.
    order: Order,
    /// Seed of all orders and draws.
    seed: u64,
});

impl Batches {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The batches of this epoch.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for no rows, or batches of no rows or more than there are.
    pub fn epoch(&self, epoch: usize) -> Result<Vec<Vec<usize>>> {
        let (n, size) = (self.rows, self.size);
        let requirement = "must be at least 1 and at most the number of rows";
        parameter("batch size", size as f64, (1..=n).contains(&size), requirement)?;
        let mut all: Vec<usize> = (0..n).collect();
        if matches!(self.order, Order::Sequential | Order::Shuffled) {
            if self.order == Order::Shuffled {
                shuffle(&mut all, self.seed, epoch as u64);
            }
            return Ok(all.chunks(size).map(<[usize]>::to_vec).collect());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(epoch as u64);
        let share = size as f64 / n as f64;
        let batch = |_| -> Vec<usize> {
            if self.order == Order::Poisson {
                (0..n).filter(|_| rng.random::<f64>() < share).collect()
            } else {
                (0..size).map(|_| rng.random_range(0..n)).collect()
            }
        };
        Ok((0..n.div_ceil(size)).map(batch).collect())
    }
}
