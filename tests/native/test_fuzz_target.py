"""The fuzz target runs for a while with sanitizers. ``.ci/sanitize.sh`` runs this test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "meteor_e" / "native"
PARTS = ("normalizer", "word_table", "phrase_index", "synonym_index")
ROUNDS = os.environ.get("METEOR_E_FUZZ_ROUNDS", "20000")
COMPILER = shutil.which(os.environ.get("CXX", "g++"))


@pytest.mark.skipif(not os.environ.get("METEOR_E_SANITIZE"), reason="run by .ci/sanitize.sh (METEOR_E_SANITIZE)")
@pytest.mark.skipif(COMPILER is None or sys.platform != "linux", reason="needs g++ (or $CXX) on Linux")
def test_fuzz_target(tmp_path):
    target = tmp_path / "fuzz"
    parts = [str(SOURCES / f"{part}.cpp") for part in PARTS]
    flags = ["-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    build = [COMPILER, *flags, "-DMETEOR_STANDALONE", f"-I{SOURCES}", str(HERE / "fuzz_target.cpp"), *parts]
    # A library that is loaded before AddressSanitizer's would keep the target from starting.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    built = subprocess.run([*build, "-o", str(target)], env=environment, capture_output=True, text=True)
    if "cannot find -lasan" in built.stderr or "cannot find -lubsan" in built.stderr:
        pytest.skip("the sanitizers' libraries are not installed")
    assert built.returncode == 0, built.stderr
    run = subprocess.run([str(target), ROUNDS, "1"], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"{ROUNDS} rounds\n"
