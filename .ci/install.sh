#!/usr/bin/env bash
# Install the core from this tree, and optionally all plugins. The arguments are the extras of the core and of the plugins.
#
#     .ci/install.sh test,metrics          # the core only
#     .ci/install.sh all,test test         # all plugins, too
#
# uv compiles a folder whenever the folder is installed. If METEOR_E_WHEELS names a folder with wheels of this tree, these
# wheels are installed instead.
set -euo pipefail
cd "$(dirname "$0")/.."

# Print the wheel of a distribution if there is one, otherwise the folder of its source.
source_of() {
    local wheels=("${METEOR_E_WHEELS:-/nowhere}/$2"-[0-9]*.whl)
    if [ -f "${wheels[0]}" ]; then echo "${wheels[0]}"; else echo "./$1"; fi
}

sources=("$(source_of . meteor_e)[$1]")
if [ $# -gt 1 ]; then
    for folder in plugins/meteor-e-*; do
        sources+=("$(source_of "$folder" "$(basename "$folder" | tr - _)")[$2]")
    done
fi
uv pip install --quiet "${sources[@]}"
