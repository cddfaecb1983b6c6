"""A Bernoulli RBM by scikit-learn: hidden probabilities and free energy."""

import json
from pathlib import Path

import numpy as np
from sklearn.neural_network import BernoulliRBM

rng = np.random.default_rng(1)
x = (rng.random((30, 6)) < 0.4).astype(float)
rbm = BernoulliRBM(n_components=3, learning_rate=0.1, n_iter=20, batch_size=10, random_state=2).fit(x)
w, a, b = rbm.components_.T, rbm.intercept_hidden_, rbm.intercept_visible_
out = {"x": x.tolist(), "weights": w.tolist(), "hidden": a.tolist(), "visible": b.tolist(),
       "transform": rbm.transform(x).tolist(), "free_energy": rbm._free_energy(x).tolist()}
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
