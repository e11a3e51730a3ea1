"""Store extracted synonyms in a temporary SQLite database, because large dumps may not fit into memory."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from meteor_e import ResourceError

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE relation (
    kind TEXT, source TEXT, target TEXT, PRIMARY KEY (kind, source, target)
) WITHOUT ROWID;
CREATE TABLE word (node TEXT, text TEXT, PRIMARY KEY (node, text)) WITHOUT ROWID;
CREATE TABLE spoken (entry TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE describes (node TEXT, entry TEXT);
CREATE TABLE form (entry TEXT, form TEXT);
CREATE TABLE written (form TEXT, text TEXT);
CREATE TABLE label (entry TEXT, text TEXT);
"""
_DERIVE_WORDS = """
CREATE INDEX written_form ON written (form);
CREATE INDEX form_entry ON form (entry);
CREATE INDEX label_entry ON label (entry);
CREATE INDEX describes_node ON describes (node);

-- The nodes whose words are needed.
CREATE TABLE related AS SELECT source AS node FROM relation UNION SELECT target FROM relation;

-- The entries of each node. A node can be an entry itself, or a page or a sense that an entry belongs to.
CREATE TABLE node_entry (node TEXT, entry TEXT);
INSERT INTO node_entry SELECT node, node FROM related;
INSERT INTO node_entry SELECT node, entry FROM related JOIN describes USING (node);
DELETE FROM node_entry WHERE entry NOT IN (SELECT entry FROM spoken);

-- The words of a node are the written forms of its entries.
INSERT OR IGNORE INTO word
    SELECT node, text FROM node_entry JOIN form USING (entry) JOIN written USING (form);

-- An entry without written forms is represented by its label.
INSERT OR IGNORE INTO word
    SELECT node, text FROM node_entry JOIN label USING (entry)
    WHERE NOT EXISTS (
        SELECT * FROM form JOIN written USING (form) WHERE form.entry = node_entry.entry
    );
"""
_CACHE_KIB = 64 << 10
"""Memory for cached pages of the database, in KiB."""


class Harvest:
    """A temporary database of DBnary nodes, their words and their relations. Nodes are pages, entries or senses.

    Use the database as a context manager, which creates and closes the file.

    Args:
        path: the path of the new file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Harvest:
        with self._sqlite_errors():
            self._connection = sqlite3.connect(self._path, isolation_level=None)
            self._connection.executescript(_SCHEMA)
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def add_rows(self, table: str, rows: Sequence[tuple[str, ...]]) -> None:
        """Add rows to a table. Raise ResourceError if the rows cannot be written."""
        placeholders = ", ".join("?" * len(rows[0]))
        with self._sqlite_errors():
            self._connection.execute("BEGIN")
            self._connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({placeholders})", rows)
            self._connection.execute("COMMIT")

    def derive_words(self) -> None:
        """Look up the words of all nodes. Call this method after all dumps have been loaded into the database.

        A dictionary entry usually lists the spellings of its headword. These spellings are the words of the entry. If
        an entry does not list spellings, the entry's label is used instead. The words of a page or a word sense are the
        words of all its entries. Entries in other languages are ignored.
        """
        with self._sqlite_errors():
            self._connection.executescript(_DERIVE_WORDS)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield (word, synonym) pairs in the spelling of the dictionary. Pairs may be repeated."""
        with self._sqlite_errors():
            yield from self._connection.execute(
                "SELECT source_word.text, target_word.text FROM relation "
                "JOIN word AS source_word ON source_word.node = source "
                "JOIN word AS target_word ON target_word.node = target"
            )

    @contextlib.contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Raise ResourceError if an SQLite operation fails within the ``with`` block."""
        try:
            yield
        except sqlite3.Error as error:
            raise ResourceError(f"cannot use the work file {self._path}: {error}") from error
