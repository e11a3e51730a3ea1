"""Results as JSON and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result

HELD = 1 << 20
"""So many characters of a JSON document are held before the first is written."""


class JsonOutput(OutputFormat):
    """One JSON document with all digits."""

    name: ClassVar[str] = "json"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True
    details: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the document as it comes into being, its beginning once much of it is there: errors come early."""
        pieces = _pieces(result.streamed_document())
        held, length = [], 0
        for piece in pieces:
            held.append(piece)
            length += len(piece)
            if length > HELD:
                break
        stream.write("".join(held))
        stream.writelines(pieces)
        stream.write("\n")


class JsonLinesOutput(OutputFormat):
    """JSON Lines: one object per row."""

    name: ClassVar[str] = "jsonl"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        for entry in result.entries():
            stream.write(json.dumps(json_ready(entry), ensure_ascii=False, allow_nan=False) + "\n")


def _pieces(value: Any, line: str = "\n") -> Iterator[str]:
    """Yield the JSON of a part of :meth:`Result.streamed_document`, of arrays that grow one item at a time.

    Args:
        value: the part.
        line: what begins a line: a line feed and the indentation.
    """
    value, inner = value() if callable(value) else value, line + "  "
    if isinstance(value, Mapping):
        items, ends = ((json.dumps(key, ensure_ascii=False) + ": ", item) for key, item in value.items()), "{}"
    elif isinstance(value, Iterator):
        items, ends = (("", item) for item in value), "[]"
    else:
        yield json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=json_ready).replace("\n", line)
        return
    before = ends[0]
    for key, item in items:
        yield before + inner + key
        yield from _pieces(item, inner)
        before = ","
    yield ends if before == ends[0] else line + ends[1]


def settled(value: Any) -> Any:
    """Return a part of :meth:`Result.streamed_document` with plain lists and values."""
    value = value() if callable(value) else value
    if isinstance(value, Mapping):
        return {key: settled(item) for key, item in value.items()}
    return [settled(item) for item in value] if isinstance(value, Iterator) else value


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
