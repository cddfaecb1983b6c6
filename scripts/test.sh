#!/usr/bin/env bash
# Runs every test, on the GPU adapters of this machine, after installing software adapters where there are none:
# llvmpipe from Mesa, and the SwiftShader that ships inside Debian's chromium. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

missing=()
ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || missing+=(mesa-vulkan-drivers)
ldconfig -p | grep libvulkan.so.1 >/dev/null || missing+=(libvulkan1)
swiftshader=/usr/lib/chromium/vk_swiftshader_icd.json
# Ubuntu's chromium is a snap without it: there llvmpipe tests alone.
if [ ! -e "$swiftshader" ] && grep -qs '^ID=debian' /etc/os-release; then missing+=(chromium); fi
if [ "${#missing[@]}" -gt 0 ] && command -v apt-get >/dev/null; then
    echo "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
command -v cc >/dev/null || { as_root apt-get update -qq; as_root apt-get install -y -qq gcc libc6-dev >/dev/null; }

export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$(mktemp -d)}"
# llvmpipe compiles a shader in 100 ms and loads it from its cache in 5.
export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$PWD/target/mesa-shader-cache}"
both() { if [ -e "$swiftshader" ]; then VK_ADD_DRIVER_FILES="$swiftshader" "$@"; else "$@"; fi; }

if [ "$#" -gt 0 ]; then both cargo test --all-features "$@"; exit; fi
# Verbs, devices and what every estimator promises are tested on every adapter; the other tests of models on the first alone,
# where their shaders compile in seconds. Examples are compiled by clippy; to link each of them would take minutes.
every=(conformance device kernel linalg ops)
rest=()
for main in tests/*/main.rs; do
    name=$(basename "$(dirname "$main")")
    [[ " ${every[*]} " == *" $name "* ]] || rest+=(--test "$name")
done
cargo test --all-features --no-run "${every[@]/#/--test=}" "${rest[@]}"
both cargo test --all-features "${every[@]/#/--test=}"
# And of models what once was wrong on one adapter alone.
both cargo test --all-features --test gp --test kernel_methods --test stats -- accuracy:: adapters:: trusted::
cargo test --all-features "${rest[@]}"
# The few tests inside the library need it compiled a second time: without optimisation that is a minute, with it five.
CARGO_PROFILE_TEST_OPT_LEVEL=0 cargo test --all-features --lib
cargo test --all-features --doc
