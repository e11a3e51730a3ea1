"""Test that the package can be installed without a compiler and then uses the Python engine."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def install_without_compiler(target: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Install the package into a folder with compilers that always fail, and return the finished process."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--config-settings", f"build-dir={target / 'build'}", "--target", str(target), "."]
    environment = {**os.environ, "CC": "false", "CXX": "false", **environment}
    return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(
    find_spec("scikit_build_core") is None or find_spec("hatch_fancy_pypi_readme") is None,
    reason="needs scikit-build-core, pybind11 and hatch-fancy-pypi-readme",
)
@pytest.mark.skipif(sys.platform == "win32", reason="CC does not select the compiler on Windows")
@pytest.mark.parametrize("required", [False, True])
def test_package_without_a_compiler_uses_the_python_engine(tmp_path, required):
    environment = {"METEOR_E_REQUIRE_NATIVE": "1" if required else ""}
    installation = install_without_compiler(tmp_path, **environment)
    assert (installation.returncode != 0) == required
    if required:
        return
    assert not list(tmp_path.glob("meteor_e/_native*.so"))
    code = 'import meteor_e; m = meteor_e.Meteor("other"); print(m.engine, m.score("a b", "a b").score)'
    # With -S, Python ignores an editable install of meteor_e.
    paths = [str(tmp_path), *(path for path in sys.path if "site-packages" in path)]
    process = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert process.stdout == "python 1.0\n", process.stderr


@pytest.mark.skipif(
    not os.environ.get("METEOR_E_REQUIRE_DATA"), reason="runs only if METEOR_E_REQUIRE_DATA is set, as in CI"
)
def test_native_module_is_available_if_it_is_required(tmp_path):
    """In CI, the tests of the native core must not be skipped."""
    code = "from meteor_e.engine.native import native_module; print(native_module() is not None)"
    environment = {key: value for key, value in os.environ.items() if key != "METEOR_E_PURE"}
    # In the folder of the checkout, the modules of the checkout would hide the installed ones.
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout == "True\n"
