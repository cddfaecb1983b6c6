//! The settings of EM among the setters of a model.

/// The settings of EM as setters of a model that has them in its field `em`.
macro_rules! em_setters {
    ($model:ident $(<$param:ident: $bound:path>)?: $($name:ident),+) => {
        impl $(<$param: $bound>)? $model $(<$param>)? {
            /// All settings of EM at once, for several models that share them.
            #[must_use]
            pub fn em(mut self, em: $crate::inference::em::Em) -> Self {
                self.em = em;
                self
            }

            $($crate::inference::em::em_setter!($name);)+
        }
    };
}

macro_rules! em_setter {
    (max_iterations) => {
        /// The most iterations of one start.
        #[must_use]
        pub fn max_iterations(mut self, max_iterations: usize) -> Self {
            self.em.max_iterations = max_iterations;
            self
        }
    };
    (tolerance) => {
        /// An iteration that gains no more than this, relative to the objective's size, is the last one. With 0 it goes
        /// on until nothing is gained.
        #[must_use]
        pub fn tolerance(mut self, tolerance: f64) -> Self {
            self.em.tolerance = tolerance;
            self
        }
    };
    (restarts) => {
        /// How many starts are made; the one that ends best is kept.
        #[must_use]
        pub fn restarts(mut self, restarts: usize) -> Self {
            self.em.restarts = restarts;
            self
        }
    };
    (seed) => {
        /// Seed of the first start; the i-th is made with `seed + i`.
        #[must_use]
        pub fn seed(mut self, seed: u64) -> Self {
            self.em.seed = seed;
            self
        }
    };
    (mode) => {
        /// What an iteration does: EM over all of the data by default.
        #[must_use]
        pub fn mode(mut self, mode: $crate::inference::em::Mode) -> Self {
            self.em.mode = mode;
            self
        }
    };
    (checkpoint) => {
        /// A file from which an interrupted fit goes on; none by default.
        #[must_use]
        pub fn checkpoint(mut self, checkpoint: impl Into<Option<$crate::saved::Checkpoint>>) -> Self {
            self.em.checkpoint = checkpoint.into();
            self
        }
    };
    (progress) => {
        /// Called after every E-step with the iterations made so far, in all starts, and the objective; it can cancel
        /// the fit.
        #[must_use]
        pub fn progress(mut self, progress: $crate::Progress) -> Self {
            self.em.progress = progress;
            self
        }
    };
}

pub(crate) use {em_setter, em_setters};
