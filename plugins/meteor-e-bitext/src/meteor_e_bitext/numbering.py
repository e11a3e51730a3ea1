"""Numbers for the distinct ones of very many phrases, in bounded memory.

Phrases are rows of word numbers in a file. They are numbered a word at a time from the left: the first words of a row
up to some place have a number, and with the next word's they make a pair; the distinct pairs, sorted in runs on disk
and merged, are the numbers of the next place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ResourceError
from meteor_e.base.progress import Progress
from meteor_e_bitext import _native

_ROWS = 1 << 20
"""Rows that are in memory together: some 100 MB."""

_KEYS = 1 << 20
"""Sorted pairs that are read together."""

_RUN = [("first", "<u4"), ("second", "<u4"), ("count", "<u4")]
"""What the extension merges."""


class Scratch(NamedTuple):
    """Phrases in a folder, a row each.

    Attributes:
        folder: of the files ``NAME-words.scratch`` (uint32) and ``NAME-lengths.scratch`` (uint8).
        name: of these phrases.
        rows: how many.
        vocabulary: how many words there are.
    """

    folder: Path
    name: str
    rows: int
    vocabulary: int

    def file(self, what: str) -> Path:
        """Return the path of a file of these phrases."""
        return self.folder / f"{self.name}-{what}"


class _Chunk(NamedTuple):
    """Rows that are worked on together: where they and their words begin, how many, and the longest one's length."""

    row: int
    rows: int
    word: int
    words: int
    longest: int


def mapped(path: Path, kind: type[np.generic]) -> NDArray[Any]:
    """Return a file of numbers, which stays on disk."""
    return np.memmap(path, kind, "r") if path.stat().st_size else np.zeros(0, kind)


def number_rows(scratch: Scratch, progress: Progress) -> None:
    """Number the distinct phrases of rows, shorter ones first, equal ones alike, from 0.

    Writes ``NAME-numbers.bin``, the number of each row (uint32), and of the phrases by number ``NAME-words.bin``, their
    words in a row (uint32), and ``NAME-lengths.npy`` (uint8); removes the scratch files.

    Raises:
        ResourceError: if there are more than four billion.
        OSError: if the folder cannot be written.
    """
    chunks = _chunks(scratch)
    longest = max((chunk.longest for chunk in chunks), default=0)
    sizes = [0]
    stage = f"numbering {scratch.name}"
    progress(stage, 0, longest + 1)
    for place in range(longest):
        sizes.append(_extend(scratch, chunks, place))
        progress(stage, place + 1, longest + 1)
    bases = np.cumsum(sizes)  # where the numbers of each length's phrases begin
    # A first part of phrases that is none itself has a number so far, and loses it.
    is_phrase = np.zeros(int(bases[-1]), bool)
    for chunk in chunks:
        is_phrase[_prefixes(scratch, chunk) + bases[_lengths(scratch, chunk).astype(np.int64) - 1]] = True
    rank = np.cumsum(is_phrase) - 1
    phrases = _bounded(scratch, int(rank[-1]) + 1 if len(rank) else 0)
    rank = rank.astype(np.uint32)
    where, lengths = np.zeros(phrases, np.int64), np.zeros(phrases, np.uint8)
    with scratch.file("numbers.bin").open("wb") as file:
        for chunk in chunks:
            sizes_here = _lengths(scratch, chunk)
            numbers = rank[_prefixes(scratch, chunk) + bases[sizes_here.astype(np.int64) - 1]]
            lengths[numbers] = sizes_here
            where[numbers] = chunk.word + _starts(sizes_here)
            file.write(numbers.tobytes())
    del is_phrase, rank
    words = mapped(scratch.file("words.scratch"), np.uint32)
    with scratch.file("words.bin").open("wb") as file:
        for begin in range(0, phrases, _ROWS):
            part = lengths[begin : begin + _ROWS].astype(np.int64)
            begins = _starts(part)
            places = np.repeat(where[begin : begin + _ROWS] - begins, part) + np.arange(int(part.sum()))
            file.write(words[places].tobytes())
    np.save(scratch.file("lengths.npy"), lengths)
    del words  # a mapped file cannot be removed everywhere
    for path in scratch.folder.glob(f"{scratch.name}-*.scratch"):
        path.unlink()
    progress(stage, 1, 1)


