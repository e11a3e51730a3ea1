"""Results as JSON and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result


class JsonOutput(OutputFormat):
    """One JSON document with all digits."""

    name: ClassVar[str] = "json"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True
    details: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the document, item by item, so that it is never whole in memory."""
        stream.writelines(_json_pieces(result.document()))
        stream.write("\n")


class JsonLinesOutput(OutputFormat):
    """JSON Lines: one object per row."""

    name: ClassVar[str] = "jsonl"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        for entry in result.entries():
            stream.write(json.dumps(json_ready(entry), ensure_ascii=False, allow_nan=False) + "\n")


def _json_pieces(value: Any, line: str = "\n") -> Iterator[str]:
    """Yield the JSON of a document in pieces, as ``json.dumps(value, indent=2)`` formats it.

    Args:
        value: the document, or a part of it.
        line: what begins a line: a line feed and the indentation.
    """
    if not _is_lazy(value):
        yield json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=json_ready).replace("\n", line)
        return
    inner = line + "  "
    if isinstance(value, Mapping):
        items = ((json.dumps(key, ensure_ascii=False) + ": ", item) for key, item in value.items())
        brackets = "{}"
    else:
        items, brackets = (("", item) for item in value), "[]"
    separator = brackets[0]
    for key, item in items:
        yield separator + inner + key
        yield from _json_pieces(item, inner)
        separator = ","
    yield brackets if separator == brackets[0] else line + brackets[1]


def _is_lazy(value: Any) -> bool:
    """Return whether a value is, or contains, a sequence that makes its items when they are asked for."""
    if isinstance(value, Mapping):
        return any(map(_is_lazy, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_lazy, value))
    return isinstance(value, Sequence) and not isinstance(value, str)


def json_ready(value: Any) -> Any:
    """Return a value as JSON can hold it: ``None`` instead of what is not a number."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): json_ready(entry) for key, entry in value.items()}
    return [json_ready(entry) for entry in value]
