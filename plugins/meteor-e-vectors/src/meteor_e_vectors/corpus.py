"""From raw text to what vectors are trained on: one sentence per line, words as METEOR sees them.

The bilingual corpora of the paper's section 4.2 come out of the same function: :func:`interleaved` mixes two
sides, which are two languages, or words and their tags, or words and their lemmas.
"""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple, TextIO, cast

from meteor_e import InputError, Meteor
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import decode_lines, read_segments
from meteor_e_vectors.keys import key_of

if TYPE_CHECKING:
    from meteor_e import Token

OTHER = "\u00a6"
"""Begins the units of the second side (a broken bar), so that ``chat`` in French is not ``chat`` in English."""

Side = Literal["tags", "lemmas"]

_Written = tuple[int, list[list[str]]]
"""How many units of the first side a sentence has, and the lines that are written for it."""


class CorpusSize(NamedTuple):
    """How much was written.

    Attributes:
        sentences: sentences that were read from the first side.
        units: words of that side.
        lines: lines that were written.
        repeats: how often each word stands in them: twice in a bilingual corpus, alone and mixed, else once.
    """

    sentences: int
    units: int
    lines: int
    repeats: int


def read_lines(path: str) -> Iterator[str]:
    """Iterate over the lines of a text, plain, gzip, bzip2 or xz (by the file's first bytes).

    Raises:
        InputError: if it cannot be read or is not UTF-8, with the line.
    """
    opened = _unpacking(path)
    if opened is None:
        yield from read_segments(path)
        return
    try:
        with opened as stream:
            yield from decode_lines(stream, path)
    except (lzma.LZMAError, OSError, EOFError) as error:
        raise InputError(f"cannot read {path}: damaged compressed data ({error})") from error


def _unpacking(path: str) -> BinaryIO | None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(6)
    except (OSError, ValueError):
        return None  # read_segments reports it
    if head == b"\xfd7zXZ\x00":
        return cast(BinaryIO, lzma.open(path))
    if head[:3] == b"BZh":
        return cast(BinaryIO, bz2.open(path))
    return None


def interleaved(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Mix two sides so that each unit stands beside its counterpart, by the ratio of their lengths.

    This is the length-ratio shuffle of Vulić and Moens (2015, section 4.2), and assumes as bivec does without
    word alignments (Luong et al., 2015, section 3.2) that position *i* of one side answers to position
    *i·m/n* of the other.
    """
    mixed: list[str] = []
    n, m = len(left), len(right)
    at = 0
    for i, unit in enumerate(left):
        mixed.append(unit)
        until = (i + 1) * m // n
        mixed.extend(right[at:until])
        at = until
    mixed.extend(right[at:])
    return mixed


def write_corpus(
    output: TextIO,
    meteor: Meteor,
    texts: Sequence[str],
    *,
    key: str = "word",
    side: Side | None = None,
    bitext: Sequence[str] = (),
    other: Meteor | None = None,
    progress: Progress = silent,
) -> CorpusSize:
    """Write the corpus that vectors are trained on.

    Args:
        output: one sentence per line, units separated by spaces.
        meteor: normalizes (and lemmatizes) the texts' language.
        texts: files, one sentence per line.
        key: what a unit is; see :mod:`meteor_e_vectors.keys`.
        side: pseudo-bilingual: each sentence is mixed with its tags or its lemmas.
        bitext: bilingual: files in another language, line by line translations of ``texts``; each side is
            written alone, too, as bivec trains on both texts and across.
        other: normalizes the other language.
        progress: told the number of sentences done.

    Raises:
        InputError: if the sides of a bitext differ in length, or a file cannot be read.
    """

    def written() -> Iterator[_Written]:
        for left, right in _pairs(texts, bitext):
            tokens = meteor.tokenize(left)
            units = _units(key_of(token, key) for token in tokens)
            if right is not None:
                assert other is not None
                translated = [OTHER + word for word in _units(key_of(token, key) for token in other.tokenize(right))]
                yield len(units), [units, translated, interleaved(units, translated)]
            elif side is not None:
                yield len(units), [interleaved(units, _side(tokens, side))]
            else:
                yield len(units), [units]

    return _write(output, written(), texts, progress)._replace(repeats=2 if bitext else 1)


def copy_corpus(output: TextIO, texts: Sequence[str], progress: Progress = silent) -> CorpusSize:
    """Write corpora that :func:`write_corpus` has written before into one, as they are.

    Args:
        output: one sentence per line, units separated by spaces.
        texts: the corpora.
        progress: told the number of lines done.

    Raises:
        InputError: if a file cannot be read, or there is nothing in them.
    """

    bilingual = False

    def written() -> Iterator[_Written]:
        nonlocal bilingual
        for path in texts:
            for line in read_lines(path):
                if words := _units(line.split(" ")):
                    units = sum(not word.startswith(OTHER) for word in words)
                    bilingual = bilingual or not units  # Only there does the second side stand alone.
                    yield units, [words]

    size = _write(output, written(), texts, progress)
    return size._replace(units=size.units // 2, repeats=2) if bilingual else size


def _write(
    output: TextIO,
    written: Iterable[_Written],
    texts: Sequence[str],
    progress: Progress,
) -> CorpusSize:
    sentences = units = lines = 0
    for size, rows in written:
        sentences += 1
        units += size
        for words in rows:
            if words:
                output.write(" ".join(words) + "\n")
                lines += 1
        progress("splitting words", sentences, None)
    if not lines:
        raise InputError(f"there are no words in {', '.join(texts)}")
    return CorpusSize(sentences, units, lines, repeats=1)


def _units(words: Iterable[str]) -> list[str]:
    """Return the words that a trainer, which splits at any white space, reads as one."""
    return [word for word in words if len(word.split()) == 1]


def _side(tokens: Sequence[Token], side: Side) -> list[str]:
    key = {"tags": lambda token: token.tag or "X", "lemmas": lambda token: token.lemma or token.form}[side]
    return [OTHER + word for word in _units(map(key, tokens))]


def _pairs(texts: Sequence[str], bitext: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    if not bitext:
        for path in texts:
            for line in read_lines(path):
                yield line, None
        return
    if len(texts) != len(bitext):
        raise InputError(f"there are {len(texts)} texts and {len(bitext)} files in the other language")
    for path, other in zip(texts, bitext, strict=True):
        for number, (left, right) in enumerate(zip_longest(read_lines(path), read_lines(other)), 1):
            if left is None or right is None:
                raise InputError(f"{path if left is None else other} ends before line {number}, unlike the other side")
            yield left, right
