from __future__ import annotations

import itertools
import zlib
from pathlib import Path

from meteor_e.packs.indexes import VOCABULARY_SECTIONS, IndexFile, Layout, Vocabulary, vocabulary_sections, write_index

LAYOUT = Layout(b"MEtests.", VOCABULARY_SECTIONS)


def vocabulary(path: Path, words: list[str]) -> Vocabulary:
    sections, parameters = vocabulary_sections([word.encode() for word in words], path)
    write_index(path, LAYOUT, parameters, sections)
    return Vocabulary(IndexFile(path, LAYOUT))


def test_words_that_share_a_slot(tmp_path: Path) -> None:
    candidates = ("".join(letters) for letters in itertools.product("abcdefghij", repeat=4))
    words = list(itertools.islice((word for word in candidates if zlib.crc32(word.encode()) % 64 == 63), 21))
    absent, words = words[-1], words[:-1]
    table = vocabulary(tmp_path / "v", words)
    assert [table.id(word) for word in words] == list(range(20))
    assert [table.word(number) for number in range(20)] == words
    assert table.id(absent) == -1


def test_sizes_around_powers_of_two(tmp_path: Path) -> None:
    for size in (0, 1, 2, 3, 4, 5, 8, 9, 1023, 1024, 1025):
        words = [f"word{number}" for number in range(size)]
        table = vocabulary(tmp_path / "v", words)
        assert [table.id(word) for word in words] == list(range(size))
        assert table.id("absent") == -1
        assert table.size == size
        (tmp_path / "v").unlink()
