"""Pictures of the distributions, for papers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from meteor_e.base.files import PathLike, atomic_writer
from meteor_e_evaluation.reports.lengths import POINTS, Cell, Row, distributions
from meteor_e_evaluation.reports.scored import Report
from meteor_e_evaluation.reports.styles import letter, system_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 200


def draw(report: Report) -> Figure:
    """Draw the distributions: one row per number, one column per length class, one line per system."""
    # The Figure class itself needs no display and keeps no global state.
    rows = distributions(report)
    wide = len(rows[0].cells)
    size = (max(2.4 * wide + 0.8, 3.6), 1.7 * len(rows) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(rows), wide, squeeze=False)
    for row, line in zip(rows, panels, strict=True):
        for cell, axes in zip(row.cells, line, strict=True):
            _panel(axes, row, cell)
        line[0].set_ylabel("segments at or below", fontsize="x-small")
    for cell, axes in zip(rows[0].cells, panels[0], strict=True):
        axes.set_title(f"{cell.lengths.label} ({cell.segments:,})", fontsize="small")
    names = [f"{letter(at)} {_plain(system.name)}" for at, system in enumerate(report.systems)]
    handles = [panels[0][0].plot([], [], **_style(at))[0] for at in range(len(names))]
    figure.legend(handles, names, loc="outside lower center", ncols=min(4, len(names)), fontsize="small", frameon=False)
    return figure


def _panel(axes: Axes, row: Row, cell: Cell) -> None:
    points = np.linspace(row.low, row.high, POINTS + 1)
    for found in cell.distributions:
        axes.step(points, found.levels, where="post", **_style(found.system))
    axes.set_xlim(row.low, row.high)
    axes.set_ylim(0, 1)
    axes.set_xlabel(_plain(row.title), fontsize="x-small")
    axes.set_yticks((0, 0.5, 1), ("0", "50 %", "100 %"))
    axes.tick_params(labelsize="x-small")
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _style(system: int) -> dict[str, Any]:
    style = system_style(system)
    dashes = tuple(float(length) for length in style.dashes.split())
    return {"color": style.light, "linestyle": (0, dashes) if dashes else "-", "linewidth": 1.1}


def _plain(name: str) -> str:
    """Keep a name from being read as mathematics, or as a label to hide."""
    return name.replace("$", r"\$")


def write_plot(report: Report, path: PathLike, form: Literal["png", "svg"]) -> None:
    """Draw the distributions into a file, written whole or not at all; the same report gives the same bytes.

    Raises:
        InputError: if the file cannot be written.
    """
    figure = draw(report)
    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "meteor_e", "svg.fonttype": "none"}):
        figure.savefig(drawn, format=form, dpi=_DPI, metadata={"png": {"Software": None}, "svg": {"Date": None}}[form])
    with atomic_writer(path) as stream:
        stream.buffer.write(drawn.getvalue())
