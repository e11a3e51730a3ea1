"""Tables of an evaluation as TSV, JSON, LaTeX and Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from meteor_e_evaluation.agreement import Evaluation, Result, Table


def format_number(value: float, digits: int) -> str:
    """Return a number as tables show it; a dash for what is undefined."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def format_p(p: float) -> str:
    """Return a p-value with three decimals; very small ones as ``<0.001``."""
    return "–" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def sorted_rows(table: Table) -> list[tuple[str, tuple[Result, ...]]]:
    """Return the rows of a table; where metrics are ranked, by the last column, best first."""
    rows = list(table.rows.items())
    if table.columns[-1] in table.ranks:
        rows.sort(key=lambda row: -math.inf if math.isnan(row[1][-1].value) else row[1][-1].value, reverse=True)
    return rows


def cells_of(table: Table, name: str, digits: int) -> list[str]:
    """Return a metric's row as text: value, rank in parentheses, interval."""
    return [
        format_result(result, digits, table.ranks.get(column, {}).get(name))
        for column, result in zip(table.columns, table.rows[name], strict=True)
    ]


def format_result(result: Result, digits: int, rank: int | None = None) -> str:
    """Return a result with its rank and interval."""
    text = format_number(result.value, digits)
    if rank is not None:
        text += f" ({rank})"
    if result.interval is not None and not math.isnan(result.value):
        text += f" [{format_number(result.interval.low, digits)}, {format_number(result.interval.high, digits)}]"
    return text


def table_title(table: Table) -> str:
    """Return what a table shows."""
    return f"{table.testset}, {table.measure.title}"


def rank_note(evaluation: Evaluation) -> str:
    """Return what ranks in parentheses are; empty where there are none."""
    if not any(table.ranks for table in evaluation.tables):
        return ""
    return (
        "Ranks in parentheses: metrics share a rank until one is significantly worse (p < 0.05) than any of that rank."
    )


def render_tsv(evaluation: Evaluation, digits: int) -> str:
    """Return one row a number, with full precision."""
    lines = ["testset\tmeasure\tmetric\tpair\tvalue\tlow\thigh\trank"]
    for table in evaluation.tables:
        for name, results in table.rows.items():
            for column, result in zip(table.columns, results, strict=True):
                low, high = result.interval or (math.nan, math.nan)
                numbers = ("" if math.isnan(value) else repr(value) for value in (result.value, low, high))
                rank = table.ranks.get(column, {}).get(name)
                cells = (table.testset, table.measure.name, name, column, *numbers, "" if rank is None else str(rank))
                lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines) + "\n"


def _json_number(value: float) -> float | None:
    return None if math.isnan(value) else value


def render_json(evaluation: Evaluation, digits: int) -> str:
    """Return everything, with full precision; what is undefined is ``null``."""
    tables = []
    for table in evaluation.tables:
        metrics = {
            name: {
                column: {
                    "value": _json_number(result.value),
                    "interval": None if result.interval is None else [_json_number(end) for end in result.interval],
                    "rank": table.ranks.get(column, {}).get(name),
                }
                for column, result in zip(table.columns, results, strict=True)
            }
            for name, results in table.rows.items()
        }
        comparisons = {
            pair: {
                "test": tested.test,
                "metrics": list(tested.names),
                "p": [[_json_number(float(value)) for value in row] for row in tested.p],
            }
            for pair, tested in table.comparisons.items()
        }
        tables.append(
            {
                "testset": table.testset,
                "measure": table.measure.name,
                "level": table.measure.level,
                "metrics": metrics,
                "comparisons": comparisons,
            }
        )
    document = {
        "tables": tables,
        "signatures": evaluation.signatures,
        "counts": evaluation.counts,
        "warnings": {title: list(messages) for title, messages in evaluation.warnings.items()},
        "settings": evaluation.settings,
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_LATEX = str.maketrans({char: f"\\{char}" for char in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\^{}",
                       "\\": r"\textbackslash{}", "τ": r"$\tau$", "ρ": r"$\rho$", "–": "--"})  # fmt: skip


def _best(table: Table) -> list[float]:
    columns = zip(*table.rows.values(), strict=True)
    return [max((r.value for r in column if not math.isnan(r.value)), default=math.nan) for column in columns]


def render_latex(evaluation: Evaluation, digits: int) -> str:
    """Return tables for LaTeX with booktabs; the best of each column is bold."""
    parts = []
    for table in evaluation.tables:
        best = _best(table)
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{table_title(table).translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
            r"\toprule",
            " & ".join(["Metric", *table.columns]) + r" \\",
            r"\midrule",
        ]
        for name, results in sorted_rows(table):
            cells = [
                rf"\textbf{{{cell}}}" if result.value == top else cell
                for cell, result, top in zip(cells_of(table, name, digits), results, best, strict=True)
            ]
            lines.append(" & ".join([name.translate(_LATEX), *(cell.replace("–", "--") for cell in cells)]) + r" \\")
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]))
    return "\n\n".join(parts) + "\n"


def render_markdown(evaluation: Evaluation, digits: int) -> str:
    """Return tables for Markdown; the best of each column is bold."""
    parts = []
    for table in evaluation.tables:
        best = _best(table)
        lines = [
            f"**{table_title(table)}**",
            "",
            "| Metric | " + " | ".join(table.columns) + " |",
            "|---|" + "--:|" * len(table.columns),
        ]
        for name, results in sorted_rows(table):
            cells = [
                f"**{cell}**" if result.value == top else cell
                for cell, result, top in zip(cells_of(table, name, digits), results, best, strict=True)
            ]
            lines.append(f"| {name.replace('|', chr(92) + '|')} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    parts += [note] if (note := rank_note(evaluation)) else []
    return "\n\n".join(parts) + "\n"


FORMATS: dict[str, Callable[[Evaluation, int], str]] = {
    "tsv": render_tsv,
    "json": render_json,
    "latex": render_latex,
    "markdown": render_markdown,
}
"""The forms that tables come in."""


def render(evaluation: Evaluation, form: str, digits: int = 4) -> str:
    """Write tables in one of :data:`FORMATS`."""
    return FORMATS[form](evaluation, digits)
