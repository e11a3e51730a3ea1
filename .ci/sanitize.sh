#!/usr/bin/env bash
# Run the tests of native code under AddressSanitizer and UndefinedBehaviorSanitizer (g++, Linux).
#     .ci/sanitize.sh FOLDER
# All plugins must be installed in the environment. The instrumented build is written to FOLDER.
set -euo pipefail
export METEOR_E_SANITIZE=1 METEOR_E_REQUIRE_NATIVE=1 ASAN_OPTIONS=detect_leaks=0
export METEOR_E_RANDOM_PAIRS="${METEOR_E_RANDOM_PAIRS:-1500}" METEOR_E_DAMAGED_INDEXES="${METEOR_E_DAMAGED_INDEXES:-1000}"
native=$(ls -d plugins/*/native)
python -m pip install --quiet --no-deps --no-build-isolation --upgrade --target "$1" . $(printf './%s ' $(dirname $native))
for library in "$1"/meteor_e*/_native*.so; do ldd "$library" | grep libasan >/dev/null; done
export PYTHONPATH=$1 LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
run=(python "$(command -v pytest)" --numprocesses "${METEOR_E_TEST_PROCESSES:-auto}" --dist worksteal)
"${run[@]}" -m "not java" tests/native
# The marker "native" selects the tests of plugins that run compiled code.
"${run[@]}" -m native $(printf '%s/tests ' $(dirname $native))
