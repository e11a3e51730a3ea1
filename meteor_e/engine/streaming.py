"""Segments from two iterables, in chunks: what is read ahead stays bounded, however long the iterables are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.base.texts import UNLISTED, check_text, listed

__all__ = ["CHUNK_CHARACTERS", "CHUNK_SEGMENTS", "ENCODED_CHARACTERS", "Chunk", "chunks", "paired", "reference_list"]

CHUNK_SEGMENTS = 2048
"""Segments read ahead, at most."""

CHUNK_CHARACTERS = 4_000_000
"""Characters after which a chunk ends whatever the number of its segments."""

ENCODED_CHARACTERS = CHUNK_CHARACTERS // 16
"""The same in a chain that keeps vectors of all words of a chunk: some 1,500 bytes a word at 768 dimensions."""

_FIRST_CHUNK = 64


class Chunk(NamedTuple):
    """Consecutive segments.

    Attributes:
        first: number of the first one, from 1.
        hypotheses: raw segments.
        references: raw references of each.
    """

    first: int
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]


def reference_list(hypothesis: object, references: object) -> Sequence[str]:
    """Check a segment and its references; return them as a sequence.

    Raises:
        InputError: if one of them is not a text, or there is no reference.
    """
    try:
        if isinstance(references, str):
            texts = [references]
        elif type(references) is not list and isinstance(references, UNLISTED):
            raise TypeError
        else:
            texts = list(references)  # type: ignore[call-overload]
    except TypeError:
        raise InputError(f"references are a text or several, not {type(references).__name__}") from None
    for text in (hypothesis, *texts):
        check_text(text)
    if not texts:
        raise InputError("a hypothesis needs at least one reference")
    return texts


def chunks(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], most_characters: int = CHUNK_CHARACTERS
) -> Iterator[Chunk]:
    """Yield chunks, the first ones small; what comes before an error is yielded before the error is raised.

    Raises:
        InputError: if one side ends before the other, or a segment is not a text.
    """
    first, limit = 1, _FIRST_CHUNK
    pairs = paired(hypotheses, references)
    while True:
        sides: list[str] = []
        others: list[Sequence[str]] = []
        characters = 0
        error: Exception | None = None
        ended = False
        while len(sides) < limit and characters < most_characters:
            try:
                hypothesis, texts = next(pairs)
            except StopIteration:
                ended = True
                break
            except Exception as problem:
                error = problem
                break
            sides.append(hypothesis)
            others.append(texts)
            characters += len(hypothesis) + sum(map(len, texts))
        if sides:
            yield Chunk(first, sides, others)
        if error is not None:
            raise error
        if ended:
            return
        first += len(sides)
        limit = min(2 * limit, CHUNK_SEGMENTS)


def paired(hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each hypothesis with the list of its references.

    Raises:
        InputError: if one side ends before the other or is not a list, or a segment is not a text.
    """
    others = iter(listed(references, "references", "segment"))
    missing = object()
    number = 0
    for number, hypothesis in enumerate(listed(hypotheses, "hypotheses", "segment"), 1):
        texts = next(others, missing)
        if texts is missing:
            raise _ended("references", "hypotheses", number - 1)
        if type(hypothesis) is str and type(texts) is str and hypothesis.isascii() and texts.isascii():
            yield hypothesis, (texts,)
            continue
        try:
            checked = reference_list(hypothesis, texts)
        except InputError as error:
            raise InputError(f"segment {number}: {error}") from error
        yield hypothesis, checked
    if next(others, missing) is not missing:
        raise _ended("hypotheses", "references", number)


def _ended(side: str, other: str, segments: int) -> InputError:
    return InputError(f"the {side} end after {segments} segments, but there are more {other}")
