"""Fixtures: archives, plain resource files, a small pack and an empty store."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_resources import EXCEPTIONS, FUNCTION_WORDS, PARAPHRASES, PREFIXES, SYNSETS, make_table, write_wheel

from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Return the path of a small wheel of pycocoevalcap."""
    return write_wheel(tmp_path / "pycocoevalcap-1.2-py3-none-any.whl")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return the paths of plain resource files, by the parameter names of ``build_pack``."""
    contents = {
        "function_words": FUNCTION_WORDS.encode(),
        "prefixes": PREFIXES.encode(),
        "synonyms": SYNSETS.encode(),
        "exceptions": EXCEPTIONS.encode(),
        "paraphrases": make_table(PARAPHRASES),
    }
    folder = tmp_path / "files"
    folder.mkdir()
    paths = {name: folder / name for name in contents}
    for name, path in paths.items():
        path.write_bytes(contents[name])
    return paths


@pytest.fixture
def tiny_pack(tmp_path: Path, files: dict[str, Path]) -> Pack:
    """Build a small English pack."""
    return build_pack(tmp_path / "store" / "en", language="en", **files)


@pytest.fixture
def store_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the default store, and return its path."""
    root = tmp_path / "store"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    return root
