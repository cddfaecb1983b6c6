"""Distributions by scipy.stats in the bulk and by mpmath with 60 digits in the tails; special functions by mpmath.

`python tests/oracle/probability.py` writes `probability.json` beside it.
"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np
from scipy import stats

mp.mp.dps = 60
out = {}

# name, parameters as the library takes them, scipy's distribution, points in the bulk
cases = [
    ("normal", [1.5, 4.0], stats.norm(1.5, 2.0), [-6, -1, 0.5, 1.5, 3, 7]),
    ("student_t", [3.5, -1.0, 2.0], stats.t(3.5, -1.0, 2.0), [-20, -4, -1, 0.3, 2, 30]),
    ("laplace", [0.5, 1.5], stats.laplace(0.5, 1.5), [-5, 0, 0.5, 2, 9]),
    ("exponential", [0.7], stats.expon(scale=1 / 0.7), [0.01, 0.5, 2, 9]),
    ("gamma", [2.5, 0.8], stats.gamma(2.5, scale=1 / 0.8), [0.05, 1, 3, 12]),
    ("gamma", [0.4, 2.0], stats.gamma(0.4, scale=0.5), [1e-4, 0.1, 0.5, 3]),
    ("inverse_gamma", [3.0, 2.0], stats.invgamma(3.0, scale=2.0), [0.1, 0.5, 1, 6]),
    ("beta", [2.0, 3.5], stats.beta(2.0, 3.5), [0.01, 0.2, 0.5, 0.95]),
    ("beta", [0.5, 0.7], stats.beta(0.5, 0.7), [0.001, 0.3, 0.8, 0.999]),
    ("von_mises", [0.4, 2.0], stats.vonmises(2.0, loc=0.4), [-2.5, -1, 0.4, 2, 3]),
    ("bernoulli", [0.3], stats.bernoulli(0.3), [0, 1]),
    ("binomial", [12, 0.35], stats.binom(12, 0.35), [0, 3, 4, 9, 12]),
    ("poisson", [4.3], stats.poisson(4.3), [0, 2, 4, 9, 20]),
]
out["bulk"] = []
for name, parameters, d, points in cases:
    discrete = hasattr(d.dist, "pmf")
    row = {
        "name": name,
        "parameters": parameters,
        "x": [float(x) for x in points],
        "log_density": [float((d.logpmf if discrete else d.logpdf)(x)) for x in points],
        "cdf": [float(d.cdf(x)) for x in points],
        "p": [0.01, 0.3, 0.5, 0.9],
        "quantile": [float(d.ppf(p)) for p in [0.01, 0.3, 0.5, 0.9]],
        "entropy": float(d.entropy()),
    }
    if name == "von_mises":
        # scipy's support moves with the location; the library's is [-pi, pi].
        mu, k = map(mp.mpf, parameters)
        pdf = lambda t: mp.exp(k * mp.cos(t - mu)) / (2 * mp.pi * mp.besseli(0, k))
        row["cdf"] = [float(mp.quad(pdf, [-mp.pi, x])) for x in points]
        row["quantile"] = [
            float(mp.findroot(lambda t: mp.quad(pdf, [-mp.pi, t]) - p, 0.4)) for p in row["p"]
        ]
    else:
        row["mean"], row["variance"] = float(d.mean()), float(d.var())
    out["bulk"].append(row)


def tail(name, parameters, x, cdf, survival):
    return {
        "name": name,
        "parameters": [float(p) for p in parameters],
        "x": float(x),
        "cdf": float(cdf),
        "survival": float(survival),
    }


f = mp.mpf
tails = []
for x in [-38, -20, -8, 9, 30]:
    tails.append(tail("normal", [0, 1], x, mp.ncdf(x), mp.ncdf(-x)))
for nu, x in [(2.5, -1e5), (30, -25), (3, 1e4), (0.7, -1e6)]:
    nu, x = f(nu), f(x)
    half = mp.betainc(nu / 2, f(1) / 2, 0, nu / (nu + x * x), regularized=True) / 2
    tails.append(tail("student_t", [nu, 0, 1], x, half if x < 0 else 1 - half, 1 - half if x < 0 else half))
for k, x in [(2.5, 1e-8), (2.5, 200), (50, 5), (50, 200), (0.3, 1e-20), (300, 500), (300, 180)]:
    k, x = f(k), f(x)
    low = mp.gammainc(k, 0, x, regularized=True)
    up = mp.gammainc(k, x, mp.inf, regularized=True)
    tails.append(tail("gamma", [k, 1], x, low, up))
for a, b, x in [(2, 3, 1e-10), (2, 3, 1 - 2.0**-30), (40, 60, 0.05), (40, 60, 0.95), (0.5, 0.5, 1e-15), (200, 300, 0.6)]:
    a, b, x = f(a), f(b), f(x)
    tails.append(
        tail("beta", [a, b], x, mp.betainc(a, b, 0, x, regularized=True), mp.betainc(b, a, 0, 1 - x, regularized=True))
    )
for l, k in [(4.3, 40), (200, 60), (200, 400)]:
    l = f(l)
    low = mp.gammainc(k + 1, l, mp.inf, regularized=True)
    tails.append(tail("poisson", [l], k, low, mp.gammainc(k + 1, 0, l, regularized=True)))
for n, p, k in [(50, 0.3, 48), (50, 0.3, 0), (400, 0.5, 100)]:
    p = f(p)
    up = mp.betainc(k + 1, n - k, 0, p, regularized=True)
    tails.append(tail("binomial", [n, p], k, 1 - up if up < 0.5 else mp.betainc(n - k, k + 1, 0, 1 - p, regularized=True), up))
for loc, scale, x in [(0.5, 1.5, -300), (0.5, 1.5, 400), (0, 2, -50)]:
    half = mp.exp(-abs(f(x) - f(loc)) / f(scale)) / 2
    tails.append(tail("laplace", [loc, scale], x, half if x < loc else 1 - half, 1 - half if x < loc else half))
for rate, x in [(0.7, 900), (0.7, 1e-18), (30, 2)]:
    rate, x = f(rate), f(x)
    tails.append(tail("exponential", [rate], x, -mp.expm1(-rate * x), mp.exp(-rate * x)))
for a, b, x in [(3, 2, 0.005), (3, 2, 1e6), (0.4, 1, 1e12), (60, 80, 0.4), (60, 80, 12)]:
    a, b, x = f(a), f(b), f(x)
    tails.append(
        tail("inverse_gamma", [a, b], x, mp.gammainc(a, b / x, mp.inf, regularized=True),
             mp.gammainc(a, 0, b / x, regularized=True))
    )
for mu, k, x in [(0, 30, -2.5), (0, 30, 2.9), (0.4, 2, -3.1), (0.4, 2, 3.1), (-0.2, 200, -1.2), (0, 0.01, -3.14)]:
    mu, k, x = f(mu), f(k), f(x)
    pdf = lambda t: mp.exp(k * (mp.cos(t - mu) - 1)) / (2 * mp.pi * mp.besseli(0, k) * mp.exp(-k))
    low = mp.quad(pdf, mp.linspace(-mp.pi, x, 20))
    tails.append(tail("von_mises", [mu, k], x, low, mp.quad(pdf, mp.linspace(x, mp.pi, 20))))
out["tails"] = tails

# Logarithms of densities where the density itself has long underflowed, and quantiles of very small probabilities.
far = []
for name, parameters, x, log in [
    ("normal", [0, 1], 1e6, lambda x: -x * x / 2 - mp.log(2 * mp.pi) / 2),
    ("student_t", [2.5, 0, 1], -1e9, lambda x: mp.loggamma(f(1.75)) - mp.loggamma(f(1.25)) - mp.log(f(2.5) * mp.pi) / 2
     - f(1.75) * mp.log(1 + x * x / f(2.5))),
    ("laplace", [0.5, 1.5], -1e5, lambda x: -abs(x - f(0.5)) / f(1.5) - mp.log(3)),
    ("exponential", [0.75], 1e5, lambda x: mp.log(f(0.75)) - f(0.75) * x),
    ("gamma", [300, 1], 1e5, lambda x: 299 * mp.log(x) - x - mp.loggamma(300)),
    ("inverse_gamma", [60, 80], 1e-3, lambda x: 60 * mp.log(80) - mp.loggamma(60) - 61 * mp.log(x) - 80 / x),
    ("beta", [200, 300], 1e-6, lambda x: 199 * mp.log(x) + 299 * mp.log(1 - x) - mp.log(mp.beta(200, 300))),
    ("von_mises", [0, 2000], 3, lambda x: 2000 * mp.cos(x) - mp.log(2 * mp.pi * mp.besseli(0, 2000))),
    ("binomial", [400, 0.5], 3, lambda x: mp.log(mp.binomial(400, 3)) + 400 * mp.log(f(0.5))),
    ("poisson", [200], 2000, lambda x: x * mp.log(200) - 200 - mp.loggamma(x + 1)),
]:
    far.append({"name": name, "parameters": parameters, "x": x, "log_density": float(log(f(x)))})
out["far"] = far

special = {}
xs = [1e-5, 0.1, 0.5, 1.0, 1.4, 2.5, 7.3, 10.0, 33.3, 100.0, 1e4]
special["x"] = xs
special["log_gamma"] = [float(mp.loggamma(x)) for x in map(f, xs)]
special["digamma"] = [float(mp.digamma(x)) for x in map(f, xs)]
special["trigamma"] = [float(mp.polygamma(1, x)) for x in map(f, xs)]
us = [-5.0, -0.3, 1e-9, 0.5, 2.0, 6.0, 20.0]
special["u"] = us
special["erf"] = [float(mp.erf(u)) for u in map(f, us)]
special["erfc"] = [float(mp.erfc(u)) for u in map(f, us)]
ps = [1e-300, 1e-50, 1e-10, 0.02, 0.5, 0.98]
special["p"] = ps
special["normal_quantile"] = [float(mp.sqrt(2) * mp.erfinv(2 * f(p) - 1)) if p > 1e-3 else None for p in ps]
for i, p in enumerate(ps):
    if special["normal_quantile"][i] is None:
        guess = -mp.sqrt(-2 * mp.log(p))
        special["normal_quantile"][i] = float(mp.findroot(lambda z: mp.log(mp.ncdf(z)) - mp.log(f(p)), guess + 0.5))
out["special"] = special

# Maximum likelihood by scipy, location fixed where the library has none.
rng = np.random.default_rng(5)
g = rng.gamma(2.0, 1.5, 60)
b = rng.beta(2.0, 5.0, 60)
t = rng.standard_t(3, 60) * 2 + 1
out["fits"] = {
    "gamma": {"x": g.tolist(), "fit": [float(v) for v in (lambda r: (r[0], 1 / r[2]))(stats.gamma.fit(g, floc=0))]},
    "beta": {"x": b.tolist(), "fit": [float(v) for v in stats.beta.fit(b, floc=0, fscale=1)[:2]]},
    "student_t": {"x": t.tolist(), "loglik": float(stats.t.logpdf(t, *stats.t.fit(t)).sum())},
}

v = np.array([[2.0, 0.4], [0.4, 1.0]])
xm = np.array([[1.0, 0.2], [0.2, 0.7]])
out["matrix"] = {
    "wishart": float(stats.wishart(4.5, v).logpdf(xm)),
    "wishart_entropy": float(stats.wishart(4.5, v).entropy()),
    "inverse_wishart": float(stats.invwishart(4.5, v).logpdf(xm)),
    "multivariate_t": float(stats.multivariate_t([0.5, -0.5], v, df=3.5).logpdf([2.0, 1.0])),
    "multivariate_normal": float(stats.multivariate_normal([0.5, -0.5], v).logpdf([2.0, 1.0])),
    "multinomial": float(stats.multinomial(7, [0.2, 0.5, 0.3]).logpmf([2, 4, 1])),
    "dirichlet_entropy": float(stats.dirichlet([1.5, 2.0, 0.5]).entropy()),
}
Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=1) + "\n")
