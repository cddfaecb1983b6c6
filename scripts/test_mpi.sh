#!/usr/bin/env bash
# Runs the cases of tests/ranks under OpenMPI with 1, 2, 3 and 5 processes, after installing it where it is missing, then
# kills a mixture and a kernel ridge in the middle and lets them go on, lets one rank panic, and compares the example alone and
# on 3 ranks. It fails if the run, without the build, takes 240 seconds or more.
# After scripts/test.sh it compiles the bindings of MPI and its own programs, nothing else. Arguments name cases.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
missing=()
command -v mpirun >/dev/null && command -v mpicc >/dev/null || missing+=(openmpi-bin libopenmpi-dev)
ls /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* >/dev/null 2>&1 || missing+=(libclang-dev)
if [ "${#missing[@]}" -gt 0 ]; then
    echo "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Both packages, all features, and an example, for which dev-dependencies count: mercer as its own tests have it.
cargo build --all-features -p mercer -p mercer-mpi --bin suite --bin resume --example cluster_mixture
built=${CARGO_TARGET_DIR:-$PWD/target}/debug
echo "$SECONDS s: built"

# Not a function: what is killed below must be mpirun itself, and no shell around it.
run=(mpirun --allow-run-as-root --oversubscribe --mca btl_vader_single_copy_mechanism none -n)
# Several processes on few cores: each must not start a thread for every core.
export RAYON_NUM_THREADS=1
began=$SECONDS

for n in 1 2 3 5; do
    "${run[@]}" "$n" "$built/suite" "$@" | tail -1
done
if [ "$#" -gt 0 ]; then exit; fi

# A fit that is killed in the middle ends, when it is started again, in the bits of one that was not.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for what in em cg; do
    "${run[@]}" 3 "$built/resume" "$what" "$work/whole.state" "$work/$what.whole"
    "${run[@]}" 3 "$built/resume" "$what" "$work/killed.state" "$work/$what.killed" slowly 2>/dev/null &
    job=$!
    # Killed once it has written a state, and a little more.
    for _ in $(seq 200); do [ -e "$work/killed.state" ] && break; sleep 0.05; done
    sleep 0.4
    kill -9 "$job" 2>/dev/null && wait "$job" 2>/dev/null || true
    # mpirun is gone at once; its processes follow when they see it.
    for _ in $(seq 100); do pgrep -f "$built/resume $what $work" >/dev/null || break; sleep 0.1; done
    [ -e "$work/killed.state" ] && [ ! -e "$work/$what.killed" ] || { echo "$what was not killed in the middle"; exit 1; }
    "${run[@]}" 3 "$built/resume" "$what" "$work/killed.state" "$work/$what.killed"
    cmp "$work/$what.whole" "$work/$what.killed"
    [ ! -e "$work/killed.state" ]
    echo "$what: killed and resumed to the same bits"
done

# A rank that panics ends all of them: nobody waits for its messages.
began_panic=$SECONDS
if timeout 60 "${run[@]}" 3 "$built/resume" panic "$work/panic.state" "$work/panic.out" >/dev/null 2>&1; then
    echo "a rank panicked and nobody noticed"; exit 1
fi
[ $((SECONDS - began_panic)) -lt 60 ] || { echo "a rank panicked and the others waited"; exit 1; }
echo "panic: one rank's ended all"

"$built/examples/cluster_mixture" >"$work/alone"
"${run[@]}" 3 "$built/examples/cluster_mixture" >"$work/three"
diff "$work/alone" "$work/three" && cat "$work/alone"
echo "cluster_mixture: the same figures alone and with 3 ranks"
took=$((SECONDS - began))
echo "$took s: run"
# What is promised of the run; the build before it is not counted.
[ "$took" -lt 240 ] || { echo "the suite took $took s, more than 240" >&2; exit 1; }
