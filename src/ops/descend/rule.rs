//! The rules of a step, and the numbers that each comes down to.

/// The rule of one step, by the gradient g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Descent {
    /// `m ← ρm - γ(g + κp)`, `p ← p + m`.
    Momentum {
        /// γ.
        rate: f64,
        /// ρ.
        momentum: f64,
        /// κ.
        decay: f64,
    },
    /// `s ← s + g²`, `p ← p - γ g/(√s + ε)`.
    AdaGrad {
        /// γ.
        rate: f64,
        /// ε.
        epsilon: f64,
    },
    /// `s ← ρs + (1 - ρ)g²`, `p ← p - γ g/(√s + ε)`.
    RmsProp {
        /// γ.
        rate: f64,
        /// ρ.
        memory: f64,
        /// ε.
        epsilon: f64,
    },
    /// `m ← β₁m + (1 - β₁)g`, `s ← β₂s + (1 - β₂)g²`, `p ← p - γ(m̂/(√ŝ + ε) + κp)`.
    Adam {
        /// γ.
        rate: f64,
        /// β₁.
        first: f64,
        /// β₂.
        second: f64,
        /// ε.
        epsilon: f64,
        /// κ.
        decay: f64,
        /// How many steps there will have been after this one: m̂ and ŝ are corrected by it.
        step: usize,
    },
}

/// The numbers of one step, in f64.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    pub code: u32,
    pub rate: f64,
    pub decay: f64,
    pub first: f64,
    pub second: f64,
    /// What a squared gradient counts in s.
    pub share: f64,
    pub epsilon: f64,
    pub m_scale: f64,
    pub s_scale: f64,
}

impl Descent {
    pub(super) fn numbers(self) -> Numbers {
        let plain = Numbers {
            code: 0,
            rate: 0.0,
            decay: 0.0,
            first: 0.0,
            second: 1.0,
            share: 1.0,
            epsilon: 0.0,
            m_scale: 1.0,
            s_scale: 1.0,
        };
        match self {
            Descent::Momentum { rate, momentum, decay } => Numbers { rate, first: momentum, decay, ..plain },
            Descent::AdaGrad { rate, epsilon } => Numbers { code: 1, rate, epsilon, ..plain },
            Descent::RmsProp { rate, memory, epsilon } => {
                Numbers { code: 2, rate, epsilon, second: memory, share: 1.0 - memory, ..plain }
            }
            Descent::Adam { rate, first, second, epsilon, decay, step } => Numbers {
                code: 3,
                rate,
                decay,
                first,
                second,
                share: 1.0 - second,
                epsilon,
                m_scale: 1.0 / (1.0 - first.powf(step as f64)),
                s_scale: 1.0 / (1.0 - second.powf(step as f64)),
            },
        }
    }
}
