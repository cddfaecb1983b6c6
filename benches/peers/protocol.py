"""The Python half of the peers' protocol; `src/lib.rs` is the other half, function by function.

A side is a process. It reads one request a line (a JSON object) and answers one line: `value` (seconds of one run, or
megabytes), `check` (two numbers that identify the result, on a request's first run) or `error`.

`python protocol.py GROUP` serves the Python peers of a group, `groups/GROUP.py`.
"""

import atexit
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def uniform(seed, count):
    """`count` numbers in [-1/2, 1/2) by splitmix64: the same on both sides of the protocol."""
    z = (np.uint64(seed << 40) + np.arange(1, count + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 2.0**53 - 0.5


def positive_definite(seed, n):
    """A well-conditioned positive definite matrix: symmetric noise plus sqrt(n) on the diagonal."""
    noise = uniform(seed, n * n).reshape(n, n)
    return 0.5 * (noise + noise.T) + math.sqrt(n) * np.eye(n)


def check(result):
    """A random projection u' A w and the Frobenius norm: a wrong entry anywhere moves the first."""
    result = np.asarray(result).reshape(len(result), -1)
    rows, cols = result.shape
    return [float(uniform(101, rows) @ result @ uniform(102, cols)), float(np.linalg.norm(result))]


def agree(got, want, tolerance):
    """Whether two checks come from the same result; a random error E moves the projection by about |E| / 12."""
    # A NaN arrives as None from Rust, and is never close to anything from Python.
    return all(g is not None and abs(g - w) <= tolerance * want[1] for g, w in zip(got, want))


def serve(prepare):
    """Answers requests until the input ends; inputs are made once a request and kept."""
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries print as they please, beside the protocol
    jobs = {}
    for line in sys.stdin:
        try:
            first = line not in jobs
            if first:
                jobs[line] = prepare(json.loads(line))
            start = time.perf_counter()
            result = jobs[line]()
            seconds = time.perf_counter() - start
            value = peak_megabytes() if "_memory" in line else seconds
            answer = {"value": value, "check": check(result) if first else None}
        except Exception as error:  # whatever a library raises is that row's message
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def peak_megabytes():
    """Peak memory of this process so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


class Side:
    """A process that answers requests, as the driver sees it."""

    def __init__(self, command, env):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, env={**os.environ, **env}, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log
        )
        atexit.register(self.process.kill)  # a side in the middle of a long run does not outlive the driver

    def ask(self, request):
        """The answer to one request; raises `RuntimeError` with the side's own reason."""
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.log.seek(0)
            said = [text for text in self.log if "panicked" in text or "rror" in text] or [""]
            raise RuntimeError(f"process ended with code {self.process.wait()} {said[-1].strip()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    serve(importlib.import_module(f"groups.{sys.argv[1]}").prepare)
