//! An encoder and a decoder: which parameters are trained, and how tied ones are shared.

use super::layer::Kind;
use super::network::Network;

/// Encoder and decoder, and which parameters they have.
pub(super) struct Pair {
    pub encoder: Network,
    pub decoder: Network,
    pub tied: bool,
}

impl Pair {
    /// Parameters that are trained: of tied weights the encoder's, and the decoder's biases.
    pub fn parameters(&self) -> usize {
        if !self.tied {
            return self.encoder.parameters() + self.decoder.parameters();
        }
        self.encoder.parameters()
            + Self::dense(&self.decoder).iter().map(|(_, _, outputs)| outputs).sum::<usize>()
    }

    /// Where each dense layer begins, its inputs and its outputs.
    fn dense(network: &Network) -> Vec<(usize, usize, usize)> {
        let (mut at, mut found) = (0, Vec::new());
        for layer in &network.layers {
            if let Kind::Dense { inputs, outputs, .. } = layer.kind {
                found.push((at, inputs, outputs));
            }
            at += layer.parameters();
        }
        found
    }

    /// The parameters of both networks.
    pub fn split(&self, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (encoder, rest) = theta.split_at(self.encoder.parameters());
        if !self.tied {
            return (encoder.to_vec(), rest.to_vec());
        }
        let mut decoder = vec![0.0; self.decoder.parameters()];
        let (mirrored, mut bias) = (Self::dense(&self.encoder), 0);
        for ((at, inputs, outputs), (from, ..)) in
            Self::dense(&self.decoder).into_iter().zip(mirrored.into_iter().rev())
        {
            for o in 0..outputs {
                for i in 0..inputs {
                    decoder[at + o * inputs + i] = encoder[from + i * outputs + o];
                }
                decoder[at + inputs * outputs + o] = rest[bias + o];
            }
            bias += outputs;
        }
        (encoder.to_vec(), decoder)
    }

    /// The gradient by what is trained: tied weights have the sum of both paths.
    pub fn join(&self, mut encoder: Vec<f64>, decoder: &[f64]) -> Vec<f64> {
        if !self.tied {
            encoder.extend(decoder);
            return encoder;
        }
        let mut biases: Vec<f64> = Vec::new();
        let mirrored = Self::dense(&self.encoder);
        for ((at, inputs, outputs), (from, ..)) in
            Self::dense(&self.decoder).into_iter().zip(mirrored.into_iter().rev())
        {
            for o in 0..outputs {
                for i in 0..inputs {
                    encoder[from + i * outputs + o] += decoder[at + o * inputs + i];
                }
            }
            let start = at + inputs * outputs;
            biases.extend(&decoder[start..start + outputs]);
        }
        encoder.extend(biases);
        encoder
    }

    pub fn initial(&self, seed: u64) -> Vec<f64> {
        let mut theta = self.encoder.initial(seed);
        if self.tied {
            theta.resize(self.parameters(), 0.0);
        } else {
            theta.extend(self.decoder.initial(seed.wrapping_add(1)));
        }
        theta
    }

    pub fn decaying(&self) -> Vec<bool> {
        let mut all = self.encoder.decaying();
        if self.tied {
            all.resize(self.parameters(), false);
        } else {
            all.extend(self.decoder.decaying());
        }
        all
    }
}
