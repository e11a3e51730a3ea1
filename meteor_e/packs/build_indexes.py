"""Build memory-mapped indexes from METEOR's synonym files and paraphrase tables."""

from __future__ import annotations

import collections
import contextlib
import gzip
import io
import itertools
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
    make_vocabulary_sections,
    write_index,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 23
MAX_TEXT = 8 << 30
"""The maximum size of a table's text in bytes. It also limits what a gzip bomb can unpack."""
MAX_SYNONYMS = 1 << 30
"""The maximum size of a synonym file's text in bytes."""
MAX_ENTRY = 1 << 23
"""The maximum size in bytes of an entry, including all its lines."""
MAX_WORDS = 255
"""The maximum number of words in a phrase."""
_SEPARATOR = b"\xff"
"""The token between phrases. It does not occur in UTF-8."""

_ROOT_WORD = 0x3FFFFFFF
_JAVA_WORDS = re.compile(rb"[^ \t\f]+")
"""Words as the Java program splits them. It does not treat a vertical tab as white space."""


class Stream(NamedTuple):
    """A file in an archive. The file is decompressed while it is being read.

    Attributes:
        stream: the content of the file, plain or compressed by gzip.
        name: the name of the file in messages.
        size: the size of the file in bytes, for the progress; ``None`` if it is unknown.
    """

    stream: IO[bytes]
    name: str
    size: int | None = None


PathOrStream = str | os.PathLike[str] | Stream
"""A file in METEOR's format, plain or compressed by gzip."""


def check_table_size(path: Path) -> None:
    """Check that a synonym file or paraphrase table is not too large to be indexed.

    Raises:
        ResourceError: if the file is too large.
        OSError: if the size of the file cannot be determined.
    """
    if path.stat().st_size > MAX_TEXT:
        raise ResourceError(f"{path} is larger than {spell_size(MAX_TEXT)}; refusing to index it")


def build_synonym_index(
    synsets: PathOrStream, exceptions: PathOrStream | None, target: str | os.PathLike[str], progress: Progress = silent
) -> int:
    """Build the index of METEOR's synonym files, which list the synsets of words. Words in a synset are synonyms.

    Args:
        synsets: the synsets. A word is on one line, and the ids of its synsets are on the next line. If a word occurs
            twice, its last entry is used. Ids are integers from 0 to 2³² - 1; leading zeros are ignored.
        exceptions: irregular forms. A base form is on one line, and its irregular forms are on the next line.
        target: the path of the index, which is written in place.
        progress: a callback that receives the progress.

    Returns:
        The number of words that have synsets.

    Raises:
        ResourceError: for a malformed file, with file and line.
    """
    synset_ids_by_word = _read_synset_ids(synsets, progress)
    base_forms_by_form = {} if exceptions is None else _read_base_forms(exceptions, progress)
    all_base_forms = itertools.chain.from_iterable(base_forms_by_form.values())
    words = list(dict.fromkeys([*synset_ids_by_word, *base_forms_by_form, *all_base_forms]))
    word_ids = {word: word_id for word_id, word in enumerate(words)}
    synset_id_rows = [synset_ids_by_word.get(word, []) for word in words]
    base_id_rows = []
    for word in words:
        base_forms = base_forms_by_form.get(word, [])
        base_id_rows.append([word_ids[base_form] for base_form in base_forms])
    vocabulary_sections, vocabulary_parameters = make_vocabulary_sections(words, Path(target))
    sections = [*vocabulary_sections, *_flatten_rows(synset_id_rows), *_flatten_rows(base_id_rows)]
    write_index(Path(target), SYNONYMS, [*vocabulary_parameters, len(synset_ids_by_word)], sections)
    progress("indexing synonyms", 1, 1)
    return len(synset_ids_by_word)


def _read_synset_ids(synsets: PathOrStream, progress: Progress) -> dict[bytes, list[int]]:
    """Read a synonym file, and return the synset ids of each word. If a word is repeated, the last line is used."""
    synset_ids_by_word: dict[bytes, list[int]] = {}
    for location, word, id_line in _read_pairs(synsets, progress):
        synset_ids_by_word[word] = [_parse_synset_id(item, location) for item in id_line.split()]
    return synset_ids_by_word


