#!/bin/sh
# Makes the .spv files from their sources, beside them (needs glslang-tools).
set -e
cd "$(dirname "$0")"
for f in *.vert *.frag *.comp; do glslangValidator --quiet -V --target-env vulkan1.2 "$f" -o "$f.spv"; done
