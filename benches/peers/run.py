#!/usr/bin/env python3
"""Mercer against its peers, both in one run: `python3 benches/peers/run.py [--only GROUP] [--json]`.

Timings on a shared machine drift by a factor of two within minutes, so only ratios mean anything, and only when the two
sides take turns: ours, theirs, theirs, ours, ... A row's ratio is the peer's best time over our best time; above 1 we
are faster. A side whose result disagrees with numpy in f64 has no time.

The first run makes `.venv` and builds the Rust sides in `target`. burn takes half an hour to compile on two cores, and
some minutes of every run to try its kernels on a software adapter; neither is part of its time.

A group is three files: `groups/G.py` (the rows and the Python peers), `src/bin/ours_G.rs` (our side) and
`src/bin/peers_G.rs` (the Rust peers, feature `G-peers` in `Cargo.toml`).
"""

import argparse
import glob
import importlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = str(VENV / "bin" / "python")
# A family of rows, and the modules of `groups` that hold them.
FAMILIES = {
    "engine": ["engine"],
    "gp": ["gp", "ridge"],
    "embeddings": ["embeddings"],
    "em": ["em", "pca"],
    "linear": ["linear"],
    "kernel": ["kernel"],
    "inference": ["inference"],
    "networks": ["networks"],
}

# The Vulkan driver that a device means; the first file that exists is the only driver its processes see.
DRIVERS = {
    "llvmpipe": ["/usr/share/vulkan/icd.d/lvp_icd*.json", "/etc/vulkan/icd.d/lvp_icd*.json"],
    "swiftshader": ["/usr/lib/chromium/vk_swiftshader_icd.json", "/usr/share/vulkan/icd.d/vk_swiftshader_icd.json"],
}
# OpenBLAS detects the wrong core on some virtual machines; the fastest of these speaks for numpy.
CORES = ["", "Haswell", "Zen", "SkylakeX"]
PROBE = """
import time, numpy as np, threadpoolctl
a = np.ones((1024, 1024)); a @ a; seconds = []
for _ in range(9):
    start = time.perf_counter(); a @ a; seconds.append(time.perf_counter() - start)
print(min(seconds), threadpoolctl.threadpool_info()[0].get("architecture"))
"""


def note(text):
    print(text, file=sys.stderr, flush=True)


def enter_venv():
    """Makes the virtual environment when its requirements have changed, and goes on inside it."""
    wanted, have = HERE / "requirements.txt", VENV / "requirements.txt"
    if not have.exists() or have.read_text() != wanted.read_text():
        note("setting up the Python peers")
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "-r", wanted], check=True)
        have.write_text(wanted.read_text())
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [PYTHON, __file__, *sys.argv[1:]])


def build(binary, features):
    """The command of a Rust side; raises `RuntimeError` with the compiler's first error."""
    note(f"building {binary}")
    cargo = ["cargo", "build", "--release", "--quiet", "--manifest-path", HERE / "Cargo.toml"]
    done = subprocess.run([*cargo, "--features", features, "--bin", binary], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("error")] or ["cargo failed"]
        raise RuntimeError(f"{binary} does not build: {errors[0]}")
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
    return [str(target / "release" / binary)]


def fastest_core():
    """The core type that makes numpy's OpenBLAS fastest here, as environment."""
    best = (float("inf"), "", "")
    for core in CORES:
        env = {**os.environ, **({"OPENBLAS_CORETYPE": core} if core else {})}
        done = subprocess.run([PYTHON, "-c", PROBE], env=env, capture_output=True, text=True)
        if done.returncode == 0:  # a core this processor is not ends in an illegal instruction
            seconds, detected = done.stdout.split()
            best = min(best, (float(seconds), core, detected))
    note(f"OpenBLAS core {best[2]} ({best[1] or 'its own choice'}): {2 * 1.024**3 / best[0]:.0f} GFLOP/s at n = 1024")
    return {"OPENBLAS_CORETYPE": best[1]} if best[1] else {}


