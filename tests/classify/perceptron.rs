//! perceptron
