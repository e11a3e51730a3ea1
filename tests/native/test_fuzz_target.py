"""Run the fuzz target for a while with sanitizers. Only ``.ci/sanitize.sh`` runs this test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SOURCES = FOLDER.parents[1] / "meteor_e" / "native"
MODULES = ("normalizer", "word_table", "phrase_index", "synonym_index")
ROUNDS = os.environ.get("METEOR_E_FUZZ_ROUNDS", "20000")
COMPILER = shutil.which(os.environ.get("CXX", "g++"))


@pytest.mark.skipif(not os.environ.get("METEOR_E_SANITIZE"), reason="run by .ci/sanitize.sh (METEOR_E_SANITIZE)")
@pytest.mark.skipif(COMPILER is None or sys.platform != "linux", reason="needs g++ (or $CXX) on Linux")
def test_fuzz_target_finds_no_errors(tmp_path):
    target = tmp_path / "fuzz"
    sources = [str(SOURCES / f"{module}.cpp") for module in MODULES]
    flags = ["-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    command = [COMPILER, *flags, "-DMETEOR_STANDALONE", f"-I{SOURCES}", str(FOLDER / "fuzz_target.cpp"), *sources]
    # The target cannot start if another library is preloaded before that of AddressSanitizer.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    compilation = subprocess.run([*command, "-o", str(target)], env=environment, capture_output=True, text=True)
    if "cannot find -lasan" in compilation.stderr or "cannot find -lubsan" in compilation.stderr:
        pytest.skip("the sanitizers' libraries are not installed")
    assert compilation.returncode == 0, compilation.stderr
    process = subprocess.run([str(target), ROUNDS, "1"], env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert process.stdout == f"{ROUNDS} rounds\n"
