"""Read a bitext: tokenize both languages, and store words as ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.progress import Progress, Stage
from meteor_e.formats.plain import read_segments
from meteor_e_bitext.texts import LanguageText

_BATCH = 5000
"""Number of lines that are tokenized together."""


class Counts(NamedTuple):
    """The numbers of lines of a bitext, by what happened to them."""

    lines: int
    empty: int
    """Lines that are left out because there are no words in at least one language."""
    long: int
    """Lines that are left out because they are too long in at least one language."""
    sentence_pairs: int
    """Lines that are used."""


class Corpus:
    """One language of a bitext: the sentences that are used, stored in a folder.

    Attributes:
        folder: the folder with the files.
        words: word ids of all sentences, one sentence after the other.
        starts: the index in ``words`` of the first word of each sentence, followed by the number of words.
        vocabulary: the words, by id.
        frequencies: how often each word occurs, also in lines that are left out.
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
        """Return the words whose relative frequency is above a threshold, most frequent first."""
        return common_words(self.vocabulary, self.frequencies.tolist(), min_frequency)


def common_words(words: Sequence[str], frequencies: Sequence[int], min_frequency: float) -> list[str]:
    """Return the words whose relative frequency is above a threshold.

    Args:
        words: the distinct words.
        frequencies: how often each word occurs.
        min_frequency: the threshold, relative to the sum of the frequencies.

    Returns:
        The words, most frequent first. Words of equal frequency are sorted by code point.
    """
    total = sum(frequencies)
    frequent = []
    for word, frequency in zip(words, frequencies, strict=True):
        if total and frequency / total > min_frequency:
            frequent.append((-frequency, word))
    return [word for _, word in sorted(frequent)]


class _CorpusBuilder:
    """Tokenizes the text of one language, and collects the sentences of its corpus."""

    def __init__(self, text: LanguageText, threads: int) -> None:
        self._tokenizer = text.tokenizer(threads)
        self._words = [np.zeros(0, np.uint32)]
        self._lengths: list[int] = []
        self._frequencies = np.zeros(0, np.int64)

    def tokenize(self, lines: list[str]) -> list[list[int]]:
        """Return the word ids of each line, and count the words."""
        rows = self._tokenizer(lines)
        counts = np.bincount(_flatten(rows), minlength=len(self._frequencies))
        counts[: len(self._frequencies)] += self._frequencies
        self._frequencies = counts
        return rows

    def add(self, sentences: list[list[int]]) -> None:
        """Add sentences, which are lists of word ids, to the corpus."""
        self._words.append(_flatten(sentences))
        self._lengths.extend(map(len, sentences))

    def write(self, folder: Path) -> None:
        """Write the files that :class:`Corpus` reads."""
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
    """Tokenize a bitext, and write a corpus for each language.

    A line without words, or with more than ``max_words`` words, in either language is left out of both corpora. The
    file ``lines.npy`` of the first folder contains the line, from 0, of each sentence pair.

    Args:
        files: the text, and its translation line by line.
        texts: the language of each file.
        folders: an existing folder for each corpus.
        max_words: length of the longest sentence that is used.
        progress: called with the progress.
        encoding: the encoding of both files.
        threads: number of threads.

    Raises:
        InputError: if a file cannot be read, or the numbers of lines differ.
    """
    builders = [_CorpusBuilder(text, threads) for text in texts]
    line_indices: list[int] = []
    line_count = empty = long = 0
    for batch in _split_into_batches(_read_line_pairs(files, encoding)):
        first_rows = builders[0].tokenize([first for first, _ in batch])
        second_rows = builders[1].tokenize([second for _, second in batch])
        sentence_pairs = []
        for index, (first, second) in enumerate(zip(first_rows, second_rows, strict=True), line_count):
            if not first or not second:
                empty += 1
            elif len(first) > max_words or len(second) > max_words:
                long += 1
            else:
                sentence_pairs.append((first, second))
                line_indices.append(index)
        builders[0].add([first for first, _ in sentence_pairs])
        builders[1].add([second for _, second in sentence_pairs])
        line_count += len(batch)
        progress(Stage("tokenizing", "lines"), line_count, None)
    progress(Stage("tokenizing", "lines"), line_count, line_count)
    for builder, folder in zip(builders, folders, strict=True):
        builder.write(folder)
    np.save(folders[0] / "lines.npy", np.array(line_indices, np.uint32))
    return Counts(line_count, empty, long, len(line_indices))


def _read_line_pairs(files: tuple[PathLike, PathLike], encoding: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of both files in parallel; raise an :class:`InputError` if one file has more lines."""
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


def _split_into_batches(pairs: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    iterator = iter(pairs)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _flatten(rows: list[list[int]]) -> NDArray[np.uint32]:
    """Return the items of all rows as one array."""
    words: Any = np.fromiter((word for row in rows for word in row), np.uint32, sum(map(len, rows)))
    return words  # type: ignore[no-any-return]
