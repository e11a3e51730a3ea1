"""Tests of the paraphrase index and of the vocabulary of index files."""

from __future__ import annotations

import itertools
import pickle
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_resources import PARAPHRASES, flip_bit, make_table

from meteor_e.base.errors import ResourceError
from meteor_e.packs.build_indexes import build_paraphrase_index
from meteor_e.packs.index_format import Layout, write_index
from meteor_e.packs.indexes import WORD_SECTIONS, IndexFile, ParaphraseIndex, make_vocabulary_sections

WORDS = st.one_of(
    st.sampled_from(["a", "b", "c", "of", "…", "ß", "\U0001d11e", "a\u00a0b"]),
    st.text(st.characters(exclude_characters=" \t\n\r\f", exclude_categories=["Cs"]), min_size=1, max_size=3),
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(tuple)
TABLES = st.lists(st.tuples(PHRASES, PHRASES), max_size=25)
SEGMENTS = st.lists(WORDS, max_size=8)

Phrase = tuple[str, ...]

HEADER_SIZE = 64 + 16 * 5
"""The size of the header of a paraphrase index, which lists five sections."""


def build_index(folder: Path, entries: list[tuple[Phrase, Phrase]]) -> ParaphraseIndex:
    """Write a paraphrase table with these entries, index the table, and open the index."""
    source, target = folder / "table", folder / "table.idx"
    source.write_bytes(make_table((" ".join(phrase), " ".join(paraphrase)) for phrase, paraphrase in entries))
    assert build_paraphrase_index(source, target) == len(entries)
    return ParaphraseIndex(target)


def look_up(index: ParaphraseIndex, words: list[str], start: int) -> list[tuple[int, Phrase, list[Phrase]]]:
    """Return the phrases that begin at a position, with their lengths and their paraphrases."""
    ids = [index.word_id(word) for word in words]
    return [
        (length, index.phrase(node), [index.phrase(paraphrase) for paraphrase in index.paraphrases(node)])
        for length, node in index.phrases_at(ids, start)
    ]


ENTRIES = [(tuple(phrase.split()), tuple(paraphrase.split())) for phrase, paraphrase in PARAPHRASES]


@pytest.fixture
def index(tmp_path: Path) -> ParaphraseIndex:
    """Return a small paraphrase index."""
    return build_index(tmp_path, ENTRIES)


def test_paraphrase_index_does_not_know_other_words(index: ParaphraseIndex) -> None:
    assert index.word_id("zebra") == -1
    assert index.word_id("\ud800") == -1
    assert index.word_id("") == -1
    assert index.phrases_at([-1, index.word_id("in")], 0) == []


def test_paraphrase_index_can_be_pickled(index: ParaphraseIndex) -> None:
    copy = pickle.loads(pickle.dumps(index))
    assert look_up(copy, ["in"], 0) == look_up(index, ["in"], 0)


@settings(max_examples=80)
@given(entries=TABLES, segment=SEGMENTS)
def test_paraphrase_index_equals_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, entries: list, segment: list[str]
) -> None:
    index = build_index(tmp_path_factory.mktemp("table"), entries)
    table: dict[Phrase, list[Phrase]] = {}
    for phrase, paraphrase in entries:
        table.setdefault(phrase, []).append(paraphrase)
        table.setdefault(paraphrase, [])
    assert len(index) == len(entries)
    # A random segment may not contain any phrase of the table, so a segment that consists of phrases is tested, too.
    segment_of_phrases = [word for entry in entries[:3] for phrase in entry for word in phrase]
    for words in (segment, segment_of_phrases):
        for start in range(len(words)):
            expected = [
                (end - start, phrase, table[phrase])
                for end in range(start + 1, len(words) + 1)
                if (phrase := tuple(words[start:end])) in table
            ]
            assert look_up(index, words, start) == expected


