"""scikit-learn's GaussianProcessClassifier at fixed hyper-parameters: `python classify_sklearn.py > classify_sklearn.json`.

Its Newton iteration stops early; with `warm_start` a second and third call finish it. Its class probabilities use a sum
of five error functions for the logistic link; beside them stand the integrals, by scipy. The features are from the wine
and iris data, standardised and rounded.
"""
import json

import numpy as np
from scipy.integrate import quad
from scipy.special import expit
from sklearn.datasets import load_iris, load_wine
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern
from sklearn.preprocessing import StandardScaler


def settle(binary):
    """The mode to rounding, and everything that was computed before the last step again."""
    k = binary.kernel_(binary.X_train_)
    for _ in range(3):
        _, (binary.pi_, binary.W_sr_, binary.L_, _, _) = binary._posterior_mode(k, return_temporaries=True)


def latent(binary, new):
    cross = binary.kernel_(binary.X_train_, new)
    mean = cross.T @ (binary.y_train_ - binary.pi_)
    v = np.linalg.solve(binary.L_, binary.W_sr_[:, None] * cross)
    return mean, binary.kernel_.diag(new) - np.einsum("ij,ij->j", v, v)


def integral(mean, variance):
    s = np.sqrt(variance)
    f = lambda t: expit(mean + s * t) * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
    return quad(f, -12, 12, epsabs=1e-13, epsrel=1e-12, limit=400)[0]


def case(name, kernel, x, y, new):
    model = GaussianProcessClassifier(kernel, optimizer=None, warm_start=True, max_iter_predict=500).fit(x, y)
    whole = model.base_estimator_
    parts = getattr(whole, "estimators_", [whole])
    out = {"name": name, "x": x.tolist(), "y": [int(v) for v in y], "new": new.tolist(), "parts": [], "theirs": model.predict_proba(new).tolist()}
    for binary in parts:
        settle(binary)
        value, gradient = binary.log_marginal_likelihood(binary.kernel_.theta, eval_gradient=True)
        mean, variance = latent(binary, new)
        p = [integral(m, v) for m, v in zip(mean, variance)]
        out["parts"].append({"lml": value, "gradient": gradient.tolist(), "mean": mean.tolist(), "variance": variance.tolist(), "probability": p})
    return out


def main():
    rng = np.random.default_rng(7)
    wine, iris = load_wine(), load_iris()
    two = wine.target < 2
    rows = rng.permutation(np.flatnonzero(two))[:70]
    x = np.round(StandardScaler().fit_transform(wine.data[:, [0, 9, 10]])[rows], 3)
    y = wine.target[rows]
    binary = case("wine", ConstantKernel(2.5) * RBF([0.8, 1.5, 2.0]), x[:60], y[:60], x[60:])
    rows = rng.permutation(150)[:72]
    x = np.round(StandardScaler().fit_transform(iris.data[:, 1:3])[rows], 3)
    y = iris.target[rows]
    many = case("iris", ConstantKernel(4.0) * Matern(1.2, nu=2.5), x[:60], y[:60], x[60:])
    print(json.dumps([binary, many], indent=1))


main()