def _read_base_forms(exceptions: PathOrStream, progress: Progress) -> dict[bytes, list[bytes]]:
    """Return the base forms of each irregular word in WordNet's list of exceptions."""
    base_forms_by_form: dict[bytes, list[bytes]] = {}
    for _, base_form, form_line in _read_pairs(exceptions, progress):
        for form in form_line.split():
            base_forms_by_form.setdefault(form, []).append(base_form)
    return base_forms_by_form


def _read_pairs(source: PathOrStream, progress: Progress) -> Iterator[tuple[str, bytes, bytes]]:
    """Read the pairs of lines in a synonym file. Yield the location of the second line, and both lines."""
    for name, n_previous_lines, lines in _read_entries(source, "synonyms", 2, MAX_SYNONYMS, progress):
        for index in range(0, len(lines), 2):
            line_number = n_previous_lines + index + 1
            if not lines[index].strip():
                raise ResourceError(f"{name}, line {line_number}: expected a word, found an empty line")
            yield f"{name}, line {line_number + 1}", lines[index], lines[index + 1]


def _parse_synset_id(text: bytes, location: str) -> int:
    """Parse a synset id. Raise ResourceError if it is not an integer below 2³²."""
    is_number = text.isdigit() and len(text) <= 20
    if not is_number or int(text) >= 1 << 32:
        raise ResourceError(
            f"{location}: {text[:40].decode()!r} is not a synset id; ids are whole numbers below 4294967296"
        )
    return int(text)


def _flatten_rows(rows: list[list[int]]) -> list[bytes]:
    """Concatenate rows of integers, and return the offset of each row and all integers as bytes."""
    starts = array("I", [0])
    data = array("I")
    for row in rows:
        data.extend(row)
        starts.append(len(data))
    return [starts.tobytes(), data.tobytes()]


def build_paraphrase_index(source: PathOrStream, target: str | os.PathLike[str], progress: Progress = silent) -> int:
    """Build the index of a paraphrase table.

    Args:
        source: the table. An entry consists of three lines: the probability, the phrase of the reference, and the
            paraphrase. Words are separated by white space. Probabilities are checked, but the index does not contain
            them.
        target: the path of the index, which is written in place.
        progress: a callback that receives the progress.

    Returns:
        The number of entries.

    Raises:
        ResourceError: for a malformed table, with file and line.
    """
    vocabulary, ids, lengths = _read_phrases(source, progress)
    stage = Stage("indexing paraphrases", "steps")
    n_steps = 4
    progress(stage, 0, n_steps)
    words, ids, n_first_words = _sort_vocabulary(vocabulary, ids, lengths)
    progress(stage, 1, n_steps)
    nodes, phrase_nodes = _build_trie(ids, lengths, len(words))
    progress(stage, 2, n_steps)
    # Each phrase is followed by its paraphrase.
    entries = _fill_entries(nodes, left_nodes=phrase_nodes[0::2], right_nodes=phrase_nodes[1::2])
    progress(stage, 3, n_steps)
    sections, parameters = make_vocabulary_sections(words, Path(target))
    parameters += [n_first_words, len(nodes) - 1, len(entries), int(lengths.max(initial=0))]
    write_index(Path(target), PARAPHRASES, parameters, [*sections, nodes.data, entries.data])
    progress(stage, n_steps, n_steps)
    return len(entries)


