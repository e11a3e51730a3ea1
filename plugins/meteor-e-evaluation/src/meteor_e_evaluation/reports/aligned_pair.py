"""Shows an alignment in the terminal: hypothesis above reference, colored by matcher, with marks for chunks."""

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
"""Width of an output that is not a terminal, unless the environment variable ``COLUMNS`` sets it."""

_LABELS = ("", "hypothesis", "", "reference")


class WordColumn(NamedTuple):
    """Words of the hypothesis above words of the reference.

    Attributes:
        words: indices of the words in the hypothesis, and in the reference.
        match: index of the match that aligns them; ``None`` if the words are only adjacent.
    """

    words: tuple[range, range]
    match: int | None


MatchByWord = Sequence[int | None]
"""Index of each word's match; ``None`` for a word without a match."""


def _straight_matches(matches: Sequence[AlignedMatch]) -> list[int]:
    """Return the indices of matches that do not cross, with as many words as possible: they fit into columns."""
    ends = np.array([match.hypothesis_start + match.hypothesis_length for match in matches])
    weights, predecessors = np.zeros(len(matches), int), np.full(len(matches), -1)
    for index, match in enumerate(matches):
        chain_weights = np.where(ends[:index] <= match.hypothesis_start, weights[:index], 0)
        if chain_weights.any():
            predecessors[index] = chain_weights.argmax()
        weights[index] = chain_weights.max(initial=0) + match.hypothesis_length + match.reference_length
    chain, index = [], int(weights.argmax()) if matches else -1
    while index >= 0:
        chain.append(index)
        index = int(predecessors[index])
    return chain[::-1]


def _matches_by_word(alignment: Alignment) -> tuple[MatchByWord, MatchByWord]:
    """Return the match of each word of the hypothesis, and of each word of the reference."""
    hypothesis: list[int | None] = [None] * len(alignment.hypothesis)
    reference: list[int | None] = [None] * len(alignment.reference)
    for index, match in enumerate(alignment.matches):
        for words, start, length in (
            (hypothesis, match.hypothesis_start, match.hypothesis_length),
            (reference, match.reference_start, match.reference_length),
        ):
            words[start : start + length] = [index] * length
    return hypothesis, reference


def columns(alignment: Alignment) -> list[WordColumn]:
    """Arrange the words of an alignment in columns.

    Matches that do not cross have a column each; the other words are arranged between them. Two words that match words
    of other columns do not share a column.
    """
    hypothesis_matches, reference_matches = _matches_by_word(alignment)
    word_columns: list[WordColumn] = []
    hypothesis_index = reference_index = 0

    def add_column(hypothesis_size: int, reference_size: int, match: int | None) -> None:
        nonlocal hypothesis_index, reference_index
        hypothesis = range(hypothesis_index, hypothesis_index + hypothesis_size)
        reference = range(reference_index, reference_index + reference_size)
        word_columns.append(WordColumn((hypothesis, reference), match))
        hypothesis_index, reference_index = hypothesis.stop, reference.stop

    def add_columns_until(hypothesis_end: int, reference_end: int) -> None:
        while hypothesis_index < hypothesis_end or reference_index < reference_end:
            has_hypothesis, has_reference = hypothesis_index < hypothesis_end, reference_index < reference_end
            both_match_elsewhere = (
                has_hypothesis
                and has_reference
                and hypothesis_matches[hypothesis_index] is not None
                and reference_matches[reference_index] is not None
            )
            add_column(int(has_hypothesis), 0 if both_match_elsewhere else int(has_reference), None)

    for index in _straight_matches(alignment.matches):
        match = alignment.matches[index]
        add_columns_until(match.hypothesis_start, match.reference_start)
        add_column(match.hypothesis_length, match.reference_length, index)
    add_columns_until(len(alignment.hypothesis), len(alignment.reference))
    return word_columns


def show_alignment(alignment: Alignment, function_words: Collection[str], stream: TextIO) -> None:
    """Print an alignment, in colors if the stream is a terminal with colors.

    Args:
        alignment: alignment of a hypothesis with a reference.
        function_words: words in lower case that are printed dim.
        stream: the stream to print to.
    """
    columns_setting = os.environ.get("COLUMNS", "")
    width = int(columns_setting) if columns_setting.isdecimal() else DEFAULT_WIDTH
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
    console.print(_make_legend(alignment))


