"""How results look in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar

from meteor_e.base.extras import require

SHOWN = 10
"""Parts of a result that a notebook shows."""


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table in HTML; everything in it is escaped, and numbers have four decimals."""

    import html

    def cell(value: object) -> str:
        return html.escape(f"{value:.4f}" if isinstance(value, float) else str(value))

    head = "".join(f"<th>{cell(title)}</th>" for title in header)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    below = f"<p><small>{html.escape(note)}</small></p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


class Tabular:
    """A result that notebooks and pandas show as a table: of the whole, of its parts, or of both."""

    __slots__ = ()
    _part: ClassVar[str] = "segment"

    def _table(self) -> tuple[Sequence[str], Sequence[object], Iterable[Sequence[object]], str]:
        """Return the titles, the row of the whole (empty if there is none), the rows of its parts, and a note."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return the table in HTML, of its parts the first ones."""
        titles, whole, parts, note = self._table()
        rows = [("all", *whole)] if whole else []
        rows += [(f"{self._part} {number}", *row) for number, row in enumerate(islice(parts, SHOWN), 1)]
        return html_table(("", *titles), rows, note)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per part; of what has no parts, with one row.

        Raises:
            ConfigError: if pandas is not installed.
        """
        titles, whole, parts, _ = self._table()
        rows = list(parts) or ([whole] if whole else [])
        return require("pandas", "to_pandas()", "dask").DataFrame(rows, columns=list(titles))
