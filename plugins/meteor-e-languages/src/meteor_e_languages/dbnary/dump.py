"""Extraction from an RDF dump in any serialization, read as a stream: memory does not grow with the file."""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from meteor_e import InputError
from meteor_e.base.files import decompress, os_errors_as, sha256_of
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition

if TYPE_CHECKING:
    from pyoxigraph import RdfFormat

_BUFFER = 50_000
"""Triples that wait to be written."""


def extract(harvest: Harvest, path: Path, edition: Edition, kinds: Sequence[str], progress: Progress = silent) -> str:
    """Add what a dump says to a work file; call :meth:`Harvest.derive_words` after the last dump.

    Args:
        harvest: the work file.
        path: the dump, plain or compressed by bzip2, gzip or xz; see :func:`detect_format`.
        edition: the language.
        kinds: addresses of the properties that make synonyms.
        progress: told how much of the file is read.

    Returns:
        The SHA-256 of the file.

    Raises:
        InputError: if the file cannot be read, breaks off, or is not well-formed, with the line.
    """
    from pyoxigraph import parse

    rdf_format = detect_format(path)
    with os_errors_as(InputError, f"cannot read {path}"), path.open("rb") as file:
        size = path.stat().st_size
        try:
            triples = parse(decompress(file, str(path)), rdf_format, lenient=True)
            for part in _rows(triples, edition, kinds, os.fspath(path)):
                for name, rows in part.items():
                    harvest.add_rows(name, rows)
                progress(Stage(f"reading {path.name}", "B"), file.tell(), size)
        except SyntaxError as error:
            where = f"{path}:{error.lineno}" if error.lineno else str(path)
            raise InputError(f"{where}: not valid {rdf_format.name}: {error.msg}") from error
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"{path} is damaged or cut short: {error}") from error
        return sha256_of(path)


def _rows(
    triples: object, edition: Edition, kinds: Sequence[str], part: str
) -> Iterator[dict[str, list[tuple[str, ...]]]]:
    """Yield the triples that matter, as rows of the tables of the work file.

    Blank nodes of several dumps may have one name, so each gets its dump's behind it. (The parser's own renaming
    remembers every blank node, and memory grows with the file.)
    """
    from pyoxigraph import BlankNode, NamedNode

    tables: dict[str, list[tuple[str, ...]]] = {}
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
        tables.setdefault(table, []).append(row)
        waiting += 1
        if waiting % _BUFFER == 0:
            yield tables
            tables = {}
    yield tables


def detect_format(path: Path) -> RdfFormat:
    """Return the serialization that the name of a dump says: ``.nt``, ``.rdf``, ``.jsonld`` and so on, else Turtle."""
    from pyoxigraph import RdfFormat

    for suffix in reversed(path.suffixes):
        extension = {"owl": "rdf"}.get(suffix[1:].lower(), suffix[1:].lower())
        if rdf_format := RdfFormat.from_extension(extension):
            return rdf_format
    return RdfFormat.TURTLE
