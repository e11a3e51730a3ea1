from __future__ import annotations

from pathlib import Path

import pytest
from own_resources import EXCEPTIONS, FUNCTION_WORDS, PREFIXES, SYNSETS, TABLE, table_text, write_wheel

from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return write_wheel(tmp_path / "pycocoevalcap-1.2-py3-none-any.whl")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return plain files for ``build_pack``."""
    contents = {
        "function_words": FUNCTION_WORDS.encode(),
        "prefixes": PREFIXES.encode(),
        "synonyms": SYNSETS.encode(),
        "exceptions": EXCEPTIONS.encode(),
        "paraphrases": table_text(TABLE),
    }
    folder = tmp_path / "files"
    folder.mkdir()
    paths = {name: folder / name for name in contents}
    for name, path in paths.items():
        path.write_bytes(contents[name])
    return paths


@pytest.fixture
def tiny_pack(tmp_path: Path, files: dict[str, Path]) -> Pack:
    return build_pack(tmp_path / "store" / "en", language="en", **files)


@pytest.fixture
def store_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder as the default store."""
    root = tmp_path / "store"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    return root
