"""The configuration of the tests: pytest tests the installed package and reports its version and engine."""

from __future__ import annotations

import os
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent

# A build writes metadata into the source folder, which does not count as an installation.
installation_folders = [Path(str(item.locate_file(""))).resolve() for item in distributions(name="meteor_e")]
if any(folder != REPOSITORY for folder in installation_folders):
    # `python -m pytest` puts the working directory first in `sys.path`. The package in that directory can differ from
    # the installed package, and it has no native core unless the core was built in place.
    sys.path[:] = [entry for entry in sys.path if Path(entry or os.curdir).resolve() != REPOSITORY]

from fixtures import *  # noqa: E402, F403

import meteor_e  # noqa: E402
from meteor_e.engine.native import native_module  # noqa: E402


def _describe_package() -> str:
    """Return the version, the engine and the folder of the package under test."""
    if native_module() is not None:
        engine = "native core"
    elif os.environ.get("METEOR_E_PURE", "0") not in ("", "0"):
        engine = "pure Python, because METEOR_E_PURE is set"
    else:
        engine = "PURE PYTHON: this package has no native core; see 'meteor-e --version' and CONTRIBUTING.md"
    return f"meteor_e {meteor_e.__version__}, {engine}, {Path(meteor_e.__file__).parent}"


def pytest_report_header() -> str:
    return f"package under test: {_describe_package()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # The summary repeats this line, because nobody overlooks it there, and because -q prints no header.
    description = _describe_package()
    if "PURE PYTHON" in description:
        terminalreporter.write_line(f"package under test: {description}", yellow=True)
