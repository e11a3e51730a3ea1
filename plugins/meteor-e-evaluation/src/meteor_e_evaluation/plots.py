"""Pictures of an evaluation: bars with intervals, and matrices of significance."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.files import os_errors_as
from meteor_e_evaluation.agreement import Evaluation, Table
from meteor_e_evaluation.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIGNIFICANT = 0.05


def _figure(width: float, height: float) -> Figure:
    # The Figure class itself needs no display and keeps no global state.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plot_bars(table: Table) -> Figure:
    """Draw a measure: one group of bars per language pair, one bar per metric, whiskers for intervals."""
    columns, names = len(table.columns), list(table.rows)
    figure = _figure(max(5.0, 1.2 + 0.28 * columns * (len(names) + 1)), 3.6)
    axes = figure.subplots()
    width = 0.8 / max(1, len(names))
    for number, name in enumerate(names):
        results = table.rows[name]
        places = np.arange(columns) + (number - (len(names) - 1) / 2) * width
        values = np.array([result.value for result in results])
        errors = None
        if any(result.interval is not None for result in results):
            ends = np.array([result.interval or (math.nan, math.nan) for result in results])
            errors = np.nan_to_num(np.abs(ends.T - values))
        axes.bar(places, np.nan_to_num(values), width, yerr=errors, label=name, error_kw={"linewidth": 0.8})
    axes.set_xticks(np.arange(columns), table.columns)
    axes.set_ylabel(table.measure.title)
    axes.set_title(table.testset)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.legend(fontsize="small", ncols=min(4, len(names)), loc="upper center", bbox_to_anchor=(0.5, -0.1))
    return figure


def plot_matrix(comparison: Comparison, title: str, agreement: dict[str, float] | None = None) -> Figure:
    """Draw a matrix of tests as Ma et al. (2016, figure 4) do.

    A cell is green where the metric of the row is significantly better (p < 0.05) than that of the column, the
    darker, the smaller p.

    Args:
        comparison: the tests.
        title: of the picture.
        agreement: the measure by metric, to sort metrics by, best first.
    """
    order = list(range(len(comparison.names)))
    if agreement is not None:
        order.sort(key=lambda at: -agreement.get(comparison.names[at], -math.inf))
    names = [comparison.names[at] for at in order]
    p = comparison.p[np.ix_(order, order)]
    side = 1.6 + 0.42 * len(names)
    figure = _figure(side, side)
    axes = figure.subplots()
    levels = np.select([p < 0.001, p < 0.01, p < SIGNIFICANT], [1.0, 0.7, 0.4], 0.0)
    levels[np.isnan(p)] = 0.0
    axes.imshow(levels, cmap="Greens", vmin=0, vmax=1.2)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks(np.arange(-0.5, len(names)), minor=True)
    axes.set_yticks(np.arange(-0.5, len(names)), minor=True)
    axes.grid(which="minor", color="0.8", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.set_title(title, fontsize="medium")
    return figure


def write_plots(evaluation: Evaluation, folder: Path, form: str = "png") -> list[Path]:
    """Write all pictures of an evaluation to a folder.

    Raises:
        ConfigError: if matplotlib is not installed.
        InputError: if the folder cannot be written to.
    """
    written = []
    with os_errors_as(InputError, f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for table in evaluation.tables:
            stem = f"{table.testset}-{table.measure.name}"
            written.append(_save(plot_bars(table), folder, stem, form))
            for pair, comparison in table.comparisons.items():
                column = table.columns.index(pair)
                agreement = {name: results[column].value for name, results in table.rows.items()}
                title = f"{table.testset} {pair}, {table.measure.title}"
                written.append(_save(plot_matrix(comparison, title, agreement), folder, f"{stem}-{pair}", form))
    return written


def _save(figure: Figure, folder: Path, stem: str, form: str) -> Path:
    path = folder / f"{re.sub('[^A-Za-z0-9_.-]+', '-', stem)}.{form}"
    # Without a date in the file, the same data gives the same bytes.
    metadata: dict[str, Any] = {"png": {"Software": None}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[form]
    figure.savefig(path, format=form, dpi=150, metadata=metadata)
    return path
