"""Test that each benchmark script prints its help, and that the scripts of the papers run on a small data sample."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
IMPORTED_MODULES = {"papers/command.py", "sample_data.py", "atlas/bertscore.py"}
"""Files that are not scripts: modules that the scripts import, and a plugin that the atlas loads."""
SCRIPTS = sorted({path.relative_to(BENCHMARKS).as_posix() for path in BENCHMARKS.rglob("*.py")} - IMPORTED_MODULES)
SAMPLE_ARGUMENTS = {
    "papers/contextual.py": ["--sample"],
    "papers/europarl_packs.py": ["sample"],
    "papers/guzman.py": ["--sample", "--rows", "meteor", "4metrics", "both"],
    "papers/maxsd.py": ["--sample"],
    "papers/paper_tables.py": ["--sample"],
    "papers/reproduce.py": ["--sample"],
    # The other chains need WordNet.
    "papers/synonyms.py": ["--sample", "--only", "dbnary"],
    "papers/usaar.py": ["--sample"],
}
"""The arguments with which a script of a paper uses a small sample of the data."""


def run_script(script, *arguments, timeout=600):
    """Run a benchmark script in one thread, and return the completed process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, BENCHMARKS / script, *arguments],
        capture_output=True, text=True, check=False, env=environment, timeout=timeout,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_benchmark_script_prints_its_help(script):
    """The imports of a script succeed, and the script prints its usage."""
    result = run_script(script, "--help")
    import_error = "ModuleNotFoundError: No module named"
    if import_error in result.stderr:
        library = result.stderr.rsplit(import_error, 1)[1].strip().strip("'")
        assert not library.startswith("meteor_e"), result.stderr
        pytest.skip(f"{library} is not installed")
    assert result.returncode == 0, result.stderr
    assert "usage" in result.stdout


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("script", SAMPLE_ARGUMENTS)
def test_paper_script_prints_numbers_for_a_sample(script, shared):
    for library in ("torch", "simplemma", "gensim"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    result = run_script(script, *SAMPLE_ARGUMENTS[script])
    assert result.returncode == 0, result.stderr[-3000:]
    assert "nan" not in result.stdout.lower().split()
    assert any(character.isdigit() for character in result.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("comparison", ["gain of tuning, pearson", "two systems", "pearson-sys"])
def test_type_one_error_script_runs_each_simulation(comparison):
    """Each kind of simulation runs. Four simulations are too few to estimate the rate of type I errors."""
    pytest.importorskip("meteor_e_evaluation")
    result = run_script("parity/type_one_error.py", "--simulations", "4", "--only", comparison)
    assert not result.stderr
    assert comparison in result.stdout
