"""Define the table formats of ``meteor-e score``. Table libraries are imported only when a table is opened."""

from __future__ import annotations

from meteor_e.api import TableFormat, TextColumns
from meteor_e_tables.batches import BatchedTable


class ParquetFormat(TableFormat):
    """Open Parquet files, and folders that contain several Parquet files."""

    name = "parquet"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a Parquet table."""
        from meteor_e_tables.parquet import Parquet

        return Parquet(path, texts)


class JsonLinesFormat(TableFormat):
    """Open JSON Lines files, which contain one JSON object per line and can be compressed with gzip."""

    name = "jsonl"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a JSON Lines file."""
        from meteor_e_tables.jsonlines import JsonLines

        return JsonLines(path, texts)


class JsonArrayFormat(TableFormat):
    """Open JSON files that consist of one array of objects."""

    name = "json"

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> BatchedTable:
        """Open a JSON file that contains an array of objects."""
        from meteor_e_tables.jsonlines import JsonArray

        return JsonArray(path, texts)