def _read_phrases(
    source: PathOrStream, progress: Progress
) -> tuple[list[bytes], NDArray[np.uint32], NDArray[np.uint8]]:
    """Read a paraphrase table. Each phrase is followed by its paraphrase.

    Returns:
        The words in the order of their first occurrence, the concatenated word ids of all phrases, and the number of
        words in each phrase.
    """
    import numpy as np  # This import is slow.

    # The defaultdict assigns the next free id to a new word, so a single lookup is enough for each word.
    word_ids: collections.defaultdict[bytes, int] = collections.defaultdict()
    word_ids.default_factory = word_ids.__len__
    separator_id = word_ids[_SEPARATOR]
    all_ids = [np.empty(0, np.uint32)]
    all_lengths = [np.empty(0, np.uint8)]
    for name, n_previous_lines, lines in _read_entries(source, "paraphrases", 3, MAX_TEXT, progress):
        _check_probabilities(lines, name, n_previous_lines)
        del lines[0::3]  # The remaining lines are phrases.
        # A single list of words, with a separator after each phrase, is faster than a list for each phrase.
        text = b" \xff ".join([*lines, b""])
        tokens = text.split() if b"\x0b" not in text else _JAVA_WORDS.findall(text)
        token_ids = np.fromiter(map(word_ids.__getitem__, tokens), np.uint32, len(tokens))
        is_separator = token_ids == separator_id
        lengths = np.diff(np.flatnonzero(is_separator), prepend=-1) - 1
        _check_lengths(lengths, name, n_previous_lines)
        all_lengths.append(lengths.astype(np.uint8))
        # The id 0 belongs to the separator, so 1 is subtracted from the ids of all words.
        all_ids.append(token_ids[~is_separator] - np.uint32(1))
    return list(word_ids)[1:], np.concatenate(all_ids), np.concatenate(all_lengths)


def _read_entries(
    source: PathOrStream, kind: str, lines_per_entry: int, max_size: int, progress: Progress
) -> Iterator[tuple[str, int, list[bytes]]]:
    """Read a file in blocks of complete entries, and decompress it if necessary.

    Args:
        source: the file.
        kind: the content of the file, for messages.
        lines_per_entry: the number of lines of an entry.
        max_size: the maximum size of the text in bytes.
        progress: called with the progress.

    Yields:
        The name of the file, the number of lines before the block, and the lines of the block.

    Raises:
        ResourceError: if the file cannot be read, is too large, is not valid UTF-8, or ends inside an entry.
    """
    stage = Stage(f"reading {kind}", "B")
    with contextlib.ExitStack() as stack:
        if isinstance(source, Stream):
            stream, name, size = source
        else:
            name = os.fspath(source)
            with os_errors_as(ResourceError, f"cannot read the file of {kind} {name}"):
                stream = stack.enter_context(open_regular(source))
                size = os.fstat(stream.fileno()).st_size
        buffered = stack.enter_context(io.BufferedReader(cast("io.RawIOBase", stream), 1 << 20))
        blocks = _read_blocks(buffered, name, max_size)
        for n_previous_lines, lines in _split_entries(blocks, name, kind, lines_per_entry):
            yield name, n_previous_lines, lines
            progress(stage, buffered.tell(), size)


def _split_entries(
    blocks: Iterator[bytes], name: str, kind: str, lines_per_entry: int
) -> Iterator[tuple[int, list[bytes]]]:
    """Split blocks of text into lines, and yield the complete entries with the number of lines before them.

    Args:
        blocks: the blocks, the last of which is empty.
        name: the name of the file in errors.
        kind: the content of the file in errors.
        lines_per_entry: the number of lines of an entry.
    """
    n_previous_lines = 0
    lines: list[bytes] = []
    partial_line = b""
    for block in blocks:
        *complete_lines, partial_line = (partial_line + block).split(b"\n")
        lines += complete_lines
        is_end_of_file = not block
        if is_end_of_file and partial_line:
            lines.append(partial_line)
            partial_line = b""
        n_complete = len(lines) - len(lines) % lines_per_entry
        # Decoding the lines raises an error if they are not valid UTF-8.
        decode_utf8(b"\n".join(lines[:n_complete]), name, n_previous_lines)
        yield n_previous_lines, lines[:n_complete]
        n_previous_lines += n_complete
        del lines[:n_complete]
        incomplete_entry_size = len(partial_line) + sum(map(len, lines))
        if incomplete_entry_size > MAX_ENTRY:
            raise ResourceError(
                f"{name}, line {n_previous_lines + 1}: an entry of more than {spell_size(MAX_ENTRY)}; "
                f"this cannot be a file of {kind}, whose entries have {lines_per_entry} lines"
            )
    if lines:
        raise ResourceError(
            f"{name}, line {n_previous_lines + len(lines)}: the file ends inside an entry; "
            f"entries have {lines_per_entry} lines"
        )


