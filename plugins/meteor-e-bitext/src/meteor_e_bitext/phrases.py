"""Extract phrase pairs from a word-aligned bitext, and compute their translation probabilities."""

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
"""The number of sentence pairs whose phrase pairs are sorted together in memory, which requires about 100 MB."""

_PAIRS = 1 << 22
"""The number of phrase pairs whose probabilities are computed together."""

RECORD = [("pivot", "<u4"), ("phrase", "<u4"), ("count", "<u4")]
"""The fields of a phrase pair in a file. Both phrases are represented by ids, which start at 1."""


class Phrases(NamedTuple):
    """Store phrases as slices of one array of word ids.

    Attributes:
        words: an array of word ids.
        positions: the index in ``words`` of each phrase's first word.
        lengths: the number of words of each phrase.
        vocabulary: all words in the order of their ids.
    """

    words: NDArray[np.uint32]
    positions: NDArray[np.int64]
    lengths: NDArray[np.uint8]
    vocabulary: Sequence[str]

    def text(self, phrase: int) -> str:
        """Return the words of a phrase as one string, given the id of the phrase."""
        position = int(self.positions[phrase])
        word_ids = self.words[position : position + int(self.lengths[phrase])].tolist()
        return " ".join([self.vocabulary[word_id] for word_id in word_ids])

    def texts(self, phrases: NDArray[np.integer[Any]]) -> list[str]:
        """Return several phrases as strings.

        Args:
            phrases: the ids of the phrases.
        """
        lengths = self.lengths[phrases].astype(np.int64)
        ends = np.cumsum(lengths)
        starts = ends - lengths
        # Looking up the words of all phrases in one call is faster than one call per phrase. The position of a word is
        # the position of its phrase plus the index of the word within the phrase.
        word_count = int(lengths.sum())
        word_positions = np.repeat(self.positions[phrases] - starts, lengths) + np.arange(word_count)
        words = [self.vocabulary[word_id] for word_id in self.words[word_positions].tolist()]
        return [" ".join(words[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def order(self, phrases: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the indices that sort phrases by the code points of their words.

        Args:
            phrases: the ids of the phrases.
        """
        word_ranks = self._rank_words()
        lengths, positions = self.lengths[phrases], self.positions[phrases]
        order = np.arange(len(phrases))
        # This is a radix sort: a stable sort is applied at each word position, from the last to the first.
        for offset in reversed(range(int(lengths.max(initial=0)))):
            # Phrases without a word at this position have rank 0, so shorter phrases come first.
            ranks = np.zeros(len(order), np.uint32)
            has_word = lengths[order] > offset
            words = self.words[positions[order[has_word]] + offset]
            ranks[has_word] = word_ranks[words]
            order = order[np.argsort(ranks, kind="stable")]
        return order

    def _rank_words(self) -> NDArray[np.uint32]:
        """Return the rank of each vocabulary word in code point order. Ranks start at 1."""
        sorted_ids = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        word_ranks = np.empty(len(sorted_ids), np.uint32)
        word_ranks[sorted_ids] = np.arange(1, len(sorted_ids) + 1, dtype=np.uint32)
        return word_ranks

    def any_word(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a Boolean array that tells which phrases contain a flagged word.

        Args:
            flags: for each word id, whether the word is flagged.
        """
        is_flagged = np.zeros(len(self.positions), bool)
        for offset in range(int(self.lengths.max(initial=0))):
            is_longer = self.lengths > offset
            is_flagged[is_longer] |= flags[self.words[self.positions[is_longer] + offset]]
        return is_flagged

    def all_words(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a Boolean array that tells which phrases consist of flagged words only.

        Args:
            flags: for each word id, whether the word is flagged.
        """
        return ~self.any_word(~flags)


class PhrasePairs(NamedTuple):
    """Store phrase pairs with their translation probabilities in both directions.

    Attributes:
        phrases: the phrases of the pack's language.
        pivots: the phrases of the pivot language.
        pair_phrases, pair_pivots: for each pair, the ids of its phrases.
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
    """Extract the phrase pairs that are consistent with a word alignment, and write each pair with its count.

    Args:
        corpus: the corpus of the pack's language.
        pivot_corpus: the corpus of the pivot language.
        links: the word positions of each link in a sentence of ``corpus`` and its translation, ``(links, 2)``.
        link_starts: the index of each sentence pair's first link, followed by the number of all links.
        folder: the folder for the files. Temporary files are removed at the end.
        max_length: the maximum number of words of a phrase.
        min_count: the minimum frequency of a phrase. The pairs of less frequent phrases are not written, but they
            contribute to the totals from which probabilities are computed.
        threads: the number of threads.
        progress: called with the progress.
    """
    assign_ids = partial(_assign_phrase_ids, folder=folder, max_length=max_length, min_count=min_count)
    phrases = assign_ids(corpus, "phrases", report=partial(progress, "counting phrases"))
    pivots = assign_ids(pivot_corpus, "pivots", report=partial(progress, "counting phrases of the pivot language"))
    extractor = _PairExtractor(
        corpus=corpus,
        pivot_corpus=pivot_corpus,
        phrases=phrases,
        pivots=pivots,
        links=np.ascontiguousarray(links[:, ::-1]).reshape(-1),
        link_starts=link_starts,
        folder=folder,
        max_length=max_length,
    )
    runs = _extract_runs(extractor, len(corpus), threads, progress)
    np.save(folder / "phrases-counts.npy", phrases.totals)
    np.save(folder / "pivots-counts.npy", pivots.totals)
    _merge_runs(runs, folder / "pairs.bin", progress)
    for path in folder.glob("*.scratch"):
        path.unlink()


class _PhraseIds(NamedTuple):
    """Store the ids of all phrases in a corpus.

    Attributes:
        ids: for each word, the ids of the phrases of each length that start there.
        totals: for each phrase, the number of its pairs. The numbers are 0 until pairs are extracted.
    """

    ids: NDArray[np.uint32]
    totals: NDArray[np.uint32]


class _PairExtractor(NamedTuple):
    """Extract the phrase pairs of a word-aligned bitext.

    Attributes:
        corpus: the corpus of the pack's language.
        pivot_corpus: the corpus of the pivot language.
        phrases: the phrases of ``corpus``. Their totals are updated.
        pivots: the phrases of ``pivot_corpus``. Their totals are updated.
        links: the positions of all links, alternately in ``pivot_corpus`` and in ``corpus``.
        link_starts: the index of each sentence pair's first link, followed by the number of all links.
        folder: the folder for the files.
        max_length: the maximum number of words of a phrase.
    """

    corpus: Corpus
    pivot_corpus: Corpus
    phrases: _PhraseIds
    pivots: _PhraseIds
    links: NDArray[np.uint16]
    link_starts: NDArray[np.uint64]
    folder: Path
    max_length: int

    def extract(self, begin: int) -> Path:
        """Write the sorted phrase pairs of a block of sentence pairs to a temporary file, and return the file path.

        Args:
            begin: the index of the first sentence pair.
        """
        records = _native.extract_pairs(
            first_starts=self.pivot_corpus.starts,
            second_starts=self.corpus.starts,
            first_ids=self.pivots.ids,
            second_ids=self.phrases.ids,
            max_length=self.max_length,
            links=self.links,
            link_starts=self.link_starts,
            begin=begin,
            end=min(begin + _SENTENCES, len(self.corpus)),
            first_totals=self.pivots.totals,
            second_totals=self.phrases.totals,
        )
        run = self.folder / f"run-{begin}.scratch"
        run.write_bytes(records)
        return run


def _assign_phrase_ids(
    corpus: Corpus, name: str, *, folder: Path, max_length: int, min_count: int, report: partial[object]
) -> _PhraseIds:
    """Assign ids to the frequent phrases of a corpus, and write their positions and lengths.

    Args:
        corpus: the corpus.
        name: the prefix of the file names.
        folder: the folder for the files.
        max_length: the maximum number of words of a phrase.
        min_count: the minimum frequency of a phrase.
        report: called with the progress.
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
    return _PhraseIds(ids=ids, totals=np.zeros(len(first_positions) + 1, np.uint32))


def _merge_runs(runs: Sequence[Path], target: Path, progress: Progress) -> None:
    """Merge files of sorted phrase pairs into one file, and add the counts of equal pairs."""
    progress("sorting phrase pairs", 0, None)
    buffers = [np.memmap(run, np.uint8, "r") for run in runs if run.stat().st_size]
    with target.open("wb") as file:
        _native.merge_runs(buffers, file.write)
    progress("sorting phrase pairs", 1, 1)


def _extract_runs(extractor: _PairExtractor, sentence_count: int, threads: int, progress: Progress) -> list[Path]:
    """Extract phrase pairs from blocks of sentences in parallel, and write a file for each block."""
    runs = []
    with ThreadPool(threads) as pool:
        for run in pool.map(extractor.extract, range(0, sentence_count, _SENTENCES)):
            runs.append(run)
            progress("extracting phrase pairs", min(len(runs) * _SENTENCES, sentence_count), sentence_count)
    return runs


def _create_scratch(path: Path, size: int) -> NDArray[np.uint32]:
    """Create a temporary file, and return a memory map of it.

    If possible, the disk space is allocated immediately. Without this step, a full disk would kill the process when it
    writes to the memory map.

    Args:
        path: the path of the file.
        size: the number of integers in the file.
    """
    scratch = np.memmap(path, np.uint32, "w+", shape=(size,))
    if hasattr(os, "posix_fallocate"):
        _allocate_disk_space(path, scratch.nbytes)
    return scratch


def _allocate_disk_space(path: Path, byte_count: int) -> None:
    """Allocate disk space for a file if the file system supports this operation."""
    with path.open("r+b") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, byte_count)
        except OSError as error:
            is_unsupported = error.errno in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
            if not is_unsupported:
                raise


def read_phrase_pairs(corpus: Corpus, pivot_corpus: Corpus, folder: Path, min_probability: float) -> PhrasePairs:
    """Read the phrase pairs that :func:`extract_phrase_pairs` wrote, and compute their probabilities.

    The probabilities are relative frequencies.

    Args:
        corpus: the corpus of the pack's language.
        pivot_corpus: the corpus of the pivot language.
        folder: the folder that contains the phrase pairs.
        min_probability: the minimum probability. A pair is omitted if both of its probabilities are lower.
    """
    phrase_counts = np.load(folder / "phrases-counts.npy")
    pivot_counts = np.load(folder / "pivots-counts.npy")
    records = _open_records(folder / "pairs.bin")
    # The list starts with an empty array, because np.concatenate() fails for an empty list.
    probable_records = [np.zeros(0, RECORD)]
    for start in range(0, len(records), _PAIRS):
        block = records[start : start + _PAIRS]
        to_pivot = block["count"] / phrase_counts[block["phrase"]]
        from_pivot = block["count"] / pivot_counts[block["pivot"]]
        is_probable = (to_pivot >= min_probability) | (from_pivot >= min_probability)
        probable_records.append(block[is_probable])
    pairs = np.concatenate(probable_records)
    return PhrasePairs(
        phrases=_read_phrases(corpus, folder, "phrases"),
        pivots=_read_phrases(pivot_corpus, folder, "pivots"),
        pair_phrases=pairs["phrase"] - 1,
        pair_pivots=pairs["pivot"] - 1,
        to_pivot=pairs["count"] / phrase_counts[pairs["phrase"]],
        from_pivot=pairs["count"] / pivot_counts[pairs["pivot"]],
    )


def _open_records(path: Path) -> NDArray[np.void]:
    """Open a file of phrase pairs as a memory map. Return an empty array for an empty file."""
    if path.stat().st_size == 0:
        return np.zeros(0, RECORD)
    return np.memmap(path, RECORD, "r")


def _read_phrases(corpus: Corpus, folder: Path, name: str) -> Phrases:
    """Read the positions and lengths of the phrases of a corpus.

    Args:
        corpus: the corpus.
        folder: the folder that contains the phrases.
        name: the prefix of the file names.
    """
    return Phrases(
        words=corpus.words,
        positions=np.load(folder / f"{name}-positions.npy").astype(np.int64),
        lengths=np.load(folder / f"{name}-lengths.npy"),
        vocabulary=corpus.vocabulary,
    )
