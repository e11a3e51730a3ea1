"""Formats of input: which one a file has, told by its content and name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, open_regular, reading
from meteor_e.formats.documents import Collection

Format = Literal["plain", "sgml", "wmt-xml", "coco"]

TEXT_FORMATS = ("plain", "sgml", "wmt-xml", "coco")
"""Formats with hypotheses and references in files of their own."""

INPUT_FORMATS = (*TEXT_FORMATS, "csv", "tsv", "jsonl", "parquet")
"""All formats that ``--format-in`` takes; plugins may bring more tables."""

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What names of JSON Lines end in."""

PARQUET = (".parquet", ".pq")
"""What names of Parquet files that are to be written end in; what is read is known by its content."""

_HEAD = 4096
_PROLOGUE = re.compile(rb"^(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*", re.DOTALL | re.IGNORECASE)
_STARTS: dict[Format, re.Pattern[bytes]] = {
    "sgml": re.compile(rb"<\s*(?:tstset|refset|srcset|mteval|docset)\b", re.IGNORECASE),
    "wmt-xml": re.compile(rb"<(?:[\w.-]+:)?(?:dataset|collection|doc)\b", re.IGNORECASE),
    # A JSON file of objects; no line of text begins like this.
    "coco": re.compile(rb'(?:\[\s*)?\{\s*"(?:[^"\\\n]|\\.)*"\s*:'),
}
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|!ENTITY)\b", re.IGNORECASE)
_DELIMITED = re.compile(r"\.(csv|tsv)(?:\.gz)?$")


def text_format(path: PathLike) -> Format:
    """Return the format of a file of hypotheses or references, which its content tells; a ``.json`` is to be JSON.

    Raises:
        InputError: if it cannot be read, or is XML or SGML of another kind.
    """
    name = input_name(path)
    with open_binary(path) as stream, reading(name):
        head: bytes = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]  # open_binary's streams are buffered
        prologue = _PROLOGUE.match(head)
        start = head[prologue.end() :] if prologue else head
        for form, pattern in _STARTS.items():
            if pattern.match(start):
                return form
        if _DECLARATION.match(head):
            raise InputError(
                f"{name} is XML or SGML, but neither WMT's nor NIST's, or it defines entities, which are not "
                "read; convert it, or say --format-in plain if it is text"
            )
        # Standard input could not be read again.
        if ".json" in Path(name).suffixes or (path != "-" and start[:1] in (b"[", b"{") and _is_json(stream.read())):
            return "coco"
    return "plain"


def _is_json(data: bytes) -> bool:
    """Return whether data that begin with a bracket are JSON, and not text in brackets."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or any(not isinstance(item, int | float) for item in value) or not value


def table_format(path: str, *, alone: bool = False) -> str | None:
    """Return the format of a table: JSON Lines by its name, Parquet and folders by their content.

    Args:
        path: of a file or folder.
        alone: whether it must be a table, because nothing else is given; then CSV and TSV are known by their names.
            Plain text may be called so, too.

    Returns:
        The name of its :class:`~meteor_e.api.TableFormat`; ``None`` if it is not a table.
    """
    if path == "-":
        return None
    if alone and (delimited := _DELIMITED.search(path)):
        return delimited[1]
    try:
        if Path(path).is_dir():
            return "parquet" if parquet_files(Path(path)) else None
        with open_regular(path) as file:
            if file.read(4) == b"PAR1":
                return "parquet"
    except (OSError, ValueError):
        pass  # a file that is not there may still be named like a table
    return "jsonl" if path.endswith(JSON_LINES) else None


def parquet_files(path: Path) -> list[Path]:
    """Return the files of a table: itself, or a folder's, numbers in their names counted as numbers."""
    if not path.is_dir():
        return [path]
    # Spark and Dask put their own files there, with names that begin with "_" or ".".
    files = (file for file in path.glob("*.parquet") if file.name[0] not in "._")
    return sorted(
        files, key=lambda file: [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", file.name)]
    )


def read_collection(path: PathLike, form: Format, *, encoding: str = "utf-8") -> Collection:
    """Read a file of texts by document and segment.

    Args:
        path: the file, plain, gzip, bzip2 or xz; ``-`` is standard input.
        form: its format, any but ``plain``.
        encoding: of SGML; the others say their own.

    Raises:
        InputError: if it cannot be read, or is malformed.
    """
    if form == "coco":
        from meteor_e.formats.coco import read_coco

        return read_coco(path)
    from meteor_e.formats.markup import read_sgml, read_wmt_xml
    from meteor_e.formats.plain import read_segments

    if form == "wmt-xml":
        with open_binary(path) as stream:
            return read_wmt_xml(stream, input_name(path))
    return read_sgml(read_segments(path, encoding=encoding), input_name(path))
