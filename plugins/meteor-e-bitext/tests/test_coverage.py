from __future__ import annotations

import pytest
from click.testing import CliRunner
from meteor_e_bitext.coverage import measure_coverage
from small_table import TABLE, write_table

from meteor_e.base.errors import ResourceError
from meteor_e.cli.program import cli
from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack


@pytest.fixture
def pack(tmp_path) -> Pack:
    """Build a pack with the small paraphrase table and two function words."""
    (tmp_path / "words").write_text("k\nthe\n")
    table = write_table(tmp_path / "table")
    return build_pack(tmp_path / "pack", language="xx", function_words=tmp_path / "words", paraphrases=table)


def test_measure_coverage_counts_words_and_phrases(pack):
    progress_reports = []
    texts = [["k", "a", "b", "l"], ["x", "k", "c"], ["a", "b"]]
    coverage = measure_coverage(pack, texts, progress=lambda *report: progress_reports.append(report))
    assert progress_reports == [("reading the text", 3, 3)]
    assert coverage.words == 9
    assert coverage.function_words == 2
    # The covered words are "a b", "x", "c" and "a b". "b" is also a phrase. The phrase that starts with "l" is
    # not complete.
    assert coverage.paraphrased_words == 6
    assert coverage.frequent[0][1] == 2
    assert ("x", 1, ["y"]) in coverage.frequent


def test_info_command_prints_the_content_of_a_pack(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "store"))
    pack = build_pack(tmp_path / "p", language="other", paraphrases=write_table(tmp_path / "table"), version="7")
    output = CliRunner().invoke(cli, ["pack", "info", str(tmp_path / "p")], catch_exceptions=False).output
    fields = dict(line.split(maxsplit=1) for line in output.splitlines())
    assert (fields["version"], fields["digest"], fields["paraphrases"]) == ("7", pack.digest, str(len(TABLE)))
    (file,) = (tmp_path / "p").glob("paraphrases*")
    file.unlink()
    with pytest.raises(ResourceError, match=f"{file.name} cannot be read: No such file"):
        CliRunner().invoke(cli, ["pack", "info", str(tmp_path / "p")], catch_exceptions=False)


def test_coverage_of_a_pack_without_a_table_is_zero(tmp_path):
    (tmp_path / "words").write_text("k\n")
    pack = build_pack(tmp_path / "bare", language="xx", function_words=tmp_path / "words")
    assert measure_coverage(pack, [["k", "x"]])[:4] == (2, 1, 0, 0)
