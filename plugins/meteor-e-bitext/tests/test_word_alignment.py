from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from artificial_bitext import generate_sentence_pairs, write_alignment, write_bitext
from meteor_e_bitext import _native
from meteor_e_bitext.alignment import HEURISTICS, AlignmentOptions, align, read_pharaoh
from meteor_e_bitext.corpus import BitextPart, Corpus, read_bitext
from meteor_e_bitext.texts import language_text

from meteor_e.api import InputError
from meteor_e.base.progress import silent

pytestmark = pytest.mark.native

PLAIN = language_text(None, whitespace=True)


def build_corpora(folder: Path, files, max_words: int = 100) -> tuple[Corpus, Corpus]:
    """Read a bitext, and write each of its texts as a corpus to the folders ``one`` and ``two``."""
    first = BitextPart(files[0], PLAIN, folder / "one")
    second = BitextPart(files[1], PLAIN, folder / "two")
    read_bitext(first, second, max_words, silent)
    return Corpus(first.folder), Corpus(second.folder)


@pytest.fixture
def corpora(tmp_path) -> tuple[Corpus, Corpus]:
    """Return the French-like and the English-like corpus of the artificial bitext."""
    english, french = write_bitext(tmp_path)
    return build_corpora(tmp_path, (french, english))


def split_links(links, starts) -> list[set[tuple[int, int]]]:
    """Return the links of each sentence pair."""
    return [{tuple(link) for link in links[start:end].tolist()} for start, end in itertools.pairwise(starts)]


def test_align_links_words_with_their_translations(corpora):
    links = split_links(*align(*corpora, 100, AlignmentOptions(), 1, silent))
    expected = [pair.links for pair in generate_sentence_pairs(400)]
    correct_count = sum(len(a & b) for a, b in zip(links, expected, strict=True))
    precision = correct_count / sum(map(len, links))
    recall = correct_count / sum(map(len, expected))
    assert precision > 0.9
    assert recall > 0.95


def symmetrize(source_length, target_length, forward, backward, heuristic) -> set[tuple[int, int]]:
    """Return the links of one sentence pair.

    ``forward`` maps target positions to source positions, and ``backward`` maps source positions to target positions.
    """
    no_link = 0xFFFF
    links, starts = _native.symmetrize(
        source_starts=np.array([0, source_length], np.uint64),
        target_starts=np.array([0, target_length], np.uint64),
        forward=np.array([forward.get(j, no_link) for j in range(target_length)], np.uint16),
        backward=np.array([backward.get(i, no_link) for i in range(source_length)], np.uint16),
        heuristic=HEURISTICS.index(heuristic),
    )
    # A link consists of two integers, each of two bytes.
    assert np.frombuffer(starts, np.uint64).tolist() == [0, len(links) // 4]
    return {tuple(link) for link in np.frombuffer(links, np.uint16).reshape(-1, 2).tolist()}


@pytest.mark.parametrize(
    ("heuristic", "expected"),
    [
        ("intersection", {(0, 0)}),
        ("union", {(0, 0), (1, 1), (4, 4), (0, 3), (4, 0)}),
        # The link 1-1 touches the link 0-0 diagonally, and neither of its words has a link yet.
        ("grow-diag", {(0, 0), (1, 1)}),
        # The links 0-3 and 4-4 add words without a link. Both words of 4-0 have links then.
        ("grow-diag-final", {(0, 0), (1, 1), (0, 3), (4, 4)}),
        # Only 4-4 consists of two words without links.
        ("grow-diag-final-and", {(0, 0), (1, 1), (4, 4)}),
    ],
)
def test_symmetrize_combines_both_directions(heuristic, expected):
    assert symmetrize(5, 5, {0: 0, 1: 1, 3: 0, 4: 4}, {0: 0, 4: 0}, heuristic) == expected


def test_align_words_rejects_inconsistent_arrays(corpora):
    source, target = corpora
    arguments = {
        "source_words": source.words,
        "source_starts": source.starts,
        "source_types": len(source.vocabulary),
        "target_words": target.words,
        "target_starts": target.starts,
        "target_types": len(target.vocabulary),
        "iterations": 5,
        "null_probability": 0.08,
        "tension": 4.0,
        "concentration": 0.01,
        "max_words": 100,
        "threads": 1,
        "positions": np.empty(len(target.words), np.uint16),
        "report": lambda done, total: None,
    }
    starts = source.starts.copy()
    starts[1] = len(source.words) + 5
    for changes, error, message in (
        ({"source_types": 3}, ValueError, "not in the vocabulary"),
        ({"positions": arguments["positions"][1:].copy()}, ValueError, "wrong size"),
        ({"source_starts": starts}, ValueError, "overlap"),
        ({"threads": 0}, ValueError, "out of range"),
        # Arrays of other types are not converted, because that would copy them.
        ({"source_words": source.words.astype(np.int64)}, TypeError, "incompatible"),
        ({"target_words": target.words[::2]}, TypeError, "incompatible"),
    ):
        with pytest.raises(error, match=message):
            _native.align_words(**{**arguments, **changes})


def test_read_pharaoh_returns_the_links_of_a_file(tmp_path):
    english_corpus, french_corpus = build_corpora(tmp_path, write_bitext(tmp_path, 20))
    lines = np.load(tmp_path / "one" / "lines.npy")
    path = write_alignment(tmp_path / "links", 20)
    links = split_links(*read_pharaoh(path, english_corpus, french_corpus, lines, 20))
    assert links == [{(j, i) for i, j in pair.links} for pair in generate_sentence_pairs(20)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n", "links has 1 lines, and the bitext has 2; it needs a line for each"),
        ("0-0\n0-0\n0-0\n", "links has 3 lines"),
        ("0-0\n0:1\n", "links, line 2: '0:1' is not a pair of word positions"),
        ("0-0\n0--1\n", "line 2: '0--1'"),
        ("0-0\n²-1\n", "line 2: '²-1'"),
        ("0-0 2-0\n\n", "line 1: 2-0 points outside of sentences of 2 and 1 words"),
    ],
)
def test_read_pharaoh_rejects_malformed_files(tmp_path, text, message):
    files = tmp_path / "a", tmp_path / "b"
    files[0].write_text("x y\nz\n", encoding="utf-8")
    files[1].write_text("u\nv w\n", encoding="utf-8")
    source, target = build_corpora(tmp_path, files)
    (tmp_path / "links").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace("'", ".")):
        read_pharaoh(tmp_path / "links", source, target, np.load(tmp_path / "one" / "lines.npy"), 2)


def test_language_text_splits_lines_into_words():
    text = language_text("zh", whitespace=True)
    assert text.words(" A  b\u3000c ") == ["A", "b\u3000c"]
    assert language_text("xx").words("Don't stop.") == ["don", "'", "t", "stop", "."]
