"""Phrases, and phrase pairs with translation probabilities, which are extracted from an aligned bitext."""

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
"""Number of sentence pairs whose phrase pairs are sorted together in memory, which takes about 100 MB."""

_PAIRS = 1 << 22
"""Number of phrase pairs whose probabilities are computed together."""

RECORD = [("pivot", "<u4"), ("phrase", "<u4"), ("count", "<u4")]
"""A phrase pair in a file: id in the pivot language, id in the language of the pack, count. Ids start at 1."""


class Phrases(NamedTuple):
    """Phrases as parts of an array of words.

    Attributes:
        words: word ids.
        positions: the index in ``words`` of the first word of each phrase.
        lengths: the number of words of each phrase.
        vocabulary: the words, by id.
    """

    words: NDArray[np.uint32]
    positions: NDArray[np.int64]
    lengths: NDArray[np.uint8]
    vocabulary: Sequence[str]

    def text(self, phrase: int) -> str:
        """Return the words of a phrase, separated by spaces."""
        position = int(self.positions[phrase])
        word_ids = self.words[position : position + int(self.lengths[phrase])].tolist()
        return " ".join([self.vocabulary[word_id] for word_id in word_ids])

    def texts(self, phrases: NDArray[np.integer[Any]]) -> list[str]:
        """Return the texts of many phrases at once.

        Args:
            phrases: phrase ids.
        """
        lengths = self.lengths[phrases].astype(np.int64)
        ends = np.cumsum(lengths)
        starts = ends - lengths
        indices = np.repeat(self.positions[phrases] - starts, lengths) + np.arange(int(lengths.sum()))
        words = [self.vocabulary[word_id] for word_id in self.words[indices].tolist()]
        return [" ".join(words[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def order(self, phrases: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the indices that sort phrases by their words. Words are compared by code point.

        The phrases are sorted by each word position, from the last to the first, with a stable sort.
        """
        sorted_ids = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        word_ranks = np.empty(len(sorted_ids), np.uint32)
        word_ranks[sorted_ids] = np.arange(1, len(sorted_ids) + 1, dtype=np.uint32)
        lengths, positions = self.lengths[phrases], self.positions[phrases]
        order = np.arange(len(phrases))
        for offset in reversed(range(int(lengths.max(initial=0)))):
            ranks = np.zeros(len(order), np.uint32)  # 0 for phrases that have ended, which come first
            indices = np.flatnonzero(lengths[order] > offset)
            ranks[indices] = word_ranks[self.words[positions[order[indices]] + offset]]
            order = order[np.argsort(ranks, kind="stable")]
        return order

    def any_word(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each phrase whether it contains a flagged word.

        Args:
            flags: whether each word is flagged, by word id.
        """
        is_flagged = np.zeros(len(self.positions), bool)
        for offset in range(int(self.lengths.max(initial=0))):
            is_longer = self.lengths > offset
            is_flagged[is_longer] |= flags[self.words[self.positions[is_longer] + offset]]
        return is_flagged

    def all_words(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each phrase whether all of its words are flagged; see :meth:`any_word`."""
        return ~self.any_word(~flags)


class PhrasePairs(NamedTuple):
    """Phrase pairs with the translation probabilities of both directions.

    Attributes:
        phrases: the phrases of the pack's language.
        pivots: the phrases of the pivot language.
        pair_phrases, pair_pivots: the indices of the phrases of each pair.
        to_pivot: the probability p(pivot | phrase) of each pair.
        from_pivot: the probability p(phrase | pivot) of each pair.
    """

    phrases: Phrases
    pivots: Phrases
    pair_phrases: NDArray[np.uint32]
    pair_pivots: NDArray[np.uint32]
    to_pivot: NDArray[np.float64]
    from_pivot: NDArray[np.float64]


def extract_phrase_pairs(
    corpus: Corpus,
    pivot_corpus: Corpus,
    links: NDArray[np.uint16],
    link_starts: NDArray[np.uint64],
    folder: Path,
    *,
    max_length: int,
    min_count: int,
    threads: int,
    progress: Progress,
) -> None:
    """Extract the phrase pairs that are consistent with an alignment, and write them and their counts into a folder.

    Args:
        corpus: the corpus of the pack's language.
        pivot_corpus: the corpus of the pivot language.
        links: rows of a position in a sentence of ``corpus`` and a position in the sentence of ``pivot_corpus``.
        link_starts: the index of the first link of each sentence pair, followed by the number of links.
        folder: the folder for the files. Temporary files are removed at the end.
        max_length: maximum number of words of a phrase.
        min_count: minimum frequency of a phrase. The pairs of rarer phrases are not written. They still count in the
            totals from which probabilities are computed.
        threads: number of threads.
        progress: called with the progress.
    """
    runs = _extract_runs(corpus, pivot_corpus, links, link_starts, folder, max_length, min_count, threads, progress)
    progress("sorting phrase pairs", 0, None)
    _merge_runs(runs, folder / "pairs.bin")
    progress("sorting phrase pairs", 1, 1)
    for path in folder.glob("*.scratch"):
        path.unlink()


def _extract_runs(
    corpus: Corpus,
    pivot_corpus: Corpus,
    links: NDArray[np.uint16],
    link_starts: NDArray[np.uint64],
    folder: Path,
    max_length: int,
    min_count: int,
    threads: int,
    progress: Progress,
) -> list[Path]:
    """Write the totals of the phrases, and a file of sorted phrase pairs for each block of sentence pairs."""
    number = partial(_number_phrases, folder=folder, max_length=max_length, min_count=min_count)
    ids, totals = number(corpus, "phrases", report=partial(progress, "counting phrases"))
    report_pivots = partial(progress, "counting phrases of the pivot language")
    pivot_ids, pivot_totals = number(pivot_corpus, "pivots", report=report_pivots)
    flat_links = np.ascontiguousarray(links[:, ::-1]).reshape(-1)

    def extract(begin: int) -> Path:
        records = _native.extract_pairs(
            first_starts=pivot_corpus.starts,
            second_starts=corpus.starts,
            first_ids=pivot_ids,
            second_ids=ids,
            max_length=max_length,
            links=flat_links,
            link_starts=link_starts,
            begin=begin,
            end=min(begin + _SENTENCES, len(corpus)),
            first_totals=pivot_totals,
            second_totals=totals,
        )
        run = folder / f"run-{begin}.scratch"
        run.write_bytes(records)
        return run

    runs = []
    with ThreadPool(threads) as pool:
        for run in pool.map(extract, range(0, len(corpus), _SENTENCES)):
            runs.append(run)
            progress("extracting phrase pairs", min(len(runs) * _SENTENCES, len(corpus)), len(corpus))
    np.save(folder / "phrases-counts.npy", totals)
    np.save(folder / "pivots-counts.npy", pivot_totals)
    return runs


def _number_phrases(
    corpus: Corpus, name: str, *, folder: Path, max_length: int, min_count: int, report: partial[object]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Assign ids to the frequent phrases of a corpus, and write their positions and lengths.

    Returns:
        The id of the phrase of each length at each word, in a temporary file, and an array of zeros for the number of
        pairs of each phrase.
    """
    id_count = max_length * len(corpus.words)
    ids = _create_scratch(folder / f"{name}.scratch", id_count or 1)[:id_count]
    positions, length_counts = _native.number_phrases(
        words=corpus.words,
        starts=corpus.starts,
        types=len(corpus.vocabulary),
        max_length=max_length,
        min_count=min_count,
        ids=ids,
        report=report,
    )
    report(1, 1)
    first_positions = np.frombuffer(positions, np.uint32)
    lengths = np.repeat(np.arange(1, max_length + 1), np.frombuffer(length_counts, np.uint32))
    np.save(folder / f"{name}-positions.npy", first_positions)
    np.save(folder / f"{name}-lengths.npy", lengths.astype(np.uint8))
    return ids, np.zeros(len(first_positions) + 1, np.uint32)


def _merge_runs(runs: Sequence[Path], target: Path) -> None:
    """Merge files of sorted phrase pairs into one file, and add the counts of equal pairs."""
    buffers = [np.memmap(run, np.uint8, "r") for run in runs if run.stat().st_size]
    with target.open("wb") as file:
        _native.merge_runs(buffers, file.write)


def _create_scratch(path: Path, size: int) -> NDArray[np.uint32]:
    """Return a memory map of a new temporary file.

    The space of the file is allocated at once if the system can do that. Otherwise a full disk would kill the process
    when it writes to the memory map.
    """
    scratch = np.memmap(path, np.uint32, "w+", shape=(size,))
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, scratch.nbytes)
            except OSError as error:
                is_unsupported = error.errno in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
                if not is_unsupported:
                    raise
    return scratch


def read_phrase_pairs(corpus: Corpus, pivot_corpus: Corpus, folder: Path, min_probability: float) -> PhrasePairs:
    """Read the phrase pairs that :func:`extract_phrase_pairs` wrote. The probabilities are relative frequencies.

    A pair is left out if both of its probabilities are less than ``min_probability``, because no product of
    probabilities can reach the threshold then.
    """
    totals = np.load(folder / "phrases-counts.npy")
    pivot_totals = np.load(folder / "pivots-counts.npy")
    is_empty = not (folder / "pairs.bin").stat().st_size
    records = np.zeros(0, RECORD) if is_empty else np.memmap(folder / "pairs.bin", RECORD, "r")
    pair_phrases, pair_pivots = [np.zeros(0, np.uint32)], [np.zeros(0, np.uint32)]
    to_pivot, from_pivot = [np.zeros(0)], [np.zeros(0)]
    for start in range(0, len(records), _PAIRS):
        block = records[start : start + _PAIRS]
        to_probabilities = block["count"] / totals[block["phrase"]]
        from_probabilities = block["count"] / pivot_totals[block["pivot"]]
        is_probable = (to_probabilities >= min_probability) | (from_probabilities >= min_probability)
        pair_phrases.append(block["phrase"][is_probable] - 1)
        pair_pivots.append(block["pivot"][is_probable] - 1)
        to_pivot.append(to_probabilities[is_probable])
        from_pivot.append(from_probabilities[is_probable])
    return PhrasePairs(
        _read_phrases(corpus, folder, "phrases"),
        _read_phrases(pivot_corpus, folder, "pivots"),
        np.concatenate(pair_phrases),
        np.concatenate(pair_pivots),
        np.concatenate(to_pivot),
        np.concatenate(from_pivot),
    )


def _read_phrases(corpus: Corpus, folder: Path, name: str) -> Phrases:
    positions = np.load(folder / f"{name}-positions.npy").astype(np.int64)
    return Phrases(corpus.words, positions, np.load(folder / f"{name}-lengths.npy"), corpus.vocabulary)
