"""Tokenize a text and its translation, and store both as word ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.progress import Progress, Stage
from meteor_e.formats.plain import read_segments
from meteor_e_bitext.texts import LanguageText

_BATCH = 5000
"""The number of lines that are tokenized together."""


class Counts(NamedTuple):
    """The numbers of lines of a bitext.

    Attributes:
        lines: the number of all lines.
        empty: the number of lines that are omitted because they do not contain words in at least one language.
        long: the number of lines that are omitted because they are too long in at least one language.
        sentence_pairs: the number of lines that are used.
    """

    lines: int
    empty: int
    long: int
    sentence_pairs: int


class Corpus:
    """Read the sentences of one language of a bitext from a folder.

    Attributes:
        folder: the folder that contains the files.
        words: the concatenated word ids of all sentences.
        starts: the index in ``words`` of each sentence's first word, followed by the number of all words.
        vocabulary: all words in the order of their ids.
        frequencies: the frequency of each word, including its occurrences in omitted lines.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.words: NDArray[np.uint32] = np.load(folder / "words.npy", mmap_mode="r")
        self.starts: NDArray[np.uint64] = np.load(folder / "starts.npy")
        self.frequencies: NDArray[np.int64] = np.load(folder / "frequencies.npy")
        self.vocabulary: list[str] = json.loads((folder / "vocabulary.json").read_bytes())

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.starts) - 1

    def sentence_length(self, index: int) -> int:
        """Return the number of words of a sentence."""
        return int(self.starts[index + 1] - self.starts[index])

    def common_words(self, min_frequency: float) -> list[str]:
        """Return the words whose relative frequency exceeds a threshold, in descending order of frequency."""
        return common_words(self.vocabulary, self.frequencies.tolist(), min_frequency)


def common_words(words: Sequence[str], frequencies: Sequence[int], min_frequency: float) -> list[str]:
    """Return the words whose relative frequency exceeds a threshold.

    Args:
        words: the distinct words.
        frequencies: the frequency of each word.
        min_frequency: the threshold, relative to the sum of the frequencies.

    Returns:
        The words in descending order of frequency. Words with the same frequency are sorted by code points.
    """
    total = sum(frequencies)
    if total == 0:
        return []
    frequency_by_word = dict(zip(words, frequencies, strict=True))
    frequent_words = [word for word, frequency in frequency_by_word.items() if frequency / total > min_frequency]
    return sorted(frequent_words, key=lambda word: (-frequency_by_word[word], word))


class _CorpusBuilder:
    """Tokenize the lines of one language, and collect the selected sentences in a corpus."""

    def __init__(self, text: LanguageText, threads: int) -> None:
        self._tokenizer = text.tokenizer(threads)
        self._words = [np.zeros(0, np.uint32)]
        self._lengths: list[int] = []
        self._frequencies = np.zeros(0, np.int64)

    def tokenize(self, lines: list[str]) -> list[list[int]]:
        """Convert each line to word ids, and update the word frequencies."""
        rows = self._tokenizer(lines)
        counts = np.bincount(_flatten(rows), minlength=len(self._frequencies))
        counts[: len(self._frequencies)] += self._frequencies
        self._frequencies = counts
        return rows

    def add(self, sentences: list[list[int]]) -> None:
        """Append sentences to the corpus. Each sentence is a list of word ids."""
        self._words.append(_flatten(sentences))
        self._lengths.extend(map(len, sentences))

    def write(self, folder: Path) -> None:
        """Write the corpus to files that :class:`Corpus` can read."""
        starts = np.concatenate([[0], np.cumsum(self._lengths)])
        np.save(folder / "words.npy", np.concatenate(self._words))
        np.save(folder / "starts.npy", starts.astype(np.uint64))
        np.save(folder / "frequencies.npy", self._frequencies)
        vocabulary = json.dumps(self._tokenizer.words)
        (folder / "vocabulary.json").write_text(vocabulary, encoding="utf-8", newline="\n")


