"""Prints an alignment in the terminal, with the hypothesis above the reference.

Each match is printed in the color of its matcher.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from meteor_e import AlignedMatch, Alignment
from meteor_e.render.plain import printable
from meteor_e.scoring.alignment import chunk_numbers
from meteor_e_evaluation.reports.styles import MatcherStyle, matcher_style

DEFAULT_WIDTH = 100
"""Width of output that is not a terminal. The environment variable ``COLUMNS`` overrides it."""

MIN_WIDTH = 40

_LABELS = ("", "hypothesis", "", "reference")
_LABEL_WIDTH = len("hypothesis") + 2

_NO_WORDS = range(0)


class WordColumn(NamedTuple):
    """A column with words of the hypothesis above words of the reference.

    Attributes:
        hypothesis_words: indices of the words in the hypothesis.
        reference_words: indices of the words in the reference.
        match: index of the match that aligns the words, or None if the words are not aligned with each other.
    """

    hypothesis_words: range
    reference_words: range
    match: int | None


MatchByWord = Sequence[int | None]
"""The index of the match of each word, with None for each word without a match."""


class _MatchChain(NamedTuple):
    """Matches that do not cross each other.

    Attributes:
        matches: indices of the matches, in the order of the words.
        n_words: number of words that the matches contain.
        hypothesis_end: index of the first hypothesis word after the last match.
    """

    matches: list[int]
    n_words: int
    hypothesis_end: int


def _find_straight_matches(matches: Sequence[AlignedMatch]) -> list[int]:
    """Select matches that do not cross each other, and that contain as many words as possible.

    Args:
        matches: matches of an alignment, in the order of the reference.

    Returns:
        The indices of the selected matches.
    """
    empty_chain = _MatchChain([], n_words=0, hypothesis_end=0)
    # For each match, the list contains the best chain that ends with the match.
    chains: list[_MatchChain] = []
    for index, match in enumerate(matches):
        longest = empty_chain
        for chain in chains:
            if chain.hypothesis_end <= match.hypothesis_start and chain.n_words > longest.n_words:
                longest = chain
        n_words = longest.n_words + match.hypothesis_length + match.reference_length
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
        chains.append(_MatchChain([*longest.matches, index], n_words, hypothesis_end))
    return max(chains, key=lambda chain: chain.n_words, default=empty_chain).matches


def _find_word_ranges(match: AlignedMatch) -> tuple[range, range]:
    """Return the indices of the words that a match aligns: one range in the hypothesis and one in the reference."""
    hypothesis_end = match.hypothesis_start + match.hypothesis_length
    reference_end = match.reference_start + match.reference_length
    return range(match.hypothesis_start, hypothesis_end), range(match.reference_start, reference_end)


def _find_matches_by_word(alignment: Alignment) -> tuple[MatchByWord, MatchByWord]:
    """Find the match of each hypothesis word and of each reference word."""
    hypothesis_matches: list[int | None] = [None] * len(alignment.hypothesis)
    reference_matches: list[int | None] = [None] * len(alignment.reference)
    for index, match in enumerate(alignment.matches):
        hypothesis_words, reference_words = _find_word_ranges(match)
        for word in hypothesis_words:
            hypothesis_matches[word] = index
        for word in reference_words:
            reference_matches[word] = index
    return hypothesis_matches, reference_matches


def arrange_columns(alignment: Alignment) -> list[WordColumn]:
    """Arrange the words of an alignment in columns.

    Each match has its own column, unless it crosses other matches. All other words are placed between the columns of
    matches.
    """
    matches_by_word = _find_matches_by_word(alignment)
    word_columns: list[WordColumn] = []
    hypothesis_position = 0
    reference_position = 0
    for index in _find_straight_matches(alignment.matches):
        hypothesis_words, reference_words = _find_word_ranges(alignment.matches[index])
        hypothesis_gap = range(hypothesis_position, hypothesis_words.start)
        reference_gap = range(reference_position, reference_words.start)
        word_columns += _arrange_gap(hypothesis_gap, reference_gap, matches_by_word)
        word_columns.append(WordColumn(hypothesis_words, reference_words, index))
        hypothesis_position = hypothesis_words.stop
        reference_position = reference_words.stop
    remaining_hypothesis = range(hypothesis_position, len(alignment.hypothesis))
    remaining_reference = range(reference_position, len(alignment.reference))
    word_columns += _arrange_gap(remaining_hypothesis, remaining_reference, matches_by_word)
    return word_columns


def _arrange_gap(
    hypothesis_gap: range, reference_gap: range, matches_by_word: tuple[MatchByWord, MatchByWord]
) -> Iterator[WordColumn]:
    """Arrange the words between two matches, with at most one hypothesis word and one reference word per column.

    A matched hypothesis word and a matched reference word do not share a column, because the two words are not matched
    with each other.

    Args:
        hypothesis_gap: indices of the hypothesis words between the two matches.
        reference_gap: indices of the reference words between the two matches.
        matches_by_word: the match of each hypothesis word, and the match of each reference word.
    """
    hypothesis_matches, reference_matches = matches_by_word
    remaining_reference = deque(reference_gap)
    for hypothesis_word in hypothesis_gap:
        is_matched = hypothesis_matches[hypothesis_word] is not None
        reference_range = _NO_WORDS
        if remaining_reference and not (is_matched and reference_matches[remaining_reference[0]] is not None):
            reference_range = _word_range(remaining_reference.popleft())
        yield WordColumn(_word_range(hypothesis_word), reference_range, None)
    for reference_word in remaining_reference:
        yield WordColumn(_NO_WORDS, _word_range(reference_word), None)


def _word_range(index: int) -> range:
    """Return a range that contains only the given word index."""
    return range(index, index + 1)


def show_alignment(alignment: Alignment, function_words: Collection[str], stream: TextIO) -> None:
    """Print an alignment, in colors if the stream is a terminal with colors.

    Args:
        alignment: alignment of a hypothesis with a reference.
        function_words: words in lower case that are printed dim.
        stream: the stream to print to.
    """
    console = _make_console(stream)
    renderer = _ColumnRenderer(alignment, function_words)
    for block in renderer.render_blocks(console.width - _LABEL_WIDTH):
        for label, line in zip(_LABELS, block, strict=True):
            text = Text.assemble((label.ljust(_LABEL_WIDTH), "dim"), line)
            text.rstrip()
            console.print(text)
        console.print()
    console.print(_make_legend(alignment))


def _make_console(stream: TextIO) -> Console:
    """Return a console that prints words to a stream exactly as they are."""
    return Console(
        file=stream,
        width=max(_get_width(stream), MIN_WIDTH),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        legacy_windows=False,
    )


def _get_width(stream: TextIO) -> int:
    if stream.isatty():
        return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
    columns_setting = os.environ.get("COLUMNS", "")
    return int(columns_setting) if columns_setting.isdecimal() else DEFAULT_WIDTH


def _make_legend(alignment: Alignment) -> Text:
    """Return a legend with the symbols of the matchers, the number of matches, and the number of chunks."""
    legend = Text()
    for matcher in sorted({match.matcher for match in alignment.matches}):
        style = matcher_style(matcher)
        legend.append(f"{style.symbol} ", style=style.terminal)
        legend.append(f"{printable(alignment.matchers[matcher])}  ")
    n_matches = len(alignment.matches)
    n_chunks = alignment.chunks
    matches = "match" if n_matches == 1 else "matches"
    chunks = "chunk" if n_chunks == 1 else "chunks"
    legend.append(f"{n_matches} {matches} in {n_chunks} {chunks}", style="dim")
    return legend


class _ColumnRenderer:
    """Renders the columns of an alignment as lines of text.

    Args:
        alignment: alignment of a hypothesis with a reference.
        function_words: words in lower case that are printed dim.
    """

    def __init__(self, alignment: Alignment, function_words: Collection[str]) -> None:
        self.alignment = alignment
        self.function_words = function_words
        self.chunk_by_match = chunk_numbers(alignment.matches)
        self.hypothesis_matches, self.reference_matches = _find_matches_by_word(alignment)

    def render_blocks(self, width: int) -> Iterator[list[Text]]:
        """Yield blocks of four lines, each with as many columns of words as fit into the given width.

        A block is wider than ``width`` only if it consists of a single column.
        """
        block = [Text() for _ in _LABELS]
        for cells, separator in self._render_columns():
            column_width = max(cell.cell_len for cell in cells) + 1
            block_width = block[0].cell_len  # All lines of a block have the same width.
            if block_width > 0 and block_width + column_width > width:
                yield block
                block = [Text() for _ in _LABELS]
            _append_cells(block, cells, column_width, separator)
        if block[0].cell_len > 0:
            yield block

    def _render_columns(self) -> Iterator[tuple[list[Text], str]]:
        """Yield the cells of each column, and the character that connects the column with the next column."""
        word_columns = arrange_columns(self.alignment)
        chunks = [self._find_chunk(column) for column in word_columns]
        next_chunks = [*chunks[1:], 0]
        for column, chunk, next_chunk in zip(word_columns, chunks, next_chunks, strict=False):
            chunk_continues = chunk > 0 and chunk == next_chunk
            yield self._render_column(column), "─" if chunk_continues else " "

    def _find_chunk(self, column: WordColumn) -> int:
        """Return the number of the chunk that contains the hypothesis words of a column, or 0 for no chunk."""
        match = _first_match(self.hypothesis_matches, column.hypothesis_words)
        return 0 if match is None else self.chunk_by_match[match]

    def _render_column(self, column: WordColumn) -> list[Text]:
        """Return the four cells of a column.

        The cells are the mark of the chunk, the hypothesis words, the symbol of the matcher, and the reference words.
        """
        hypothesis = self._style_words(self.alignment.hypothesis, column.hypothesis_words, self.hypothesis_matches)
        reference = self._style_words(self.alignment.reference, column.reference_words, self.reference_matches)
        link = self._render_link(column)
        width = max(hypothesis.cell_len, link.cell_len, reference.cell_len)
        mark = self._mark_chunk(column.hypothesis_words, width)
        return [mark, hypothesis, link, reference]

    def _style_words(self, words: Sequence[str], indices: range, matches: MatchByWord) -> Text:
        return Text(" ").join(self._style_word(words[index], matches[index]) for index in indices)

    def _style_word(self, word: str, match: int | None) -> Text:
        styles = ["dim"] if word.lower() in self.function_words else []
        if match is not None:
            styles += [self._matcher_style(match).terminal, "underline"]
        return Text(printable(word), style=" ".join(styles))

    def _matcher_style(self, match: int) -> MatcherStyle:
        return matcher_style(self.alignment.matches[match].matcher)

    def _render_link(self, column: WordColumn) -> Text:
        """Return the symbol of the matcher that aligns the words of a column.

        If a word is aligned with a word in another column, the chunk number and an arrow are added after the matcher's
        symbol.
        """
        if column.match is not None:
            style = self._matcher_style(column.match)
            return Text(style.symbol, style=style.terminal)
        link = Text()
        hypothesis_match = _first_match(self.hypothesis_matches, column.hypothesis_words)
        reference_match = _first_match(self.reference_matches, column.reference_words)
        for match, arrow in ((hypothesis_match, "↑"), (reference_match, "↓")):
            if match is not None:
                style = self._matcher_style(match)
                link.append(f"{style.symbol}{self.chunk_by_match[match]}{arrow}", style=style.terminal)
        return link

    def _mark_chunk(self, words: range, width: int) -> Text:
        """Return a horizontal line that is shown above aligned words of the hypothesis.

        In a chunk, each match directly follows the previous match in both texts. If a chunk begins with these words,
        the line begins with the number of the chunk. If the words are not aligned, the line is empty.
        """
        match = _first_match(self.hypothesis_matches, words)
        if match is None:
            return Text()
        chunk = self.chunk_by_match[match]
        starts_chunk = match == 0 or self.chunk_by_match[match - 1] != chunk
        starts_match = words.start == self.alignment.matches[match].hypothesis_start
        label = f"╭{chunk}" if starts_chunk and starts_match else ""
        return Text(label + "─" * max(0, width - len(label)), style="dim")


def _append_cells(block: Sequence[Text], cells: Sequence[Text], column_width: int, separator: str) -> None:
    """Append the cells of a column to the lines of a block.

    Args:
        block: the lines.
        cells: one cell per line.
        column_width: width of the column, including the separator.
        separator: character after the cell of the first line. All other cells are followed by a space.
    """
    for index, (line, cell) in enumerate(zip(block, cells, strict=True)):
        line.append_text(cell)
        line.append(" " * (column_width - cell.cell_len - 1))
        line.append(separator if index == 0 else " ", style="dim")


def _first_match(matches: MatchByWord, words: range) -> int | None:
    """Return the first match that contains any of the given words, or None if no word is matched."""
    return next((matches[word] for word in words if matches[word] is not None), None)
