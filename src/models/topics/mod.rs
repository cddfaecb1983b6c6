//! Topic models: documents as mixtures of topics, topics as distributions over words.

mod corpus;
mod fitted;
mod gibbs;
mod local;
mod model;
mod resident;
mod variational;

pub use corpus::{Corpus, word_counts};
pub use fitted::FittedTopicModel;
pub use model::{TopicMethod, TopicModel};
