"""Compares the paraphrases with those of METEOR's program Parex for the same phrase table."""

from __future__ import annotations

import gzip
import os
import runpy
import sys
from pathlib import Path

import pytest
from made_up_bitext import write_bitext

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "parity" / "parex_parity.py"

pytestmark = pytest.mark.java


def compare(monkeypatch, capsys, jar: Path, files, *options: str) -> str:
    """Run the comparison, which exits with 0 if all pairs and probabilities are equal."""
    arguments = [str(SCRIPT), "--bitext", *map(str, files), "--jar", str(jar), *options]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as done:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    out = capsys.readouterr().out
    assert done.value.code == 0, out
    return out


def test_parex_parity_on_a_small_bitext(tmp_path, monkeypatch, capsys, java):
    out = compare(monkeypatch, capsys, java.jar, write_bitext(tmp_path, 1500), "--memory", "1G")
    lines = out.splitlines()
    assert int(lines[1].split()[1].replace(",", "")) > 100
    assert lines[-1].startswith("only ours: 0, only Java's: 0, largest difference: ")


@pytest.mark.slow
@pytest.mark.shared
def test_parex_parity_on_multi30k(tmp_path, monkeypatch, capsys, java, shared):
    files = []
    for language in ("en", "de"):
        data = gzip.decompress((shared / "data" / "multi30k" / f"train.{language}.gz").read_bytes())
        files.append(tmp_path / language)
        files[-1].write_bytes(b"".join(data.splitlines(keepends=True)[: int(os.environ.get("METEOR_E_PAREX", 5000))]))
    out = compare(monkeypatch, capsys, java.jar, files, "--memory", "2G")
    assert int(out.split("phrase table: ")[1].split()[0].replace(",", "")) >= 100_000
