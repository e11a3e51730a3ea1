"""Tokenize a text and its translation, and store both as word ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
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


@dataclass
class LineCounts:
    """The numbers of lines of a bitext.

    Attributes:
        lines: the number of all lines.
        empty: the number of lines that are omitted because they do not contain words in at least one language.
        long: the number of lines that are omitted because they are too long in at least one language.
        sentence_pairs: the number of lines that are used.
    """

    lines: int = 0
    empty: int = 0
    long: int = 0
    sentence_pairs: int = 0


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
        """Return the words whose relative frequency exceeds a threshold, in descending order of frequency.

        Words with the same frequency are sorted by code points.
        """
        frequencies = dict(zip(self.vocabulary, self.frequencies.tolist(), strict=True))
        total = sum(frequencies.values())
        words = [word for word, frequency in frequencies.items() if frequency / total > min_frequency]
        return sorted(words, key=lambda word: (-frequencies[word], word))


class BitextPart(NamedTuple):
    """A language of a bitext.

    Attributes:
        file: the path of the text. Each line is translated by the same line of the other file.
        text: the language of the text and its tokenization.
        folder: the folder of the corpus that is created from the text.
        encoding: the encoding of the file.
    """

    file: PathLike
    text: LanguageText
    folder: Path
    encoding: str = "utf-8"

    def read_lines(self) -> Iterator[str]:
        """Yield the lines of the text."""
        return read_segments(self.file, encoding=self.encoding)


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

    def add(self, rows: list[list[int]], selected_indices: list[int]) -> None:
        """Append the selected rows to the corpus. Each row contains the word ids of a sentence."""
        sentences = [rows[index] for index in selected_indices]
        self._words.append(_flatten(sentences))
        self._lengths.extend(map(len, sentences))

    def write(self, folder: Path) -> None:
        """Write the corpus to files in a new folder, which :class:`Corpus` can read."""
        folder.mkdir(parents=True)
        starts = np.concatenate([[0], np.cumsum(self._lengths)])
        np.save(folder / "words.npy", np.concatenate(self._words))
        np.save(folder / "starts.npy", starts.astype(np.uint64))
        np.save(folder / "frequencies.npy", self._frequencies)
        vocabulary = json.dumps(self._tokenizer.words)
        (folder / "vocabulary.json").write_text(vocabulary, encoding="utf-8", newline="\n")


def read_bitext(
    first: BitextPart, second: BitextPart, max_words: int, progress: Progress, threads: int = 1
) -> LineCounts:
    """Tokenize a text and its translation, and write a corpus for each language.

    A line is omitted from both corpora if it has no words or more than ``max_words`` words in either language. The file
    ``lines.npy`` in the first folder contains the line index of each sentence pair.

    Args:
        first: the text.
        second: the translation of the text.
        max_words: the maximum number of words of a sentence.
        progress: called with the progress.
        threads: the number of threads.

    Raises:
        InputError: if a file cannot be read, or if the files have different numbers of lines.
    """
    stage = Stage("tokenizing", "lines")
    first_builder = _CorpusBuilder(first.text, threads)
    second_builder = _CorpusBuilder(second.text, threads)
    selector = _SentenceSelector(max_words)
    for first_lines, second_lines in _read_batches(first, second):
        first_rows = first_builder.tokenize(first_lines)
        second_rows = second_builder.tokenize(second_lines)
        selected_indices = selector.select(first_rows, second_rows)
        first_builder.add(first_rows, selected_indices)
        second_builder.add(second_rows, selected_indices)
        progress(stage, selector.counts.lines, None)
    progress(stage, selector.counts.lines, selector.counts.lines)
    first_builder.write(first.folder)
    second_builder.write(second.folder)
    np.save(first.folder / "lines.npy", np.array(selector.selected_lines, np.uint32))
    return selector.counts


class _SentenceSelector:
    """Select the line pairs in which both lines have an acceptable length, and count the omitted pairs.

    Args:
        max_words: the maximum number of words of a sentence.

    Attributes:
        counts: the numbers of selected and omitted line pairs.
        selected_lines: the indices of the selected line pairs in the bitext.
    """

    def __init__(self, max_words: int) -> None:
        self._max_words = max_words
        self.counts = LineCounts()
        self.selected_lines: list[int] = []

    def select(self, first_rows: list[list[int]], second_rows: list[list[int]]) -> list[int]:
        """Return the indices of the selected line pairs in a batch, and count the line pairs.

        Args:
            first_rows: the word ids of each line in the first language.
            second_rows: the word ids of the translation of each line.
        """
        first_line_index = self.counts.lines
        selected_indices = []
        for index, (first, second) in enumerate(zip(first_rows, second_rows, strict=True)):
            if not first or not second:
                self.counts.empty += 1
            elif max(len(first), len(second)) > self._max_words:
                self.counts.long += 1
            else:
                selected_indices.append(index)
        self.selected_lines.extend(first_line_index + index for index in selected_indices)
        self.counts.lines += len(first_rows)
        self.counts.sentence_pairs += len(selected_indices)
        return selected_indices


def _read_batches(first: BitextPart, second: BitextPart) -> Iterator[tuple[list[str], list[str]]]:
    """Yield batches of lines of the first file and of the corresponding lines of the second file."""
    line_pairs = _read_line_pairs(first, second)
    while batch := list(islice(line_pairs, _BATCH)):
        yield [first_line for first_line, _ in batch], [second_line for _, second_line in batch]


def _read_line_pairs(first: BitextPart, second: BitextPart) -> Iterator[tuple[str, str]]:
    """Yield pairs of corresponding lines. Raise an :class:`InputError` if one file has more lines."""
    for first_line, second_line in zip_longest(first.read_lines(), second.read_lines()):
        if first_line is None or second_line is None:
            raise _make_length_error(first, second)
        yield first_line, second_line


def _make_length_error(first: BitextPart, second: BitextPart) -> InputError:
    """Return the error for two files that have different numbers of lines."""
    return InputError(
        f"{input_name(first.file)} has {_count_lines(first)} lines and {input_name(second.file)} has "
        f"{_count_lines(second)}; each line of a bitext must have its translation on the same line of the other file"
    )


def _count_lines(part: BitextPart) -> int:
    """Return the number of lines of a text."""
    return sum(1 for _ in part.read_lines())


def _flatten(rows: list[list[int]]) -> NDArray[np.uint32]:
    """Concatenate the word ids of all rows into one array."""
    return np.fromiter(chain.from_iterable(rows), np.uint32, sum(map(len, rows)))
