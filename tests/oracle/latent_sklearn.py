"""Fixtures for tests/latent/oracle.rs: scikit-learn's PCA, FactorAnalysis and FastICA.

`python tests/oracle/latent_sklearn.py` writes latent_sklearn.json beside itself. Needs scikit-learn (made with 1.9.1).
"""

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, FactorAnalysis, FastICA
from sklearn.decomposition._factor_analysis import _ortho_rotation

wine = load_wine().data
scaled = (wine - wine.mean(0)) / wine.std(0)
few = wine[::25]  # fewer rows than columns


def pca(x, k):
    plain = PCA(k, svd_solver="full").fit(x)
    return {
        "k": k,
        "mean": plain.mean_,
        "components": plain.components_,
        "explained_variance": plain.explained_variance_,
        "explained_variance_ratio": plain.explained_variance_ratio_,
        "noise_variance": plain.noise_variance_,
        "transform": plain.transform(x[:5]),
        "whitened": PCA(k, svd_solver="full", whiten=True).fit(x).transform(x[:5]),
        "inverse_transform": plain.inverse_transform(plain.transform(x[:5])),
    }


def scores(x, k):
    """log p of each row under the probabilistic model of PCA, whose variances are over n - 1."""
    return PCA(k, svd_solver="full").fit(x).score_samples(x)


def factors(x, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge
        fa = FactorAnalysis(k, tol=0.0, max_iter=5000, svd_method="lapack").fit(x)
        # After 30 steps; scikit-learn's noise is a step ahead of its loadings when it stops there.
        step = FactorAnalysis(k, tol=0.0, max_iter=31, svd_method="lapack").fit(x)
    turned = {
        name: _ortho_rotation(fa.components_.T, method=name, tol=1e-15, max_iter=100000).T
        for name in ("varimax", "quartimax")
    }
    return {
        "k": k,
        "log_likelihoods": fa.loglike_[:30],
        "step_loadings": step.components_.T,
        "step_noise": step.noise_variance_,
        "log_likelihood": fa.loglike_[-1],
        "loadings": fa.components_.T,
        "noise_variances": fa.noise_variance_,
        "transform": fa.transform(x[:5]),
        "score_samples": fa.score_samples(x),
        **turned,
    }


def ica():
    rng = np.random.default_rng(5)
    n = 250
    t = np.arange(n)
    sources = np.c_[rng.laplace(size=n), rng.uniform(-1, 1, n), np.sin(t * 0.37), rng.exponential(size=n)]
    x = np.round(sources @ rng.normal(size=(4, 4)) + [3, -1, 0, 10], 6)
    out = {"x": x}
    for fun in ("logcosh", "exp", "cube"):
        model = FastICA(4, fun=fun, tol=1e-12, max_iter=20000, random_state=0, whiten="unit-variance",
                        whiten_solver="eigh").fit(x)  # fmt: skip
        assert model.n_iter_ < 20000
        out[fun] = model.components_
    return out


fixtures = {
    "wine": wine,
    "pca": pca(wine, 5),
    "wide": pca(few, 6),
    "scores": scores(wine, 3),
    "factors": factors(scaled, 3),
    "ica": ica(),
}
text = json.dumps(fixtures, default=lambda a: a.tolist(), separators=(",", ":"))
Path(__file__).with_suffix(".json").write_text(text + "\n")