def _read_blocks(buffered: io.BufferedReader[io.RawIOBase], name: str, max_size: int) -> Iterator[bytes]:
    """Yield the uncompressed text of a file in blocks. All line ends are line feeds, and the last block is empty.

    Args:
        buffered: the file, plain or compressed by gzip.
        name: the name of the file in errors.
        max_size: the maximum size of the text in bytes.

    Raises:
        ResourceError: if the file is damaged or too large.
    """
    stream: IO[bytes] = buffered
    if buffered.peek(2)[:2] == b"\x1f\x8b":
        stream = gzip.GzipFile(fileobj=buffered)  # type: ignore[assignment]
    n_bytes = 0
    is_end_of_file = False
    while not is_end_of_file:
        try:
            block = stream.read(_BLOCK)
            if block.endswith(b"\r"):
                # A line feed may follow, which belongs to the same line end.
                block += stream.read(1)
        except (OSError, EOFError, zlib.error) as error:
            raise ResourceError(f"{name} is damaged or cut short: {error}") from error
        if n_bytes == 0:
            block = block.removeprefix(b"\xef\xbb\xbf")
        n_bytes += len(block)
        if n_bytes > max_size:
            raise ResourceError(f"{name} contains more than {spell_size(max_size)} of text; refusing to index it")
        is_end_of_file = not block
        yield block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _check_probabilities(lines: list[bytes], name: str, n_previous_lines: int) -> None:
    """Raise a ResourceError if an entry of a paraphrase table does not begin with a probability."""
    first_lines = lines[0::3]
    try:
        # Usually, all lines are numbers. A deque of length 0 is the fastest way to check this.
        collections.deque(map(float, first_lines), maxlen=0)
    except ValueError:
        for index, text in enumerate(first_lines):
            _check_probability(text, f"{name}, line {n_previous_lines + 3 * index + 1}")


def _check_probability(text: bytes, location: str) -> None:
    """Raise a ResourceError if a line does not begin with a number. The Java program ignores the rest of the line."""
    try:
        float(text.split(maxsplit=1)[0])
    except (ValueError, IndexError):
        excerpt = text.decode()[:40].strip()
        raise ResourceError(f"{location}: expected a probability, found {excerpt!r}") from None


