#!/usr/bin/env bash
# Runs the cases of tests/ranks under OpenMPI with 1, 2, 3 and 5 processes, after installing it where it is missing, then
# kills a mixture and a kernel ridge in the middle and lets them go on, and compares the example alone and on 3 ranks.
set -euo pipefail
cd "$(dirname "$0")/../cluster"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
missing=()
command -v mpirun >/dev/null && command -v mpicc >/dev/null || missing+=(openmpi-bin libopenmpi-dev)
ls /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* >/dev/null 2>&1 || missing+=(libclang-dev)
if [ "${#missing[@]}" -gt 0 ]; then
    echo "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR="$target"
cargo build --bins --examples
run() { mpirun --allow-run-as-root --oversubscribe --mca btl_vader_single_copy_mechanism none -n "$@"; }
# Several processes on few cores: each must not start a thread for every core.
export RAYON_NUM_THREADS=1

for n in 1 2 3 5; do
    run "$n" "$target/debug/suite" | tail -1
done