class Sides:
    """The processes of one group, started when first asked and by the device they may see."""

    def __init__(self, group):
        self.group, self.running, self.commands, self.checks = group, {}, {}, {}
        self.python_env = {**fastest_core(), "KEOPS_CACHE_FOLDER": str(VENV / "keops")}
        os.makedirs(VENV / "keops", exist_ok=True)

    def command(self, kind):
        if kind not in self.commands:
            try:
                self.commands[kind] = {
                    "ours": lambda: build(f"ours_{self.group}", "ours"),
                    "rust": lambda: build(f"peers_{self.group}", f"{self.group}-peers"),
                    "python": lambda: [PYTHON, str(HERE / "protocol.py"), self.group],
                }[kind]()
            except RuntimeError as error:
                self.commands[kind] = error
        if isinstance(self.commands[kind], RuntimeError):
            raise self.commands[kind]
        return self.commands[kind]

    def get(self, kind, device, alone=""):
        from protocol import Side

        key = (kind, device, alone)
        if key not in self.running or self.running[key].process.poll() is not None:
            env = self.python_env if kind == "python" else {}
            if device in DRIVERS:
                found = [path for pattern in DRIVERS[device] for path in glob.glob(pattern)]
                if not found:
                    raise RuntimeError(f"no Vulkan driver for {device}")
                env = {**env, "VK_DRIVER_FILES": found[0], "XDG_RUNTIME_DIR": str(VENV)}
            self.running[key] = Side(self.command(kind), env)
        return self.running[key]

    def verified(self, kind, request, row):
        """A closure that measures `request`, once its result has been found to agree with numpy's."""
        from protocol import agree

        side = self.get(kind, request.get("device", "cpu"), alone=row.name if row.unit == "MB" else "")
        got = self.first(side, request)
        truth = {**{k: v for k, v in request.items() if k != "device"}, "impl": "numpy"}
        want = self.first(self.get("python", "cpu"), truth)
        if not agree(got["check"], want["check"], row.tolerance):
            raise RuntimeError(f"wrong result: check {got['check']}, numpy {want['check']}")
        return (lambda: got["value"]) if row.unit == "MB" else (lambda: side.ask(request)["value"])

    def first(self, side, request):
        key = (id(side), json.dumps(request))
        if key not in self.checks:
            self.checks[key] = side.ask(request)
        return self.checks[key]


def measure(sides, row, reps):
    """One row of the table: best and median of both sides, taken in turns."""
    out = {"name": row.name, "unit": row.unit, "target": row.target}
    runs, times = {}, {"ours": [], "peer": []}
    for who, kind, request in (("ours", "ours", row.request), ("peer", row.peer, row.theirs())):
        try:
            runs[who] = sides.verified(kind, request, row) if kind else (lambda: row.limit)
        except RuntimeError as error:
            out[f"{who}_not_available"] = str(error)
    for rep in range(reps or row.reps):
        for who in ("ours", "peer") if rep % 2 == 0 else ("peer", "ours"):
            if who in runs:
                time.sleep(0.1)  # the other side's idle threads spin for a while before they sleep
                times[who].append(runs[who]() * (row.scale if who == "peer" else 1.0))
    for who, values in times.items():
        out[who] = min(values) if values else None
        out[f"{who}_median"] = statistics.median(values) if values else None
    both = times["ours"] and times["peer"]
    out["ratio"] = out["peer"] / out["ours"] if both else None
    out["ratio_median"] = out["peer_median"] / out["ours_median"] if both else None
    return out


def show(out):
    """A row as text; what is not available says why below it."""
    cell = lambda value, form: "-" if value is None else format(value, form)
    verdict = "" if out["ratio"] is None else "met" if out["ratio"] >= out["target"] else "MISSED"
    numbers = [cell(out[k], ".4g") for k in ("ours", "peer")] + [out["unit"]]
    ratios = [cell(out[k], ".2f") for k in ("ratio", "ratio_median", "target")]
    print("{:<52}{:>9}{:>9} {:<3}{:>8}{:>8}{:>8}  {}".format(out["name"], *numbers, *ratios, verdict))
    for who in ("ours", "peer"):
        if reason := out.get(f"{who}_not_available"):
            print(f"    {who} not available: {reason}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=FAMILIES, help="one family instead of all")
    parser.add_argument("--rows", default="", help="only rows whose name contains this text")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--reps", type=int, help="repetitions a row, instead of each row's own")
    options = parser.parse_args()
    enter_venv()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    if os.getloadavg()[0] > 0.5:
        note(f"load average {os.getloadavg()[0]:.1f}: something else is running, trust no ratio near its target")
    if not options.json:
        head = ["name", "ours", "peer", "", "ratio", "median", "target"]
        print("{:<52}{:>9}{:>9} {:<3}{:>8}{:>8}{:>8}".format(*head))
    families = [options.only] if options.only else FAMILIES
    for group in (group for family in families for group in FAMILIES[family]):
        sides = Sides(group)
        for row in importlib.import_module(f"groups.{group}").ROWS:
            if options.rows not in row.name:
                continue
            note(f"measuring {row.name}")
            out = measure(sides, row, options.reps)
            print(json.dumps(out), flush=True) if options.json else show(out)
        for side in sides.running.values():
            side.close()


if __name__ == "__main__":
    main()
