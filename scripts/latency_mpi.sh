#!/usr/bin/env bash
# Time per iteration of two ranks in two network namespaces, joined by a veth, without and with a delay of 1 ms each way.
# Needs root, and what scripts/test_mpi.sh builds (in release here). OpenMPI goes over TCP; its launcher enters the namespace of a host.
set -euo pipefail
cd "$(dirname "$0")/../cluster"

target=${CARGO_TARGET_DIR:-$PWD/target}
CARGO_TARGET_DIR="$target" cargo build --release --bin latency
work=$(mktemp -d)
a=mercer-a b=mercer-b
clean() { ip netns del "$a" 2>/dev/null || true; ip netns del "$b" 2>/dev/null || true; rm -rf "$work"; }
trap clean EXIT
clean; mkdir -p "$work"
ip netns add "$a"; ip netns add "$b"
ip link add mercer0 netns "$a" type veth peer name mercer1 netns "$b"
for side in "$a mercer0 10.77.0.1" "$b mercer1 10.77.0.2"; do
    read -r name link address <<<"$side"
    ip -n "$name" addr add "$address/24" dev "$link"
    ip -n "$name" link set "$link" up
    ip -n "$name" link set lo up
done
cat >"$work/agent" <<AGENT
#!/bin/sh
host=\$1; shift
case "\$host" in 10.77.0.1) ns=$a;; *) ns=$b;; esac
exec ip netns exec "\$ns" sh -c "\$*"
AGENT
chmod +x "$work/agent"

measure() {
    ip netns exec "$a" ping -c 3 -q 10.77.0.2 | tail -1
    RAYON_NUM_THREADS=1 ip netns exec "$a" mpirun --allow-run-as-root -n 2 --host 10.77.0.1,10.77.0.2 \
        --mca plm_rsh_agent "$work/agent" --mca orte_keep_fqdn_hostnames 1 -x RAYON_NUM_THREADS \
        --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
        "$target/release/latency"
}
echo "without delay"; measure
for side in "$a mercer0" "$b mercer1"; do
    read -r name link <<<"$side"
    ip netns exec "$name" tc qdisc add dev "$link" root netem delay 1ms
done
echo "1 ms each way"; measure
