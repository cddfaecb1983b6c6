#!/usr/bin/env bash
# Time per iteration of two ranks in two network namespaces, over TCP, without and with a delay of 1 ms each way: by a veth
# and `netem`, or where the kernel has no `netem` by scripts/delay_mpi.py, first without a delay of its own.
# Needs root and what scripts/test_mpi.sh installs. LATENCY names another program to run than the one that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${LATENCY:-}" ]; then
    cargo build --release -p mercer-mpi --bin latency
    LATENCY=${CARGO_TARGET_DIR:-$PWD/target}/release/latency
fi
work=$(mktemp -d)
a=mercer-a b=mercer-b
relay=
clean() {
    [ -z "$relay" ] || kill "$relay" 2>/dev/null || true
    relay=
    ip netns del "$a" 2>/dev/null || true
    ip netns del "$b" 2>/dev/null || true
}
trap 'clean; rm -rf "$work"' EXIT

# The launcher of OpenMPI enters the namespace of a host.
cat >"$work/agent" <<AGENT
#!/bin/sh
host=\$1; shift
case "\$host" in 10.77.0.1) ns=$a;; *) ns=$b;; esac
exec ip netns exec "\$ns" sh -c "\$*"
AGENT
chmod +x "$work/agent"

up() {
    for side in "$a mercer0 10.77.0.1" "$b mercer1 10.77.0.2"; do
        read -r name link address <<<"$side"
        ip -n "$name" addr add "$address/24" dev "$link"
        ip -n "$name" link set "$link" up
        ip -n "$name" link set lo up
    done
}
veth() {
    clean
    ip netns add "$a"; ip netns add "$b"
    ip link add mercer0 netns "$a" type veth peer name mercer1 netns "$b"
    up
}
relayed() {
    clean
    ip netns add "$a"; ip netns add "$b"
    mkfifo "$work/in" "$work/out"
    python3 scripts/delay_mpi.py mercer0 mercer1 "$1" <"$work/in" >"$work/out" &
    relay=$!
    exec 7>"$work/in" 8<"$work/out"
    read -r _ <&8
    ip link set mercer0 netns "$a"; ip link set mercer1 netns "$b"
    up
    echo >&7
    exec 7>&- 8<&-
    rm "$work/in" "$work/out"
}
measure() {
    RAYON_NUM_THREADS=1 ip netns exec "$a" mpirun --allow-run-as-root -n 2 --host 10.77.0.1,10.77.0.2 \
        --mca plm_rsh_agent "$work/agent" --mca orte_keep_fqdn_hostnames 1 -x RAYON_NUM_THREADS \
        --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
        "$LATENCY"
}

veth
echo "veth, no delay"; measure
if refused=$(ip netns exec "$a" tc qdisc add dev mercer0 root netem delay 1ms 2>&1); then
    ip netns exec "$b" tc qdisc add dev mercer1 root netem delay 1ms
    echo "veth, netem of 1 ms each way"; measure
else
    echo "no netem here (${refused%%$'\n'*}): delayed by scripts/delay_mpi.py"
    relayed 0; echo "relay, no delay"; measure
    relayed 1; echo "relay, 1 ms each way"; measure
fi