def read_bitext(
    files: tuple[PathLike, PathLike],
    texts: tuple[LanguageText, LanguageText],
    folders: tuple[Path, Path],
    max_words: int,
    progress: Progress,
    *,
    encoding: str = "utf-8",
    threads: int = 1,
) -> Counts:
    """Tokenize a text and its translation, and write a corpus for each language.

    A line is omitted from both corpora if it has no words or more than ``max_words`` words in either language. The file
    ``lines.npy`` in the first folder contains the line index of each sentence pair.

    Args:
        files: the paths of the text and of its translation. Each line is translated by the same line of the other file.
        texts: the language of each file.
        folders: an existing folder for each corpus.
        max_words: the maximum number of words of a sentence.
        progress: called with the progress.
        encoding: the encoding of both files.
        threads: the number of threads.

    Raises:
        InputError: if a file cannot be read, or if the files have different numbers of lines.
    """
    stage = Stage("tokenizing", "lines")
    builders = [_CorpusBuilder(text, threads) for text in texts]
    selector = _SentenceSelector(max_words)
    for batch in _read_batches(files, encoding):
        rows_by_language = [builder.tokenize(lines) for builder, lines in zip(builders, batch, strict=True)]
        is_selected = selector.select(*rows_by_language)
        for builder, rows in zip(builders, rows_by_language, strict=True):
            builder.add(list(compress(rows, is_selected)))
        progress(stage, selector.line_count, None)
    progress(stage, selector.line_count, selector.line_count)
    for builder, folder in zip(builders, folders, strict=True):
        builder.write(folder)
    np.save(folders[0] / "lines.npy", np.array(selector.selected_indices, np.uint32))
    return selector.counts()


class _SentenceSelector:
    """Select the line pairs in which both lines have an acceptable length, and count the omitted pairs.

    Args:
        max_words: the maximum number of words of a sentence.
    """

    def __init__(self, max_words: int) -> None:
        self._max_words = max_words
        self.line_count = 0
        self.selected_indices: list[int] = []
        self._empty_count = 0
        self._long_count = 0

    def select(self, first_rows: list[list[int]], second_rows: list[list[int]]) -> list[bool]:
        """Return for each line pair whether it is selected.

        Args:
            first_rows: the word ids of each line in the first language.
            second_rows: the word ids of the translation of each line.
        """
        is_selected = []
        for first, second in zip(first_rows, second_rows, strict=True):
            is_empty = not first or not second
            is_long = not is_empty and max(len(first), len(second)) > self._max_words
            self._empty_count += is_empty
            self._long_count += is_long
            is_selected.append(not is_empty and not is_long)
        new_indices = range(self.line_count, self.line_count + len(is_selected))
        self.selected_indices.extend(compress(new_indices, is_selected))
        self.line_count += len(is_selected)
        return is_selected

    def counts(self) -> Counts:
        """Return how many lines were selected, and how many were omitted."""
        return Counts(
            lines=self.line_count,
            empty=self._empty_count,
            long=self._long_count,
            sentence_pairs=len(self.selected_indices),
        )


def _read_batches(files: tuple[PathLike, PathLike], encoding: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield batches of lines of the first file and of the corresponding lines of the second file."""
    pairs = _read_line_pairs(files, encoding)
    while batch := list(islice(pairs, _BATCH)):
        yield [first for first, _ in batch], [second for _, second in batch]


def _read_line_pairs(files: tuple[PathLike, PathLike], encoding: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of corresponding lines. Raise an :class:`InputError` if one file has more lines."""
    first_lines = read_segments(files[0], encoding=encoding)
    second_lines = read_segments(files[1], encoding=encoding)
    for index, (first, second) in enumerate(zip_longest(first_lines, second_lines)):
        if first is None:
            raise _length_error(files, index, index + 1 + _count(second_lines))
        if second is None:
            raise _length_error(files, index + 1 + _count(first_lines), index)
        yield first, second


def _length_error(files: tuple[PathLike, PathLike], first_count: int, second_count: int) -> InputError:
    return InputError(
        f"{input_name(files[0])} has {first_count} lines and {input_name(files[1])} has {second_count}; "
        "each line of a bitext must have its translation on the same line of the other file"
    )


def _count(items: Iterable[object]) -> int:
    return sum(1 for _ in items)


def _flatten(rows: list[list[int]]) -> NDArray[np.uint32]:
    """Concatenate the word ids of all rows into one array."""
    return np.fromiter(chain.from_iterable(rows), np.uint32, sum(map(len, rows)))
