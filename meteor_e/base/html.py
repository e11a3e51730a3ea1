"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(header: Sequence[str], rows: Iterable[Sequence[str | float]], note: str = "") -> str:
    """Return an HTML table with an optional paragraph below it.

    All text is escaped. Numbers with a fraction are shown with four decimals.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(value: str | float) -> str:
    """Return a table cell. Texts are aligned left."""
    if isinstance(value, str):
        return f'<td style="text-align: left">{escape(value)}</td>'
    return f"<td>{value:.4f}</td>" if isinstance(value, float) else f"<td>{value}</td>"
