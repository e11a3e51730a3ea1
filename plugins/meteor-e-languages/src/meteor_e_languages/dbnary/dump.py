"""Extract synonyms from RDF dumps of DBnary. Dumps are streamed, so even large dumps need little memory."""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e import InputError
from meteor_e.base.files import decompress, os_errors_as, sha256_of
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition

if TYPE_CHECKING:
    from pyoxigraph import RdfFormat

_BLOCK = 50_000
"""Number of rows that are written to the work file at once."""

Row = tuple[str, ...]


def extract(
    harvest: Harvest, path: Path, edition: Edition, properties: Sequence[str], progress: Progress = silent
) -> str:
    """Add the content of a dump to a temporary database. Call :meth:`Harvest.derive_words` after the last dump.

    Args:
        harvest: the temporary database.
        path: the dump, plain or compressed with bzip2, gzip or xz; see :func:`detect_format`.
        edition: the edition of the language.
        properties: the IRIs of the properties that connect synonyms.
        progress: called with the number of bytes that are read.

    Returns:
        The SHA-256 of the dump.

    Raises:
        InputError: if the dump cannot be read, is incomplete, or is malformed (with the line).
    """
    from pyoxigraph import parse

    rdf_format = detect_format(path)
    stage = Stage(f"reading {path.name}", "B")
    with os_errors_as(InputError, f"cannot read {path}"), path.open("rb") as file, _parse_errors(path, rdf_format):
        file_size = path.stat().st_size
        triples = parse(decompress(file, str(path)), rdf_format, lenient=True)
        for rows_by_table in _read_tables(triples, edition, properties, os.fspath(path)):
            for table, rows in rows_by_table.items():
                harvest.add_rows(table, rows)
            progress(stage, file.tell(), file_size)
        return sha256_of(path)


@contextmanager
def _parse_errors(path: Path, rdf_format: RdfFormat) -> Iterator[None]:
    """Convert parse errors and decompression errors that occur in the block to InputError."""
    try:
        yield
    except SyntaxError as error:
        location = f"{path}:{error.lineno}" if error.lineno else str(path)
        raise InputError(f"{location}: not valid {rdf_format.name}: {error.msg}") from error
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{path} is damaged or cut short: {error}") from error


def _read_tables(
    triples: Any, edition: Edition, properties: Sequence[str], dump: str
) -> Iterator[dict[str, list[Row]]]:
    """Yield blocks of rows for the tables of the temporary database.

    Args:
        triples: the triples of the dump.
        edition: the edition of the language.
        properties: the IRIs of the properties that connect synonyms.
        dump: the path of the dump, which distinguishes blank nodes with equal names in several dumps. The parser can
            rename blank nodes, but it remembers all of them, so memory would grow with the dump.
    """
    tables_by_property = _map_properties_to_tables(properties)
    rows_by_table: dict[str, list[Row]] = {}
    row_count = 0
    for triple in triples:
        table = tables_by_property.get(triple.predicate)
        if table is None:
            continue
        row = _make_row(table, triple, edition, dump)
        if row is None:
            continue
        if table == "sense":
            # The property "sense" is the inverse of "describes", so both properties are stored in one table.
            table = "describes"
        rows_by_table.setdefault(table, []).append(row)
        row_count += 1
        if row_count % _BLOCK == 0:
            yield rows_by_table
            rows_by_table = {}
    yield rows_by_table


def _map_properties_to_tables(properties: Sequence[str]) -> dict[Any, str]:
    """Return the database table of each RDF property. The keys are nodes of pyoxigraph."""
    from pyoxigraph import NamedNode

    iris_by_table = {
        "relation": properties,
        "describes": DESCRIBES,
        "sense": SENSE,
        "form": CANONICAL_FORM,
        "written": WRITTEN,
        "spoken": LANGUAGE,
        "label": (LABEL,),
    }
    tables_by_property = {}
    for table, iris in iris_by_table.items():
        for iri in iris:
            tables_by_property[NamedNode(iri)] = table
    return tables_by_property


def _make_row(table: str, triple: Any, edition: Edition, dump: str) -> Row | None:
    """Convert an RDF triple to a database row. Return None if the triple belongs to another edition of DBnary."""
    from pyoxigraph import NamedNode

    subject = _name_node(triple.subject, dump)
    value = _name_node(triple.object, dump)
    if table == "relation":
        is_in_edition = subject.startswith(edition.namespace) and isinstance(triple.object, NamedNode)
        return (triple.predicate.value, subject, value) if is_in_edition else None
    # The table "spoken" contains the entries of the edition's language.
    if table == "spoken":
        return (subject,) if edition.speaks(value) else None
    if table == "sense":
        return (value, subject)
    return (subject, value)


def _name_node(node: Any, dump: str) -> str:
    """Return the value of an RDF node. The path of the dump makes the name of a blank node unique."""
    from pyoxigraph import BlankNode

    if isinstance(node, BlankNode):
        return f"_:{node.value} {dump}"
    return str(node.value)


def detect_format(path: Path) -> RdfFormat:
    """Return the RDF format for the file suffix of a dump, such as ``.nt`` or ``.jsonld``. The default is Turtle."""
    from pyoxigraph import RdfFormat

    for suffix in reversed(path.suffixes):
        extension = suffix[1:].lower()
        rdf_format = RdfFormat.from_extension("rdf" if extension == "owl" else extension)
        if rdf_format is not None:
            return rdf_format
    return RdfFormat.TURTLE
