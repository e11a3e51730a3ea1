"""Formats of input: which one a file has, told by its content and name."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.formats.documents import Collection

TEXT_FORMATS = ("plain", "sgml", "wmt-xml", "coco")
"""Formats with hypotheses and references in files of their own."""

INPUT_FORMATS = (*TEXT_FORMATS, "csv", "tsv", "json", "jsonl", "parquet")
"""All formats that ``--format-in`` takes; plugins may bring more tables."""

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What names of JSON Lines end in."""

PARQUET = (".parquet", ".pq")
"""What names of Parquet files that are to be written end in; what is read is known by its content."""

_HEAD = 4096
_PROLOGUE = re.compile(rb"^(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*", re.DOTALL | re.IGNORECASE)
_STARTS = {
    "parquet": re.compile(rb"PAR1"),
    "sgml": re.compile(rb"<\s*(?:tstset|refset|srcset|mteval|docset)\b", re.IGNORECASE),
    "wmt-xml": re.compile(rb"<(?:[\w.-]+:)?(?:dataset|collection|doc)\b", re.IGNORECASE),
    # A JSON file of objects; no line of text begins like this.
    "coco": re.compile(rb'(?:\[\s*)?\{\s*"(?:[^"\\\n]|\\.)*"\s*:'),
}
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|!ENTITY)\b", re.IGNORECASE)
_DELIMITED = re.compile(r"\.(csv|tsv)(?:\.gz)?$")


def input_format(path: str, *, alone: bool = False) -> str:
    """Return the format of a file: one of :data:`INPUT_FORMATS`.

    Parquet, SGML, XML and COCO's JSON are known by their content (a ``.json`` is to be JSON), folders of Parquet and
    JSON Lines by their names.

    Args:
        path: the file or folder; ``-`` is standard input.
        alone: whether it must be a table or both sides, because nothing else is given; then CSV and TSV are known by
            their names. Plain text may be called so, too.

    Raises:
        InputError: if it cannot be read, or is XML or SGML of another kind.
    """
    name = input_name(path)
    if alone and (delimited := _DELIMITED.search(path)):
        return delimited[1]
    if path.endswith(JSON_LINES):
        return "jsonl"
    if os.path.isdir(path) and parquet_files(Path(path)):  # noqa: PTH112  # of any length
        return "parquet"
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        head: bytes = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]  # open_binary's streams are buffered
        prologue = _PROLOGUE.match(head)
        start = head[prologue.end() :] if prologue else head
        for form, pattern in _STARTS.items():
            if pattern.match(start):
                # COCO's results need annotations; a JSON array alone is a table.
                return "json" if alone and form == "coco" and start[:1] == b"[" else form
        if _DECLARATION.match(head):
            raise InputError(
                f"{name} is XML or SGML, but neither WMT's nor NIST's, or it defines entities, which are not "
                "read; convert it, or say --format-in plain if it is text"
            )
        # Standard input could not be read again.
        if ".json" in Path(name).suffixes or (path != "-" and start[:1] in (b"[", b"{") and _is_json(stream.read())):
            return "coco"
    return "plain"


def input_formats(paths: Iterable[str], form: str | None = None, *, alone: bool = False) -> dict[str, str]:
    """Return the formats of files that are read more than once.

    Args:
        paths: the files; ``-`` is standard input.
        form: the format of all; ``None``: as :func:`input_format` finds it.
        alone: see :func:`input_format`.

    Raises:
        InputError: as for :func:`input_format`.
    """
    return {path: form or input_format(path, alone=alone) for path in dict.fromkeys(paths)}


class SpooledPath(str):
    """The path of a temporary copy of a pipe. The copy is deleted together with this object."""

    folder: tempfile.TemporaryDirectory[str]


def spool_pipes(paths: Iterable[str]) -> list[str]:
    """Return paths that can be opened several times: a pipe, such as that of ``<(command)``, is copied to a file.

    Raises:
        InputError: if a pipe cannot be read or copied.
    """
    return [_spool_pipe(path) if path != "-" and Path(path).is_fifo() else path for path in paths]


def _spool_pipe(path: str) -> SpooledPath:
    with os_errors_as(InputError, f"cannot read {path}"):
        folder = tempfile.TemporaryDirectory(prefix="meteor_e-")
        copy = SpooledPath(Path(folder.name) / Path(path).name)
        copy.folder = folder
        with open_binary(path) as stream, Path(copy).open("wb") as output:
            shutil.copyfileobj(stream, output)
    return copy


def _is_json(data: bytes) -> bool:
    """Return whether data that begin with a bracket are JSON, and not text in brackets."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or any(not isinstance(item, int | float) for item in value) or not value


def parquet_files(path: Path) -> list[Path]:
    """Return the files of a table: itself, or a folder's, numbers in their names counted as numbers."""
    if not path.is_dir():
        return [path]
    # Spark and Dask put their own files there, with names that begin with "_" or ".".
    files = (file for file in path.glob("*.parquet") if file.name[0] not in "._")
    return sorted(
        files, key=lambda file: [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", file.name)]
    )


def read_collection(path: PathLike, form: str, *, encoding: str = "utf-8") -> Collection:
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
