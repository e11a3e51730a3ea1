"""Align the words of two corpora with a statistical model, or read word alignments from a Pharaoh file.

The model is the same as in fast_align (Dyer, Chahuneau and Smith, "A Simple, Fast, and Effective Reparameterization of
IBM Model 2", NAACL 2013). Both directions are aligned, and a heuristic combines the two alignments (Och and Ney 2003;
Koehn, Och and Marcu 2003).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError, Meta
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.progress import Progress
from meteor_e.formats.plain import read_segments
from meteor_e_bitext import _native
from meteor_e_bitext.corpus import Corpus

Heuristic = Literal["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]
HEURISTICS: tuple[str, ...] = get_args(Heuristic)
"""The heuristics that combine the alignments of both directions. The extension module identifies them by index."""


@dataclass(frozen=True)
class AlignmentOptions:
    """Store the options of the alignment model. The defaults are the same as in fast_align.

    Attributes:
        iterations: the number of iterations of expectation maximization.
        null_probability: the probability that a word is not aligned (p₀ in the paper).
        tension: the initial preference for the diagonal (λ in the paper). It is updated during training.
        concentration: the parameter of the Dirichlet prior on translations (α in the paper).
        heuristic: the heuristic that combines the alignments of both directions, one of :data:`HEURISTICS`.
    """

    iterations: Annotated[int, Meta(ge=1)] = 5
    null_probability: float = 0.08
    tension: float = 4.0
    concentration: float = 0.01
    heuristic: Heuristic = "grow-diag-final-and"


class Links(NamedTuple):
    """Store the word alignment links of all sentence pairs.

    Attributes:
        positions: an array ``(links, 2)`` with the source position and the target position of each link.
        starts: the index of each sentence pair's first link, followed by the number of all links.
    """

    positions: NDArray[np.uint16]
    starts: NDArray[np.uint64]

    def swap(self) -> Links:
        """Exchange the source and the target."""
        return Links(np.ascontiguousarray(self.positions[:, ::-1]), self.starts)

    def write(self, folder: Path) -> None:
        """Save the word alignment links in a folder. The method :meth:`open` loads saved links."""
        np.save(folder / "links.npy", self.positions)
        np.save(folder / "starts.npy", self.starts)

    @classmethod
    def open(cls, folder: Path) -> Links:
        """Open the files that :meth:`write` wrote. The array of positions is memory-mapped."""
        return cls(np.load(folder / "links.npy", mmap_mode="r"), np.load(folder / "starts.npy"))


def align(
    source: Corpus, target: Corpus, max_words: int, options: AlignmentOptions, threads: int, progress: Progress
) -> Links:
    """Align the words of all sentence pairs.

    Args:
        source: the corpus of the source language.
        target: the corpus of the target language.
        max_words: the maximum number of words of a sentence.
        options: the options of the model.
        threads: the number of threads.
        progress: called with the progress.
    """
    report_forward = partial(progress, "aligning words")
    forward = _align_direction(source, target, max_words, options, threads, report_forward)
    report_backward = partial(progress, "aligning words, the other way")
    backward = _align_direction(target, source, max_words, options, threads, report_backward)
    position_bytes, start_bytes = _native.symmetrize(
        source_starts=source.starts,
        target_starts=target.starts,
        forward=forward,
        backward=backward,
        heuristic=HEURISTICS.index(options.heuristic),
    )
    return Links(
        positions=np.frombuffer(position_bytes, np.uint16).reshape(-1, 2),
        starts=np.frombuffer(start_bytes, np.uint64),
    )


def _align_direction(
    source: Corpus,
    target: Corpus,
    max_words: int,
    options: AlignmentOptions,
    threads: int,
    report: partial[object],
) -> NDArray[np.uint16]:
    """Return the position of the source word that is aligned with each target word."""
    positions = np.empty(len(target.words), np.uint16)
    # The extension module fills ``positions``.
    _native.align_words(
        source_words=source.words,
        source_starts=source.starts,
        source_types=len(source.vocabulary),
        target_words=target.words,
        target_starts=target.starts,
        target_types=len(target.vocabulary),
        iterations=options.iterations,
        null_probability=options.null_probability,
        tension=options.tension,
        concentration=options.concentration,
        max_words=max_words,
        threads=threads,
        positions=positions,
        report=report,
    )
    report(1, 1)
    return positions


def read_pharaoh(
    path: PathLike, source: Corpus, target: Corpus, line_indices: NDArray[np.uint32], line_count: int
) -> Links:
    """Read word alignments from a Pharaoh file. Each line contains pairs ``i-j`` for one line of the bitext.

    Args:
        path: the path of the file, which can be compressed with gzip, bzip2 or xz. ``i`` is a position in the source
            sentence, and ``j`` is a position in the target sentence. Positions start at 0.
        source: the corpus of the source language.
        target: the corpus of the target language.
        line_indices: for each sentence pair of the corpora, the index of its line in the bitext.
        line_count: the number of lines of the bitext.

    Raises:
        InputError: if a pair is malformed, if a position exceeds the length of its sentence, or if the number of lines
            is wrong.
    """
    is_corpus_line = np.zeros(line_count, bool)
    is_corpus_line[line_indices] = True
    positions = array("H")  # The source position and the target position of each link, one link after the other.
    link_counts = []
    for index, line in enumerate(_select_lines(path, is_corpus_line)):
        pairs = sorted(set(_parse_pairs(line)))
        _check_positions(pairs, source.sentence_length(index), target.sentence_length(index), line.location)
        positions.extend(chain.from_iterable(pairs))
        link_counts.append(len(pairs))
    starts = np.cumsum([0, *link_counts], dtype=np.uint64)
    return Links(np.array(positions, np.uint16).reshape(-1, 2), starts)


class _Line(NamedTuple):
    """A line of a Pharaoh file, and its location in error messages."""

    text: str
    location: str


def _select_lines(path: PathLike, is_selected: NDArray[np.bool_]) -> Iterator[_Line]:
    """Yield the selected lines of a word alignment file in Pharaoh format.

    Args:
        path: the path of the file.
        is_selected: for each line of the bitext, whether the line is selected.

    Raises:
        InputError: at the end of the file, if it does not have a line for each line of the bitext.
    """
    name = input_name(path)
    line_count = 0
    for line_count, line in enumerate(read_segments(path), 1):
        if line_count <= len(is_selected) and is_selected[line_count - 1]:
            yield _Line(line, f"{name}, line {line_count}")
    if line_count != len(is_selected):
        raise InputError(
            f"{name} has {line_count} lines, and the bitext has {len(is_selected)}; it needs a line for each"
        )


_PAIR = re.compile(r"([0-9]+)-([0-9]+)")


def _parse_pairs(line: _Line) -> Iterator[tuple[int, int]]:
    """Yield the pairs of word positions in a line of a Pharaoh file."""
    for pair in line.text.split():
        positions = _PAIR.fullmatch(pair)
        if positions is None:
            raise InputError(f"{line.location}: {pair[:40]!r} is not a pair of word positions such as 0-0")
        yield int(positions[1]), int(positions[2])


def _check_positions(pairs: list[tuple[int, int]], source_length: int, target_length: int, location: str) -> None:
    """Raise an :class:`InputError` if a word position is beyond the end of its sentence."""
    for i, j in pairs:
        if i >= source_length or j >= target_length:
            raise InputError(
                f"{location}: {i}-{j} points outside of sentences of {source_length} and {target_length} words. Was "
                "the text tokenized differently? Use --tokenization whitespace for text that is tokenized already"
            )