def _make_legend(alignment: Alignment) -> Text:
    """Return the symbols of the matchers, and the numbers of matches and chunks."""
    legend = Text()
    for matcher in sorted({match.matcher for match in alignment.matches}):
        style = matcher_style(matcher)
        legend.append(f"{style.symbol} ", style=style.terminal)
        legend.append(f"{printable(alignment.matchers[matcher])}  ")
    n_matches, n_chunks = len(alignment.matches), alignment.chunks
    matches = "match" if n_matches == 1 else "matches"
    chunks = "chunk" if n_chunks == 1 else "chunks"
    legend.append(f"{n_matches} {matches} in {n_chunks} {chunks}", style="dim")
    return legend


def _blocks(alignment: Alignment, function_words: Collection[str], width: int) -> Iterator[list[Text]]:
    """Yield the lines of the pair in blocks of four that fit into the width, unless a column is too wide."""
    chunk_of_match, matches_by_word = chunk_numbers(alignment.matches), _matches_by_word(alignment)
    word_columns = columns(alignment)
    matches = [_first_match(matches_by_word[0], column.words[0]) for column in word_columns]
    chunks = [0 if match is None else chunk_of_match[match] for match in matches]
    block, used_width = [Text() for _ in _LABELS], 0
    for column, chunk, next_chunk in zip(word_columns, chunks, [*chunks[1:], 0], strict=False):
        cells = _cells(alignment, function_words, column, chunk_of_match, matches_by_word)
        column_width = max(cell.cell_len for cell in cells) + 1
        if used_width and used_width + column_width > width:
            yield block
            block, used_width = [Text() for _ in _LABELS], 0
        for line, cell in zip(block, cells, strict=True):
            line.append_text(cell)
            line.append(" " * (column_width - cell.cell_len - 1))
            line.append("─" if line is block[0] and chunk and chunk == next_chunk else " ", style="dim")
        used_width += column_width
    if used_width:
        yield block


def _first_match(matches: MatchByWord, words: range) -> int | None:
    """Return the first match of any of the words."""
    for word in words:
        if matches[word] is not None:
            return matches[word]
    return None


def _cells(
    alignment: Alignment,
    function_words: Collection[str],
    column: WordColumn,
    chunk_of_match: Sequence[int],
    matches_by_word: tuple[MatchByWord, MatchByWord],
) -> tuple[Text, Text, Text, Text]:
    """Return the cells of a column: the chunk's mark, the hypothesis, the link, and the reference."""

    def style_word(word: str, match: int | None) -> Text:
        styles = ["dim"] if word.lower() in function_words else []
        if match is not None:
            styles += [matcher_style(alignment.matches[match].matcher).terminal, "underline"]
        return Text(printable(word), style=" ".join(styles))

    texts = alignment.hypothesis, alignment.reference
    hypothesis, reference = (
        Text(" ").join(style_word(words[index], matches[index]) for index in indices)
        for words, matches, indices in zip(texts, matches_by_word, column.words, strict=True)
    )
    hypothesis_match, reference_match = (
        _first_match(matches, indices) for matches, indices in zip(matches_by_word, column.words, strict=True)
    )
    # An arrow marks a word whose match is in another column; the number after the symbol is the chunk of the match.
    links = [(column.match, "")] if column.match is not None else [(hypothesis_match, "↑"), (reference_match, "↓")]
    link = Text()
    for match, arrow in links:
        if match is not None:
            style = matcher_style(alignment.matches[match].matcher)
            label = f"{chunk_of_match[match]}{arrow}" if arrow else ""
            link.append(style.symbol + label, style=style.terminal)
    width = max(hypothesis.cell_len, link.cell_len, reference.cell_len)
    mark = _mark_chunk(alignment, chunk_of_match, hypothesis_match, column.words[0].start, width)
    return mark, hypothesis, link, reference


def _mark_chunk(
    alignment: Alignment, chunk_of_match: Sequence[int], match: int | None, first_word: int, width: int
) -> Text:
    """Return the line above a column: the number of a chunk that starts there, and a line as wide as the column."""
    if match is None:
        return Text()
    chunk = chunk_of_match[match]
    starts_chunk = match == 0 or chunk_of_match[match - 1] != chunk
    starts_match = first_word == alignment.matches[match].hypothesis_start
    label = f"╭{chunk}" if starts_chunk and starts_match else ""
    return Text(label + "─" * max(0, width - len(label)), style="dim")
