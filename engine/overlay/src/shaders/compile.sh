#!/bin/sh
# Makes the .spv files from their sources, beside them (needs glslang-tools).
set -e
cd "$(dirname "$0")"
for f in ui.vert ui.frag; do glslangValidator --quiet -V --target-env vulkan1.2 "$f" -o "$f.spv"; done
class=0
for name in float sint uint; do
    glslangValidator --quiet -V --target-env vulkan1.2 -DCLASS=$class thumbnail.frag -o thumbnail_$name.frag.spv
    class=$((class + 1))
done
