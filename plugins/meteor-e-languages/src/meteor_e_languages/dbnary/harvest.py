"""The work file of an extraction: what has been read so far, in SQLite, so that memory stays small.

It outlives an interruption. Rows and the note of how far they reach are written in one transaction: whenever the
process dies, the file says exactly what is in it.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from meteor_e import ResourceError

_SCHEMA = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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
_VERSION = 1
_CACHE_KIB = 64 << 10
"""Memory for pages of the file, whatever its size."""

RAW = ("relation", "spoken", "describes", "form", "written", "label")
"""The tables that a dump's triples go to, beside the derived ``word``."""


class Harvest:
    """Relations between nodes (pages, entries and senses), and the words of nodes.

    Args:
        path: the file; made if it is not there.
        subject: what is extracted, from where. A file of another subject is begun anew.
        durable: survive a crash of the machine, at a price; not needed for what is not continued.

    Raises:
        ResourceError: if the file cannot be used.
    """

    def __init__(self, path: Path, subject: dict[str, Any], *, durable: bool = True) -> None:
        self.path = path
        described = json.dumps({"version": _VERSION, **subject}, sort_keys=True)
        with self._telling():
            self._connection = sqlite3.connect(path, isolation_level=None)
            try:
                fits = self.note("subject") == described
            except sqlite3.DatabaseError:
                fits = False
            if not fits:
                self.remove()
                self._connection = sqlite3.connect(path, isolation_level=None)
                self._connection.executescript(_SCHEMA)
                with self.saving():
                    self.set_note("subject", described)
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            if not durable:
                self._connection.execute("PRAGMA journal_mode = OFF")
                self._connection.execute("PRAGMA synchronous = OFF")

    def note(self, name: str) -> str | None:
        """Return what was noted under a name."""
        row = self._connection.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_note(self, name: str, value: str | None) -> None:
        """Note something; ``None`` forgets it."""
        if value is None:
            self._connection.execute("DELETE FROM note WHERE name = ?", (name,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))

    @contextlib.contextmanager
    def saving(self) -> Iterator[None]:
        """Let all that is added in the block be kept together, or nothing of it.

        Raises:
            ResourceError: if it cannot be written.
        """
        with self._telling():
            self._connection.execute("BEGIN")
            try:
                yield
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def add_relations(self, kind: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Add pairs of nodes; one that is there already is not added again."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO relation VALUES (?, ?, ?)", ((kind, source, target) for source, target in pairs)
        )

    def forget_relations(self, kind: str) -> None:
        """Delete the pairs of a kind."""
        self._connection.execute("DELETE FROM relation WHERE kind = ?", (kind,))

    def count_relations(self, kind: str) -> int:
        """Return how many pairs of a kind there are."""
        return int(self._connection.execute("SELECT count(*) FROM relation WHERE kind = ?", (kind,)).fetchone()[0])

    def nodes_after(self, node: str, count: int) -> list[str]:
        """Return the next nodes of relations, in the order of their names."""
        halves = (
            f"SELECT * FROM (SELECT DISTINCT {side} FROM relation WHERE {side} > ?1 ORDER BY {side} LIMIT ?2)"
            for side in ("source", "target")
        )
        rows = self._connection.execute(f"{' UNION '.join(halves)} ORDER BY 1 LIMIT ?2", (node, count))
        return [str(row[0]) for row in rows]

    def index_targets(self) -> None:
        """Make :meth:`nodes_after` fast."""
        with self._telling():
            self._connection.execute("CREATE INDEX IF NOT EXISTS relation_source ON relation (source)")
            self._connection.execute("CREATE INDEX IF NOT EXISTS relation_target ON relation (target)")

    def count_nodes(self) -> int:
        """Return how many nodes the relations have."""
        union = "SELECT source FROM relation UNION SELECT target FROM relation"
        return int(self._connection.execute(f"SELECT count(*) FROM ({union})").fetchone()[0])

    def add_words(self, words: Iterable[tuple[str, str]]) -> None:
        """Add words of nodes: pairs of a node and a text."""
        self._connection.executemany("INSERT OR IGNORE INTO word VALUES (?, ?)", words)

    def add_rows(self, table: str, rows: Sequence[tuple[str, ...]]) -> None:
        """Add rows to one of the tables :data:`RAW`."""
        marks = ", ".join("?" * len(rows[0])) if rows else ""
        if rows:
            self._connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)

    def derive_words(self) -> None:
        """Find the words of the nodes: of an entry its own, of a page or sense those of its entries.

        An entry's words are the written forms of its canonical form or, where it has none, its label. Only
        entries of the language count.
        """
        with self._telling():
            self._connection.executescript(
                """
                CREATE INDEX written_form ON written (form);
                CREATE INDEX form_entry ON form (entry);
                CREATE INDEX label_entry ON label (entry);
                CREATE INDEX describes_node ON describes (node);
                CREATE TABLE wanted AS SELECT source AS node FROM relation UNION SELECT target FROM relation;
                CREATE TABLE spelled (node TEXT, entry TEXT);
                INSERT INTO spelled SELECT node, node FROM wanted;
                INSERT INTO spelled SELECT node, entry FROM wanted JOIN describes USING (node);
                DELETE FROM spelled WHERE entry NOT IN (SELECT entry FROM spoken);
                INSERT OR IGNORE INTO word
                    SELECT node, text FROM spelled JOIN form USING (entry) JOIN written USING (form);
                INSERT OR IGNORE INTO word
                    SELECT node, text FROM spelled AS s JOIN label USING (entry) WHERE NOT EXISTS (
                        SELECT * FROM form AS f JOIN written USING (form) WHERE f.entry = s.entry
                    );
                """
            )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield all pairs of a word and its synonym, as the dictionary writes them; some may come twice."""
        with self._telling():
            rows = self._connection.execute(
                "SELECT a.text, b.text FROM relation "
                "JOIN word AS a ON a.node = source JOIN word AS b ON b.node = target"
            )
            for word, synonym in rows:
                yield str(word), str(synonym)

    def close(self) -> None:
        """Close the file; it stays."""
        self._connection.close()

    def remove(self) -> None:
        """Close and delete the file."""
        self.close()
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ResourceError(f"cannot use the work file {self.path}: {error}") from error
