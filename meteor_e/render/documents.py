"""Results as JSON and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, ClassVar, TextIO

from meteor_e.api.outputs import OutputFormat, OutputOptions, Result


class JsonOutput(OutputFormat):
    """One JSON document with all digits."""

    name: ClassVar[str] = "json"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True
    details: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the document."""
        json.dump(result.document(), stream, ensure_ascii=False, indent=2, allow_nan=False, default=_spelled)
        stream.write("\n")


class JsonLinesOutput(OutputFormat):
    """JSON Lines: one object per row."""

    name: ClassVar[str] = "jsonl"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        for entry in result.entries():
            stream.write(json.dumps(json_ready(entry), ensure_ascii=False, allow_nan=False) + "\n")


def _spelled(value: Any) -> Any:
    """Return an object that JSON does not know as one that it does."""
    return value.to_dict() if hasattr(value, "to_dict") else json_ready(value)


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
