"""This module lists the input formats, and detects the format of a file by its name and content."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, SpooledPath, input_name, open_binary, os_errors_as
from meteor_e.formats.documents import TextCollection
from meteor_e.formats.plain import read_segments

TEXT_FORMATS = ("plain", "sgml", "wmt-xml", "coco")
"""These input formats usually store hypotheses and references in separate files."""

INPUT_FORMATS = (*TEXT_FORMATS, "csv", "tsv", "json", "jsonl", "parquet")
"""Users select an input format by one of these names. Plugins can add table formats."""

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""Files with these suffixes contain JSON Lines."""

PARQUET = (".parquet", ".pq")
"""Output files with these suffixes are written as Parquet. Parquet input is recognized by its content."""

_HEAD_SIZE = 4096
"""The format of a file is detected from this number of bytes at its start."""

_PROLOGUE = re.compile(rb"^(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*", re.DOTALL | re.IGNORECASE)
_STARTS = {
    "parquet": re.compile(rb"PAR1"),
    "sgml": re.compile(rb"<\s*(?:tstset|refset|srcset|mteval|docset)\b", re.IGNORECASE),
    "wmt-xml": re.compile(rb"<(?:[\w.-]+:)?(?:dataset|collection|doc)\b", re.IGNORECASE),
    # JSON tables are arrays of objects. Plain text does not begin with a JSON object or with such an array.
    "json": re.compile(rb'\[\s*\{\s*"(?:[^"\\\n]|\\.)*"\s*:'),
    "coco": re.compile(rb'\{\s*"(?:[^"\\\n]|\\.)*"\s*:'),
}
"""After declarations and comments, the content of each format begins with this pattern."""

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|!ENTITY)\b", re.IGNORECASE)
_DELIMITED = re.compile(r"\.(csv|tsv)(?:\.gz)?$")


def detect_format(path: str, *, is_only_file: bool = False) -> str:
    """Return the input format of a file, which is one of :data:`INPUT_FORMATS`.

    Parquet, SGML, XML and COCO's JSON are recognized by content. JSON Lines and folders of Parquet files are recognized
    by name. Any other file with the suffix ``.json`` counts as COCO's JSON.

    Args:
        path: the path of the file or folder; ``-`` is standard input.
        is_only_file: whether the file is the only input and must therefore contain hypotheses and references. In this
            case, CSV and TSV are recognized by name. Otherwise, files with these suffixes are plain text.

    Raises:
        InputError: if the file cannot be read, or is XML or SGML of an unsupported kind.
    """
    delimited_suffix = _DELIMITED.search(path)
    if is_only_file and delimited_suffix:
        return delimited_suffix[1]
    if path.endswith(JSON_LINES):
        return "jsonl"
    if os.path.isdir(path) and parquet_files(Path(path)):  # noqa: PTH112  # Path.is_dir() raises for very long names
        return "parquet"
    content_format = _detect_content_format(path)
    # A file of COCO results is a JSON array, too, but it does not contain references.
    return "coco" if content_format == "json" and not is_only_file else content_format


def _detect_content_format(path: str) -> str:
    """Detect the format of a file from the beginning of its content. A JSON array of objects counts as a JSON table.

    Raises:
        InputError: if the file cannot be read, or is XML or SGML of an unsupported kind.
    """
    head = _read_head(path)
    start = _PROLOGUE.sub(b"", head, count=1)
    for format_name, pattern in _STARTS.items():
        if pattern.match(start):
            return format_name
    if _DECLARATION.match(head):
        raise InputError(
            f"{input_name(path)} is XML or SGML, but not in the format of WMT or NIST, or it defines entities, which "
            "are not supported; convert it, or use --format-in plain if it is text"
        )
    may_be_json = start.startswith((b"[", b"{"))
    if ".json" in Path(path).suffixes or (may_be_json and _is_json_file(path)):
        return "coco"
    return "plain"


def _read_head(path: str) -> bytes:
    """Return the first bytes of a file. Standard input can still be read from its start afterward."""
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {input_name(path)}"):
        head: bytes = stream.peek(_HEAD_SIZE)[:_HEAD_SIZE]  # type: ignore[attr-defined]  # open_binary's streams are buffered
    return head


def spool_pipes(paths: Iterable[str]) -> list[str]:
    """Copy pipes, such as ``<(command)`` in a shell, to temporary files that can be opened several times.

    Returns:
        The paths, where the path of each pipe is replaced by the path of its copy.

    Raises:
        InputError: if a pipe cannot be read or copied.
    """
    readable_paths = []
    for path in paths:
        is_pipe = path != "-" and Path(path).is_fifo()
        readable_paths.append(spool_input(path) if is_pipe else path)
    return readable_paths


def spool_input(path: str) -> SpooledPath:
    """Copy a pipe or standard input to a temporary file that can be opened several times.

    Returns:
        The path of the copy.

    Raises:
        InputError: if the input cannot be read or copied.
    """
    # These imports are slow, and they are needed only if an input is a pipe or standard input.
    import shutil
    from tempfile import TemporaryDirectory

    with os_errors_as(InputError, f"cannot read {input_name(path)}"):
        folder = TemporaryDirectory(prefix="meteor_e-")
        copy = SpooledPath(Path(folder.name) / Path(path).name)
        copy.folder = folder  # The temporary folder is deleted when this object is deleted.
        copy.source = path
        with open_binary(path) as stream, Path(copy).open("wb") as output:
            shutil.copyfileobj(stream, output)
    return copy


def _is_json_file(path: str) -> bool:
    """Return whether a file contains JSON. A list of numbers, such as ``[12]``, is treated as plain text."""
    if path == "-":
        return False  # Standard input is not parsed here, because it cannot be read a second time.
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {path}"):
        content = stream.read()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return False
    if not value or not isinstance(value, list):
        return True
    return not all(isinstance(item, int | float) for item in value)


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of a folder in natural order, so that ``part-2`` precedes ``part-10``.

    If the path is not a folder, the result contains only the path itself.
    """
    if not path.is_dir():
        return [path]
    # Spark and Dask also write metadata files whose names begin with "_" or ".".
    files = [file for file in path.glob("*.parquet") if file.name[0] not in "._"]
    return sorted(files, key=_natural_sort_key)


def _natural_sort_key(file: Path) -> list[int | str]:
    """Split a file name into strings and numbers, which serve as the sort key for natural order."""
    return [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", file.name)]


def read_collection(path: PathLike, form: str, *, encoding: str = "utf-8") -> TextCollection:
    """Read the texts of an SGML, WMT XML or COCO file.

    Args:
        path: the path of the file, which may be compressed with gzip, bzip2 or xz; ``-`` is standard input.
        form: the format of the file: ``sgml``, ``wmt-xml`` or ``coco``.
        encoding: the encoding of an SGML file. The other formats declare their encoding.

    Raises:
        InputError: if the file cannot be read or is malformed.
    """
    if form == "coco":
        from meteor_e.formats.coco import read_coco

        return read_coco(path)
    if form == "wmt-xml":
        from meteor_e.formats.markup import read_wmt_xml

        with open_binary(path) as stream:
            return read_wmt_xml(stream, input_name(path))
    from meteor_e.formats.markup import read_sgml

    return read_sgml(read_segments(path, encoding=encoding), input_name(path))
