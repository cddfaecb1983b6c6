"""Metrics, splits, transformations, cross-validation and reductions of scikit-learn on small data.

`python tests/oracle/learn_sklearn.py` writes `learn_sklearn.json` beside it.
"""

import json
from pathlib import Path

import numpy as np
from sklearn import metrics as m
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV, GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit, cross_val_predict, cross_val_score,
    learning_curve, validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

rng = np.random.default_rng(5)
out = {}

# Metrics of numbers: two columns; the first alone is the one-dimensional case.
y = rng.normal(size=(17, 2)) * [1.0, 30.0] + [0.0, 500.0]
p = y + rng.normal(size=y.shape) * [0.5, 20.0] + [0.1, 3.0]
v = rng.uniform(0.2, 2.0, size=17)
log_density = np.mean(-0.5 * ((y[:, 0] - p[:, 0]) ** 2 / v + np.log(2 * np.pi * v)))
by = lambda f: {"one": f(y[:, 0], p[:, 0]), "two": f(y, p)}
out["regression"] = {
    "y": y.tolist(), "p": p.tolist(), "v": v.tolist(), "log_density": log_density,
    "mse": by(m.mean_squared_error), "rmse": by(m.root_mean_squared_error), "mae": by(m.mean_absolute_error),
    "r2": by(m.r2_score), "explained_variance": by(m.explained_variance_score),
    "pinball": by(lambda a, b: m.mean_pinball_loss(a, b, alpha=0.8)),
}

# Metrics of labels, among them one that is never predicted and one that never is true.
names = np.array(["fern", "oak", "rose", "thyme"])
truth = names[rng.integers(0, 3, size=60)]
said = np.where(rng.random(60) < 0.6, truth, names[rng.choice([0, 2, 3], size=60)])
binary, guess = truth == "rose", said == "rose"
average = lambda f: {
    "Binary": f(binary, guess),
    **{k.title(): f(truth, said, average=k, zero_division=0) for k in ("macro", "micro", "weighted")},
}
proba = rng.dirichlet([1.0, 1.0, 1.0], size=60)
out["classification"] = {
    "truth": truth.tolist(), "said": said.tolist(), "proba": proba.tolist(),
    "confusion": m.confusion_matrix(truth, said, labels=names).tolist(),
    "accuracy": m.accuracy_score(truth, said), "balanced": m.balanced_accuracy_score(truth, said),
    "precision": average(m.precision_score), "recall": average(m.recall_score), "f1": average(m.f1_score),
    "f2": average(lambda *a, **k: m.fbeta_score(*a, beta=2.0, **k)),
    "log_loss": m.log_loss(truth, proba), "brier": m.brier_score_loss(truth, proba),
    "brier_binary": m.brier_score_loss(binary, proba[:, 2]),
}

# Curves, with many ties.
scores = np.round(rng.normal(size=60) + binary, 1)
fpr, tpr, thresholds = m.roc_curve(binary, scores, drop_intermediate=False)
precision, recall, at = m.precision_recall_curve(binary, scores, drop_intermediate=False)
chance = np.round(1 / (1 + np.exp(-scores)), 3)
observed, predicted = calibration_curve(binary, chance, n_bins=7)
out["curves"] = {
    "truth": binary.tolist(), "scores": scores.tolist(), "chance": chance.tolist(),
    "fpr": fpr.tolist(), "tpr": tpr.tolist(), "roc_thresholds": thresholds[1:].tolist(),
    "roc_auc": m.roc_auc_score(binary, scores), "average_precision": m.average_precision_score(binary, scores),
    "precision": precision[:-1][::-1].tolist(), "recall": recall[:-1][::-1].tolist(), "pr_thresholds": at[::-1].tolist(),
    "calibration_observed": observed.tolist(), "calibration_predicted": predicted.tolist(),
}

# Clusters.
iris = load_iris()
x, species = iris.data, iris.target_names[iris.target]
clusters = (x[:, 2] > 2.5).astype(int) + (x[:, 3] > 1.65) + (x[:, 0] > 7.0)
contingency = m.cluster.contingency_matrix(species, clusters)
out["clusters"] = {
    "clusters": clusters.tolist(), "purity": contingency.max(0).sum() / 150,
    "adjusted_rand": m.adjusted_rand_score(species, clusters),
    "mutual_information": m.mutual_info_score(species, clusters),
    "normalised": m.normalized_mutual_info_score(species, clusters),
    "adjusted": m.adjusted_mutual_info_score(species, clusters),
    "silhouette": m.silhouette_score(x, clusters),
}

