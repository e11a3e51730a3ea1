"""Word alignment: from two numbered sides to links between their words, or links from a Pharaoh file.

The model is that of fast_align (Dyer, Chahuneau and Smith, "A Simple, Fast, and Effective Reparameterization of
IBM Model 2", NAACL 2013), in both directions, which a heuristic makes one (Och and Ney 2003; Koehn, Och and
Marcu 2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, get_args

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
"""Ways of making one alignment of two, by the number that the extension knows them by."""


@dataclass(frozen=True)
class AlignmentOptions:
    """How words are aligned; the defaults are those of the paper's program.

    Attributes:
        iterations: of expectation maximization.
        null_probability: that a word is aligned to none (p₀).
        tension: how strongly the diagonal is preferred to begin with (λ); it is then estimated.
        concentration: of the Dirichlet prior on translations (α).
        heuristic: one of :data:`HEURISTICS`.
    """

    iterations: Annotated[int, Meta(ge=1)] = 5
    null_probability: float = 0.08
    tension: float = 4.0
    concentration: float = 0.01
    heuristic: Heuristic = "grow-diag-final-and"


def align(
    source: Corpus, target: Corpus, longest: int, options: AlignmentOptions, threads: int, progress: Progress
) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """Return the links of all sentence pairs, rows of (source, target position), and where each pair's begin."""

    def one_way(given: Corpus, made: Corpus, stage: str) -> NDArray[np.uint16]:
        positions = np.empty(len(made.words), np.uint16)
        _native.align_words(
            source_words=given.words,
            source_starts=given.starts,
            source_types=len(given.vocabulary),
            target_words=made.words,
            target_starts=made.starts,
            target_types=len(made.vocabulary),
            iterations=options.iterations,
            null_probability=options.null_probability,
            tension=options.tension,
            concentration=options.concentration,
            longest=longest,
            threads=threads,
            positions=positions,
            report=partial(progress, stage),
        )
        progress(stage, 1, 1)
        return positions

    forward = one_way(source, target, "aligning words")
    backward = one_way(target, source, "aligning words, the other way")
    pairs, starts = _native.symmetrize(
        source_starts=source.starts,
        target_starts=target.starts,
        forward=forward,
        backward=backward,
        heuristic=HEURISTICS.index(options.heuristic),
    )
    return np.frombuffer(pairs, np.uint16).reshape(-1, 2), np.frombuffer(starts, np.uint64)


def read_pharaoh(
    path: PathLike, source: Corpus, target: Corpus, lines: NDArray[np.uint32], total: int
) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """Read links from a file in Pharaoh's format: for each line of the bitext ``i-j`` pairs, from 0.

    Args:
        path: the file, plain, gzip, bzip2 or xz; ``i`` counts words of the source, ``j`` of the target.
        source: the first side.
        target: the second side.
        lines: the line of each sentence of the corpus.
        total: lines of the bitext.

    Raises:
        InputError: for a malformed pair, one outside of its sentences, or another number of lines.
    """
    name = input_name(path)
    links: list[NDArray[np.uint16]] = [np.zeros((0, 2), np.uint16)]
    starts = np.zeros(len(source) + 1, np.uint64)
    sizes = zip(np.diff(source.starts).tolist(), np.diff(target.starts).tolist(), strict=True)
    wanted = iter(lines.tolist())
    following = next(wanted, -1)
    count = number = 0
    for number, line in enumerate(read_segments(path), 1):
        if number - 1 != following:
            continue
        following = next(wanted, -1)
        found = sorted(set(_pairs(line, name, number)))
        n, m = next(sizes)
        for i, j in found:
            if i >= n or j >= m:
                raise InputError(
                    f"{name}, line {number}: {i}-{j} points outside of sentences of {n} and {m} words; "
                    "were they tokenized in another way? (--tokenization whitespace takes text as it is)"
                )
        links.append(np.array(found, np.uint16).reshape(-1, 2))
        count += 1
        starts[count] = starts[count - 1] + np.uint64(len(found))
    if number != total:
        raise InputError(f"{name} has {number} lines, and the bitext has {total}; it needs a line for each")
    return np.concatenate(links), starts


def _pairs(line: str, name: str, number: int) -> Iterator[tuple[int, int]]:
    for pair in line.split():
        left, separator, right = pair.partition("-")
        if not (separator and left.isascii() and right.isascii() and left.isdigit() and right.isdigit()):
            raise InputError(f"{name}, line {number}: {pair[:40]!r} is not a pair of word positions such as 0-0")
        yield int(left), int(right)
