#!/usr/bin/env bash
# What can be said of other systems from this one. `scripts/portability.sh [shaders|targets]` does both unless told which.
#
# shaders: every shader through tint, the compiler of Chrome and Dawn, which must be on the PATH. (naga's text for Metal, DX12
# and Vulkan is made by `cargo test --test house`.)
# targets: `cargo check` of the library for Windows, macOS, Linux on ARM and wasm32; nothing is linked or run.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0

shaders() {
    command -v tint >/dev/null || { echo "tint is not on the PATH"; exit 2; }
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cargo test --quiet --all-features --test isa -- write "$folder"
    local refusals=0
    for shader in "$folder"/[0-9]*.wgsl; do
        # wgpu takes subgroup operations without the directive that tint asks for.
        { if grep -q quadBroadcast "$shader"; then echo "enable subgroups;"; fi; cat "$shader"; } >"$folder/one.wgsl"
        # As it is, and with its parameters in a uniform buffer, as a browser gets it.
        sed 's/var<immediate> params/@group(1) @binding(0) var<uniform> params/' "$folder/one.wgsl" >"$folder/two.wgsl"
        for form in one two; do
            if ! tint --format wgsl "$folder/$form.wgsl" >/dev/null 2>"$folder/log"; then
                echo "tint refuses $(basename "$shader"), form $form:"
                grep -m1 error "$folder/log" || head -3 "$folder/log"
                refusals=$((refusals + 1))
            fi
        done
        rm "$folder/one.wgsl" "$folder/two.wgsl"
    done
    echo "tint: $refusals refusals"
    bad=$((bad + refusals))
}

# A target's standard library is rustup's where that can be had, else built from the sources of Debian's `rustc-web`.
checked() {
    local target=$1 log=$2
    if command -v rustup >/dev/null && rustup target add "$target" >/dev/null 2>&1; then
        cargo check --quiet --lib --features gpu,serde,npy --target "$target" 2>"$log"
        return
    fi
    if [ ! -d /usr/lib/rustlib/src/rust/library ] && command -v apt-get >/dev/null; then
        apt-get install -y -qq --no-install-recommends rustc-web cargo-web rust-web-src >/dev/null
    fi
    # `-Zbuild-std` is not stable; a check links nothing, so no linker and no SDK of the target is needed.
    RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/portability" \
        /usr/bin/cargo check --quiet -Zbuild-std=std,panic_abort --lib --features gpu,serde,npy --target "$target" 2>"$log"
}

targets() {
    for target in x86_64-pc-windows-gnu aarch64-apple-darwin aarch64-unknown-linux-gnu wasm32-unknown-unknown; do
        log=$(mktemp)
        if checked "$target" "$log"; then
            echo "$target: checked"
        else
            echo "$target: refused"
            grep -m5 -A3 '^error' "$log" || tail -5 "$log"
            bad=$((bad + 1))
        fi
        rm -f "$log"
    done
}

case "${1:-both}" in
shaders) shaders ;;
targets) targets ;;
both) shaders; targets ;;
*) echo "shaders, targets, or nothing for both"; exit 2 ;;
esac
exit $((bad > 0))
