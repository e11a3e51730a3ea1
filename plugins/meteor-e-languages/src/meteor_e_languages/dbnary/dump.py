"""Extraction from a Turtle (or N-Triples) dump, read as a stream: memory does not grow with the file."""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from meteor_e import InputError
from meteor_e.base.files import os_errors_as, unpacked
from meteor_e.base.progress import Progress, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition

if TYPE_CHECKING:
    from pyoxigraph import RdfFormat

_BUFFER = 50_000
"""Triples that wait to be written."""
_STEP = 4 << 20
"""Bytes between reports of progress."""


def extract(harvest: Harvest, path: Path, edition: Edition, kinds: Sequence[str], progress: Progress = silent) -> str:
    """Add what a dump says to a work file; call :meth:`Harvest.derive_words` after the last dump.

    Args:
        harvest: the work file.
        path: the dump, plain or packed by bzip2, gzip or xz. A name with ``.nt`` in it is N-Triples.
        edition: the language.
        kinds: addresses of the properties that make synonyms.
        progress: told how much of the file is read.

    Returns:
        The SHA-256 of the file.

    Raises:
        InputError: if the file cannot be read, breaks off, or is not well-formed, with the line.
    """
    from pyoxigraph import parse

    with os_errors_as(InputError, f"cannot read {path}"), path.open("rb") as file:
        source = _Counting(file, path.stat().st_size, f"reading {path.name}", progress)
        try:
            triples = parse(unpacked(io.BufferedReader(source, 1 << 20), str(path)), _format(path), lenient=True)
            with harvest.saving():
                _read(harvest, triples, edition, kinds, os.fspath(path))
            source.read_rest()
        except SyntaxError as error:
            where = f"{path}:{error.lineno}" if error.lineno else str(path)
            raise InputError(f"{where}: no valid Turtle: {error.msg}") from error
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"{path} is damaged or cut short: {error}") from error
        return source.digest.hexdigest()


def _read(harvest: Harvest, triples: object, edition: Edition, kinds: Sequence[str], part: str) -> None:
    """Put the triples that matter into the tables of the work file.

    Blank nodes of several dumps may have one name, so each gets its dump's behind it. (The parser's own renaming
    remembers every blank node, and memory grows with the file.)
    """
    from pyoxigraph import BlankNode, NamedNode

    tables: dict[str, list[tuple[str, ...]]] = {
        name: [] for name in ("relation", "spoken", "describes", "form", "written", "label")
    }
    what = {
        **{NamedNode(kind): ("relation", kind) for kind in kinds},
        **{NamedNode(one): ("describes", "") for one in DESCRIBES},
        **{NamedNode(one): ("sense", "") for one in SENSE},
        **{NamedNode(one): ("form", "") for one in CANONICAL_FORM},
        **{NamedNode(one): ("written", "") for one in WRITTEN},
        **{NamedNode(one): ("spoken", "") for one in LANGUAGE},
        NamedNode(LABEL): ("label", ""),
    }
    namespace = edition.namespace
    waiting = 0
    for triple in triples:  # type: ignore[attr-defined]
        found = what.get(triple.predicate)
        if found is None:
            continue
        table, kind = found
        subject, value = triple.subject.value, triple.object.value
        if isinstance(triple.subject, BlankNode):
            subject = f"_:{subject} {part}"
        if isinstance(triple.object, BlankNode):
            value = f"_:{value} {part}"
        if table == "relation":
            if not subject.startswith(namespace) or not isinstance(triple.object, NamedNode):
                continue
            row: tuple[str, ...] = (kind, subject, value)
        elif table == "sense":
            table, row = "describes", (value, subject)
        elif table == "spoken":
            if not edition.speaks(value):
                continue
            row = (subject,)
        else:
            row = (subject, value)
        tables[table].append(row)
        waiting += 1
        if waiting == _BUFFER:
            _flush(harvest, tables)
            waiting = 0
    _flush(harvest, tables)


def _flush(harvest: Harvest, tables: dict[str, list[tuple[str, ...]]]) -> None:
    for name, rows in tables.items():
        harvest.add_rows(name, rows)
        rows.clear()


def _format(path: Path) -> RdfFormat:
    from pyoxigraph import RdfFormat

    return RdfFormat.N_TRIPLES if ".nt" in path.suffixes else RdfFormat.TURTLE


class _Counting(io.RawIOBase):
    """A file that counts and hashes what is read of it, and reports how far it is."""

    def __init__(self, file: BinaryIO, size: int, stage: str, progress: Progress) -> None:
        self.digest = hashlib.sha256()
        self._file = file
        self._size = size
        self._stage = stage
        self._progress = progress
        self._count = self._reported = 0
        progress(stage, 0, size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._file.read(len(view))
        view[: len(data)] = data
        self.digest.update(data)
        self._count += len(data)
        if self._count - self._reported >= _STEP:
            self._progress(self._stage, self._count, self._size)
            self._reported = self._count
        return len(data)

    def read_rest(self) -> None:
        """Read what the parser left, so that the hash is the file's."""
        while self.read(1 << 20):
            pass
        self._progress(self._stage, self._count, self._size)
