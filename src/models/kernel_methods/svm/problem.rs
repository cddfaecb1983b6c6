//! The quadratic program that every support vector machine is.

/// What the variables must satisfy besides their bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Constraint {
    /// Nothing: a machine without offset.
    None,
    /// `Σ_t c_t a_t` stays what it is at the start.
    Sum,
    /// `Σ a_t` over `c_t = 1` stays what it is at the start, and so does that over `c_t = -1`.
    SumOfEachSide,
}

/// What a violation of the optimality conditions is measured in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    /// This many units of the decision function.
    Fixed(f64),
    /// The margin that the solution has.
    Margin,
}

/// `min ½ aᵀQa + pᵀa, 0 ≤ a ≤ u`, with `Q_st = σ_s σ_t k(x_s, x_t)`.
pub(super) struct Problem {
    /// The point of each variable.
    pub point: Vec<usize>,
    /// σ, one or minus one.
    pub sign: Vec<f64>,
    /// c, one or minus one.
    pub side: Vec<f64>,
    /// p.
    pub linear: Vec<f64>,
    /// u.
    pub upper: Vec<f64>,
    /// A point that satisfies the constraints.
    pub start: Vec<f64>,
    pub constraint: Constraint,
    pub unit: Unit,
}

/// Where the solver ended.
pub(super) struct Optimum {
    /// a.
    pub a: Vec<f64>,
    /// `Qa + p`, computed anew at the end.
    pub gradient: Vec<f64>,
    /// Largest violation of the optimality conditions, over all variables.
    pub violation: f64,
    pub iterations: usize,
    /// Whether rounding ended it before the tolerance was met.
    pub stalled: bool,
    /// The objective after every round of a thousand iterations or fewer.
    pub trace: Vec<f64>,
}

impl Problem {
    pub fn len(&self) -> usize {
        self.point.len()
    }

    /// Whether `c_t a_t` may still grow.
    pub fn up(&self, a: &[f64], t: usize) -> bool {
        if self.side[t] > 0.0 { a[t] < self.upper[t] } else { a[t] > 0.0 }
    }

    /// Whether `c_t a_t` may still fall.
    pub fn low(&self, a: &[f64], t: usize) -> bool {
        if self.side[t] > 0.0 { a[t] > 0.0 } else { a[t] < self.upper[t] }
    }

    /// `σ a` summed by point.
    pub fn by_point(&self, a: &[f64], points: usize) -> Vec<f64> {
        let mut sums = vec![0.0; points];
        for (t, a) in a.iter().enumerate() {
            sums[self.point[t]] += self.sign[t] * a;
        }
        sums
    }

    /// `aᵀQa = Σ a (g - p)`.
    pub fn quadratic(&self, found: &Optimum) -> f64 {
        let terms = found.a.iter().zip(&found.gradient).zip(&self.linear);
        terms.map(|((a, g), p)| a * (g - p)).sum::<f64>().max(0.0)
    }

    /// The multiplier of the constraint on the variables that `of` selects: the mean of `c_t g_t` over the free ones, or
    /// the middle of what the bounded ones allow.
    pub fn multiplier(&self, found: &Optimum, of: impl Fn(usize) -> bool) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for t in (0..self.len()).filter(|&t| of(t)) {
            let v = self.side[t] * found.gradient[t];
            match (self.up(&found.a, t), self.low(&found.a, t)) {
                (true, true) => {
                    sum += v;
                    free += 1;
                }
                (true, false) => most = most.min(v),
                (false, true) => least = least.max(v),
                (false, false) => {}
            }
        }
        match (free, least.is_finite(), most.is_finite()) {
            (1.., ..) => sum / free as f64,
            (_, true, true) => 0.5 * (least + most),
            (_, true, false) => least,
            (_, false, true) => most,
            _ => 0.0,
        }
    }
}
