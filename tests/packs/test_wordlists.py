from __future__ import annotations

from pathlib import Path

import pytest
from own_resources import FUNCTION_WORDS, PREFIXES

from meteor_e.base.errors import ResourceError
from meteor_e.packs.pack import parse_function_words, parse_prefixes, read_list


def test_function_words(tmp_path: Path) -> None:
    path = tmp_path / "words"
    for end in ("\n", "\r\n", "\r"):
        path.write_bytes(FUNCTION_WORDS.replace("\n", end).encode("utf-8-sig") + b"\xe2\x80\x99")
        assert read_list(path, parse_function_words) == {"a", "the", "of", "’"}
    path.write_bytes(b"")
    assert read_list(path, parse_function_words) == frozenset()


def test_spaces_belong_to_a_function_word_as_in_java(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b" a\nb \nC\n#\n")
    assert read_list(path, parse_function_words) == {" a", "b ", "C", "#"}


def test_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "prefixes"
    for end in ("\n", "\r\n"):
        path.write_bytes(PREFIXES.replace("\n", end).encode())
        prefixes = read_list(path, parse_prefixes)
        assert prefixes.always == {"Mr", "Prof"}
        assert prefixes.numeric == {"No", "pp"}


def test_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="nowhere: No such file"):
        read_list(tmp_path / "nowhere", parse_function_words)
    (tmp_path / "latin").write_bytes("the\ncafé\n".encode("latin-1"))
    with pytest.raises(ResourceError, match="latin, line 2: not valid UTF-8"):
        read_list(tmp_path / "latin", parse_prefixes)


def test_a_list_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meteor_e.packs.pack.MAX_LIST", 100)
    (tmp_path / "long").write_bytes(b"word\n" * 100)
    with pytest.raises(ResourceError, match="larger than 100 bytes"):
        read_list(tmp_path / "long", parse_function_words)
