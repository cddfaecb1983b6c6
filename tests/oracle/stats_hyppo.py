"""Statistics of hyppo 0.5.2 on fixed data, for tests/stats: `python tests/oracle/stats_hyppo.py > tests/oracle/stats_hyppo.json`.

hyppo's Hsic is a correlation: biased the root of centred kernel alignment, unbiased the ratio of U-statistics. Its MMD is that
correlation between the pooled sample and the labels times 2 n^2 m^2 / (n + m)^4.
"""

import json

import numpy as np
from hyppo.independence import Dcorr, Hsic
from hyppo.ksample import MMD

rng = np.random.default_rng(4)
x = np.round(rng.normal(size=(24, 2)), 3)
y = np.round(np.c_[x[:, 0] ** 2 + 0.3 * rng.normal(size=24)], 3)
u, v = np.round(rng.normal(size=(15, 2)), 3), np.round(rng.normal(0.7, 1.3, size=(20, 2)), 3)
gamma = 0.4

out = {"x": x.tolist(), "y": y.tolist(), "u": u.tolist(), "v": v.tolist(), "gamma": gamma}
for name, bias in (("biased", True), ("unbiased", False)):
    out[name] = {
        "hsic": float(Hsic(compute_kernel="rbf", bias=bias, gamma=gamma).statistic(x, y)),
        "dcorr": float(Dcorr(bias=bias).statistic(x, y)),
        "mmd": float(MMD(compute_kernel="rbf", bias=bias, gamma=gamma).statistic(u, v)),
    }
print(json.dumps(out))