def _bounded(scratch: Scratch, count: int) -> int:
    if count > 0xFFFFFFF0:
        raise ResourceError(f"the phrase table has {count:,} distinct {scratch.name}; four billion are the most")
    return count


def _extend(scratch: Scratch, chunks: list[_Chunk], place: int) -> int:
    """Number the first ``place + 1`` words of all rows that have them; return how many numbers there are."""
    runs: list[Path] = []
    if place:
        for number, chunk in enumerate(chunks):
            if chunk.longest > place:
                runs.append(scratch.file(f"run-{number}.scratch"))
                keys = np.unique(_keys(scratch, chunk, place)[1])
                run = np.ones(len(keys), _RUN)
                run["first"], run["second"] = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
                runs[-1].write_bytes(run.tobytes())
        count = _merge(runs, scratch.file("keys.scratch"))
    else:
        count = scratch.vocabulary  # the numbers of words are those of one word's phrases
    _bounded(scratch, count)
    prefixes = scratch.file("prefixes.scratch")
    following = scratch.file("following.scratch")
    with following.open("wb") as file:
        for chunk in chunks:
            before = _prefixes(scratch, chunk) if place else np.zeros(chunk.rows, np.uint32)
            if chunk.longest > place:
                rows, keys = _keys(scratch, chunk, place)
                if place:
                    found, back = np.unique(keys, return_inverse=True)
                    before[rows] = _ranks(found, scratch.file("keys.scratch"), count)[back.reshape(-1)]
                else:
                    before[rows] = keys
            file.write(before.tobytes())
    following.replace(prefixes)
    for run_file in runs:
        run_file.unlink()
    return count


def _merge(runs: list[Path], target: Path) -> int:
    """Merge sorted runs of pairs into a file of sorted uint64; return how many distinct ones there are."""
    count = 0
    with target.open("wb") as file:

        def write(block: bytes) -> None:
            nonlocal count
            pairs = np.frombuffer(block, _RUN)
            count += len(pairs)
            file.write((pairs["first"].astype(np.uint64) << np.uint64(32) | pairs["second"]).tobytes())

        _native.merge_runs([mapped(run, np.uint8) for run in runs], write)
    return count


def _ranks(keys: NDArray[np.uint64], file: Path, count: int) -> NDArray[np.uint32]:
    """Return the places of sorted keys in a file that has them all, sorted."""
    ranks = np.zeros(len(keys), np.uint32)
    done = 0
    for begin in range(0, count, _KEYS):
        if done == len(keys):
            break
        block = np.fromfile(file, np.uint64, _KEYS, offset=8 * begin)
        end = int(np.searchsorted(keys, block[-1], "right"))
        ranks[done:end] = np.searchsorted(block, keys[done:end]) + begin
        done = end
    return ranks


def _chunks(scratch: Scratch) -> list[_Chunk]:
    chunks = []
    word = 0
    for row in range(0, scratch.rows, _ROWS):
        lengths = np.fromfile(scratch.file("lengths.scratch"), np.uint8, _ROWS, offset=row)
        words = int(lengths.sum(dtype=np.int64))
        chunks.append(_Chunk(row, len(lengths), word, words, int(lengths.max())))
        word += words
    return chunks


def _lengths(scratch: Scratch, chunk: _Chunk) -> NDArray[np.uint8]:
    return np.fromfile(scratch.file("lengths.scratch"), np.uint8, chunk.rows, offset=chunk.row)


def _prefixes(scratch: Scratch, chunk: _Chunk) -> NDArray[np.uint32]:
    return np.fromfile(scratch.file("prefixes.scratch"), np.uint32, chunk.rows, offset=4 * chunk.row)


def _starts(lengths: NDArray[Any]) -> NDArray[np.int64]:
    starts: NDArray[np.int64] = np.cumsum(lengths, dtype=np.int64) - lengths
    return starts


def _keys(scratch: Scratch, chunk: _Chunk, place: int) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
    """Return the rows of a chunk that have a word at a place, and each one's number so far with that word's."""
    lengths = _lengths(scratch, chunk)
    rows = np.flatnonzero(lengths > place)
    words = np.fromfile(scratch.file("words.scratch"), np.uint32, chunk.words, offset=4 * chunk.word)
    keys = words[_starts(lengths)[rows] + place].astype(np.uint64)
    if place:
        keys |= _prefixes(scratch, chunk)[rows].astype(np.uint64) << np.uint64(32)
    return rows, keys
