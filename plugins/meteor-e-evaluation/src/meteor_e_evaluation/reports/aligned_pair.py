"""An aligned pair in the terminal: hypothesis over reference, colored by matcher, chunks marked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TextIO

import numpy as np
from rich.console import Console
from rich.text import Text

from meteor_e import AlignedMatch, Alignment
from meteor_e.render.plain import printable
from meteor_e.scoring.alignment import chunk_numbers
from meteor_e_evaluation.reports.styles import matcher_style

DEFAULT_WIDTH = 100
"""Columns of an output that is not a terminal, unless ``COLUMNS`` says otherwise."""

_LABELS = ("", "hypothesis", "", "reference")


class WordColumn(NamedTuple):
    """Words one above the other.

    Attributes:
        sides: positions of the words in the hypothesis and in the reference.
        match: what aligns them; ``None`` if they only share the place.
    """

    sides: tuple[range, range]
    match: int | None


def _straight(matches: Sequence[AlignedMatch]) -> list[int]:
    """Return the heaviest matches that do not cross, which fit into columns."""
    ends = np.array([match.hypothesis_start + match.hypothesis_length for match in matches])
    weights, before = np.zeros(len(matches), int), np.full(len(matches), -1)
    for at, match in enumerate(matches):
        chains = np.where(ends[:at] <= match.hypothesis_start, weights[:at], 0)
        if chains.any():
            before[at] = chains.argmax()
        weights[at] = chains.max(initial=0) + match.hypothesis_length + match.reference_length
    found, at = [], int(weights.argmax()) if matches else -1
    while at >= 0:
        found.append(at)
        at = int(before[at])
    return found[::-1]


def _holders(alignment: Alignment) -> tuple[list[int | None], list[int | None]]:
    """Return for each word of both sides the match that it takes part in."""
    hypothesis: list[int | None] = [None] * len(alignment.hypothesis)
    reference: list[int | None] = [None] * len(alignment.reference)
    for number, match in enumerate(alignment.matches):
        for side, start, length in (
            (hypothesis, match.hypothesis_start, match.hypothesis_length),
            (reference, match.reference_start, match.reference_length),
        ):
            side[start : start + length] = [number] * length
    return hypothesis, reference


def columns(alignment: Alignment) -> list[WordColumn]:
    """Line up an alignment's words: matches that do not cross in columns of their own, other words beside them.

    A word that matches elsewhere shares its column with no other such word.
    """
    held, found, at = _holders(alignment), [], [0, 0]

    def add(sizes: Sequence[int], match: int | None) -> None:
        hypothesis, reference = (range(start, start + size) for start, size in zip(at, sizes, strict=True))
        found.append(WordColumn((hypothesis, reference), match))
        at[:] = hypothesis.stop, reference.stop

    def fill(ends: tuple[int, int]) -> None:
        while at[0] < ends[0] or at[1] < ends[1]:
            first, second = (int(place < end) for place, end in zip(at, ends, strict=True))
            both = first and second and held[0][at[0]] is not None and held[1][at[1]] is not None
            add((first, 0 if both else second), None)

    for number in _straight(alignment.matches):
        match = alignment.matches[number]
        fill((match.hypothesis_start, match.reference_start))
        add((match.hypothesis_length, match.reference_length), number)
    fill((len(alignment.hypothesis), len(alignment.reference)))
    return found


def show_alignment(alignment: Alignment, function_words: Collection[str], stream: TextIO) -> None:
    """Print an aligned pair, in colors if the stream is a terminal that has them.

    Args:
        alignment: of a hypothesis with a reference.
        function_words: shown dim; in lower case.
        stream: to print to.
    """
    given = os.environ.get("COLUMNS", "")
    width = int(given) if given.isdecimal() else DEFAULT_WIDTH
    if stream.isatty():
        width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
    console = Console(
        file=stream,
        width=max(width, 40),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        legacy_windows=False,
    )
    for block in _blocks(alignment, function_words, console.width - len("hypothesis") - 2):
        for label, line in zip(_LABELS, block, strict=True):
            text = Text.assemble((f"{label:<10}  ", "dim"), line)
            text.rstrip()
            console.print(text)
        console.print()
    legend = Text()
    for matcher in sorted({match.matcher for match in alignment.matches}):
        legend.append(f"{matcher_style(matcher).symbol} ", style=matcher_style(matcher).terminal)
        legend.append(f"{printable(alignment.matchers[matcher])}  ")
    chunks, matches = alignment.chunks, len(alignment.matches)
    legend.append(
        f"{matches} match{'' if matches == 1 else 'es'} in {chunks} chunk{'' if chunks == 1 else 's'}", style="dim"
    )
    console.print(legend)


def _blocks(alignment: Alignment, function_words: Collection[str], width: int) -> Iterator[list[Text]]:
    """Yield the lines of the pair, four at a time, none wider than the width if its words let it."""
    numbers, held, found = chunk_numbers(alignment.matches), _holders(alignment), columns(alignment)
    chunks = [_first(held[0], column.sides[0]) for column in found]
    numbered = [0 if match is None else numbers[match] for match in chunks]
    block, used = [Text() for _ in _LABELS], 0
    for column, chunk, following in zip(found, numbered, [*numbered[1:], 0], strict=False):
        cells = _cells(alignment, function_words, column, numbers, held)
        size = max(cell.cell_len for cell in cells) + 1
        if used and used + size > width:
            yield block
            block, used = [Text() for _ in _LABELS], 0
        for line, cell in zip(block, cells, strict=True):
            line.append_text(cell)
            line.append(" " * (size - cell.cell_len - 1))
            line.append("─" if line is block[0] and chunk and chunk == following else " ", style="dim")
        used += size
    if used:
        yield block


def _first(held: Sequence[int | None], places: range) -> int | None:
    """Return the first match that holds one of the words."""
    return next((match for at in places if (match := held[at]) is not None), None)


def _cells(
    alignment: Alignment,
    function_words: Collection[str],
    column: WordColumn,
    numbers: Sequence[int],
    held: tuple[Sequence[int | None], Sequence[int | None]],
) -> tuple[Text, Text, Text, Text]:
    """Return the cells of a column: the chunk's mark, the hypothesis, the link, the reference."""

    def look(word: str, match: int | None) -> Text:
        styles = ["dim"] if word.lower() in function_words else []
        if match is not None:
            styles += [matcher_style(alignment.matches[match].matcher).terminal, "underline"]
        return Text(printable(word), style=" ".join(styles))

    texts = alignment.hypothesis, alignment.reference
    hypothesis, reference = (
        Text(" ").join(look(words[at], holders[at]) for at in places)
        for words, holders, places in zip(texts, held, column.sides, strict=True)
    )
    link, mark = Text(), Text()
    first, second = (_first(holders, places) for holders, places in zip(held, column.sides, strict=True))
    # An arrow points to the word, and the number names the chunk that holds the other one.
    shown = [(first, "↑"), (second, "↓")] if column.match is None else [(column.match, "")]
    for match, arrow in shown:
        if match is not None:
            style = matcher_style(alignment.matches[match].matcher)
            link.append(f"{style.symbol}{f'{numbers[match]}{arrow}' if arrow else ''}", style=style.terminal)
    if first is not None:
        size = max(hypothesis.cell_len, link.cell_len, reference.cell_len)
        starts = first == 0 or numbers[first - 1] != numbers[first]
        begins = starts and column.sides[0].start == alignment.matches[first].hypothesis_start
        label = f"╭{numbers[first]}" if begins else ""
        mark.append(label + "─" * max(0, size - len(label)), style="dim")
    return mark, hypothesis, link, reference
