"""This module writes JSON and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result


class JsonOutput(OutputFormat):
    """Output as a JSON document with unrounded numbers."""

    name: ClassVar[str] = "json"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True
    details: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the JSON document incrementally, so that its text is never completely in memory."""
        stream.writelines(_json_pieces(result.document()))
        stream.write("\n")


class JsonLinesOutput(OutputFormat):
    """Output as JSON Lines, with one object per record."""

    name: ClassVar[str] = "jsonl"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the entries."""
        for entry in result.entries():
            stream.write(json.dumps(json_ready(entry), ensure_ascii=False, allow_nan=False) + "\n")


def _json_pieces(value: Any, level: int = 0) -> Iterator[str]:
    """Yield a JSON document in pieces, which together equal ``json.dumps(value, indent=2)``.

    The pieces can be written one after the other, so that the items of a lazy sequence are never all in memory.

    Args:
        value: the document or a part of it. It may contain lazy sequences, which create their items on demand.
        level: the level of indentation.
    """
    line_start = "\n" + "  " * level
    if not _is_lazy(value):
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=json_ready)
        # JSON escapes line breaks in strings, so every line break in the text starts a new indented line.
        yield text.replace("\n", line_start)
        return
    if not value:
        yield "[]"  # The value is an empty lazy sequence.
        return
    opening, closing = ("{", "}") if isinstance(value, Mapping) else ("[", "]")
    yield opening
    for index, (label, item) in enumerate(_label_items(value)):
        comma = "," if index > 0 else ""
        yield f"{comma}{line_start}  {label}"
        yield from _json_pieces(item, level + 1)
    yield f"{line_start}{closing}"


def _label_items(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items of a mapping or list. The label of each item is its key as JSON, or empty for a list."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{json.dumps(key, ensure_ascii=False)}: ", item
    else:
        for item in value:
            yield "", item


def _is_lazy(value: Any) -> bool:
    """Return whether a value is or contains a lazy sequence, that is, a sequence that creates its items on demand."""
    if isinstance(value, Mapping):
        return any(_is_lazy(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_is_lazy(item) for item in value)
    return isinstance(value, Sequence) and not isinstance(value, str)


def json_ready(value: Any) -> Any:
    """Convert a value to types that JSON supports.

    Infinite numbers and NaN become ``None``. Objects with a method ``to_dict`` are converted by this method.
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): json_ready(entry) for key, entry in value.items()}
    return [json_ready(entry) for entry in value]
