"""Gaussian process regression by scikit-learn at fixed hyper-parameters: `python3 tests/oracle/gp_regression.py`.

Writes `gp_regression.json` beside it. Each case has its data, predictions, the log marginal likelihood and its gradient by
the logarithm of each hyper-parameter, noise last, in the order of `kernel` in `tests/gp/oracle.rs`.
"""

import json
from pathlib import Path

import numpy as np
from sklearn import __version__
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, ExpSineSquared, Matern
from sklearn.gaussian_process.kernels import RationalQuadratic, WhiteKernel

rng = np.random.default_rng(20240816)


def wave(x):
    return np.sin(1.7 * x[:, 0]) + 0.3 * x.sum(axis=1)


def case(name, kernel, order, n, d, noise, outputs=1, spread=3.0):
    """`order` maps scikit-learn's theta, noise last, to ours: (index, factor) for each of ours."""
    x = rng.uniform(-spread, spread, (n, d))
    y = np.stack([wave(x) * (1 + k) + 0.2 * rng.standard_normal(n) for k in range(outputs)], axis=1)
    new = rng.uniform(-spread - 1, spread + 1, (12, d))
    at = dict(optimizer=None)
    model = GaussianProcessRegressor(kernel, alpha=noise, **at).fit(x, y)
    # Our outputs share one variance; scikit-learn repeats it for each.
    mean, std = model.predict(new, return_std=True)
    _, cov = model.predict(new, return_cov=True)
    std, cov = std.reshape(len(new), -1)[:, 0], cov.reshape(len(new), len(new), -1)[:, :, 0]
    out = dict(name=name, x=x.tolist(), y=y.tolist(), new=new.tolist(), mean=np.reshape(mean, (len(new), -1)).tolist())
    out |= dict(std=std.tolist(), covariance=cov.tolist())
    if np.ndim(noise):
        out |= dict(noise=noise.tolist(), lml=model.log_marginal_likelihood(model.kernel_.theta))
        _, gradient = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
    else:
        noisy = GaussianProcessRegressor(kernel + WhiteKernel(noise), alpha=0.0, **at).fit(x, y)
        lml, gradient = noisy.log_marginal_likelihood(noisy.kernel_.theta, eval_gradient=True)
        out |= dict(noise=[noise], lml=lml)
    out["gradient"] = [gradient[i] * factor for i, factor in order]
    return out


def straight(count):
    return [(i, 1.0) for i in range(count)]


C = ConstantKernel
cases = [
    case("rbf", RBF(0.9), straight(2), 20, 1, 0.01),
    case("ard", C(1.7) * RBF([0.8, 2.5, 40.0]), straight(5), 40, 3, 0.05),
    case("matern52", C(2.2) * Matern([1.1, 1.9], nu=2.5), straight(4), 35, 2, 0.02, outputs=2),
    case(
        "composite",
        C(2.0) * RBF(6.0) + C(0.8) * RBF(9.0) * ExpSineSquared(1.3, 3.7) + C(0.3) * RationalQuadratic(1.2, 0.7),
        # Theirs has the exponent of the rational quadratic before its length scale.
        [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0), (5, 1.0), (6, 1.0), (8, 1.0), (7, 1.0), (9, 1.0)],
        45,
        1,
        0.04,
        spread=6.0,
    ),
    # Theirs is sigma_0^2 + x.x', ours has the square itself: half of the derivative by the logarithm.
    case("linear", C(0.6) * Matern([1.5, 0.7], nu=1.5) + DotProduct(0.8), [(0, 1.0), (1, 1.0), (2, 1.0), (3, 0.5), (4, 1.0)], 30, 2, 0.1),
    case("matern12", Matern(2.0, nu=0.5), straight(2), 25, 2, 0.1),
    case("noises", C(1.5) * RBF(1.1), straight(2), 30, 1, rng.uniform(0.01, 0.3, 30)),
]  # fmt: skip

path = Path(__file__).with_suffix(".json")
path.write_text(json.dumps({"scikit-learn": __version__, "cases": cases}) + "\n")
