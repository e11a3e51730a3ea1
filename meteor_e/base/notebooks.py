"""How results look in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meteor_e.base.extras import require

__all__ = ["data_frame", "html_table"]


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table in HTML; everything in it is escaped, and numbers have four decimals."""

    import html

    def cell(value: object) -> str:
        return html.escape(f"{value:.4f}" if isinstance(value, float) else str(value))

    head = "".join(f"<th>{cell(title)}</th>" for title in header)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    below = f"<p><small>{html.escape(note)}</small></p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a pandas DataFrame.

    Raises:
        ConfigError: if pandas is not installed.
    """
    return require("pandas", "to_pandas()", "dask").DataFrame(list(rows))
