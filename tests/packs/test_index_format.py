"""A change of an index's bytes is a change of the format of ``docs/index-format.md``: raise its version."""

from __future__ import annotations

import hashlib
from pathlib import Path

from own_resources import EXCEPTIONS, SYNSETS, TABLE, table_text

from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def test_paraphrases(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(table_text(TABLE))
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    assert digest(tmp_path / "idx") == "e6b4f53205456fac"


def test_synonyms(tmp_path: Path) -> None:
    for name, text in (("synsets", SYNSETS), ("exceptions", EXCEPTIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_synonym_index(tmp_path / "synsets", tmp_path / "exceptions", tmp_path / "idx")
    assert digest(tmp_path / "idx") == "778ef0b730f26160"
