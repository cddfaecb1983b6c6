#!/usr/bin/env bash
# Every shader through tint, the compiler of Chrome and Dawn, which must be on the PATH. (naga's text for Metal, DX12 and Vulkan
# is made by `cargo test --test house`.)
set -euo pipefail
cd "$(dirname "$0")/.."

command -v tint >/dev/null || { echo "tint is not on the PATH"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo test --quiet --all-features --test isa -- write "$folder"

bad=0
refused() { echo "tint refuses $(basename "$1"):"; grep -m1 error "$folder/log" || head -3 "$folder/log"; bad=$((bad + 1)); }
for shader in "$folder"/[0-9]*.wgsl; do
    # wgpu takes subgroup operations without the directive that tint asks for.
    { if grep -q quadBroadcast "$shader"; then echo "enable subgroups;"; fi; cat "$shader"; } >"$folder/one"
    mv "$folder/one" "$folder/one.wgsl"
    tint --format wgsl "$folder/one.wgsl" >/dev/null 2>"$folder/log" || refused "$shader"
    rm "$folder/one.wgsl"
done
echo "tint: $bad refusals"
exit $((bad > 0))
