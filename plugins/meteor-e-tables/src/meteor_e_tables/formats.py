"""The formats of tables, as ``meteor-e score`` asks for them. Nothing here imports the libraries that read them."""

from __future__ import annotations

from meteor_e import ConfigError
from meteor_e.api import TableFormat, TextColumns
from meteor_e_tables.batches import Source


def _refuse_split(path: str, split: str | None) -> None:
    if split is not None:
        raise ConfigError(f"{path} is no dataset with splits; leave --split out")


class ParquetFormat(TableFormat):
    """Parquet: a file, or a folder of files."""

    name = "parquet"

    def open(self, path: str, texts: TextColumns, *, split: str | None = None, encoding: str = "utf-8") -> Source:
        """Open a table."""
        from meteor_e_tables.parquet import Parquet

        _refuse_split(path, split)
        return Parquet(path, texts)


class JsonLinesFormat(TableFormat):
    """JSON Lines: one object per line, plain or gzip."""

    name = "jsonl"

    def open(self, path: str, texts: TextColumns, *, split: str | None = None, encoding: str = "utf-8") -> Source:
        """Open a table."""
        from meteor_e_tables.jsonlines import JsonLines

        _refuse_split(path, split)
        return JsonLines(path, texts)


class DatasetsFormat(TableFormat):
    """Hugging Face datasets: a folder that ``save_to_disk`` wrote."""

    name = "datasets"

    def open(self, path: str, texts: TextColumns, *, split: str | None = None, encoding: str = "utf-8") -> Source:
        """Open a table."""
        from meteor_e_tables.huggingface import SavedDataset

        return SavedDataset(path, texts, split)
