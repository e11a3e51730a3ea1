"""A side of a bitext as numbers: words, sentences, and how often each word occurs."""

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
"""Lines that are tokenized together."""


class Counts(NamedTuple):
    """What became of a bitext's lines."""

    lines: int
    empty: int
    """Lines with no word on one of the sides."""
    long: int
    """Lines with more words than are aligned, on one of the sides."""
    kept: int


class Corpus:
    """One side of a bitext in a folder: only the sentence pairs that are used.

    Attributes:
        words: the words of all sentences in a row, as numbers.
        starts: where each sentence begins in ``words``, and an end.
        vocabulary: the words by number.
        frequencies: how often each word occurs, in lines that are left out, too.
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

    def common_words(self, relative_frequency: float) -> list[str]:
        """Return the words whose relative frequency is above a bound, most frequent first."""
        return common_words(self.vocabulary, self.frequencies.tolist(), relative_frequency)


def common_words(words: Sequence[str], frequencies: Sequence[int], relative_frequency: float) -> list[str]:
    """Return the words whose relative frequency is above a bound, most frequent first, equals by code point."""
    total = sum(frequencies)
    found = [(-count, word) for word, count in zip(words, frequencies, strict=True)]
    return [word for count, word in sorted(found) if total and -count / total > relative_frequency]


def read_bitext(
    files: tuple[PathLike, PathLike],
    texts: tuple[LanguageText, LanguageText],
    folders: tuple[Path, Path],
    longest: int,
    progress: Progress,
    *,
    encoding: str = "utf-8",
    threads: int = 1,
) -> Counts:
    """Tokenize both sides of a bitext and write them into folders, together with the line of each sentence kept.

    Lines without a word and lines of more than ``longest`` words, on either side, are left out on both.

    Raises:
        InputError: if a file cannot be read, or they have different numbers of lines.
    """
    tokenizers = [text.tokenizer(threads) for text in texts]
    words: tuple[list[NDArray[np.uint32]], ...] = ([], [])
    lengths: tuple[list[int], ...] = ([], [])
    frequencies = [np.zeros(0, np.int64), np.zeros(0, np.int64)]
    kept: list[int] = []
    lines = empty = long = 0
    for batch in _batches(_parallel(files, encoding)):
        sides = [tokenizers[side]([pair[side] for pair in batch]) for side in (0, 1)]
        for side in (0, 1):
            frequencies[side] = _count(frequencies[side], sides[side])
        chosen: list[int] = []
        for number, (first, second) in enumerate(zip(*sides, strict=True)):
            if not first or not second:
                empty += 1
            elif len(first) > longest or len(second) > longest:
                long += 1
            else:
                chosen.append(number)
        for side in (0, 1):
            rows = [sides[side][number] for number in chosen]
            lengths[side].extend(map(len, rows))
            words[side].append(_flat(rows))
        kept.extend(lines + number for number in chosen)
        lines += len(batch)
        progress(Stage("tokenizing", "lines"), lines, None)
    progress(Stage("tokenizing", "lines"), lines, lines)
    for side in (0, 1):
        folder = folders[side]
        np.save(folder / "words.npy", np.concatenate([np.zeros(0, np.uint32), *words[side]]))
        np.save(folder / "starts.npy", np.concatenate([[0], np.cumsum(lengths[side])]).astype(np.uint64))
        np.save(folder / "frequencies.npy", frequencies[side])
        (folder / "vocabulary.json").write_text(json.dumps(tokenizers[side].words), encoding="utf-8", newline="\n")
    np.save(folders[0] / "lines.npy", np.array(kept, np.uint32))
    return Counts(lines, empty, long, len(kept))


def _parallel(files: tuple[PathLike, PathLike], encoding: str) -> Iterator[tuple[str, str]]:
    first, second = (read_segments(file, encoding=encoding) for file in files)
    for number, (left, right) in enumerate(zip_longest(first, second)):
        if left is None or right is None:
            longer = number + 1 + sum(1 for _ in (second if left is None else first))
            counts = (number, longer) if left is None else (longer, number)
            names = [input_name(file) for file in files]
            raise InputError(
                f"{names[0]} has {counts[0]} lines and {names[1]} has {counts[1]}; "
                "the files of a bitext must have a line for each other's lines"
            )
        yield left, right


def _batches(pairs: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield batches of lines."""
    iterator = iter(pairs)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _flat(rows: list[list[int]]) -> NDArray[np.uint32]:
    flat: Any = np.fromiter((word for row in rows for word in row), np.uint32, sum(map(len, rows)))
    return flat  # type: ignore[no-any-return]


def _count(frequencies: NDArray[np.int64], rows: list[list[int]]) -> NDArray[np.int64]:
    counts = np.bincount(_flat(rows), minlength=len(frequencies))
    counts[: len(frequencies)] += frequencies
    return counts
