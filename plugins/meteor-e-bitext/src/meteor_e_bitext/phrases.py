"""Phrases, and phrase pairs with their translation probabilities: extracted from an aligned bitext."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.progress import Progress
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_bitext import _native
from meteor_e_bitext.corpus import Corpus

_SENTENCES = 50_000
"""Sentence pairs whose phrase pairs are sorted together in memory: some 100 MB."""

RECORD = [("pivot", "<u4"), ("phrase", "<u4"), ("count", "<u4")]
"""A phrase pair in a file: phrase of the pivot language, phrase of the pack's language, how often."""


class Phrases(NamedTuple):
    """Phrases as places in a row of words.

    Attributes:
        words: numbers of words.
        places: where each phrase begins in ``words``; ``(phrases,)``.
        lengths: how many words it has.
        vocabulary: the words by number.
    """

    words: NDArray[np.uint32]
    places: NDArray[np.int64]
    lengths: NDArray[np.uint8]
    vocabulary: Sequence[str]

    def text(self, phrase: int) -> str:
        """Return a phrase, its words separated by spaces."""
        place = int(self.places[phrase])
        numbers = self.words[place : place + int(self.lengths[phrase])].tolist()
        return " ".join([self.vocabulary[number] for number in numbers])

    def texts(self, phrases: NDArray[np.integer[Any]]) -> list[str]:
        """Return many phrases, as :meth:`text` returns one; ``(n,)`` numbers of phrases."""
        lengths = self.lengths[phrases].astype(np.int64)
        ends = np.cumsum(lengths)
        begins = ends - lengths
        places = np.repeat(self.places[phrases] - begins, lengths) + np.arange(int(lengths.sum()))
        words = [self.vocabulary[number] for number in self.words[places].tolist()]
        return [" ".join(words[begin:end]) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

    def order(self, phrases: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the places of phrases in the order of their words, which are compared by code point."""
        by_text = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        rank = np.empty(len(by_text), np.uint32)
        rank[by_text] = np.arange(1, len(by_text) + 1, dtype=np.uint32)
        lengths, places = self.lengths[phrases], self.places[phrases]
        order = np.arange(len(phrases))
        for position in reversed(range(int(lengths.max(initial=0)))):
            ranks = np.zeros(len(order), np.uint32)  # of what has ended: before all words
            there = np.flatnonzero(lengths[order] > position)
            ranks[there] = rank[self.words[places[order[there]] + position]]
            order = order[np.argsort(ranks, kind="stable")]
        return order

    def any_word(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which phrases hold a word that is flagged; ``flags`` by word number."""
        found = np.zeros(len(self.places), bool)
        for position in range(int(self.lengths.max(initial=0))):
            there = self.lengths > position
            found[there] |= flags[self.words[self.places[there] + position]]
        return found

    def all_words(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which phrases hold no word that is not flagged."""
        return ~self.any_word(~flags)


class PhrasePairs(NamedTuple):
    """Phrase pairs by each of their phrases, with both translation probabilities; phrases count from 0.

    Attributes:
        phrases: of the pack's language.
        pivots: of the pivot language.
        pair_phrases, pair_pivots: the phrases of each pair.
        to_pivot: p(pivot | phrase) of each pair.
        from_pivot: p(phrase | pivot) of each pair.
    """

    phrases: Phrases
    pivots: Phrases
    pair_phrases: NDArray[np.uint32]
    pair_pivots: NDArray[np.uint32]
    to_pivot: NDArray[np.float64]
    from_pivot: NDArray[np.float64]


def extract_phrase_pairs(
    corpus: Corpus,
    pivot: Corpus,
    links: NDArray[np.uint16],
    link_starts: NDArray[np.uint64],
    folder: Path,
    *,
    longest: int,
    least: int,
    threads: int,
    progress: Progress,
) -> None:
    """Extract the phrase pairs that are consistent with an alignment; write them and their counts into a folder.

    Args:
        corpus: the side of the pack's language.
        pivot: the side of the pivot language.
        links: rows of (word of ``corpus``, word of ``pivot``).
        link_starts: where the links of each sentence pair begin.
        folder: where the files go; scratch files are gone at the end.
        longest: words that a phrase may have.
        least: phrases that occur less often in the corpus get no pairs of their own. They still count in the
            totals that probabilities are relative to.
        threads: how many work.
        progress: told how far it is.
    """
    numbers, counts = [], []
    for name, side in (("phrases", corpus), ("pivots", pivot)):
        scratch = _scratch(folder / f"{name}.scratch", longest * len(side.words) or 1)
        stage = "counting phrases" if side is corpus else "counting phrases of the pivot language"
        places, by_length = _native.number_phrases(
            words=side.words,
            starts=side.starts,
            types=len(side.vocabulary),
            longest=longest,
            least=least,
            numbers=scratch[: longest * len(side.words)],
            report=partial(progress, stage),
        )
        progress(stage, 1, 1)
        first = np.frombuffer(places, np.uint32)
        lengths = np.repeat(np.arange(1, longest + 1), np.frombuffer(by_length, np.uint32))
        np.save(folder / f"{name}-places.npy", first)
        np.save(folder / f"{name}-lengths.npy", lengths.astype(np.uint8))
        numbers.append(scratch[: longest * len(side.words)])
        counts.append(np.zeros(len(first) + 1, np.uint32))
    flat = np.ascontiguousarray(links[:, ::-1]).reshape(-1)

    def extract(begin: int) -> Path:
        found = _native.extract_pairs(
            first_starts=pivot.starts,
            second_starts=corpus.starts,
            first_numbers=numbers[1],
            second_numbers=numbers[0],
            longest=longest,
            links=flat,
            link_starts=link_starts,
            begin=begin,
            end=min(begin + _SENTENCES, len(corpus)),
            first_counts=counts[1],
            second_counts=counts[0],
        )
        run = folder / f"run-{begin}.scratch"
        run.write_bytes(found)
        return run

    runs = []
    with ThreadPool(threads) as pool:
        for run in pool.map(extract, range(0, len(corpus), _SENTENCES)):
            runs.append(run)
            progress("extracting phrase pairs", min(len(runs) * _SENTENCES, len(corpus)), len(corpus))
    progress("sorting phrase pairs", 0, None)
    mapped = [np.memmap(run, np.uint8, "r") for run in runs if run.stat().st_size]
    with (folder / "pairs.bin").open("wb") as file:
        _native.merge_runs(mapped, file.write)
    progress("sorting phrase pairs", 1, 1)
    for name, count in zip(("phrases", "pivots"), counts, strict=True):
        np.save(folder / f"{name}-counts.npy", count)
    numbers.clear()
    del mapped, scratch  # a mapped file cannot be removed everywhere
    for path in folder.glob("*.scratch"):
        path.unlink()


def _scratch(path: Path, size: int) -> NDArray[np.uint32]:
    """Return numbers in a new file.

    Its space is taken at once, where the system can: if a mapped file took it as it is written to, a full disk would
    kill the process.
    """
    scratch = np.memmap(path, np.uint32, "w+", shape=(size,))
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, scratch.nbytes)
            except OSError as error:
                if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
                    raise
    return scratch


def read_phrase_pairs(corpus: Corpus, pivot: Corpus, folder: Path, least_probability: float) -> PhrasePairs:
    """Read what :func:`extract_phrase_pairs` wrote, with relative frequencies as probabilities.

    Pairs whose probabilities are both below ``least_probability`` are left out: no product reaches it.
    """
    sides = []
    for name, side in (("phrases", corpus), ("pivots", pivot)):
        places = np.load(folder / f"{name}-places.npy").astype(np.int64)
        sides.append(Phrases(side.words, places, np.load(folder / f"{name}-lengths.npy"), side.vocabulary))
    counts = [np.load(folder / f"{name}-counts.npy") for name in ("phrases", "pivots")]
    empty = not (folder / "pairs.bin").stat().st_size
    pairs = np.zeros(0, RECORD) if empty else np.memmap(folder / "pairs.bin", RECORD, "r")
    parts = []
    for begin in range(0, len(pairs), 1 << 22):
        part = pairs[begin : begin + (1 << 22)]
        to_pivot = part["count"] / counts[0][part["phrase"]]
        from_pivot = part["count"] / counts[1][part["pivot"]]
        keep = (to_pivot >= least_probability) | (from_pivot >= least_probability)
        parts.append((part["phrase"][keep] - 1, part["pivot"][keep] - 1, to_pivot[keep], from_pivot[keep]))
    if not parts:
        nothing = np.zeros(0, np.uint32)
        return PhrasePairs(sides[0], sides[1], nothing, nothing, np.zeros(0), np.zeros(0))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return PhrasePairs(sides[0], sides[1], *columns)
