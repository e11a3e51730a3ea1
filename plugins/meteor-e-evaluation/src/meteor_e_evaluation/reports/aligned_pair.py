"""An aligned pair in the terminal: hypothesis over reference, colored by matcher, chunks marked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from meteor_e import AlignedMatch, Alignment
from meteor_e.render.plain import display_width, printable
from meteor_e.scoring.alignment import chunk_numbers
from meteor_e_evaluation.reports.matchers import matcher_style

DEFAULT_WIDTH = 100
"""Columns of an output that is no terminal, unless ``COLUMNS`` says otherwise."""

_LABELS = ("", "hypothesis", "", "reference")


class Column(NamedTuple):
    """Words that stand one over the other.

    Attributes:
        hypothesis, reference: positions of the words.
        match: what aligns them; ``None`` if they only share the place.
    """

    hypothesis: tuple[int, ...]
    reference: tuple[int, ...]
    match: int | None


def _straight(matches: Sequence[AlignedMatch]) -> list[int]:
    """Return the heaviest matches that do not cross, which can stand in columns."""
    # A Fenwick tree over the ends in the hypothesis knows the heaviest chain that ends before a word.
    size = max((match.hypothesis_start + match.hypothesis_length for match in matches), default=0) + 1
    tree: list[tuple[int, int]] = [(0, -1)] * (size + 1)
    before = []
    heaviest = (0, -1)
    for number, match in enumerate(matches):
        best, place = (0, -1), match.hypothesis_start + 1
        while place > 0:
            best = max(best, tree[place], key=lambda chain: chain[0])
            place -= place & -place
        before.append(best[1])
        chain = (best[0] + match.hypothesis_length + match.reference_length, number)
        heaviest = max(heaviest, chain, key=lambda chain: chain[0])
        place = match.hypothesis_start + match.hypothesis_length + 1
        while place <= size:
            tree[place] = max(tree[place], chain, key=lambda chain: chain[0])
            place += place & -place
    found, number = [], heaviest[1]
    while number >= 0:
        found.append(number)
        number = before[number]
    return found[::-1]


def columns(alignment: Alignment) -> list[Column]:
    """Line up an alignment's words: matches that do not cross in columns of their own, other words beside them.

    A word that matches elsewhere shares its column with no other such word.
    """
    matched = [set[int](), set[int]()]
    for match in alignment.matches:
        matched[0].update(range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length))
        matched[1].update(range(match.reference_start, match.reference_start + match.reference_length))
    found: list[Column] = []
    at = [0, 0]

    def gap(ends: tuple[int, int]) -> Iterator[Column]:
        while at[0] < ends[0] or at[1] < ends[1]:
            sides: list[tuple[int, ...]] = [(), ()]
            for side in (0, 1):
                if at[side] < ends[side]:
                    sides[side] = (at[side],)
            if sides[0] and sides[1] and at[0] in matched[0] and at[1] in matched[1]:
                sides[1] = ()
            at[0] += len(sides[0])
            at[1] += len(sides[1])
            yield Column(sides[0], sides[1], None)

    for number in _straight(alignment.matches):
        match = alignment.matches[number]
        found += gap((match.hypothesis_start, match.reference_start))
        at[:] = (
            match.hypothesis_start + match.hypothesis_length,
            match.reference_start + match.reference_length,
        )
        found.append(
            Column(tuple(range(match.hypothesis_start, at[0])), tuple(range(match.reference_start, at[1])), number)
        )
    found += gap((len(alignment.hypothesis), len(alignment.reference)))
    return found


def show_alignment(alignment: Alignment, function_words: Collection[str], stream: TextIO) -> None:
    """Print an aligned pair, in colors if the stream is a terminal that has them.

    Args:
        alignment: of a hypothesis with a reference.
        function_words: shown dim; in lower case.
        stream: to print to.
    """
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if stream.isatty() else _width()
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
            text = Text()
            text.append(f"{label:<10}  ", style="dim")
            text.append_text(line)
            text.rstrip()
            console.print(text)
        console.print()
    legend = Text()
    for matcher in sorted({match.matcher for match in alignment.matches}):
        style = matcher_style(matcher)
        legend.append(f"{style.symbol} ", style=style.terminal)
        legend.append(f"{printable(alignment.matchers[matcher])}  ")
    chunks, matches = alignment.chunks, len(alignment.matches)
    legend.append(
        f"{matches} match{'' if matches == 1 else 'es'} in {chunks} chunk{'' if chunks == 1 else 's'}", style="dim"
    )
    console.print(legend)


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() else DEFAULT_WIDTH


def _blocks(alignment: Alignment, function_words: Collection[str], width: int) -> Iterator[list[Text]]:
    """Yield the lines of the pair, four at a time, none wider than the width if its words let it."""
    numbers = chunk_numbers(alignment.matches)
    holders: list[dict[int, int]] = [{}, {}]
    for number, match in enumerate(alignment.matches):
        for position in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
            holders[0][position] = number
        for position in range(match.reference_start, match.reference_start + match.reference_length):
            holders[1][position] = number
    block, used = [Text() for _ in _LABELS], 0
    found = columns(alignment)
    chunks = [next((numbers[holders[0][at]] for at in column.hypothesis if at in holders[0]), 0) for column in found]
    for column, chunk, following in zip(found, chunks, [*chunks, 0][1:], strict=True):
        cells = _cells(alignment, function_words, column, numbers, holders)
        size = max(cell.cell_len for cell in cells) + 1
        if used and used + size > width:
            yield block
            block, used = [Text() for _ in _LABELS], 0
        for line, cell in zip(block, cells, strict=True):
            line.append_text(cell)
            line.append(" " * (size - cell.cell_len - 1))
            goes_on = line is block[0] and chunk and chunk == following
            line.append("─" if goes_on else " ", style="dim")
        used += size
    if used:
        yield block


def _cells(
    alignment: Alignment,
    function_words: Collection[str],
    column: Column,
    numbers: Sequence[int],
    holders: Sequence[dict[int, int]],
) -> tuple[Text, Text, Text, Text]:
    sides = []
    for words, positions, held in zip(
        (alignment.hypothesis, alignment.reference), (column.hypothesis, column.reference), holders, strict=True
    ):
        side = Text()
        for position in positions:
            side.append(" " if side.cell_len else "")
            look = ["dim"] if words[position].lower() in function_words else []
            if position in held:
                look += [matcher_style(alignment.matches[held[position]].matcher).terminal, "underline"]
            side.append(printable(words[position]), style=" ".join(look))
        sides.append(side)
    hypothesis, reference = sides
    link, mark = Text(), Text()
    holder = [
        next((held[at] for at in at_side if at in held), None)
        for held, at_side in zip(holders, column[:2], strict=True)
    ]
    if column.match is not None:
        style = matcher_style(alignment.matches[column.match].matcher)
        link.append(style.symbol, style=style.terminal)
    else:
        # The arrow points to the word, the number names the chunk that holds the other one.
        for number, arrow in zip(holder, "↑↓", strict=True):
            if number is not None:
                style = matcher_style(alignment.matches[number].matcher)
                link.append(f"{style.symbol}{numbers[number]}{arrow}", style=style.terminal)
    first = holder[0]
    if first is not None:
        size = max(display_width(hypothesis.plain), link.cell_len, display_width(reference.plain))
        starts = first == 0 or numbers[first - 1] != numbers[first]
        begins = starts and column.hypothesis[0] == alignment.matches[first].hypothesis_start
        label = f"╭{numbers[first]}" if begins else ""
        mark.append(label + "─" * max(0, size - len(label)), style="dim")
    return mark, hypothesis, link, reference
