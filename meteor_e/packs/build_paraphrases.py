"""From METEOR's paraphrase table (text, three lines an entry) to the index that :mod:`paraphrases` maps."""

from __future__ import annotations

import collections
import contextlib
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, open_regular, os_errors_as, spell_size
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.indexfile import write_index
from meteor_e.packs.paraphrases import FLAG_BITS, LAYOUT, LEFT_SIDE, RIGHT_SIDE
from meteor_e.packs.vocabulary import vocabulary_sections

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 23
MAX_TEXT = 8 << 30
"""Bytes of text that a table may hold; a gzip bomb ends here."""
MAX_ENTRY = 1 << 23
"""Bytes of the longest entry, its three lines together."""
MAX_WORDS = 255
"""Words that a phrase may have."""
_BETWEEN = b"\xff"
_ROOT_WORD = 0x3FFFFFFF


def refuse_huge(path: Path) -> None:
    """Refuse a file of more bytes than a table may have, before anybody hashes it from end to end.

    Raises:
        ResourceError: if it is larger.
        OSError: if it cannot be looked at.
    """
    if path.stat().st_size > MAX_TEXT:
        raise ResourceError(f"{path} is larger than {spell_size(MAX_TEXT)}; refusing to index it")


def build_paraphrase_index(
    source: str | os.PathLike[str] | IO[bytes],
    target: str | os.PathLike[str],
    progress: Progress = silent,
    *,
    name: str | None = None,
    size: int | None = None,
) -> int:
    """Build the index of a paraphrase table, in METEOR's format, gzip or plain; return its number of entries.

    An entry is three lines: probability (checked, not kept), reference phrase, paraphrase; words are
    separated by white space. ``source`` is a path or an open binary stream, of which ``name`` is what
    messages call it and ``size`` its bytes, for the progress. The target is written in place.
    Raises :class:`~meteor_e.base.errors.ResourceError` with file and line for a malformed table.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(source, str | os.PathLike):
            path = Path(source)
            name = name or str(path)
            with os_errors_as(ResourceError, f"cannot read the paraphrase table {path}"):
                size = path.stat().st_size
                stream: IO[bytes] = stack.enter_context(open_regular(path))
        else:
            stream = source
            name = name or "the paraphrase table"
        vocabulary, ids, lengths = _read(stream, name, size, progress)
    progress("indexing paraphrases", 0, None)
    words, ids, starts = _number_words(vocabulary, ids, lengths)
    nodes, phrase_nodes = _build_trie(ids, lengths, len(words))
    left, right = phrase_nodes[0::2], phrase_nodes[1::2]
    entries = _fill_entries(nodes, left, right)
    sections, parameters = vocabulary_sections(words, Path(name))
    longest = int(lengths.max()) if len(lengths) else 0
    write_index(
        Path(target),
        LAYOUT,
        [*parameters, starts, len(nodes) - 1, len(entries), longest],
        [*sections, _little(nodes), _little(entries)],
    )
    progress("indexing paraphrases", 1, 1)
    return len(entries)


class _Counted(io.RawIOBase):
    """A stream that knows how much was read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


