"""The standard normal distribution in its tails, with hundreds of digits: `python classify_normal.py > classify_normal.json`.

For each z: ln Phi, r = phi/Phi, z + r, ln h and (ln h)' with h = phi + z Phi; of the likelihoods at f = z, y = +1: ln p,
g, D and d ln D/df. For each (mean, variance): the average of the logistic and of the probit link; the rare ones are those
whose size is far below one.
"""
import json

import mpmath as mp



def floats(*values):
    return [float(v) for v in values]


def normal(z):
    mp.mp.dps = 300  # ln Phi(30) is about -1e-198
    z = mp.mpf(z)
    phi, cdf = mp.npdf(z), mp.erfc(-z / mp.sqrt(2)) / 2
    r = phi / cdf
    h = phi + z * cdf
    d = r * (z + r)
    drift = (-d * (z + r) + r * (1 - d)) / d
    return {"z": float(z), "log_cdf": float(mp.log(cdf)), "hazard": floats(r, z + r), "log_h": floats(mp.log(h), cdf / h),
            "probit": floats(mp.log(cdf), r, d, drift),
            "logistic": floats(-mp.log(1 + mp.exp(-z)), 1 / (1 + mp.exp(z)), 1 / ((1 + mp.exp(z)) * (1 + mp.exp(-z))), -mp.tanh(z / 2))}


def average(link, m, v):
    mp.mp.dps = 30
    s = mp.sqrt(v)
    points = sorted({m - 14 * s, m - 3 * s, m, m + 3 * s, m + 14 * s} | {mp.mpf(p) for p in (-40, -5, 0, 5, 40) if abs(p - m) < 14 * s})
    return mp.quad(lambda f: link(f) * mp.npdf(f, m, s), points, maxdegree=8)


def tail(m, v):
    """The logistic link's average as a sum of many more points than it takes: the integrand is analytic in a strip."""
    mp.mp.dps = 40
    s = mp.sqrt(v)
    top = min(max(m + v, m), mp.mpf(0) if m + v > 0 else m + v)
    h = min(s, mp.mpf(1)) / 8
    far = int(mp.ceil(18 * s / h)) + int(mp.ceil(60 / h)) * (m + v > 0)
    values = (1 / (1 + mp.exp(-(top + i * h))) * mp.npdf(top + i * h, m, s) for i in range(-far, far + 1))
    return h * mp.fsum(values)


def main():
    zs = [-1000, -100, -40, -38, -20, -10, -5.5, -3, -2.81, -2.01, -1.99, -1, -0.25, 0, 0.25, 1, 2, 3, 5.5, 10, 30]
    cases = []
    for m in [-30, -4, -0.7, 0, 0.3, 2, 9]:
        for v in [1e-6, 0.04, 0.5, 1, 1.5, 9, 400, 1e6]:
            m_, v_ = mp.mpf(m), mp.mpf(v)
            logistic = average(lambda f: 1 / (1 + mp.exp(-f)), m_, v_)
            cases.append({"mean": m, "variance": v, "logistic": float(logistic), "probit": float(mp.ncdf(m_ / mp.sqrt(1 + v_)))})
    rare = []
    for m, v in [(-28, 0.5), (-28, 9), (-50, 1), (-120, 1), (-45, 30), (-100, 100), (-60, 100), (-230, 900), (-140, 400), (-198, 400),
                 (-202, 400), (-300, 400), (-700, 900), (-250, 441), (-219, 441), (-800, 6000), (-3100, 6200), (-7000, 1e6), (-2, 1e-6)]:
        m_, v_ = mp.mpf(m), mp.mpf(v)
        rare.append({"mean": m, "variance": v, "logistic": float(tail(m_, v_)), "probit": float(mp.ncdf(m_ / mp.sqrt(1 + v_)))})
    quantiles = [[p, float(mp.sqrt(2) * mp.erfinv(2 * mp.mpf(p) - 1))] for p in [1e-12, 1e-6, 0.025, 0.3, 0.5, 0.9, 0.95, 0.999999]]
    print(json.dumps({"normal": [normal(z) for z in zs], "average": cases, "rare": rare, "quantile": quantiles}, indent=1))


main()
