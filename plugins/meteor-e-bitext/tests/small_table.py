"""A small paraphrase table in METEOR's format."""

from __future__ import annotations

from pathlib import Path

TABLE = [
    ("0.5", "a b", "c"),
    ("0.4", "c", "a b"),
    ("0.3", "x", "y"),
    ("0.25", "b", "zz"),
    ("0.2", "zz", "b"),
    ("0.1", "b a", "nn"),
    ("0.1", "a l", "l k"),
    ("0.1", "a b z", "q r"),
]
"""The entries of the table: probability, phrase and paraphrase."""


def write_table(path: Path, entries=TABLE) -> Path:
    """Write entries to a table of three lines per entry, and return the path of the table."""
    path.write_text("".join("\n".join(entry) + "\n" for entry in entries), encoding="utf-8")
    return path
