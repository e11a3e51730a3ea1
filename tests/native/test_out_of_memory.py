"""Test that a call raises MemoryError if an allocation of the native core fails, and that the program can continue.

The test runs a program in a separate process. A preloaded library makes a single allocation fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from meteor_e.engine.native import native_module

FOLDER = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX", "g++"))

pytestmark = [
    pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set"),
    pytest.mark.skipif(sys.platform != "linux" or COMPILER is None, reason="needs g++ (or $CXX) on Linux"),
    pytest.mark.skipif(bool(os.environ.get("METEOR_E_SANITIZE")), reason="AddressSanitizer has its own allocator"),
]

PROGRAM = """
import ctypes, os, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from meteor_e.api.tokens import Token
from random_chains import generate_segments, make_chains, make_engines
import random

library = ctypes.CDLL(os.environ["LD_PRELOAD"])
library.stop_failing.restype = ctypes.c_bool
library.fail_allocation.argtypes = [ctypes.c_long]

def count_failures(prepare):
    # Make the first allocation of a call fail, then the second, and so on, until no allocation of a call fails.
    for index in range(100_000):
        call = prepare()
        library.fail_allocation(index)
        error = None
        try:
            call()
        except BaseException as raised:
            error = raised
        finally:
            failed = library.stop_failing()
        if not failed:
            assert error is None, repr(error)
            return index
        assert type(error) is MemoryError, (index, repr(error))

meteor, _ = make_engines(make_chains(Path({folder!r}))[{chain!r}])
engine = meteor._engine
# A thread takes 16 items at a time, so several threads need more than 16 items. Repeated segments are aligned once.
hypotheses, references = (5 * texts for texts in generate_segments(random.Random(4), 7, longest=9))
segments = [*hypotheses, *(text for texts in references for text in texts)]
starts = [sum(map(len, references[:index])) for index in range(len(references) + 1)]

def read(session, threads):
    return engine._read(session, segments, threads, None)

def prepare_core():
    return engine._start_session

def prepare_read(threads):
    core = engine._start_session().core
    return lambda: core.read(segments, threads, None)

def prepare_features():
    session = engine._start_session()
    batch = session.core.read(segments, 1, None)
    batch.intern()
    words = session.core.undescribed()
    tokens = [Token(word) for word in words] if meteor.lemmatizer is None else meteor.lemmatizer.analyze(words)
    return lambda: session.describe(tokens)

def prepare_score(threads):
    session = engine._start_session()
    batch = read(session, 1)
    def call():
        batch.pair(starts)
        if engine._proposers:
            session.propose(engine._proposers, batch, starts)
        batch.score(threads=threads, alignments=True, maximum_accuracy=False, stop=None)
        batch.failures()
    return call

def prepare_pairs(threads):
    session = engine._start_session()
    batch = read(session, 1)
    scores = memoryview(bytearray(8 * 40)).cast("d")
    return lambda: batch.score_pairs([(range(20), range(35, 37))], scores, threads, None)

for name, prepare in {{
    "core": prepare_core,
    "read": lambda: prepare_read(1),
    "read with threads": lambda: prepare_read(3),
    "features": prepare_features,
    "score": lambda: prepare_score(1),
    "score with threads": lambda: prepare_score(3),
    "pairs": lambda: prepare_pairs(1),
    "pairs with threads": lambda: prepare_pairs(3),
}}.items():
    print(name, count_failures(prepare), flush=True)
assert meteor.corpus(hypotheses, references).score > 0
print("done")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Compile the library that makes allocations fail, and return its path."""
    path = tmp_path_factory.mktemp("preloaded") / "failing_allocations.so"
    build = [
        COMPILER,
        "-std=c++20",
        "-O1",
        "-shared",
        "-fPIC",
        str(FOLDER / "failing_allocations.cpp"),
        "-o",
        str(path),
    ]
    subprocess.run(build, check=True, capture_output=True)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("chain", ["meteor", "all"])
def test_native_core_raises_memory_error_if_allocation_fails(library, chain, tmp_path):
    program = PROGRAM.format(tests=str(FOLDER), folder=str(tmp_path), chain=chain)
    environment = {**os.environ, "LD_PRELOAD": str(library), "METEOR_E_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stdout + process.stderr[-3000:]
    *count_lines, last_line = process.stdout.splitlines()
    counts = dict(line.rsplit(" ", 1) for line in count_lines)
    assert last_line == "done"
    assert all(int(count) > 5 for count in counts.values()), counts
