"""Ridge without a penalty: numpy's lstsq (minimum norm) and scikit-learn's LinearRegression on designs of full rank,
with columns that repeat, with more features than observations, weighted and not.

`python tests/oracle/least_squares.py` writes `least_squares.json` beside it.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression

rng = np.random.default_rng(5)


def case(name, x, y, intercept, weights=None):
    w = np.ones(len(x)) if weights is None else weights
    root = np.sqrt(w)[:, None]
    x_mean = np.average(x, axis=0, weights=w) if intercept else np.zeros(x.shape[1])
    y_mean = np.average(y, axis=0, weights=w) if intercept else np.zeros(y.shape[1])
    coefficients, _, rank, _ = np.linalg.lstsq(root * (x - x_mean), root * (y - y_mean), rcond=None)
    constant = y_mean - x_mean @ coefficients
    fit = LinearRegression(fit_intercept=intercept).fit(x, y, sample_weight=weights)
    assert np.allclose(fit.coef_.T, coefficients, rtol=1e-8, atol=1e-10), name
    assert np.allclose(fit.intercept_, constant if intercept else 0.0, rtol=1e-8, atol=1e-8), name
    return {"name": name, "x": x.round(6).tolist(), "y": y.round(6).tolist(), "w": w.tolist(), "intercept": intercept,
            "coefficients": coefficients.tolist(), "constant": constant.tolist(), "rank": int(rank)}  # fmt: skip


def data(n, d, t=2):
    x = rng.normal(size=(n, d)).round(6)
    return x, (x[:, :1] - 2 * x[:, -1:] + 0.3 * rng.normal(size=(n, t)) + 1.5).round(6)


cases = []
for intercept in (True, False):
    x, y = data(30, 4)
    weights = rng.uniform(0.2, 2.0, 30)
    cases.append(case("full rank", x, y, intercept))
    cases.append(case("full rank, weighted", x, y, intercept, weights))
    twice = np.c_[x, x[:, 0], x[:, 1] - x[:, 2]].round(6)
    cases.append(case("two columns that others make", twice, y, intercept))
    cases.append(case("two columns that others make, weighted", twice, y, intercept, weights))
    x, y = data(9, 20)
    cases.append(case("wide", x, y, intercept))
    x[4] = x[1]
    cases.append(case("wide, a row twice", x, y, intercept))
cases.append(case("constant", np.full((8, 2), 3.0), data(8, 2)[1], True))
Path(__file__).with_suffix(".json").write_text(json.dumps(cases))
