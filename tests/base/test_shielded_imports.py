from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to the process itself")

INTERRUPTED = """
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


def test_interrupt_during_an_import_of_numpy_leaves_it_usable():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["interrupted", "[[1.0]] SourceFileLoader"], done.stdout
