"""From METEOR's synonym files and paraphrase tables, which are text, to the indexes that :mod:`indexes` maps."""

from __future__ import annotations

import collections
import contextlib
import gzip
import io
import os
import re
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, open_regular, os_errors_as, spell_size
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e.packs.indexes import (
    FLAG_BITS,
    LEFT_SIDE,
    PARAPHRASES,
    RIGHT_SIDE,
    SYNONYMS,
    vocabulary_sections,
    write_index,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 23
MAX_TEXT = 8 << 30
"""Bytes of text that a table may hold; a gzip bomb ends here."""
MAX_SYNONYMS = 1 << 30
"""Bytes of text that a synonym file may hold."""
MAX_ENTRY = 1 << 23
"""Bytes of the longest entry, all its lines together."""
MAX_WORDS = 255
"""Words that a phrase may have."""
_BETWEEN = b"\xff"
_ROOT_WORD = 0x3FFFFFFF
_JAVA_WORDS = re.compile(rb"[^ \t\f]+")
"""Words as the Java program splits them: to it a vertical tab is no white space."""


class Stream(NamedTuple):
    """A file that is read as it comes out of an archive.

    Attributes:
        stream: its bytes, gzip or plain.
        name: what messages call it.
        size: its bytes, for the progress.
    """

    stream: IO[bytes]
    name: str
    size: int | None = None


PathOrStream = str | os.PathLike[str] | Stream
"""A file in METEOR's format, gzip or plain."""


def refuse_huge(path: Path) -> None:
    """Refuse a file of more bytes than a table may have, before anybody hashes it from end to end.

    Raises:
        ResourceError: if it is larger.
        OSError: if it cannot be looked at.
    """
    if path.stat().st_size > MAX_TEXT:
        raise ResourceError(f"{path} is larger than {spell_size(MAX_TEXT)}; refusing to index it")


def build_synonym_index(
    synsets: PathOrStream, exceptions: PathOrStream | None, target: str | os.PathLike[str], progress: Progress = silent
) -> int:
    """Build the index of METEOR's synonym files, gzip or plain; return the number of words that have synsets.

    ``synsets``: a word on one line, the ids of its synsets on the next; of a word that comes twice, the
    last counts. Ids are whole numbers below 2³²; leading zeros do not count. ``exceptions``: a base form on
    one line, its irregular forms on the next. The target is written in place.
    Raises :class:`~meteor_e.base.errors.ResourceError` with file and line for malformed files.
    """
    rows: dict[bytes, list[int]] = {}
    for place, word, ids in _pairs(synsets, progress):
        rows[word] = [_synset(text, place) for text in ids.split()]
    bases: dict[bytes, list[bytes]] = {}
    for _, base, forms in _pairs(exceptions, progress) if exceptions is not None else ():
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    words = dict.fromkeys([*rows, *bases, *(base for several in bases.values() for base in several)])
    numbers = {word: number for number, word in enumerate(words)}
    sections, parameters = vocabulary_sections(list(words), Path(target))
    sections += _rows([rows.get(word, []) for word in words])
    sections += _rows([[numbers[base] for base in bases.get(word, [])] for word in words])
    write_index(Path(target), SYNONYMS, [*parameters, len(rows)], sections)
    progress("indexing synonyms", 1, 1)
    return len(rows)


def _pairs(source: PathOrStream, progress: Progress) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the place of the second line, the first and the second line of each entry."""
    for name, before, lines in _entries(source, 2, MAX_SYNONYMS, "synonyms", progress):
        for at in range(0, len(lines), 2):
            if not lines[at].strip():
                raise ResourceError(f"{name}, line {before + at + 1}: expected a word, found an empty line")
            yield f"{name}, line {before + at + 2}", lines[at], lines[at + 1]


def _synset(text: bytes, place: str) -> int:
    if text.isdigit() and len(text) <= 20 and (value := int(text)) < 1 << 32:
        return value
    raise ResourceError(f"{place}: {text[:40].decode()!r} is not a synset id; ids are whole numbers below 4294967296")


def _rows(rows: list[list[int]]) -> list[bytes]:
    """Return where each row starts, and all rows in one."""
    starts, data = array("I", [0]), array("I")
    for row in rows:
        data.extend(row)
        starts.append(len(data))
    return [starts.tobytes(), data.tobytes()]


def build_paraphrase_index(source: PathOrStream, target: str | os.PathLike[str], progress: Progress = silent) -> int:
    """Build the index of a paraphrase table, in METEOR's format, gzip or plain; return its number of entries.

    An entry is three lines: probability (checked, not kept), reference phrase, paraphrase; words are
    separated by white space. The target is written in place.
    Raises :class:`~meteor_e.base.errors.ResourceError` with file and line for a malformed table.
    """
    vocabulary, ids, lengths = _read_phrases(source, progress)
    stage, n_steps = Stage("indexing paraphrases", "steps"), 4
    progress(stage, 0, n_steps)
    words, ids, starts = _number_words(vocabulary, ids, lengths)
    progress(stage, 1, n_steps)
    nodes, phrase_nodes = _build_trie(ids, lengths, len(words))
    progress(stage, 2, n_steps)
    entries = _fill_entries(nodes, phrase_nodes[0::2], phrase_nodes[1::2])
    progress(stage, 3, n_steps)
    sections, parameters = vocabulary_sections(words, Path(target))
    parameters += [starts, len(nodes) - 1, len(entries), int(lengths.max(initial=0))]
    write_index(Path(target), PARAPHRASES, parameters, [*sections, nodes.data, entries.data])
    progress(stage, n_steps, n_steps)
    return len(entries)


def _read_phrases(
    source: PathOrStream, progress: Progress
) -> tuple[list[bytes], NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the words (by first appearance), the word numbers of all phrases in a row, and their lengths.

    Phrases alternate: left side, right side.
    """
    import numpy as np

    # A dictionary that numbers what it has not seen: one C-level look-up a word. The mark between phrases is a
    # byte that valid text does not hold; a flat list of words, without a list for each phrase, spares the garbage
    # collector half of the time.
    numbers: collections.defaultdict[bytes, int] = collections.defaultdict()
    numbers.default_factory = numbers.__len__
    mark = numbers[_BETWEEN]
    all_ids, all_lengths = [np.empty(0, np.uint32)], [np.empty(0, np.uint8)]
    for name, before, lines in _entries(source, 3, MAX_TEXT, "paraphrases", progress):
        _check_probabilities(lines, name, before)
        del lines[0::3]
        text = b" \xff ".join([*lines, b""])
        tokens = text.split() if b"\x0b" not in text else _JAVA_WORDS.findall(text)
        ids = np.fromiter(map(numbers.__getitem__, tokens), np.uint32, len(tokens))
        lengths = np.diff(np.flatnonzero(ids == mark), prepend=-1) - 1
        _check_lengths(lengths, name, before)
        all_lengths.append(lengths.astype(np.uint8))
        all_ids.append(ids[ids != mark] - np.uint32(1))
    return list(numbers)[1:], np.concatenate(all_ids), np.concatenate(all_lengths)


def _entries(
    source: PathOrStream, per_entry: int, limit: int, what: str, progress: Progress
) -> Iterator[tuple[str, int, list[bytes]]]:
    """Yield the lines of whole entries, a block at a time: the file's name, how many lines came before, and the lines.

    The file is unpacked, and known to be UTF-8.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(source, Stream):
            stream, name, size = source
        else:
            name = os.fspath(source)
            with os_errors_as(ResourceError, f"cannot read the file of {what} {name}"):
                stream = stack.enter_context(open_regular(source))
                size = os.fstat(stream.fileno()).st_size
        buffered = stack.enter_context(io.BufferedReader(cast("io.RawIOBase", stream), 1 << 20))
        text: IO[bytes] = buffered
        if buffered.peek(2)[:2] == b"\x1f\x8b":
            text = gzip.GzipFile(fileobj=buffered)  # type: ignore[assignment]
        data, rest, done, before = b"\n", b"", 0, 0
        lines: list[bytes] = []
        while data:
            try:
                data = text.read(_BLOCK)
                if data.endswith(b"\r"):
                    data += text.read(1)
            except (OSError, EOFError, zlib.error) as error:
                raise ResourceError(f"{name} is damaged or cut short: {error}") from error
            if not done:
                data = data.removeprefix(b"\xef\xbb\xbf")
            done += len(data)
            if done > limit:
                raise ResourceError(f"{name} holds more than {spell_size(limit)} of text; refusing to index it")
            *more, rest = (rest + data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).split(b"\n")
            lines += more if data or not rest else [rest]  # the last line may have no end
            whole = len(lines) - len(lines) % per_entry
            decode_utf8(b"\n".join(lines[:whole]), name, before)
            yield name, before, lines[:whole]
            before += whole
            del lines[:whole]
            if len(rest) + sum(map(len, lines)) > MAX_ENTRY:
                raise ResourceError(
                    f"{name}, line {before + 1}: an entry of more than {spell_size(MAX_ENTRY)}; "
                    f"this cannot be a file of {what}, whose entries are {per_entry} lines each"
                )
            progress(Stage(f"reading {what}", "B"), buffered.tell(), size)
        if lines:
            raise ResourceError(
                f"{name}, line {before + len(lines)}: the file ends inside an entry, which is {per_entry} lines"
            )


def _check_probabilities(lines: list[bytes], name: str, before: int) -> None:
    """Refuse a file that is not a table: a line out of place shifts probabilities and phrases."""
    try:
        collections.deque(map(float, lines[0::3]), maxlen=0)
    except ValueError:
        for number, text in enumerate(lines[0::3]):
            try:
                # Java does not look at this line at all; further numbers after the probability do no harm.
                float(text.split(maxsplit=1)[0])
            except (ValueError, IndexError):
                shown = text.decode()[:40].strip()
                at = before + 3 * number + 1
                raise ResourceError(f"{name}, line {at}: expected a probability, found {shown!r}") from None


def _check_lengths(lengths: NDArray[np.int64], name: str, before: int) -> None:
    wrong = (lengths == 0) | (lengths > MAX_WORDS)
    if wrong.any():
        number = int(wrong.argmax())
        what = f"a phrase of more than {MAX_WORDS} words" if lengths[number] else "an empty phrase"
        raise ResourceError(f"{name}, line {before + 3 * (number // 2) + number % 2 + 2}: {what}")


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