def _read(
    stream: IO[bytes], name: str, size: int | None, progress: Progress
) -> tuple[list[bytes], NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the words (by first appearance), the word numbers of all phrases in a row, and their lengths.

    Phrases alternate: left side, right side.
    """
    import numpy as np

    counted = _Counted(stream)
    # A dictionary that numbers what it has not seen: one C-level look-up a word. The mark between phrases is a
    # byte that valid text does not hold; a flat list of words, without a list for each phrase, spares the garbage
    # collector half of the time.
    numbers: collections.defaultdict[bytes, int] = collections.defaultdict()
    numbers.default_factory = numbers.__len__
    mark = numbers[_BETWEEN]
    all_ids, all_lengths = [np.empty(0, np.uint32)], [np.empty(0, np.uint8)]
    line = 0
    progress("reading paraphrases", 0, size)
    for block in _blocks(counted, name):
        decode_utf8(block, name, line)
        lines = block.split(b"\n")
        del lines[-1]
        _check_probabilities(lines, name, line)
        count = len(lines)
        del lines[0::3]
        text = b" \xff ".join([*lines, b""])
        tokens = text.split() if b"\x0b" not in block else _split(text)
        ids = np.fromiter(map(numbers.__getitem__, tokens), np.uint32, len(tokens))
        lengths = np.diff(np.flatnonzero(ids == mark), prepend=-1) - 1
        _check_lengths(lengths, name, line)
        all_lengths.append(lengths.astype(np.uint8))
        all_ids.append(ids[ids != mark] - np.uint32(1))
        line += count
        progress("reading paraphrases", counted.count, size)
    return list(numbers)[1:], np.concatenate(all_ids), np.concatenate(all_lengths)


def _blocks(counted: _Counted, name: str) -> Iterator[bytes]:
    """Yield the text in blocks of whole entries, each line with its newline."""
    buffered = io.BufferedReader(counted, 1 << 20)
    stream: IO[bytes] = buffered
    if buffered.peek(2)[:2] == b"\x1f\x8b":
        stream = gzip.GzipFile(fileobj=buffered)  # type: ignore[assignment]
    rest, done, line, first = b"", 0, 1, True
    while True:
        try:
            data = stream.read(_BLOCK)
        except (OSError, EOFError, zlib.error) as error:
            raise ResourceError(f"{name} is damaged or cut short: {error}") from error
        if b"\r" in data:
            if data.endswith(b"\r"):
                data += stream.read(1)
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        done += len(data)
        if done > MAX_TEXT:
            raise ResourceError(f"{name} holds more than {MAX_TEXT >> 30} GiB of text; refusing to index it")
        if first and data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        first = False
        rest += data
        if not data:
            if rest:
                yield rest if rest.endswith(b"\n") else rest + b"\n"
            return
        surplus = rest.count(b"\n") % 3
        cut = len(rest)
        for _ in range(surplus + 1):
            cut = rest.rfind(b"\n", 0, cut)
            if cut < 0:
                break
        if cut >= 0:
            yield rest[: cut + 1]
            line += rest.count(b"\n", 0, cut + 1)
            rest = rest[cut + 1 :]
        if len(rest) > MAX_ENTRY:
            raise ResourceError(
                f"{name}, line {line}: an entry of more than {spell_size(MAX_ENTRY)}; "
                "this cannot be a paraphrase table, whose entries are three lines each"
            )


def _split(phrase: bytes) -> list[bytes]:
    """Split as the Java program does: to it a vertical tab is no white space."""
    return re.findall(rb"[^ \t\f]+", phrase)


def _check_probabilities(lines: list[bytes], name: str, line: int) -> None:
    """Refuse a file that is not a table: a line out of place shifts probabilities and phrases."""
    if len(lines) % 3:
        raise ResourceError(
            f"{name}, line {line + len(lines)}: the table ends inside an entry; an entry is three lines: "
            "probability, reference phrase, paraphrase"
        )
    try:
        collections.deque(map(float, lines[0::3]), maxlen=0)
    except ValueError:
        for number, text in enumerate(lines[0::3]):
            # Java does not look at this line at all; further numbers after the probability do no harm.
            if not _is_number(text.split(maxsplit=1)[:1]):
                at = line + 3 * number + 1
                shown = text.decode()[:40].strip()
                raise ResourceError(f"{name}, line {at}: expected a probability, found {shown!r}") from None


def _check_lengths(lengths: NDArray[np.int64], name: str, line: int) -> None:
    wrong = (lengths == 0) | (lengths > MAX_WORDS)
    if wrong.any():
        number = int(wrong.argmax())
        what = f"a phrase of more than {MAX_WORDS} words" if lengths[number] else "an empty phrase"
        raise ResourceError(f"{name}, line {line + 3 * (number // 2) + number % 2 + 2}: {what}")


def _is_number(words: list[bytes]) -> bool:
    try:
        return bool(words) and float(words[0]) is not None
    except ValueError:
        return False


def _number_words(
    vocabulary: list[bytes], ids: NDArray[np.uint32], lengths: NDArray[np.uint8]
) -> tuple[list[bytes], NDArray[np.uint32], int]:
    """Number the words anew and return them in that order, the ids, and how many words begin a phrase.

    Words that begin a phrase come first, so that their nodes follow from their numbers; within each group the
    frequent ones come first, so that what a text touches lies on few pages.
    """
    import numpy as np

    begins = np.zeros(len(vocabulary), bool)
    begins[ids[np.cumsum(lengths, dtype=np.int64) - lengths]] = True
    frequency = np.bincount(ids, minlength=len(vocabulary))
    order = np.lexsort((-frequency, ~begins))
    place = np.empty(len(vocabulary), np.uint32)
    place[order] = np.arange(len(vocabulary), dtype=np.uint32)
    return [vocabulary[old] for old in order.tolist()], place[ids], int(begins.sum())


def _build_trie(
    ids: NDArray[np.uint32], lengths: NDArray[np.uint8], words: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the node records (word, first child, no entry yet) with the closing one, and each phrase's node.

    Level by level, the distinct (parent, word) pairs in sorted order are the nodes: breadth first, children
    of a node together and sorted by word.
    """
    import numpy as np

    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    phrase_nodes = np.zeros(len(lengths), np.uint32)
    node_words = [np.array([_ROOT_WORD], np.uint32)]
    node_parents = [np.zeros(0, np.uint32)]
    total = 1
    going = np.arange(len(lengths))
    for level in range(int(lengths.max()) if len(lengths) else 0):
        going = going[lengths[going] > level]
        keys = phrase_nodes[going].astype(np.uint64) * np.uint64(words) + ids[starts[going] + level]
        distinct, inverse = np.unique(keys, return_inverse=True)
        phrase_nodes[going] = (total + inverse).astype(np.uint32)
        node_words.append((distinct % np.uint64(words)).astype(np.uint32))
        node_parents.append((distinct // np.uint64(words)).astype(np.uint32))
        total += len(distinct)
    if total >= (1 << 32) - 1:
        raise ResourceError("the paraphrase table is too large for an index")
    children = np.bincount(np.concatenate(node_parents), minlength=total)
    nodes = np.zeros((total + 1, 3), np.uint32)
    nodes[:-1, 0] = np.concatenate(node_words) << FLAG_BITS
    nodes[0, 1] = 1
    nodes[1:, 1] = 1 + np.cumsum(children)
    return nodes, phrase_nodes


def _fill_entries(nodes: NDArray[np.uint32], left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Fill in the nodes' first entries and flags; return the entries: by left side, each in table order."""
    import numpy as np

    counts = np.bincount(left, minlength=len(nodes) - 1)
    nodes[1:, 2] = np.cumsum(counts)
    nodes[left, 0] |= LEFT_SIDE
    nodes[right, 0] |= RIGHT_SIDE
    entries: NDArray[np.uint32] = right[np.argsort(left, kind="stable")]
    return entries


def _little(numbers: NDArray[np.uint32]) -> memoryview:
    return (numbers.byteswap() if sys.byteorder == "big" else numbers).data