# Splits without a shuffle: the test rows of every fold.
tests = lambda split, *a: [t.tolist() for _, t in split.split(np.zeros(a[0]), *a[1:])]
labels = rng.choice(["a", "b", "c"], p=[0.6, 0.3, 0.1], size=43)
groups = rng.integers(0, 9, size=43)
series = TimeSeriesSplit(3, gap=2, test_size=5, max_train_size=12)
out["splits"] = {
    "kfold": tests(KFold(5), 43), "labels": labels.tolist(), "stratified": tests(StratifiedKFold(4), 43, labels),
    "groups": groups.tolist(), "grouped_sizes": sorted(len(t) for t in tests(GroupKFold(4), 43, None, groups)),
    "time": [[a.tolist(), b.tolist()] for a, b in TimeSeriesSplit(4).split(np.zeros(43))],
    "time_gap": [[a.tolist(), b.tolist()] for a, b in series.split(np.zeros(43))],
}

# Transformations, with a constant column and a faraway one.
raw = np.c_[x[:12], np.full(12, 0.1), 1e6 + x[:12, 0]]
weights = rng.integers(0, 4, size=12).astype(float)
weighted = StandardScaler().fit(raw, sample_weight=weights)
pca = PCA(whiten=True).fit(x)
centred = x - x.mean(0)
values, vectors = np.linalg.eigh(np.cov(x.T))
out["transforms"] = {
    "raw": raw.tolist(), "weights": weights.tolist(), "standardised": StandardScaler().fit_transform(raw).tolist(),
    "weighted_mean": weighted.mean_.tolist(), "weighted_scale": weighted.scale_.tolist(),
    "min_max": MinMaxScaler((-1, 2)).fit_transform(raw).tolist(),
    "polynomial": PolynomialFeatures(3).fit_transform(x[:4, :3]).tolist(),
    "interactions": PolynomialFeatures(3, interaction_only=True, include_bias=False).fit_transform(x[:4]).tolist(),
    "whitened": pca.transform(x[:6]).tolist(),
    "zca": (centred @ vectors @ np.diag(values ** -0.5) @ vectors.T)[:6].tolist(),
}

# Cross-validation of a pipeline: the petal's width from the rest; the species by the nearest centroid.
inputs, target = x[:, :3], x[:, 3]
ridge = lambda gamma, alpha=0.1: make_pipeline(StandardScaler(), KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha))
stratified = StratifiedKFold(5)
gammas = [0.005, 0.05, 0.5, 5.0]
grid = GridSearchCV(ridge(1.0), {"kernelridge__gamma": gammas}, cv=KFold(6), scoring="r2").fit(inputs, target)
sizes, train, test = learning_curve(ridge(0.5), inputs, target, train_sizes=[20, 60, 120], cv=KFold(5), scoring="r2")
train_v, test_v = validation_curve(
    ridge(0.5), inputs, target, param_name="kernelridge__gamma", param_range=gammas, cv=KFold(5), scoring="r2"
)
nested = cross_val_score(
    GridSearchCV(ridge(1.0), {"kernelridge__gamma": gammas}, cv=KFold(3), scoring="r2"), inputs, target, cv=KFold(4),
    scoring="r2",
)
centroid = make_pipeline(StandardScaler(), NearestCentroid())
out["validation"] = {
    "x": x.tolist(), "species": species.tolist(), "gammas": gammas,
    "ridge_r2": cross_val_score(ridge(0.5), inputs, target, cv=KFold(5), scoring="r2").tolist(),
    "ridge_predictions": cross_val_predict(ridge(0.5), inputs, target, cv=KFold(5)).tolist(),
    "centroid_accuracy": cross_val_score(centroid, x, species, cv=stratified).tolist(),
    "centroid_predictions": cross_val_predict(centroid, x, species, cv=stratified).tolist(),
    "grid_means": grid.cv_results_["mean_test_score"].tolist(), "grid_stds": grid.cv_results_["std_test_score"].tolist(),
    "grid_best": int(grid.best_index_), "grid_predictions": grid.predict(inputs[:9]).tolist(),
    "nested": nested.tolist(),
    "curve_train": train.tolist(), "curve_test": test.tolist(),
    "validation_train": train_v.tolist(), "validation_test": test_v.tolist(),
}

# Three classes by a classifier of two: least squares on ±1 with a penalty, whose decision is its prediction.
binary_ridge = RidgeClassifier(alpha=1.0, solver="cholesky")
rest = OneVsRestClassifier(binary_ridge).fit(x, species)
one = OneVsOneClassifier(binary_ridge).fit(x, species)
out["multiclass"] = {
    "rest_decision": rest.decision_function(x[::10]).tolist(), "rest": rest.predict(x).tolist(),
    "one_decision": one.decision_function(x[::10]).tolist(), "one": one.predict(x).tolist(),
}

Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=None) + "\n")
