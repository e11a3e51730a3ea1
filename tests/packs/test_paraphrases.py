from __future__ import annotations

import itertools
import pickle
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_resources import TABLE, flip, table_text

from meteor_e.base.errors import ResourceError
from meteor_e.packs.build_indexes import build_paraphrase_index
from meteor_e.packs.indexes import (
    WORD_SECTIONS,
    IndexFile,
    Layout,
    ParaphraseIndex,
    make_vocabulary_sections,
    write_index,
)

WORDS = st.one_of(
    st.sampled_from(["a", "b", "c", "of", "…", "ß", "\U0001d11e", "a\u00a0b"]),
    st.text(st.characters(exclude_characters=" \t\n\r\f", exclude_categories=["Cs"]), min_size=1, max_size=3),
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(tuple)
TABLES = st.lists(st.tuples(PHRASES, PHRASES), max_size=25)
SEGMENTS = st.lists(WORDS, max_size=8)

Phrase = tuple[str, ...]


def build(folder: Path, entries: list[tuple[Phrase, Phrase]]) -> ParaphraseIndex:
    source, target = folder / "table", folder / "table.idx"
    source.write_bytes(table_text((" ".join(left), " ".join(right)) for left, right in entries))
    assert build_paraphrase_index(source, target) == len(entries)
    return ParaphraseIndex(target)


def found(index: ParaphraseIndex, words: list[str], start: int) -> list[tuple[int, Phrase, list[Phrase]]]:
    """Return all paraphrases of the phrases at a position."""
    ids = [index.word_id(word) for word in words]
    return [
        (length, index.phrase(node), [index.phrase(right) for right in index.paraphrases(node)])
        for length, node in index.phrases_at(ids, start)
    ]


@pytest.fixture
def index(tmp_path: Path) -> ParaphraseIndex:
    return build(tmp_path, [(tuple(left.split()), tuple(right.split())) for left, right in TABLE])


def test_unknown_words(index: ParaphraseIndex) -> None:
    assert index.word_id("zebra") == -1
    assert index.word_id("\ud800") == -1
    assert index.word_id("") == -1
    assert index.phrases_at([-1, index.word_id("in")], 0) == []


def test_pickles_by_path(index: ParaphraseIndex) -> None:
    again = pickle.loads(pickle.dumps(index))
    assert found(again, ["in"], 0) == found(index, ["in"], 0)


@settings(max_examples=80)
@given(entries=TABLES, segment=SEGMENTS)
def test_equals_a_dictionary(tmp_path_factory: pytest.TempPathFactory, entries: list, segment: list[str]) -> None:
    index = build(tmp_path_factory.mktemp("table"), entries)
    table: dict[Phrase, list[Phrase]] = {}
    for left, right in entries:
        table.setdefault(left, []).append(right)
        table.setdefault(right, [])
    assert len(index) == len(entries)
    # The segment itself, and one that is sure to hold phrases.
    for words in (segment, [word for entry in entries[:3] for side in entry for word in side]):
        for start in range(len(words)):
            expected = [
                (end - start, phrase, table[phrase])
                for end in range(start + 1, len(words) + 1)
                if (phrase := tuple(words[start:end])) in table
            ]
            assert found(index, words, start) == expected


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    for data in (b"", b"x", b"MEphrase", b"MEsynset" + bytes(200), bytes(5000)):
        path.write_bytes(data)
        with pytest.raises(ResourceError, match=r"x\.idx"):
            ParaphraseIndex(path)


def test_truncated_indexes_are_refused(index: ParaphraseIndex) -> None:
    path = index.path
    data = path.read_bytes()
    for length in [*range(200), *range(200, len(data), 7), len(data) - 1]:
        path.unlink()  # the map of the fixture keeps the old file
        path.write_bytes(data[:length])
        with pytest.raises(ResourceError):
            ParaphraseIndex(path)
    path.unlink()
    path.write_bytes(data + b"\0")
    with pytest.raises(ResourceError, match="bytes instead of"):
        ParaphraseIndex(path)


def test_altered_headers_are_refused(index: ParaphraseIndex) -> None:
    path = index.path
    data = path.read_bytes()
    for at in range(64 + 16 * 5):
        for bit in (0, 7):
            path.unlink()
            path.write_bytes(data)
            flip(path, at, bit)
            with pytest.raises(ResourceError):
                ParaphraseIndex(path)


@settings(max_examples=150)
@given(st.data())
def test_altered_content_never_leads_outside(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("altered")
    entries = [(tuple(left.split()), tuple(right.split())) for left, right in TABLE]
    good = build(folder, entries)
    words = sorted({word for entry in entries for side in entry for word in side})
    content = bytearray(good.path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(64 + 16 * 5, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    altered = folder / "altered.idx"
    altered.write_bytes(content)
    try:
        index = ParaphraseIndex(altered)
    except ResourceError:
        return
    for word in words:
        for first in words:
            try:
                assert isinstance(found(index, [first, word, "end", "last"], 0), list)
            except ResourceError:
                continue
    for node in [*range(index.nodes + 2), 2**31]:
        for ask in (index.paraphrases, index.phrase):
            try:
                assert len(ask(node)) >= 0
            except ResourceError:
                continue


LAYOUT = Layout(b"MEtests.", WORD_SECTIONS)


def vocabulary(path: Path, words: list[str]) -> IndexFile:
    sections, parameters = make_vocabulary_sections([word.encode() for word in words], path)
    write_index(path, LAYOUT, parameters, sections)
    return IndexFile(path, LAYOUT)


def test_words_that_share_a_slot(tmp_path: Path) -> None:
    candidates = ("".join(letters) for letters in itertools.product("abcdefghij", repeat=4))
    words = list(itertools.islice((word for word in candidates if zlib.crc32(word.encode()) % 64 == 63), 21))
    absent, words = words[-1], words[:-1]
    table = vocabulary(tmp_path / "v", words)
    assert [table.word_id(word) for word in words] == list(range(20))
    assert [table.word(number) for number in range(20)] == words
    assert table.word_id(absent) == -1


def test_sizes_around_powers_of_two(tmp_path: Path) -> None:
    for size in (0, 1, 2, 3, 4, 5, 8, 9, 1023, 1024, 1025):
        words = [f"word{number}" for number in range(size)]
        table = vocabulary(tmp_path / "v", words)
        assert [table.word_id(word) for word in words] == list(range(size))
        assert table.word_id("absent") == -1
        assert table.size == size
        (tmp_path / "v").unlink()
