"""The hooks of the plugin. This module does not import NumPy or the libraries that read tables."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_table_formats() -> dict[str, str]:
    """Return the table formats."""
    return {
        "json": "meteor_e_tables.formats:JsonArrayFormat",
        "jsonl": "meteor_e_tables.formats:JsonLinesFormat",
        "parquet": "meteor_e_tables.formats:ParquetFormat",
    }


@hookimpl
def meteor_e_runners() -> dict[str, str]:
    """Return the runners that write a table of segments and that score on a cluster."""
    return {"dask": "meteor_e_tables.cluster:DaskRunner", "table": "meteor_e_tables.output:TableRunner"}
