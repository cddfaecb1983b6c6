"""Inference: topics, hidden Markov chains, Boltzmann machines and spins, one iteration from the same start on every side.

`ROWS` says what is compared; `prepare` runs scikit-learn, hmmlearn and numpy. Topics and chains are checked by their
parameters after the iteration; what is drawn at random by its means, whose own error is the tolerance.
"""

from protocol import uniform
from row import Row

LDA = {"op": "lda", "documents": 2000, "words": 5000, "topics": 20, "passes": 20, "device": "cpu"}
HMM = {"op": "hmm", "states": 8, "length": 100_000, "features": 4, "device": "cpu"}
RBM = {"op": "rbm", "n": 10_000, "d": 784, "hidden": 256, "device": "cpu"}
ISING = {"op": "ising", "size": 1024, "sweeps": 20, "device": "cpu"}

ROWS = [
    Row("TopicModel 2000 x 5000, K=20 / scikit-learn", LDA, "python", "sklearn", target=3.0, reps=5, tolerance=1e-7),
    Row("HiddenMarkov K=8, T=100000 / hmmlearn", HMM, "python", "hmmlearn", target=2.0, reps=5, tolerance=1e-7),
    Row("Rbm 10000 x 784, 256 hidden / scikit-learn", RBM, "python", "sklearn", target=3.0, reps=3, tolerance=5e-2),
    Row("Ising 1024 x 1024 / numpy", ISING, "python", "numpy", target=20.0, reps=5, tolerance=1e-2),
]  # fmt: skip


def counts(documents, words):
    """A hundred words a document; each is drawn near a place of its own document, so that there are topics."""
    import numpy as np
    import scipy.sparse as sparse

    draws = uniform(11, documents * 100).reshape(documents, 100) + 0.5
    place = (np.arange(documents) * 37 % 20)[:, None]
    local = (place * (words // 20) + (draws * draws * (words // 10)).astype(int)) % words
    rows = np.repeat(np.arange(documents), 100)
    x = sparse.coo_matrix((np.ones(rows.size), (rows, local.ravel())), shape=(documents, words)).tocsr()
    x.sum_duplicates()
    return x


def lda(request):
    """One iteration of coordinate ascent, so many passes over each document."""
    from sklearn.decomposition import LatentDirichletAllocation

    documents, words, topics, passes = (request[key] for key in ("documents", "words", "topics", "passes"))
    x = counts(documents, words)
    start = uniform(12, topics * words).reshape(topics, words) + 1.0
    model = LatentDirichletAllocation(topics, doc_topic_prior=0.1, topic_word_prior=0.1, max_doc_update_iter=passes,
                                      mean_change_tol=0.0)  # fmt: skip

    def run():
        # One step of `fit`, but from a start that is not random.
        from sklearn.decomposition._online_lda_fast import _dirichlet_expectation_2d
        import numpy as np

        model._init_latent_vars(words, dtype=np.float64)
        model.components_ = start
        model.exp_dirichlet_component_ = np.exp(_dirichlet_expectation_2d(start))
        _, statistics = model._e_step(x, cal_sstats=True, random_init=False)
        return 0.1 + statistics

    return run


def chain(states, length, features):
    """Observations near the corners of a cube, ten at each."""
    import numpy as np

    corner = np.arange(length) // 10 * 5 % states
    place = (corner[:, None] >> np.arange(features) & 1) * 2.0
    return place + 2.0 * uniform(13, length * features).reshape(length, features)


def hmm(request):
    """One iteration of Baum-Welch."""
    import numpy as np
    from hmmlearn.hmm import GaussianHMM

    k, length, d = (request[key] for key in ("states", "length", "features"))
    x = chain(k, length, d)

    def run():
        model = GaussianHMM(k, "full", min_covar=0.0, covars_prior=0.0, covars_weight=0.0, n_iter=1, tol=0.0,
                            init_params="", implementation="scaling")  # fmt: skip
        model.startprob_ = np.full(k, 1 / k)
        model.transmat_ = np.full((k, k), 0.1 / k) + 0.9 * np.eye(k)
        model.means_ = (np.arange(k)[:, None] >> np.arange(d) & 1) * 2.0
        model.covars_ = np.stack([0.5 * np.eye(d)] * k)
        model.fit(x)
        return np.hstack([model.transmat_, model.means_, model.covars_.reshape(k, -1)])

    return run


def pixels(n, d):
    """Zeros and ones: prototypes, blurred."""
    import numpy as np

    prototypes = uniform(14, 10 * d).reshape(10, d) > 0.1
    own = prototypes[np.arange(n) * 7 % 10]
    return np.where(uniform(15, n * d).reshape(n, d) > 0.4, ~own, own).astype(float)


def rbm(request):
    """One epoch of persistent contrastive divergence in batches of ten."""
    from sklearn.neural_network import BernoulliRBM

    x = pixels(request["n"], request["d"])

    def run():
        model = BernoulliRBM(request["hidden"], learning_rate=0.01, batch_size=10, n_iter=1, random_state=0).fit(x)
        import numpy as np
        from scipy.special import expit

        hidden = expit(x[:500] @ model.components_.T + model.intercept_hidden_)
        return expit(hidden @ model.components_ + model.intercept_visible_).mean(axis=0)[:, None]

    return run


def ising(request):
    """Sweeps of a checkerboard: sums of neighbours by `roll`, a table of probabilities."""
    import numpy as np

    n = request["size"]
    checker = np.indices((n, n)).sum(axis=0) % 2
    masks = [checker == 0, checker == 1]
    table = (1 / (1 + np.exp(-2 * 0.3 * np.arange(-4, 5)))).astype(np.float32)

    def run():
        rng = np.random.default_rng(0)
        z = np.where(rng.random((n, n), dtype=np.float32) < 0.5, 1, -1).astype(np.int8)
        for _ in range(request["sweeps"]):
            for mask in masks:
                around = np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1)
                up = rng.random((n, n), dtype=np.float32) < table[around + 4]
                z = np.where(mask, np.where(up, np.int8(1), np.int8(-1)), z)
        agree = (z * np.roll(z, 1, 0)).mean() + (z * np.roll(z, 1, 1)).mean()
        return np.array([[agree, 1.0]])

    return run


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    return {"lda": lda, "hmm": hmm, "rbm": rbm, "ising": ising}[request["op"]](request)
