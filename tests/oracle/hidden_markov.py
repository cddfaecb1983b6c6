"""Hidden Markov models by hmmlearn: likelihood, posteriors, Viterbi, one step and ten of Baum-Welch."""

import json
from pathlib import Path

import numpy as np
from hmmlearn import hmm

start = np.array([0.5, 0.3, 0.2])
move = np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
rng = np.random.default_rng(3)
lengths = [30, 20]


def baum_welch(model, x, steps):
    model.init_params, model.params, model.n_iter, model.tol = "", "ste" if isinstance(model, hmm.CategoricalHMM) else "stmc", steps, -1.0
    model.fit(x, lengths)
    return model


def discrete():
    m = hmm.CategoricalHMM(n_components=3, implementation="log")
    m.startprob_, m.transmat_ = start.copy(), move.copy()
    m.emissionprob_ = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.5, 0.3, 0.1], [0.1, 0.1, 0.2, 0.6]])
    return m


def gaussian():
    m = hmm.GaussianHMM(n_components=3, covariance_type="full", implementation="log",
                        covars_prior=0.0, covars_weight=-3.0, means_weight=0.0, min_covar=0.0)
    m.startprob_, m.transmat_ = start.copy(), move.copy()
    m.means_ = np.array([[0.0, 0.0], [2.0, 1.0], [-1.0, 3.0]])
    m.covars_ = np.array([[[1.0, 0.2], [0.2, 0.5]], [[0.6, 0.0], [0.0, 0.9]], [[0.8, -0.3], [-0.3, 1.2]]])
    return m


symbols = rng.integers(0, 4, size=(50, 1))
points = np.round(rng.normal(size=(50, 2)) * 1.5 + 0.7, 3)
out = {}
for name, make, x in [("discrete", discrete, symbols), ("gaussian", gaussian, points)]:
    m = make()
    log, posterior = m.score_samples(x, lengths)
    joint, path = m.decode(x, lengths)
    learned = baum_welch(make(), x, 1)
    out[name] = {
        "x": x.tolist(), "log": log, "posterior": posterior.tolist(), "joint": joint, "path": path.tolist(),
        "start": learned.startprob_.tolist(), "move": learned.transmat_.tolist(),
        "emission": (learned.emissionprob_ if name == "discrete" else learned.means_).tolist(),
        "after": learned.score(x, lengths), "ten": baum_welch(make(), x, 10).score(x, lengths),
    }
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
