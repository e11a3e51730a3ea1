"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def _escape(text: str) -> str:
    """Escape special characters of HTML. The standard module ``html`` is not used, because it loads slowly."""
    for character, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(character, f"&{entity};")
    return text


def html_table(header: Sequence[str], rows: Iterable[Sequence[str | float]], note: str = "") -> str:
    """Return an HTML table with an optional paragraph below it.

    All text is escaped. Numbers with a fraction are shown with four decimals.
    """
    header_cells = "".join(f"<th>{_escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    paragraph = f"<p><small>{_escape(note)}</small></p>" if note else ""
    return f"<table><thead><tr>{header_cells}</tr></thead><tbody>{body}</tbody></table>{paragraph}"


def _cell(value: str | float) -> str:
    """Return a table cell. Texts are aligned left."""
    if isinstance(value, str):
        return f'<td style="text-align: left">{_escape(value)}</td>'
    return f"<td>{value:.4f}</td>" if isinstance(value, float) else f"<td>{value}</td>"
