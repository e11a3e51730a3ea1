"""The hooks. Nothing here imports numpy or what reads tables."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_table_formats() -> dict[str, str]:
    """Return the formats that need a library, or more than one line of text per row."""
    return {
        "json": "meteor_e_tables.formats:JsonArrayFormat",
        "jsonl": "meteor_e_tables.formats:JsonLinesFormat",
        "parquet": "meteor_e_tables.formats:ParquetFormat",
    }


@hookimpl
def meteor_e_runners() -> dict[str, str]:
    """Return the runners: into a table of segments, and on a cluster."""
    return {"dask": "meteor_e_tables.cluster:DaskRunner", "table": "meteor_e_tables.output:TableRunner"}
