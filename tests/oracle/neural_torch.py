"""Gradients and a training trajectory of PyTorch in f64: writes neural_torch.json beside itself."""

import json
import pathlib

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
rng = np.random.default_rng(5)


def flat(tensors):
    return [float(v) for t in tensors for v in t.detach().reshape(-1)]


def rows(a):
    return np.asarray(a).tolist()


out = {}

# A network of two hidden layers with each loss.
x = rng.normal(size=(6, 3))
shapes = [(4, 3), (4,), (5, 4), (5,), (2, 5), (2,)]
start = [rng.normal(size=s) * 0.5 for s in shapes]
targets = {
    "gaussian": rng.normal(size=(6, 2)),
    "bernoulli": rng.integers(0, 2, size=(6, 2)).astype(float),
    "softmax": np.eye(2)[rng.integers(0, 2, size=6)],
    "poisson": rng.integers(0, 5, size=(6, 2)).astype(float),
}
activations = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "softplus": torch.nn.functional.softplus, "erf": torch.erf}


def forward(p, x, h):
    z = h(x @ p[0].T + p[1])
    z = h(z @ p[2].T + p[3])
    return z @ p[4].T + p[5]


def loss(kind, a, t):
    if kind == "gaussian":
        return 0.5 * ((a - t) ** 2).sum()
    if kind == "bernoulli":
        return torch.nn.functional.binary_cross_entropy_with_logits(a, t, reduction="sum")
    if kind == "softmax":
        return -(t * torch.log_softmax(a, 1)).sum()
    return (torch.exp(a) - t * a).sum()


cases = []
for kind, t in targets.items():
    for name, h in activations.items():
        p = [torch.tensor(s, requires_grad=True) for s in start]
        e = loss(kind, forward(p, torch.tensor(x), h), torch.tensor(t))
        e.backward()
        cases.append({"loss": kind, "activation": name, "value": float(e), "gradient": flat([q.grad for q in p])})
out["dense"] = {"x": rows(x), "parameters": [float(v) for s in start for v in s.reshape(-1)],
                "targets": {k: rows(v) for k, v in targets.items()}, "cases": cases}

# A convolution with padding and stride, then pooling.
picture = rng.normal(size=(2, 2, 7, 6))
weight, bias = rng.normal(size=(3, 2, 3, 3)), rng.normal(size=3)
px, pw, pb = (torch.tensor(v, requires_grad=True) for v in (picture, weight, bias))
y = torch.nn.functional.conv2d(px, pw, pb, stride=2, padding=1)
delta = rng.normal(size=tuple(y.shape))
(y * torch.tensor(delta)).sum().backward()
out["convolution"] = {"x": rows(picture.reshape(2, -1)), "parameters": flat([torch.tensor(weight), torch.tensor(bias)]),
                      "y": rows(y.detach().reshape(2, -1)), "delta": rows(delta.reshape(2, -1)),
                      "gradient": flat([pw.grad, pb.grad]), "inputs": rows(px.grad.reshape(2, -1))}
for name, f in (("max", torch.nn.functional.max_pool2d), ("mean", torch.nn.functional.avg_pool2d)):
    px = torch.tensor(picture, requires_grad=True)
    y = f(px, 2)
    d = torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape)
    (y * d).sum().backward()
    out[name] = {"y": rows(y.detach().reshape(2, -1)), "inputs": rows(px.grad.reshape(2, -1))}

# Twenty steps of Adam and of heavy-ball descent on all rows, mean loss.
t = targets["gaussian"]
for name in ("adam", "sgd"):
    p = [torch.tensor(s, requires_grad=True) for s in start]
    rule = torch.optim.Adam(p, lr=0.05) if name == "adam" else torch.optim.SGD(p, lr=0.05, momentum=0.9)
    trace = []
    for _ in range(20):
        rule.zero_grad()
        e = loss("gaussian", forward(p, torch.tensor(x), torch.tanh), torch.tensor(t)) / len(x)
        e.backward()
        trace.append(float(e))
        rule.step()
    out[name] = {"trace": trace, "parameters": flat(p)}

# The same with rates that fall from step to step: γ / (1 + 0.2 i), and γ 0.9^i.
for name in ("inverse", "exponential"):
    p = [torch.tensor(s, requires_grad=True) for s in start]
    rule = torch.optim.SGD(p, lr=0.1) if name == "inverse" else torch.optim.Adam(p, lr=0.05)
    fall = (lambda i: 1 / (1 + 0.2 * i)) if name == "inverse" else (lambda i: 0.9**i)
    schedule = torch.optim.lr_scheduler.LambdaLR(rule, fall)
    trace = []
    for _ in range(20):
        rule.zero_grad()
        e = loss("gaussian", forward(p, torch.tensor(x), torch.tanh), torch.tensor(t)) / len(x)
        e.backward()
        trace.append(float(e))
        rule.step()
        schedule.step()
    out[name] = {"trace": trace, "parameters": flat(p)}

path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out) + "\n")
