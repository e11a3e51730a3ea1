"""The table formats of ``meteor-e score``. The libraries that read them are imported only when a table is opened."""

from __future__ import annotations

from meteor_e.api import TableFormat, TextColumns
from meteor_e_tables.batches import BatchedTable


class ParquetFormat(TableFormat):
    """Parquet: a file, or a folder of files."""

    name = "parquet"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a table."""
        from meteor_e_tables.parquet import Parquet

        return Parquet(path, texts)


class JsonLinesFormat(TableFormat):
    """JSON Lines: one object per line, plain or gzip."""

    name = "jsonl"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a table."""
        from meteor_e_tables.jsonlines import JsonLines

        return JsonLines(path, texts)


class JsonArrayFormat(TableFormat):
    """JSON: one array of objects."""

    name = "json"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a table."""
        from meteor_e_tables.jsonlines import JsonArray

        return JsonArray(path, texts)
