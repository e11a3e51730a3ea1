"""An interrupt during an import does not leave a partly imported module."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the test sends SIGINT to its own process")

INTERRUPTED_PROGRAM = """
import os, signal, sys, time
from meteor_e import Meteor

meteor = Meteor("other", matchers=["exact"])
assert "numpy" not in sys.modules
pending = [True]

def interrupt(event, arguments):
    loaded = any(name.endswith("._multiarray_umath") for name in sys.modules)
    if event == "import" and pending and loaded and arguments[0].startswith("numpy."):
        pending.clear()
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupt)
try:
    meteor.pairwise(["a b"], ["a b"])
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted")
assert not pending
print(meteor.pairwise(["a b"], ["a b"]).tolist(), sys.modules["numpy"].__spec__.loader.__class__.__name__)
"""


def test_interrupted_import_leaves_numpy_usable():
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED_PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines() == ["interrupted", "[[1.0]] SourceFileLoader"], process.stdout
