from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from made_up_bitext import sentences, write_alignment, write_bitext
from meteor_e_bitext import _native
from meteor_e_bitext.alignment import HEURISTICS, AlignmentOptions, align, read_pharaoh
from meteor_e_bitext.corpus import Corpus, read_bitext
from meteor_e_bitext.texts import language_text

from meteor_e.api import InputError
from meteor_e.base.progress import silent

pytestmark = pytest.mark.native

PLAIN = language_text(None, whitespace=True)


def corpora(folder: Path, files, longest: int = 100) -> tuple[Corpus, Corpus]:
    places = folder / "one", folder / "two"
    for place in places:
        place.mkdir(parents=True)
    read_bitext(files, (PLAIN, PLAIN), places, longest, silent)
    return Corpus(places[0]), Corpus(places[1])


@pytest.fixture
def sides(tmp_path) -> tuple[Corpus, Corpus]:
    english, french = write_bitext(tmp_path)
    return corpora(tmp_path, (french, english))


def rows(links, starts):
    return [{tuple(pair) for pair in links[a:b].tolist()} for a, b in itertools.pairwise(starts)]


def test_words_are_aligned_with_their_translations(sides):
    found = rows(*align(*sides, 100, AlignmentOptions(), 1, silent))
    expected = [row[2] for row in sentences(400)]
    right = sum(len(a & b) for a, b in zip(found, expected, strict=True))
    assert right / sum(map(len, found)) > 0.9
    assert right / sum(map(len, expected)) > 0.95


def symmetrize(n, m, forward, backward, heuristic):
    """Return the links of one sentence pair; ``forward`` maps target positions to source positions."""
    none = 0xFFFF
    pairs, starts = _native.symmetrize(
        source_starts=np.array([0, n], np.uint64),
        target_starts=np.array([0, m], np.uint64),
        forward=np.array([forward.get(j, none) for j in range(m)], np.uint16),
        backward=np.array([backward.get(i, none) for i in range(n)], np.uint16),
        heuristic=HEURISTICS.index(heuristic),
    )
    assert np.frombuffer(starts, np.uint64).tolist() == [0, len(pairs) // 4]
    return {tuple(pair) for pair in np.frombuffer(pairs, np.uint16).reshape(-1, 2).tolist()}


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
def test_heuristics_combine_both_directions(heuristic, expected):
    assert symmetrize(5, 5, {0: 0, 1: 1, 3: 0, 4: 4}, {0: 0, 4: 0}, heuristic) == expected


def test_arrays_that_do_not_fit_each_other_are_refused(sides):
    one, two = sides
    given = {
        "source_words": one.words,
        "source_starts": one.starts,
        "source_types": len(one.vocabulary),
        "target_words": two.words,
        "target_starts": two.starts,
        "target_types": len(two.vocabulary),
        "iterations": 5,
        "null_probability": 0.08,
        "tension": 4.0,
        "concentration": 0.01,
        "max_words": 100,
        "threads": 1,
        "positions": np.empty(len(two.words), np.uint16),
        "report": lambda done, total: None,
    }
    starts = one.starts.copy()
    starts[1] = len(one.words) + 5
    for changed, error, message in (
        ({"source_types": 3}, ValueError, "not in the vocabulary"),
        ({"positions": given["positions"][1:].copy()}, ValueError, "wrong size"),
        ({"source_starts": starts}, ValueError, "overlap"),
        ({"threads": 0}, ValueError, "out of range"),
        # Arrays of other types are not converted, because that would copy them.
        ({"source_words": one.words.astype(np.int64)}, TypeError, "incompatible"),
        ({"target_words": two.words[::2]}, TypeError, "incompatible"),
    ):
        with pytest.raises(error, match=message):
            _native.align_words(**{**given, **changed})


def test_pharaoh_file_is_read(tmp_path):
    english, french = write_bitext(tmp_path, 20)
    one, two = corpora(tmp_path, (english, french))
    lines = np.load(tmp_path / "one" / "lines.npy")
    path = write_alignment(tmp_path / "links", 20)
    found = rows(*read_pharaoh(path, one, two, lines, 20))
    assert found == [{(j, i) for i, j in row[2]} for row in sentences(20)]


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
def test_malformed_pharaoh_files_are_refused(tmp_path, text, message):
    files = tmp_path / "a", tmp_path / "b"
    files[0].write_text("x y\nz\n", encoding="utf-8")
    files[1].write_text("u\nv w\n", encoding="utf-8")
    one, two = corpora(tmp_path, files)
    (tmp_path / "links").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace("'", ".")):
        read_pharaoh(tmp_path / "links", one, two, np.load(tmp_path / "one" / "lines.npy"), 2)


def test_language_text_splits_lines_into_words():
    text = language_text("zh", whitespace=True)
    assert text.words(" A  b\u3000c ") == ["A", "b\u3000c"]
    assert language_text("xx").words("Don't stop.") == ["don", "'", "t", "stop", "."]
