from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from artificial_bitext import SentencePair
from meteor_e_bitext.alignment import Links
from meteor_e_bitext.corpus import BitextPart, Corpus, read_bitext
from meteor_e_bitext.phrases import PhrasePairs, Phrases, extract_phrase_pairs, read_phrase_pairs
from meteor_e_bitext.texts import language_text

from meteor_e.base.progress import silent

pytestmark = pytest.mark.native

PLAIN = language_text(None, whitespace=True)


def generate_random_pairs(seed: int, count: int = 30) -> list[SentencePair]:
    """Return random sentence pairs with random links. Some words have many links, and some do not have a link."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        source, target = ([rng.choice("abcd") for _ in range(rng.randint(1, 9))] for _ in range(2))
        links = {
            (i, j)
            for i in range(len(source))
            for j in range(len(target))
            if (abs(i - j) < 2 and rng.random() < 0.4) or rng.random() < 0.03
        }
        pairs.append(SentencePair(source, target, links))
    return pairs


def list_spans(sentence: list[str], max_length: int) -> Iterator[tuple[int, int]]:
    """Yield the first position and the end of each phrase of a sentence."""
    for start in range(len(sentence)):
        for end in range(start + 1, min(start + max_length, len(sentence)) + 1):
            yield start, end


def find_consistent_pairs(source, target, links, max_length: int) -> Iterator[tuple[str, str]]:
    """Yield the phrase pairs that follow the definition, by trying all pairs.

    A pair is consistent if it contains a link, and no link connects a word inside with a word outside of the pair.
    """
    for a, b in list_spans(source, max_length):
        for c, d in list_spans(target, max_length):
            # A link has two ends. Links with both ends outside of the pair do not matter.
            ends_inside = {(a <= i < b) + (c <= j < d) for i, j in links if a <= i < b or c <= j < d}
            if ends_inside == {2}:
                yield " ".join(source[a:b]), " ".join(target[c:d])


def compute_expected_pairs(sentence_pairs, max_length: int, min_count: int) -> dict[tuple[str, str], tuple]:
    """Return the phrase pairs and their probabilities in both directions by their definition."""
    pair_counts = Counter(
        phrase_pair
        for sentence_pair in sentence_pairs
        for phrase_pair in find_consistent_pairs(*sentence_pair, max_length)
    )
    source_totals, target_totals = Counter(), Counter()
    for (source_phrase, target_phrase), count in pair_counts.items():
        source_totals[source_phrase] += count
        target_totals[target_phrase] += count
    source_counts, target_counts = (
        Counter(
            " ".join(sentence_pair[index][start:end])
            for sentence_pair in sentence_pairs
            for start, end in list_spans(sentence_pair[index], max_length)
        )
        for index in (0, 1)
    )
    return {
        (source, target): (count / source_totals[source], count / target_totals[target])
        for (source, target), count in pair_counts.items()
        if source_counts[source] >= min_count and target_counts[target] >= min_count
    }


def write_corpora(folder: Path, sentence_pairs: list[SentencePair]) -> tuple[Corpus, Corpus]:
    """Write the sentences of each language to a text file and convert the files to corpora."""
    parts = BitextPart(folder / "a", PLAIN, folder / "one"), BitextPart(folder / "b", PLAIN, folder / "two")
    for index, part in enumerate(parts):
        lines = [" ".join(sentence_pair[index]) + "\n" for sentence_pair in sentence_pairs]
        part.file.write_text("".join(lines), encoding="utf-8")
    read_bitext(*parts, 100, silent)
    return Corpus(parts[0].folder), Corpus(parts[1].folder)


def extract_pairs(folder: Path, sentence_pairs, max_length: int, min_count: int, threads: int = 1):
    """Return the phrase pairs that the extension module extracts, and their probabilities in both directions."""
    corpora = write_corpora(folder, sentence_pairs)
    positions = np.array([link for pair in sentence_pairs for link in sorted(pair.links)], np.uint16).reshape(-1, 2)
    starts = np.cumsum([0, *(len(pair.links) for pair in sentence_pairs)]).astype(np.uint64)
    work = folder / "work"
    work.mkdir()
    extract_phrase_pairs(
        *corpora,
        Links(positions, starts),
        work,
        max_length=max_length,
        min_count=min_count,
        threads=threads,
        progress=silent,
    )
    assert all(path.is_file() for path in work.iterdir())
    return as_dictionary(read_phrase_pairs(*corpora, work, 0.0))


def as_dictionary(pairs: PhrasePairs) -> dict[tuple[str, str], tuple[float, float]]:
    columns = (pairs.pair_phrases, pairs.pair_pivots, pairs.to_pivot, pairs.from_pivot)
    return {
        (pairs.phrases.text(phrase), pairs.pivots.text(pivot)): (to_pivot, from_pivot)
        for phrase, pivot, to_pivot, from_pivot in zip(*(column.tolist() for column in columns), strict=True)
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("max_length", "min_count"), [(7, 1), (3, 1), (7, 2), (2, 3)])
def test_extract_phrase_pairs_follows_the_definition(tmp_path, monkeypatch, seed, max_length, min_count):
    monkeypatch.setattr("meteor_e_bitext.phrases._SENTENCES", 7)  # so that several runs are merged
    sentence_pairs = generate_random_pairs(seed)
    expected = compute_expected_pairs(sentence_pairs, max_length, min_count)
    assert expected
    assert extract_pairs(tmp_path, sentence_pairs, max_length, min_count, threads=1 + seed % 3) == expected


def test_extract_phrase_pairs_without_links_returns_nothing(tmp_path):
    assert extract_pairs(tmp_path, [SentencePair(["a"], ["x"], set())], 7, 1) == {}


def test_phrases_return_texts_and_an_order():
    vocabulary = ["b", "a", "aa", "\x01"]
    words = np.array([0, 1, 2, 1, 0, 3], np.uint32)
    starts, lengths = np.array([0, 1, 3, 2, 0, 5]), np.array([1, 3, 2, 1, 6, 1], np.uint8)
    phrases = Phrases(words, starts, lengths, vocabulary)
    phrase_ids = np.array([4, 1, 2, 0, 3, 5, 1])
    texts = phrases.texts(phrase_ids)
    assert texts == [phrases.text(phrase_id) for phrase_id in phrase_ids.tolist()]
    expected_order = sorted(range(len(phrase_ids)), key=lambda index: texts[index].split(" "))
    assert phrases.order(phrase_ids).tolist() == expected_order
    assert phrases.texts(phrase_ids[:0]) == []
