"""Distance covariance, distance correlation and energy distance: dcor's and hyppo's numbers.

Run with dcor 0.7, hyppo 0.5, numpy and scipy; writes stats_distance.json beside this file.
"""

import json
import pathlib

import dcor
import numpy as np
from hyppo.independence import Dcorr

rng = np.random.default_rng(7)


def dependent(n, p, q, noise):
    """Three features of y follow the square of a feature of x: no correlation, but dependence."""
    x = rng.normal(size=(n, p))
    y = rng.normal(size=(n, q)) * noise
    y[:, 0] += x[:, 0] ** 2
    return x, y


pairs = []
for n, p, q, noise, exponent in [(12, 1, 1, 0.1, 1.0), (40, 3, 2, 0.5, 1.0), (25, 2, 4, 1.0, 0.5), (30, 1, 2, 0.3, 1.5)]:
    x, y = dependent(n, p, q, noise)
    if exponent == 1.0:
        hyppo = {"biased": float(Dcorr(bias=True).statistic(x, y)), "unbiased": float(Dcorr().statistic(x, y))}
    else:
        hyppo = None
    pairs.append(
        {
            "x": x.tolist(),
            "y": y.tolist(),
            "exponent": exponent,
            "covariance_squared": float(dcor.distance_covariance_sqr(x, y, exponent=exponent)),
            "correlation": float(dcor.distance_correlation(x, y, exponent=exponent)),
            "variance_x_squared": float(dcor.distance_covariance_sqr(x, x, exponent=exponent)),
            "unbiased_covariance_squared": float(dcor.u_distance_covariance_sqr(x, y, exponent=exponent)),
            "unbiased_correlation_squared": float(dcor.u_distance_correlation_sqr(x, y, exponent=exponent)),
            "hyppo": hyppo,
        }
    )

samples = []
for n, m, d, shift, exponent in [(9, 14, 1, 0.5, 1.0), (30, 20, 3, 0.3, 1.0), (18, 18, 2, 0.0, 1.5)]:
    x = rng.normal(size=(n, d))
    y = rng.normal(size=(m, d)) * 1.3 + shift
    samples.append(
        {
            "x": x.tolist(),
            "y": y.tolist(),
            "exponent": exponent,
            "energy": float(dcor.energy_distance(x, y, exponent=exponent)),
        }
    )

out = pathlib.Path(__file__).with_suffix(".json")
out.write_text(json.dumps({"pairs": pairs, "samples": samples}) + "\n")
