from __future__ import annotations

import pytest
from click.testing import CliRunner
from made_up_table import TABLE, write_table
from meteor_e_bitext.coverage import measure_coverage

from meteor_e.base.errors import ResourceError
from meteor_e.cli.program import cli
from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack


@pytest.fixture
def pack(tmp_path) -> Pack:
    (tmp_path / "words").write_text("k\nthe\n")
    table = write_table(tmp_path / "table")
    return build_pack(tmp_path / "pack", language="xx", function_words=tmp_path / "words", paraphrases=table)


def test_coverage_counts_words_and_phrases(pack):
    seen = []
    texts = [["k", "a", "b", "l"], ["x", "k", "c"], ["a", "b"]]
    found = measure_coverage(pack, texts, progress=lambda *state: seen.append(state))
    assert seen == [("reading the text", 3, 3)]
    assert found.words == 9
    assert found.function_words == 2
    # The covered words are "a b", "x", "c" and "a b". "b" is also a phrase. The phrase that starts with "l" is
    # not complete.
    assert found.paraphrased_words == 6
    assert found.frequent[0][1] == 2
    assert ("x", 1, ["y"]) in found.frequent


def test_info_command_prints_the_content_of_a_pack(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "store"))
    made = build_pack(tmp_path / "p", language="other", paraphrases=write_table(tmp_path / "table"), version="7")
    shown = CliRunner().invoke(cli, ["pack", "info", str(tmp_path / "p")], catch_exceptions=False).output
    lines = dict(line.split(maxsplit=1) for line in shown.splitlines())
    assert (lines["version"], lines["digest"], lines["paraphrases"]) == ("7", made.digest, str(len(TABLE)))
    (file,) = (tmp_path / "p").glob("paraphrases*")
    file.unlink()
    with pytest.raises(ResourceError, match=f"{file.name} cannot be read: No such file"):
        CliRunner().invoke(cli, ["pack", "info", str(tmp_path / "p")], catch_exceptions=False)


def test_coverage_of_a_pack_without_a_table(tmp_path):
    (tmp_path / "words").write_text("k\n")
    bare = build_pack(tmp_path / "bare", language="xx", function_words=tmp_path / "words")
    assert measure_coverage(bare, [["k", "x"]])[:4] == (2, 1, 0, 0)
