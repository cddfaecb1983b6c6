"""KMeans of scikit-learn from given centres, with and without weights: `python tests/oracle/cluster_kmeans.py`."""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.cluster import KMeans

rng = np.random.default_rng(3)
x = np.round(rng.standard_normal((150, 4)) + 2.0 * rng.integers(0, 3, (150, 1)), 6)
weights = np.round(rng.uniform(0.2, 3.0, 150), 3)
start = x[[3, 40, 77, 111, 140]]

out = {"library": f"scikit-learn {sklearn.__version__}", "x": x.tolist(), "weights": weights.tolist(),
       "start": start.tolist(), "fits": []}  # fmt: skip
for weighted in [False, True]:
    model = KMeans(5, init=start, n_init=1, tol=0.0, max_iter=300, algorithm="lloyd")
    model.fit(x, sample_weight=weights if weighted else None)
    out["fits"].append({"weighted": weighted, "centres": model.cluster_centers_.tolist(), "cost": model.inertia_,
                        "labels": model.labels_.tolist()})  # fmt: skip
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
