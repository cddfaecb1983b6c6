//! Topic models: documents as mixtures of topics, topics as distributions over words. On the CPU, whatever the device.

mod corpus;
mod fitted;
mod gibbs;
mod local;
mod model;
mod variational;

pub use corpus::{Corpus, word_counts};
pub use fitted::FittedTopicModel;
pub use model::{TopicMethod, TopicModel};
