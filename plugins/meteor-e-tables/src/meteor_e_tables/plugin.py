"""Register the table formats and the score runners as plugins, without importing NumPy or the table libraries."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_table_formats() -> dict[str, str]:
    """Return the table formats that the plugin reads."""
    return {
        "json": "meteor_e_tables.formats:JsonArrayFormat",
        "jsonl": "meteor_e_tables.formats:JsonLinesFormat",
        "parquet": "meteor_e_tables.formats:ParquetFormat",
    }


@hookimpl
def meteor_e_runners() -> dict[str, str]:
    """Return two runners for ``meteor-e score``: one scores on a cluster, and the other writes scores to a table."""
    return {"dask": "meteor_e_tables.cluster:DaskRunner", "table": "meteor_e_tables.output:TableRunner"}
