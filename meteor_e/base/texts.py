"""Check that arguments are strings or lists of strings before they are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from meteor_e.base.errors import InputError

Item = TypeVar("Item")

NOT_LISTS = (str, bytes, bytearray, Mapping, set, frozenset)
"""Iterable types that are not accepted as lists. The order of sets can change from run to run."""


def check_text(value: object, description: str = "a segment") -> None:
    """Check that a value is a string without lone surrogates.

    Args:
        value: the value.
        description: the description of the value in error messages.

    Raises:
        InputError: if the value is not a string, or contains a lone surrogate.
    """
    if not isinstance(value, str):
        raise InputError(f"{description} must be a text, not {type(value).__name__}")
    if value.isascii():
        return
    try:
        value.encode()
    except UnicodeEncodeError as error:
        code_point = ord(value[error.start])
        raise InputError(
            f"{description} contains the lone surrogate U+{code_point:04X}; read the text again in its correct encoding"
        ) from None


def are_valid_texts(values: Iterable[Any]) -> bool:
    """Return whether all values are strings without lone surrogates.

    For many short strings, this function is several times as fast as calling :func:`check_text` on each string.
    """
    try:
        "".join(values).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def check_texts(values: Sequence[object], description: str = "a segment") -> None:
    """Check that all values are strings without lone surrogates, like :func:`check_text`."""
    # All values are checked at once, which is fast. If this check fails, the loop raises the error.
    if are_valid_texts(values):
        return
    for value in values:
        check_text(value, description)


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary. Pass this function to :func:`json.loads` as ``object_pairs_hook``.

    Raises:
        ValueError: if the object has a key twice.
    """
    result = dict(pairs)
    if len(result) < len(pairs):
        key_counts = Counter(key for key, _ in pairs)
        duplicate_key, _ = key_counts.most_common(1)[0]
        raise ValueError(f"an object has the key {duplicate_key!r} twice")
    return result


def check_list(values: Iterable[Item], name: str, unit: str) -> Iterable[Item]:
    """Check that an argument is a list or another ordered iterable, and return the argument.

    Args:
        values: the argument.
        name: the name of the argument in error messages, such as ``references``.
        unit: the unit for which the list contains one item, such as ``segment``.

    Raises:
        InputError: if the argument is a single string, a mapping or a set, or cannot be iterated over.
    """
    if not _is_ordered_iterable(values):
        type_name = "None" if values is None else f"a {type(values).__name__}"
        raise InputError(f"{name} must be a list with one item per {unit}, not {type_name}")
    return values


def _is_ordered_iterable(value: Any) -> bool:
    """Return whether a value is a list, a generator or another ordered iterable, but not a string."""
    try:
        iter(value)
    except TypeError:
        return False
    return not isinstance(value, NOT_LISTS)


def check_candidates(texts: Any, source: int) -> list[str]:
    """Check that the candidates of a source sentence are a list of strings, and return the list.

    Args:
        texts: the candidates.
        source: the number of the source in error messages.

    Raises:
        InputError: if the candidates are not a list of strings.
    """
    candidates = list(check_list(texts, f"source {source}: texts", "candidate"))
    check_texts(candidates, f"source {source}: a candidate")
    return candidates


def read_texts_by_source(
    hypotheses: Iterable[Any], references: Iterable[Any] | None = None
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the hypotheses and the references of each source sentence.

    Args:
        hypotheses: the hypotheses of each source.
        references: the references of each source; by default, its hypotheses.

    Raises:
        InputError: if an argument is not a list of lists of strings, or if the arguments differ in length.
    """
    hypothesis_lists = _read_candidates(hypotheses, "sources")
    if references is None:
        for candidates in hypothesis_lists:
            yield candidates, candidates
        return
    pairs = zip_longest(hypothesis_lists, _read_candidates(references, "references"))
    for number, (source_hypotheses, source_references) in enumerate(pairs, 1):
        if source_hypotheses is None or source_references is None:
            raise InputError(f"source {number} has no hypotheses or no references; both lists need one item per source")
        yield source_hypotheses, source_references


def _read_candidates(candidate_lists: Iterable[Any], description: str) -> Iterator[list[str]]:
    """Check and yield the candidates of each source sentence."""
    for number, candidates in enumerate(check_list(candidate_lists, description, "source"), 1):
        yield check_candidates(candidates, number)


def check_items(**arguments: Any) -> dict[str, list[Any]]:
    """Check that all arguments are lists of strings with the same number of items, and return the lists.

    Args:
        arguments: the lists by name, such as ``hypotheses``. An item of ``references`` may also be a list of strings.

    Raises:
        InputError: if an argument is not such a list. The message names the argument and the segment.
    """
    columns = {name: _check_column(name, values) for name, values in arguments.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        counts = " but ".join(f"{length} {name}" for name, length in lengths.items())
        raise InputError(f"{counts}; their numbers must be equal")
    return columns


def _check_column(name: str, values: Any) -> list[Any]:
    """Check that an argument is a list with the text of each segment, and return the list.

    The argument ``references`` may contain a list of texts for a segment.
    """
    column: list[Any] = []
    for number, item in enumerate(check_list(values, name, "segment"), 1):
        if name != "references" or isinstance(item, str):
            check_text(item, f"segment {number}: a text of the {name}")
            column.append(item)
        else:
            column.append(_check_references(item, number))
    return column


def _check_references(texts: Any, segment_number: int) -> list[str]:
    """Check that the references of a segment are a list of strings, and return the list."""
    references = list(check_list(texts, f"segment {segment_number}: references", "text"))
    if not references:
        raise InputError(f"segment {segment_number}: there is no text in the references")
    check_texts(references, f"segment {segment_number}: a text of the references")
    return references