def _check_lengths(lengths: NDArray[np.int64], name: str, n_previous_lines: int) -> None:
    """Raise a ResourceError for the first phrase that is empty or too long."""
    is_invalid = (lengths == 0) | (lengths > MAX_WORDS)
    if is_invalid.any():
        index = int(is_invalid.argmax())
        # The second and third line of each entry are phrases.
        line_number = n_previous_lines + 3 * (index // 2) + index % 2 + 2
        problem = f"a phrase of more than {MAX_WORDS} words" if lengths[index] else "an empty phrase"
        raise ResourceError(f"{name}, line {line_number}: {problem}")


def _sort_vocabulary(
    vocabulary: list[bytes], ids: NDArray[np.uint32], lengths: NDArray[np.uint8]
) -> tuple[list[bytes], NDArray[np.uint32], int]:
    """Sort the vocabulary by frequency. Words that begin a phrase come before all other words.

    In this order, the id of the first word of a phrase determines its trie node, and frequent words share few memory
    pages.

    Returns:
        The sorted words, the new ids of all words of the phrases, and the number of words that begin a phrase.
    """
    import numpy as np  # This import is slow.

    phrase_starts = np.cumsum(lengths, dtype=np.int64) - lengths
    begins_phrase = np.zeros(len(vocabulary), bool)
    begins_phrase[ids[phrase_starts]] = True
    frequencies = np.bincount(ids, minlength=len(vocabulary))
    # np.lexsort() sorts by its last key first.
    order = np.lexsort((-frequencies, ~begins_phrase))
    new_ids = np.empty(len(vocabulary), np.uint32)
    new_ids[order] = np.arange(len(vocabulary), dtype=np.uint32)
    return [vocabulary[old_id] for old_id in order.tolist()], new_ids[ids], int(begins_phrase.sum())


def _build_trie(
    ids: NDArray[np.uint32], lengths: NDArray[np.uint8], n_words: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Build a trie from phrases. Return a record for each node of the trie, and the node of each phrase.

    A record consists of the word id, the number of the first child, and the first entry, which is set later. The
    children of a node are adjacent and sorted by word. An additional record marks the end of the last children.
    """
    import numpy as np  # This import is slow.

    trie = _number_nodes(ids, lengths, n_words)
    n_nodes = len(trie.words)
    if n_nodes >= (1 << 32) - 1:
        raise ResourceError("the paraphrase table is too large for an index")
    child_counts = np.bincount(trie.parents, minlength=n_nodes)
    records = np.zeros((n_nodes + 1, 3), np.uint32)
    words, first_children = records[:, 0], records[:, 1]
    words[:-1] = trie.words << FLAG_BITS
    # In breadth-first order, the children of a node come after the children of all previous nodes.
    first_children[0] = 1
    first_children[1:] = 1 + np.cumsum(child_counts)
    return records, trie.phrase_nodes


class _Trie(NamedTuple):
    """The nodes of a trie in breadth-first order.

    Attributes:
        words: the word of each node.
        parents: the parent of each node except the root.
        phrase_nodes: the last node of each phrase.
    """

    words: NDArray[np.uint32]
    parents: NDArray[np.uint32]
    phrase_nodes: NDArray[np.uint32]


def _number_nodes(ids: NDArray[np.uint32], lengths: NDArray[np.uint8], n_words: int) -> _Trie:
    """Create the nodes of a trie level by level. Nodes on the same level are sorted by parent and then by word.

    Args:
        ids: the concatenated word ids of all phrases.
        lengths: the number of words in each phrase.
        n_words: the number of words in the vocabulary.
    """
    import numpy as np  # This import is slow.

    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    phrase_nodes = np.zeros(len(lengths), np.uint32)
    words_by_level = [np.array([_ROOT_WORD], np.uint32)]
    parents_by_level = [np.zeros(0, np.uint32)]
    n_nodes = 1
    for level in range(int(lengths.max(initial=0))):
        phrases = np.flatnonzero(lengths > level)
        phrase_words = ids[starts[phrases] + level]
        # The parent and the word of each node are combined in one integer, because integers can be sorted quickly.
        keys = phrase_nodes[phrases].astype(np.uint64) * np.uint64(n_words) + phrase_words
        level_keys, key_indexes = np.unique(keys, return_inverse=True)
        phrase_nodes[phrases] = (n_nodes + key_indexes).astype(np.uint32)
        words_by_level.append((level_keys % np.uint64(n_words)).astype(np.uint32))
        parents_by_level.append((level_keys // np.uint64(n_words)).astype(np.uint32))
        n_nodes += len(level_keys)
    return _Trie(np.concatenate(words_by_level), np.concatenate(parents_by_level), phrase_nodes)


def _fill_entries(
    nodes: NDArray[np.uint32], left_nodes: NDArray[np.uint32], right_nodes: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Sort the paraphrases by their left side, and store in each trie node where its paraphrases begin.

    Paraphrases of the same phrase keep the order of the paraphrase table. The flags of a node tell on which sides of
    the table its phrase occurs.

    Args:
        nodes: the records of the trie, ``(nodes + 1, 3)``, which are changed in place.
        left_nodes: for each entry of the table the node of the phrase.
        right_nodes: for each entry of the table the node of the paraphrase.

    Returns:
        The sorted nodes of the paraphrases, ``(entries,)``.
    """
    import numpy as np  # This import is slow.

    entry_counts = np.bincount(left_nodes, minlength=len(nodes) - 1)
    nodes[1:, 2] = np.cumsum(entry_counts)
    nodes[left_nodes, 0] |= LEFT_SIDE
    nodes[right_nodes, 0] |= RIGHT_SIDE
    entries: NDArray[np.uint32] = right_nodes[np.argsort(left_nodes, kind="stable")]
    return entries
