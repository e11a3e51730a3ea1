"""Results as JSON and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, ClassVar, TextIO

from meteor_e.api.outputs import OutputFormat, OutputOptions, Result

__all__ = ["JsonLinesOutput", "JsonOutput"]


class JsonOutput(OutputFormat):
    """One JSON document with all digits; what is undefined is ``null``."""

    name: ClassVar[str] = "json"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True
    details: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the document."""
        json.dump(_plain(result.document()), stream, ensure_ascii=False, indent=2, allow_nan=False)
        stream.write("\n")


class JsonLinesOutput(OutputFormat):
    """JSON Lines: one object per row."""

    name: ClassVar[str] = "jsonl"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        for entry in result.entries():
            stream.write(json.dumps(_plain(entry), ensure_ascii=False, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    """Return a value without what JSON has no word for."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value]
