#!/usr/bin/env bash
# Install the core with some extras, and the plugins with some, from this tree.
#
#     .ci/install.sh test,metrics          # the core only
#     .ci/install.sh all,test test         # all plugins, too
#
# uv compiles a folder each time that it is named. METEOR_E_WHEELS is a folder with wheels of this tree, which are
# installed instead of the folders that they are of.
set -euo pipefail
cd "$(dirname "$0")/.."

# Where a folder is installed from, by the name of its distribution.
source_of() {
    local wheels=("${METEOR_E_WHEELS:-/nowhere}/$2"-[0-9]*.whl)
    if [ -f "${wheels[0]}" ]; then echo "${wheels[0]}"; else echo "./$1"; fi
}

wanted=("$(source_of . meteor_e)[$1]")
if [ $# -gt 1 ]; then
    for folder in plugins/meteor-e-*; do
        wanted+=("$(source_of "$folder" "$(basename "$folder" | tr - _)")[$2]")
    done
fi
uv pip install --quiet "${wanted[@]}"
