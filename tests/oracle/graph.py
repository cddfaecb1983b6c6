"""Graphs, embeddings and trees of clusters by scikit-learn, scipy and networkx: writes graph.json beside it."""

import json
import pathlib

import networkx as nx
import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, make_moons
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.manifold import TSNE, SpectralEmbedding
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

out = {}

# Two moons: spectral clustering of a Gaussian graph without loops, spectral embedding, label spreading from two labels.
x, y = make_moons(60, noise=0.05, random_state=1)
x = np.round(x, 6)
width = 0.2
w = rbf_kernel(x, gamma=1 / (2 * width**2))
np.fill_diagonal(w, 0.0)
spectral = SpectralClustering(2, affinity="precomputed", random_state=0, assign_labels="kmeans").fit(w)
embedding = SpectralEmbedding(2, affinity="precomputed", eigen_solver="arpack", random_state=0).fit_transform(w)
first = [int(np.where(y == 0)[0][0]), int(np.where(y == 1)[0][0])]
given = -np.ones(len(y), dtype=int)
given[first] = y[first]
spread = LabelSpreading(kernel="rbf", gamma=1 / (2 * width**2), alpha=0.2, max_iter=3000, tol=0).fit(x, given)
propagated = LabelPropagation(kernel="rbf", gamma=1 / (2 * width**2), max_iter=100000, tol=1e-13).fit(x, given)
out["moons"] = {
    "x": x.tolist(),
    "y": y.tolist(),
    "width": width,
    "labelled": first,
    "spectral": spectral.labels_.tolist(),
    "embedding": embedding.tolist(),
    "spreading": spread.label_distributions_.tolist(),
    "propagation": propagated.label_distributions_.tolist(),
}

# Trees of clusters.
rng = np.random.default_rng(5)
points = np.round(rng.normal(size=(25, 3)) + 3 * rng.integers(0, 3, size=(25, 1)), 6)
out["trees"] = {"x": points.tolist()}
for method in ["single", "complete", "average", "ward"]:
    z = linkage(points, method)
    out["trees"][method] = {"merges": z.tolist(), "four": fcluster(z, 4, "maxclust").tolist()}

# PageRank with a page without links, personalised or not.
links = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4), (5, 3), (1, 5), (2, 6)]
graph = nx.DiGraph()
graph.add_nodes_from(range(7))
graph.add_edges_from(links)
plain = nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=10000)
personal = nx.pagerank(graph, alpha=0.6, personalization={0: 1.0, 3: 3.0}, tol=1e-14, max_iter=10000)
weighted = nx.DiGraph()
weighted.add_nodes_from(range(7))
weights = [0.5, 2.0, 1.0, 3.0, 0.25, 4.0, 1.5, 0.1, 0.7]
weighted.add_weighted_edges_from([(*link, w) for link, w in zip(links, weights)])
ranks = nx.pagerank(weighted, alpha=0.85, tol=1e-14, max_iter=10000)
out["pagerank"] = {
    "weights": weights,
    "weighted": [ranks[i] for i in range(7)],
    "links": links,
    "plain": [plain[i] for i in range(7)],
    "personal": [personal[i] for i in range(7)],
}

# t-SNE of some digits, all pairs.
digits = load_digits()
some = digits.data[:120]
tsne = TSNE(2, perplexity=15, init="pca", method="exact", random_state=0, learning_rate="auto", max_iter=1000).fit(some)
out["tsne"] = {"x": some.astype(int).tolist(), "y": digits.target[:120].tolist(), "kl": float(tsne.kl_divergence_)}

# Documents.
corpus = ["the cat sat on the mat", "the dog sat on the log", "a bird sang in the tree", "Cats, dogs & birds!", ""]
vectors = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(corpus)
out["documents"] = {"corpus": corpus, "gram": (vectors @ vectors.T).toarray().tolist()}

path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out, separators=(",", ":")) + "\n")
