"""Pictures of the distributions, for papers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from meteor_e.base import PathLike, atomic_writer
from meteor_e_report.lengths import BINS, Cell, distributions
from meteor_e_report.palette import letter, system_style
from meteor_e_report.scored import STATISTICS, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "write_plot"]

_DPI = 200


def draw(report: Report) -> Figure:
    """Draw the distributions: a row a number, a column a length class, an outline a system."""
    # The Figure class itself needs no display and keeps no global state.
    rows = distributions(report)
    size = (2.1 * len(rows[0]) + 0.6, 1.5 * len(rows) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(rows), len(rows[0]), squeeze=False)
    for row, line in zip(rows, panels, strict=True):
        for cell, axes in zip(row, line, strict=True):
            _panel(axes, cell)
        line[0].set_ylabel(STATISTICS[row[0].statistic], fontsize="small")
    for cell, axes in zip(rows[0], panels[0], strict=True):
        axes.set_title(f"{cell.lengths.label} ({cell.segments:,})", fontsize="small")
    names = [f"{letter(at)} {_plain(system.name)}" for at, system in enumerate(report.systems)]
    handles = [panels[0][0].plot([], [], **_style(at))[0] for at in range(len(names))]
    figure.legend(handles, names, loc="outside lower center", ncols=min(4, len(names)), fontsize="small", frameon=False)
    return figure


def _panel(axes: Axes, cell: Cell) -> None:
    edges = np.linspace(0, 1, BINS + 1)
    if cell.segments:
        for found in cell.distributions:
            axes.stairs(found.shares, edges, **_style(found.system))
            axes.plot([found.quartiles[1]], [0], "v", clip_on=False, markersize=4, color=_style(found.system)["color"])
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.set_xticks((0, 0.5, 1), ("0", "0.5", "1"))
    axes.set_yticks([])
    axes.tick_params(labelsize="x-small")
    axes.spines[["top", "right", "left"]].set_visible(False)


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
