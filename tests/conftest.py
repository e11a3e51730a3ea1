from __future__ import annotations

import os
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent

# A build leaves metadata in the folder of the sources, which is not an installation.
if any(Path(str(found.locate_file(""))).resolve() != REPOSITORY for found in distributions(name="meteor_e")):
    # `python -m pytest` puts the working directory first. Its package need not be the one that is installed, and has
    # no native core unless that was built in place.
    sys.path[:] = [entry for entry in sys.path if Path(entry or os.curdir).resolve() != REPOSITORY]

from fixtures import *  # noqa: E402, F403

import meteor_e  # noqa: E402
from meteor_e.engine.native import native_module  # noqa: E402


def _tested() -> str:
    """Return the tested package and engine, for the header of the report."""
    if native_module() is not None:
        engine = "native core"
    elif os.environ.get("METEOR_E_PURE", "0") not in ("", "0"):
        engine = "pure Python, as METEOR_E_PURE says"
    else:
        engine = "PURE PYTHON: this package has no native core; see 'meteor-e --version' and CONTRIBUTING.md"
    return f"meteor_e {meteor_e.__version__}, {engine}, {Path(meteor_e.__file__).parent}"


def pytest_report_header() -> str:
    return f"tested: {_tested()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # Said again at the end, where nobody overlooks it; with -q there is no header.
    if "PURE PYTHON" in (tested := _tested()):
        terminalreporter.write_line(f"tested: {tested}", yellow=True)
