"""The scripts of the benchmarks print their help, and those of the papers run on a small sample of the shared data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NOT_PROGRAMS = {"papers/command.py", "sample_data.py", "atlas/bertscore.py"}
"""Modules of the scripts, and a plugin of the atlas."""
SCRIPTS = sorted(
    name
    for name in (path.relative_to(BENCHMARKS).as_posix() for path in BENCHMARKS.rglob("*.py"))
    if name not in NOT_PROGRAMS
)
SAMPLES = {
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


def run(name, *arguments, timeout=600):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, BENCHMARKS / name, *arguments],
        capture_output=True, text=True, check=False, env=environment, timeout=timeout,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_help(name):
    """The imports of a script succeed, and its help contains a description."""
    done = run(name, "--help")
    missing = "ModuleNotFoundError: No module named"
    if missing in done.stderr:
        library = done.stderr.rsplit(missing, 1)[1].strip().strip("'")
        assert not library.startswith("meteor_e"), done.stderr
        pytest.skip(f"{library} is not installed")
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", SAMPLES)
def test_sample(name, shared):
    for library in ("torch", "simplemma", "gensim"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    done = run(name, *SAMPLES[name])
    assert done.returncode == 0, done.stderr[-3000:]
    assert "nan" not in done.stdout.lower().split()
    assert any(character.isdigit() for character in done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("comparison", ["gain of tuning, pearson", "two systems", "pearson-sys"])
def test_type_one_error(comparison):
    """Each kind of simulation runs. Four simulations are too few to check that the test keeps its level."""
    pytest.importorskip("meteor_e_evaluation")
    simulation = run("parity/type_one_error.py", "--simulations", "4", "--only", comparison)
    assert not simulation.stderr
    assert comparison in simulation.stdout
