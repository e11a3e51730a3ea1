"""Extract synonyms from RDF dumps of DBnary. Dumps are streamed, so even large dumps need little memory."""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
    with _input_errors(path, rdf_format), path.open("rb") as file:
        file_size = path.stat().st_size
        triples = parse(decompress(file, str(path)), rdf_format, lenient=True)
        for rows_by_table in _read_row_blocks(triples, edition, properties, os.fspath(path)):
            for table, rows in rows_by_table.items():
                harvest.add_rows(table, rows)
            progress(stage, file.tell(), file_size)
        return sha256_of(path)


@contextmanager
def _input_errors(path: Path, rdf_format: RdfFormat) -> Iterator[None]:
    """Raise InputError if a dump cannot be read, decompressed or parsed in the ``with`` block."""
    with os_errors_as(InputError, f"cannot read {path}"):
        try:
            yield
        except SyntaxError as error:
            location = f"{path}:{error.lineno}" if error.lineno else str(path)
            raise InputError(f"{location}: not valid {rdf_format.name}: {error.msg}") from error
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"{path} is damaged or cut short: {error}") from error


def _read_row_blocks(
    triples: Iterable[Any], edition: Edition, properties: Sequence[str], dump: str
) -> Iterator[dict[str, list[Row]]]:
    """Yield blocks of rows for the temporary database. A block maps each table name to a list of rows.

    Args:
        triples: the triples of the dump.
        edition: the edition of the language.
        properties: the IRIs of the properties that connect synonyms.
        dump: the path of the dump, which distinguishes blank nodes with equal names in several dumps. The parser can
            rename blank nodes, but it remembers all of them, so memory would grow with the dump.
    """
    converters = _make_converters(_RowMaker(edition, dump), properties)
    rows_by_table: dict[str, list[Row]] = {}
    row_count = 0
    for triple in triples:
        converter = converters.get(triple.predicate)
        if converter is None:
            continue
        row = converter.make_row(triple)
        if row is None:
            continue
        rows_by_table.setdefault(converter.table, []).append(row)
        row_count += 1
        if row_count % _BLOCK == 0:
            yield rows_by_table
            rows_by_table = {}
    yield rows_by_table


class _Converter(NamedTuple):
    """Converts the triples of an RDF property to rows of a table.

    Attributes:
        table: the name of the table.
        make_row: a function that converts a triple to a row. It returns None if the triple is not needed.
    """

    table: str
    make_row: Callable[[Any], Row | None]


class _RowMaker(NamedTuple):
    """Makes database rows from RDF triples.

    Attributes:
        edition: the edition of the language.
        dump: the path of the dump.
    """

    edition: Edition
    dump: str

    def make_relation_row(self, triple: Any) -> Row | None:
        """Convert a triple to a row (property, subject, object). Return None if the triple is not from the edition."""
        from pyoxigraph import NamedNode

        if not isinstance(triple.object, NamedNode):
            return None
        subject = _name_node(triple.subject, self.dump)
        is_in_edition = subject.startswith(self.edition.namespace)
        return (triple.predicate.value, subject, triple.object.value) if is_in_edition else None

    def make_entry_row(self, triple: Any) -> Row | None:
        """Convert a triple (entry, property, language) to a row (entry,).

        Return None if the language is not the language of the edition.
        """
        language = _name_node(triple.object, self.dump)
        return (_name_node(triple.subject, self.dump),) if self.edition.speaks(language) else None

    def make_pair_row(self, triple: Any) -> Row:
        """Convert a triple to a row (subject, object)."""
        return (_name_node(triple.subject, self.dump), _name_node(triple.object, self.dump))

    def make_inverse_row(self, triple: Any) -> Row:
        """Convert a triple (subject, predicate, object) to a row (object, subject)."""
        return (_name_node(triple.object, self.dump), _name_node(triple.subject, self.dump))


def _make_converters(row_maker: _RowMaker, properties: Sequence[str]) -> dict[Any, _Converter]:
    """Return the converter of each RDF property. The keys are nodes of pyoxigraph.

    Args:
        row_maker: makes the rows.
        properties: the IRIs of the properties that connect synonyms.
    """
    from pyoxigraph import NamedNode

    converters_by_properties: dict[Sequence[str], _Converter] = {
        tuple(properties): _Converter("relation", row_maker.make_relation_row),
        LANGUAGE: _Converter("spoken", row_maker.make_entry_row),
        DESCRIBES: _Converter("describes", row_maker.make_pair_row),
        # The property "sense" is the inverse of "describes", so one table stores both properties.
        SENSE: _Converter("describes", row_maker.make_inverse_row),
        CANONICAL_FORM: _Converter("form", row_maker.make_pair_row),
        WRITTEN: _Converter("written", row_maker.make_pair_row),
        (LABEL,): _Converter("label", row_maker.make_pair_row),
    }
    return {NamedNode(iri): converter for iris, converter in converters_by_properties.items() for iri in iris}


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
