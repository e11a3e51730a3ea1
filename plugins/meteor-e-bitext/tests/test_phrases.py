from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from meteor_e_bitext.corpus import Corpus, read_bitext
from meteor_e_bitext.phrases import Phrases, extract_phrase_pairs, read_phrase_pairs
from meteor_e_bitext.texts import language_text

from meteor_e.base.progress import silent

pytestmark = pytest.mark.native

PLAIN = language_text(None, whitespace=True)


def random_bitext(seed: int, lines: int = 30):
    """Return random sentence pairs with random links. Some words have many links, and some have none."""
    chance = random.Random(seed)
    made = []
    for _ in range(lines):
        first, second = ([chance.choice("abcd") for _ in range(chance.randint(1, 9))] for _ in range(2))
        links = {
            (i, j)
            for i in range(len(first))
            for j in range(len(second))
            if (abs(i - j) < 2 and chance.random() < 0.4) or chance.random() < 0.03
        }
        made.append((first, second, links))
    return made


def consistent_pairs(first, second, links, longest):
    """Yield the phrase pairs that follow the definition, by trying all pairs."""
    for a in range(len(first)):
        for b in range(a + 1, min(a + longest, len(first)) + 1):
            for c in range(len(second)):
                for d in range(c + 1, min(c + longest, len(second)) + 1):
                    inside = {(a <= i < b) + (c <= j < d) for i, j in links if a <= i < b or c <= j < d}
                    if inside == {2}:
                        yield " ".join(first[a:b]), " ".join(second[c:d])


def extracted(folder: Path, made, longest: int, least: int, threads: int = 1):
    files = folder / "a", folder / "b"
    places = folder / "one", folder / "two"
    for side in (0, 1):
        files[side].write_text("".join(" ".join(row[side]) + "\n" for row in made), encoding="utf-8")
        places[side].mkdir()
    read_bitext(files, (PLAIN, PLAIN), places, 100, silent)
    corpora = Corpus(places[0]), Corpus(places[1])
    links = np.array([pair for row in made for pair in sorted(row[2])], np.uint16).reshape(-1, 2)
    starts = np.cumsum([0, *(len(row[2]) for row in made)]).astype(np.uint64)
    work = folder / "work"
    work.mkdir()
    extract_phrase_pairs(
        *corpora, links, starts, work, max_length=longest, min_count=least, threads=threads, progress=silent
    )
    assert not list(work.glob("*.scratch"))
    pairs = read_phrase_pairs(*corpora, work, 0.0)
    return {
        (pairs.phrases.text(a), pairs.pivots.text(b)): (to, back)
        for a, b, to, back in zip(
            pairs.pair_phrases.tolist(),
            pairs.pair_pivots.tolist(),
            pairs.to_pivot.tolist(),
            pairs.from_pivot.tolist(),
            strict=True,
        )
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("longest", "least"), [(7, 1), (3, 1), (7, 2), (2, 3)])
def test_phrase_pairs_follow_the_definition(tmp_path, monkeypatch, seed, longest, least):
    monkeypatch.setattr("meteor_e_bitext.phrases._SENTENCES", 7)  # so that several runs are merged
    made = random_bitext(seed)
    counts = Counter(pair for row in made for pair in consistent_pairs(*row, longest))
    totals = [Counter(), Counter()]
    for pair, count in counts.items():
        for side in (0, 1):
            totals[side][pair[side]] += count
    occurrences = [Counter(), Counter()]
    for row in made:
        for side in (0, 1):
            words = row[side]
            occurrences[side].update(
                " ".join(words[a:b]) for a in range(len(words)) for b in range(a + 1, min(a + longest, len(words)) + 1)
            )
    expected = {
        pair: (count / totals[0][pair[0]], count / totals[1][pair[1]])
        for pair, count in counts.items()
        if all(occurrences[side][pair[side]] >= least for side in (0, 1))
    }
    assert expected
    assert extracted(tmp_path, made, longest, least, threads=1 + seed % 3) == expected


def test_sentences_without_links_have_no_pairs(tmp_path):
    assert extracted(tmp_path, [(["a"], ["x"], set())], 7, 1) == {}


def test_phrases_have_texts_and_are_ordered():
    words = ["b", "a", "aa", "\x01"]
    row = np.array([0, 1, 2, 1, 0, 3], np.uint32)
    places, lengths = np.array([0, 1, 3, 2, 0, 5]), np.array([1, 3, 2, 1, 6, 1], np.uint8)
    phrases = Phrases(row, places, lengths, words)
    chosen = np.array([4, 1, 2, 0, 3, 5, 1])
    texts = phrases.texts(chosen)
    assert texts == [phrases.text(number) for number in chosen.tolist()]
    expected = sorted(range(len(chosen)), key=lambda place: texts[place].split(" "))
    assert phrases.order(chosen).tolist() == expected
    assert phrases.texts(chosen[:0]) == []
