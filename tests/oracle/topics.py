"""Latent Dirichlet allocation by scikit-learn: documents' topics, and one step of batch learning from given topics."""

import json
from pathlib import Path

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.decomposition._lda import _dirichlet_expectation_2d

rng = np.random.default_rng(5)
beta = rng.dirichlet(np.full(12, 0.2), size=3)
x = np.array([rng.multinomial(40, rng.dirichlet(np.full(3, 0.3)) @ beta) for _ in range(15)]).astype(float)
start = rng.gamma(5.0, 0.5, size=(3, 12))
lda = LatentDirichletAllocation(n_components=3, doc_topic_prior=0.3, topic_word_prior=0.2, learning_method="batch",
                                mean_change_tol=1e-14, max_doc_update_iter=20000, random_state=0, n_jobs=1)
lda._init_latent_vars(12)
lda.components_ = start.copy()
lda.exp_dirichlet_component_ = np.exp(_dirichlet_expectation_2d(lda.components_))
theta = lda.transform(x)
lda._em_step(x, total_samples=15, batch_update=True)
out = {"x": x.tolist(), "start": start.tolist(), "transform": theta.tolist(), "after": lda.components_.tolist()}
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
