//! What can be said of a kernel from its structure alone.

use super::Kernel;
use super::custom::Invariance;
use super::expr::{Expr, Kind};

/// Properties. Each answer of `true` is a proof from the structure; `false` may only mean that there is none.
impl Kernel {
    /// s of `k(x, y) = Σ_f s_f x_f y_f` on d features, if k is that.
    pub(crate) fn linear_scales(&self, d: usize) -> Option<Vec<f64>> {
        fn scales(e: &Expr, d: usize) -> Option<Vec<f64>> {
            match e {
                Expr::Leaf(l) if l.kind == Kind::Linear => Some((0..d).map(|f| l.scale_of(f)).collect()),
                Expr::Scaled(c, k) => Some(scales(k, d)?.into_iter().map(|s| c.value * s).collect()),
                _ => None,
            }
        }
        scales(&self.expr, d)
    }

    /// Whether k(x, x') depends on x - x' only.
    pub fn is_stationary(&self) -> bool {
        stationary(&self.expr)
    }

    /// Whether k(x, x') depends on ‖x - x'‖ only: it is the same after any translation, rotation or reflection of both.
    pub fn is_isotropic(&self) -> bool {
        isotropic(&self.expr)
    }

    /// Where its inputs may be measured from on their way to f32.
    pub(crate) fn origin(&self) -> crate::matrix::Origin {
        if self.is_stationary() { crate::matrix::Origin::Free } else { crate::matrix::Origin::Fixed }
    }

    /// Whether no value is negative.
    pub(crate) fn is_nonnegative(&self) -> bool {
        nonnegative(&self.expr)
    }

    /// Whether every Gram matrix is positive semi-definite.
    ///
    /// A precomputed matrix is taken at its word, a custom kernel unless it says otherwise.
    pub fn is_positive_definite(&self) -> bool {
        definite(&self.expr)
    }

    /// Whether the mean embedding tells all distributions apart (MMD = 0 only for P = Q).
    pub fn is_characteristic(&self) -> bool {
        characteristic(&self.expr)
    }

    /// Whether k(x, x) is bounded, so that every distribution has a mean embedding.
    pub fn is_bounded(&self) -> bool {
        bounded(&self.expr)
    }

    /// Whether white noise is part of it, alone or in a product.
    pub fn has_white_noise(&self) -> bool {
        vanishes(&self.expr)
    }

    /// The number of features that the structure demands, if it demands one.
    pub fn dim(&self) -> Option<usize> {
        dim(&self.expr)
    }
}

fn is_radial(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Rbf
            | Kind::Laplacian
            | Kind::Matern12
            | Kind::Matern32
            | Kind::Matern52
            | Kind::Matern(_)
            | Kind::RationalQuadratic
            | Kind::RationalQuadraticBeta
    )
}

fn stationary(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => match &l.kind {
            Kind::Custom(c) => c.invariance != Invariance::Nothing,
            kind => is_radial(kind) || matches!(kind, Kind::Periodic | Kind::Constant | Kind::White),
        },
        // Bx - Bx' = B(x - x'); any other map breaks the difference.
        Expr::Map(..) | Expr::Warp(..) | Expr::Quadratic(_) => false,
        other => other.children().iter().all(stationary),
    }
}

fn isotropic(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => match &l.kind {
            Kind::Custom(c) => c.invariance == Invariance::Isometries,
            Kind::Constant | Kind::White => true,
            // The Laplacian kernel sums over features, and a length scale for each feature stretches the space.
            Kind::Laplacian => false,
            kind => is_radial(kind) && !l.ard,
        },
        // A subset of the columns or a projection sees some directions and not others.
        Expr::Map(..) | Expr::Warp(..) | Expr::Quadratic(_) | Expr::Project(..) | Expr::On(..) => false,
        other => other.children().iter().all(isotropic),
    }
}

fn nonnegative(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => {
            is_radial(&l.kind)
                || matches!(l.kind, Kind::Periodic | Kind::Constant | Kind::White | Kind::ExponentialDot)
        }
        Expr::Exp(_) => true,
        Expr::Warp(..) | Expr::Quadratic(_) => false,
        other => other.children().iter().all(nonnegative),
    }
}

fn definite(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => match &l.kind {
            Kind::Sigmoid => false,
            Kind::Custom(c) => c.positive_definite,
            _ => true,
        },
        other => other.children().iter().all(definite),
    }
}

fn characteristic(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => is_radial(&l.kind),
        // Adding a kernel can only tell more apart. (White noise vanishes between different observations.)
        Expr::Sum(t) => t.iter().any(characteristic) && definite(e),
        // The spectrum of a product of stationary kernels is a convolution: it covers everything if one factor does.
        Expr::Product(t) => {
            t.iter().all(|k| stationary(k) && definite(k) && !vanishes(k)) && t.iter().any(characteristic)
        }
        Expr::Scaled(_, k) | Expr::Pow(_, k) | Expr::Exp(k) => characteristic(k),
        Expr::PolynomialOf(c, k) => characteristic(k) && c.iter().skip(1).any(|c| c.value > 0.0),
        // These may merge different points.
        Expr::Map(..) | Expr::Warp(..) | Expr::Project(..) | Expr::Quadratic(_) | Expr::On(..) => false,
    }
}

/// Whether the kernel contains white noise, which makes a product vanish between different observations.
fn vanishes(e: &Expr) -> bool {
    matches!(e, Expr::Leaf(l) if l.kind == Kind::White) || e.children().iter().any(vanishes)
}

fn bounded(e: &Expr) -> bool {
    match e {
        Expr::Leaf(l) => {
            stationary(e)
                || matches!(l.kind, Kind::Cosine | Kind::Arcsine | Kind::Sigmoid | Kind::Precomputed(_))
        }
        Expr::Warp(..) | Expr::Quadratic(_) => false,
        other => other.children().iter().all(bounded),
    }
}

fn dim(e: &Expr) -> Option<usize> {
    match e {
        Expr::Leaf(l) => l.ard.then_some(l.scales.len()),
        Expr::Project(b, _) | Expr::Quadratic(b) => Some(b.cols),
        // What lies below sees the mapped or selected point.
        Expr::Map(..) | Expr::On(..) => None,
        other => other.children().iter().find_map(dim),
    }
}
