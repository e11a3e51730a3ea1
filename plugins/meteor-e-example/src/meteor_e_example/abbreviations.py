"""A PhraseMatcher: phrases match if a table pairs them; this table is a small one in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar

from meteor_e.api import (
    ComponentOptions,
    ConfigError,
    FilePath,
    InputError,
    MatcherContext,
    Meta,
    PhraseMatcher,
    ResourceError,
)


class MemoryTable:
    """A phrase table made of pairs; what it holds is looked up by numbers of words and of phrases.

    Args:
        pairs: pairs of phrases, each a sequence of words.
    """

    def __init__(self, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        self._words: dict[str, int] = {}
        self._nodes: dict[tuple[int, ...], int] = {}
        self._paired: list[list[int]] = []
        for left, right in pairs:
            self._paired[self._node(left)].append(self._node(right))
        self._longest = max(map(len, self._nodes), default=0)

    def _node(self, phrase: Sequence[str]) -> int:
        ids = tuple(self._words.setdefault(word, len(self._words)) for word in phrase)
        if ids not in self._nodes:
            self._nodes[ids] = len(self._paired)
            self._paired.append([])
        return self._nodes[ids]

    def word_id(self, word: str) -> int:
        """Return the number of a word, -1 if no phrase holds it."""
        return self._words.get(word, -1)

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return ``(length, node)`` of each phrase that begins at a position, shortest first."""
        ends = range(start + 1, min(len(ids), start + self._longest) + 1)
        phrases = (tuple(ids[start:end]) for end in ends)
        return [(len(phrase), self._nodes[phrase]) for phrase in phrases if phrase in self._nodes]

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes that are paired with a phrase."""
        return self._paired[node]


class Abbreviations(PhraseMatcher):
    """Abbreviations match what they stand for (eu ~ european union).

    The table has a line ``abbreviation⇥expansion`` for each, in the form that words have after normalization:
    in lower case, without the dots. Empty lines and lines that begin with # are left out.
    """

    name: ClassVar[str] = "abbreviations"
    default_weight: ClassVar[float] = 0.6

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        file: Annotated[FilePath, Meta(description="A table; by default one of English.")] | None = None

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        super().__init__(file=file)
        source = files("meteor_e_example") / "data" / "abbreviations.en.tsv" if file is None else Path(file)
        try:
            content = source.read_bytes()
        except OSError as error:
            raise ResourceError(f"matcher 'abbreviations': {str(source)!r}: {error.strerror}") from error
        self._table = MemoryTable(_pairs(content, str(source)))
        self._description = f"{source.name}@{hashlib.sha256(content).hexdigest()[:12]}"

    @classmethod
    def create(cls, context: MatcherContext, options: Options) -> Abbreviations:
        """Refuse to take English abbreviations for those of another language."""
        if not options.file and context.language.code != "en":
            raise ConfigError(
                f"matcher 'abbreviations': there is no table for language {context.language.code!r}; "
                "name one with the option 'file'"
            )
        return super().create(context, options)

    @property
    def table(self) -> MemoryTable:
        """The table."""
        return self._table

    def describe(self) -> str:
        """Name the file and its content: another content gives other scores."""
        return self._description


def _pairs(content: bytes, name: str) -> list[tuple[list[str], list[str]]]:
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start}: not UTF-8") from error
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        sides = [side.split() for side in line.split("\t")]
        if len(sides) != 2 or not all(sides):
            raise InputError(f"{name}:{number}: a line is an abbreviation, a tab and what it stands for")
        pairs.append((sides[0], sides[1]))
    return pairs
