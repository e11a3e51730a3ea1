"""Compare the paraphrases with those of METEOR's program Parex for the same phrase table."""

from __future__ import annotations

import gzip
import os
import runpy
import sys
from pathlib import Path

import pytest
from artificial_bitext import write_bitext

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "parity" / "parex_parity.py"

pytestmark = pytest.mark.java


def run_comparison(monkeypatch, capsys, jar: Path, files, *options: str) -> str:
    """Run the script, and return its output. The script exits with 0 if all pairs and probabilities are equal."""
    arguments = [str(SCRIPT), "--bitext", *map(str, files), "--jar", str(jar), *options]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as script_exit:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    output = capsys.readouterr().out
    assert script_exit.value.code == 0, output
    return output


def parse_count(text: str) -> int:
    """Parse a count with separators of thousands."""
    return int(text.replace(",", ""))


def test_parex_parity_on_a_small_bitext(tmp_path, monkeypatch, capsys, java):
    output = run_comparison(monkeypatch, capsys, java.jar, write_bitext(tmp_path, 1500), "--memory", "1G")
    lines = output.splitlines()
    assert parse_count(lines[1].split()[1]) > 100
    assert lines[-1].startswith("only ours: 0, only Java's: 0, largest difference: ")


@pytest.mark.slow
@pytest.mark.shared
def test_parex_parity_on_multi30k(tmp_path, monkeypatch, capsys, java, shared):
    sentence_count = int(os.environ.get("METEOR_E_PAREX", 5000))
    files = []
    for language in ("en", "de"):
        data = gzip.decompress((shared / "data" / "multi30k" / f"train.{language}.gz").read_bytes())
        file = tmp_path / language
        file.write_bytes(b"".join(data.splitlines(keepends=True)[:sentence_count]))
        files.append(file)
    output = run_comparison(monkeypatch, capsys, java.jar, files, "--memory", "2G")
    assert parse_count(output.split("phrase table: ")[1].split()[0]) >= 100_000