def test_paraphrase_index_rejects_files_of_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    for data in (b"", b"x", b"MEphrase", b"MEsynset" + bytes(200), bytes(5000)):
        path.write_bytes(data)
        with pytest.raises(ResourceError, match=r"x\.idx"):
            ParaphraseIndex(path)


def test_paraphrase_index_rejects_truncated_files(index: ParaphraseIndex) -> None:
    path = index.path
    data = path.read_bytes()
    for length in [*range(200), *range(200, len(data), 7), len(data) - 1]:
        path.unlink()  # The memory map of the fixture needs the old file.
        path.write_bytes(data[:length])
        with pytest.raises(ResourceError):
            ParaphraseIndex(path)
    path.unlink()
    path.write_bytes(data + b"\0")
    with pytest.raises(ResourceError, match="bytes instead of"):
        ParaphraseIndex(path)


def test_paraphrase_index_rejects_altered_headers(index: ParaphraseIndex) -> None:
    path = index.path
    data = path.read_bytes()
    for offset in range(HEADER_SIZE):
        for bit in (0, 7):
            path.unlink()
            path.write_bytes(data)
            flip_bit(path, offset, bit)
            with pytest.raises(ResourceError):
                ParaphraseIndex(path)


@settings(max_examples=150)
@given(st.data())
def test_paraphrase_index_with_altered_content_stays_in_bounds(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Random changes of the content lead to an error or to other results, but not to accesses outside the file."""
    folder = tmp_path_factory.mktemp("altered")
    original_index = build_index(folder, ENTRIES)
    words = sorted({word for entry in ENTRIES for phrase in entry for word in phrase})
    content = bytearray(original_index.path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        offset = data.draw(st.integers(HEADER_SIZE, len(content) - 1))
        content[offset] = data.draw(st.integers(0, 255))
    altered_path = folder / "altered.idx"
    altered_path.write_bytes(content)
    try:
        index = ParaphraseIndex(altered_path)
    except ResourceError:
        return
    for second_word in words:
        for first_word in words:
            try:
                assert isinstance(look_up(index, [first_word, second_word, "end", "last"], 0), list)
            except ResourceError:
                continue
    for node in [*range(index.nodes + 2), 2**31]:
        for method in (index.paraphrases, index.phrase):
            try:
                assert len(method(node)) >= 0
            except ResourceError:
                continue


LAYOUT = Layout(b"MEtests.", WORD_SECTIONS)


def build_vocabulary(path: Path, words: list[str]) -> IndexFile:
    """Write an index file that contains only a vocabulary, and open the file."""
    sections, parameters = make_vocabulary_sections([word.encode() for word in words], path)
    write_index(path, LAYOUT, parameters, sections)
    return IndexFile(path, LAYOUT)


def test_vocabulary_finds_words_with_equal_hash_slots(tmp_path: Path) -> None:
    """All words have the same slot, the last one, of a hash table with 64 slots."""
    candidates = ("".join(letters) for letters in itertools.product("abcdefghij", repeat=4))
    colliding_words = (word for word in candidates if zlib.crc32(word.encode()) % 64 == 63)
    *words, absent_word = itertools.islice(colliding_words, 21)
    vocabulary = build_vocabulary(tmp_path / "v", words)
    assert [vocabulary.word_id(word) for word in words] == list(range(20))
    assert [vocabulary.word(word_id) for word_id in range(20)] == words
    assert vocabulary.word_id(absent_word) == -1


def test_vocabulary_sizes_around_powers_of_two_work(tmp_path: Path) -> None:
    for size in (0, 1, 2, 3, 4, 5, 8, 9, 1023, 1024, 1025):
        words = [f"word{number}" for number in range(size)]
        vocabulary = build_vocabulary(tmp_path / "v", words)
        assert [vocabulary.word_id(word) for word in words] == list(range(size))
        assert vocabulary.word_id("absent") == -1
        assert vocabulary.size == size
        (tmp_path / "v").unlink()
