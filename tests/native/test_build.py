"""The extension is optional. Without a compiler, the package uses the Python engine."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(target: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--config-settings", f"build-dir={target / 'build'}", "--target", str(target), "."]
    # A compiler that always fails, for C and for C++.
    environment = {**os.environ, "CC": "false", "CXX": "false", **environment}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(
    find_spec("scikit_build_core") is None or find_spec("hatch_fancy_pypi_readme") is None,
    reason="needs scikit-build-core, pybind11 and hatch-fancy-pypi-readme",
)
@pytest.mark.skipif(sys.platform == "win32", reason="the compiler is not chosen by CC there")
@pytest.mark.parametrize("required", [False, True])
def test_build_without_a_compiler_uses_python(tmp_path, required):
    environment = {"METEOR_E_REQUIRE_NATIVE": "1" if required else ""}
    built = build(tmp_path, **environment)
    assert (built.returncode != 0) == required
    if required:
        return
    assert not list(tmp_path.glob("meteor_e/_native*.so"))
    code = 'import meteor_e; m = meteor_e.Meteor("other"); print(m.engine, m.score("a b", "a b").score)'
    # -S keeps an editable install of meteor_e out of the way.
    paths = [str(tmp_path), *(path for path in sys.path if "site-packages" in path)]
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert run.stdout == "python 1.0\n", run.stderr


@pytest.mark.skipif(not os.environ.get("METEOR_E_REQUIRE_DATA"), reason="only where all must be tested, as in CI")
def test_extension_is_used_unless_python_is_selected(tmp_path):
    """The tests of the native core must not be skipped if there is a compiler."""
    code = "from meteor_e.engine.native import native_module; print(native_module() is not None)"
    environment = {key: value for key, value in os.environ.items() if key != "METEOR_E_PURE"}
    # Elsewhere than in the checkout, whose modules would hide the installed ones.
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "True\n"
