"""Extract phrase pairs from a word-aligned bitext, and compute their translation probabilities."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from meteor_e.base.progress import Progress
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_bitext import _native
from meteor_e_bitext.alignment import Links
from meteor_e_bitext.corpus import Corpus

_SENTENCES = 50_000
"""The number of sentence pairs whose phrase pairs are sorted together in memory, which requires about 100 MB."""

_BLOCK = 1 << 22
"""The number of phrase pairs whose probabilities are computed together."""

RECORD = [("pivot", "<u4"), ("phrase", "<u4"), ("count", "<u4")]
"""The fields of a phrase pair in a file. Both phrases are represented by ids, which start at 1."""


_Value = TypeVar("_Value", bound=np.generic)


class Phrases(NamedTuple):
    """A collection of phrases, stored as slices of a single array of word ids.

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
        return self.texts(np.array([phrase]))[0]

    def texts(self, phrases: NDArray[np.integer[Any]]) -> list[str]:
        """Return several phrases as strings.

        Args:
            phrases: the ids of the phrases.
        """
        lengths = self.lengths[phrases].astype(np.int64)
        # Looking up the words of all phrases in one call is faster than one call per phrase.
        word_ids = self.words[_concatenate_ranges(self.positions[phrases], lengths)]
        words = iter([self.vocabulary[word_id] for word_id in word_ids.tolist()])
        return [" ".join(islice(words, length)) for length in lengths.tolist()]

    def order(self, phrases: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the indices that sort phrases by the code points of their words.

        Args:
            phrases: the ids of the phrases.
        """
        word_ranks = self._rank_words()
        max_length = int(self.lengths[phrases].max(initial=0))
        order = np.arange(len(phrases))
        # This is a radix sort: a stable sort is applied at each word position, from the last to the first.
        for offset in reversed(range(max_length)):
            # Phrases without a word at this position have rank 0, so shorter phrases come first.
            ranks = self._look_up_words(phrases[order], offset, word_ranks)
            order = order[np.argsort(ranks, kind="stable")]
        return order

    def _look_up_words(
        self, phrases: NDArray[np.integer[Any]], offset: int, word_values: NDArray[_Value]
    ) -> NDArray[_Value]:
        """For each phrase, return the value of the word at position ``offset``, or 0 if the phrase is too short.

        Args:
            phrases: the ids of the phrases.
            offset: the position of the word in each phrase.
            word_values: the value of each word, by word id.
        """
        has_word = self.lengths[phrases] > offset
        word_ids = self.words[self.positions[phrases[has_word]] + offset]
        values = np.zeros(len(phrases), word_values.dtype)
        values[has_word] = word_values[word_ids]
        return values

    def _rank_words(self) -> NDArray[np.uint32]:
        """Return the rank of each vocabulary word in code point order. Ranks start at 1."""
        sorted_ids = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        # The argsort of a permutation is the inverse permutation, which maps each word id to its rank.
        return 1 + np.argsort(sorted_ids).astype(np.uint32)

    def any_word(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a Boolean array that is True for each phrase that contains a flagged word.

        Args:
            flags: for each word id, whether the word is flagged.
        """
        phrases = np.arange(len(self.positions))
        is_flagged = np.zeros(len(phrases), bool)
        for offset in range(int(self.lengths.max(initial=0))):
            is_flagged |= self._look_up_words(phrases, offset, flags)
        return is_flagged


def _concatenate_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the integers of several ranges, one range after the other."""
    preceding_counts = np.cumsum(lengths) - lengths
    # In the result, the integer at position i is i plus an offset. The offset is constant within each range.
    return np.repeat(starts - preceding_counts, lengths) + np.arange(lengths.sum())


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
    links: Links,
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
        links: the links from ``corpus`` to ``pivot_corpus``.
        folder: the folder for the files.
        max_length: the maximum number of words of a phrase.
        min_count: the minimum frequency of a phrase. The pairs of less frequent phrases are not written, but they
            contribute to the totals from which probabilities are computed.
        threads: the number of threads.
        progress: called with the progress.
    """
    with TemporaryDirectory(dir=folder) as scratch_name:
        scratch = Path(scratch_name)
        report_phrases = partial(progress, "counting phrases")
        phrases = _number_phrases(corpus, scratch / "phrases", max_length, min_count, report_phrases)
        report_pivots = partial(progress, "counting phrases of the pivot language")
        pivots = _number_phrases(pivot_corpus, scratch / "pivots", max_length, min_count, report_pivots)
        extractor = _PairExtractor(phrases, pivots, links.swap(), scratch, max_length)
        runs = _extract_runs(extractor, len(corpus), threads, progress)
        phrases.write(folder, "phrases")
        pivots.write(folder, "pivots")
        _merge_runs(runs, folder / "pairs.bin", progress)


class _NumberedPhrases(NamedTuple):
    """Store the frequent phrases of a corpus. Their ids start at 1.

    Attributes:
        corpus: the corpus.
        ids: for each word, the ids of the phrases of each length that start there.
        positions: the position in the corpus of the first occurrence of each phrase.
        lengths: the number of words of each phrase.
        totals: for each id, the number of pairs of the phrase. The numbers are 0 until pairs are extracted.
    """

    corpus: Corpus
    ids: NDArray[np.uint32]
    positions: NDArray[np.uint32]
    lengths: NDArray[np.uint8]
    totals: NDArray[np.uint32]

    def write(self, folder: Path, name: str) -> None:
        """Write the positions, lengths and totals to files. Their names begin with ``name``."""
        np.save(folder / f"{name}-positions.npy", self.positions)
        np.save(folder / f"{name}-lengths.npy", self.lengths)
        np.save(folder / f"{name}-counts.npy", self.totals)


def _number_phrases(
    corpus: Corpus, scratch_file: Path, max_length: int, min_count: int, report: partial[object]
) -> _NumberedPhrases:
    """Assign ids to the frequent phrases of a corpus.

    Args:
        corpus: the corpus.
        scratch_file: the path of a temporary file for the ids, which may be larger than the available memory.
        max_length: the maximum number of words of a phrase.
        min_count: the minimum frequency of a phrase.
        report: called with the progress.
    """
    ids = _create_scratch(scratch_file, max_length * len(corpus.words))
    # The extension module writes phrase ids into ``ids``, and returns two other arrays as ``bytes`` objects.
    position_bytes, phrase_count_bytes = _native.number_phrases(
        words=corpus.words,
        starts=corpus.starts,
        types=len(corpus.vocabulary),
        max_length=max_length,
        min_count=min_count,
        ids=ids,
        report=report,
    )
    report(1, 1)
    positions = np.frombuffer(position_bytes, np.uint32)
    phrase_counts = np.frombuffer(phrase_count_bytes, np.uint32)  # The number of phrases of each length, from 1.
    # Phrase ids are assigned in order of length, so the number of phrases of each length gives every phrase's length.
    lengths = np.repeat(np.arange(1, max_length + 1, dtype=np.uint8), phrase_counts)
    return _NumberedPhrases(corpus, ids, positions, lengths, totals=np.zeros(len(positions) + 1, np.uint32))


class _PairExtractor(NamedTuple):
    """Extract the phrase pairs of a word-aligned bitext.

    Attributes:
        phrases: the phrases of the pack's language. Their totals are updated.
        pivots: the phrases of the pivot language. Their totals are updated.
        links: the links from the pivot language to the pack's language.
        folder: the folder for the files.
        max_length: the maximum number of words of a phrase.
    """

    phrases: _NumberedPhrases
    pivots: _NumberedPhrases
    links: Links
    folder: Path
    max_length: int

    def extract(self, begin: int) -> Path:
        """Write the sorted phrase pairs of a block of sentence pairs to a temporary file, and return the file path.

        Args:
            begin: the index of the first sentence pair.
        """
        records = _native.extract_pairs(
            first_starts=self.pivots.corpus.starts,
            second_starts=self.phrases.corpus.starts,
            first_ids=self.pivots.ids,
            second_ids=self.phrases.ids,
            max_length=self.max_length,
            links=self.links.positions.reshape(-1),
            link_starts=self.links.starts,
            begin=begin,
            end=min(begin + _SENTENCES, len(self.phrases.corpus)),
            first_totals=self.pivots.totals,
            second_totals=self.phrases.totals,
        )
        run = self.folder / f"run-{begin}"
        run.write_bytes(records)
        return run


def _merge_runs(runs: Sequence[Path], target: Path, progress: Progress) -> None:
    """Merge files of sorted phrase pairs into one file, and add the counts of equal pairs."""
    progress("sorting phrase pairs", 0, None)
    buffers = [np.memmap(run, np.uint8, "r") for run in runs if run.stat().st_size]
    with target.open("wb") as file:
        _native.merge_runs(buffers, file.write)
    progress("sorting phrase pairs", 1, 1)


def _extract_runs(extractor: _PairExtractor, sentence_count: int, threads: int, progress: Progress) -> list[Path]:
    """Extract phrase pairs from each block of sentences into a file. Several threads process the blocks in parallel."""
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
    # A memory map cannot be empty.
    scratch = np.memmap(path, np.uint32, "w+", shape=(max(size, 1),))
    if hasattr(os, "posix_fallocate"):
        _allocate_disk_space(path, scratch.nbytes)
    return scratch[:size]


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
    totals = _Totals(np.load(folder / "phrases-counts.npy"), np.load(folder / "pivots-counts.npy"))
    records = map_file(folder / "pairs.bin", RECORD)
    probable_pairs = [records[:0]]  # Without this empty array, np.concatenate() would fail for an empty file.
    for start in range(0, len(records), _BLOCK):
        probable_pairs.append(totals.select_probable(records[start : start + _BLOCK], min_probability))
    pairs = np.concatenate(probable_pairs)
    return PhrasePairs(
        phrases=_read_phrases(corpus, folder, "phrases"),
        pivots=_read_phrases(pivot_corpus, folder, "pivots"),
        # In the file, the ids start at 1.
        pair_phrases=pairs["phrase"] - 1,
        pair_pivots=pairs["pivot"] - 1,
        to_pivot=totals.compute_to_pivot(pairs),
        from_pivot=totals.compute_from_pivot(pairs),
    )


class _Totals(NamedTuple):
    """Compute the probabilities of phrase pairs from their counts.

    Attributes:
        phrases: the number of pairs of each phrase of the pack's language, by id.
        pivots: the number of pairs of each phrase of the pivot language, by id.
    """

    phrases: NDArray[np.uint32]
    pivots: NDArray[np.uint32]

    def compute_to_pivot(self, pairs: NDArray[np.void]) -> NDArray[np.float64]:
        """Return the probability p(pivot | phrase) of each pair."""
        probabilities: NDArray[np.float64] = pairs["count"] / self.phrases[pairs["phrase"]]
        return probabilities

    def compute_from_pivot(self, pairs: NDArray[np.void]) -> NDArray[np.float64]:
        """Return the probability p(phrase | pivot) of each pair."""
        probabilities: NDArray[np.float64] = pairs["count"] / self.pivots[pairs["pivot"]]
        return probabilities

    def select_probable(self, pairs: NDArray[np.void], min_probability: float) -> NDArray[np.void]:
        """Return the pairs of which at least one probability reaches the minimum."""
        to_pivot = self.compute_to_pivot(pairs)
        from_pivot = self.compute_from_pivot(pairs)
        probable_pairs: NDArray[np.void] = pairs[(to_pivot >= min_probability) | (from_pivot >= min_probability)]
        return probable_pairs


def map_file(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """Return a memory map of a binary file, or an ordinary array if the file is empty."""
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


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
