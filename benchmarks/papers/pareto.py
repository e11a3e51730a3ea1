"""Quality against speed: how well metrics agree with people, and how many segments a second they score on one core.

    python benchmarks/papers/pareto.py --write pareto.png
    python benchmarks/papers/pareto.py -M meteor -M chrf -M en-light --segments 500
    python benchmarks/papers/pareto.py --known "METEOR-E (vectors)=0.2754,0.5217,baseline-vector.yaml"

Quality is the strict tau on WMT12's rankings into English and Pearson's r on WMT17's direct assessments (cs, de, lv).
A ready model's figures are those of its card: of models of the same recipe that had not seen the year. Those of other
metrics are what ``meteor-e evaluate`` says. Speed is measured here, on one thread: the output of one system, model and
resources loaded. With ``--known NAME=TAU,R,METRIC`` figures that were measured elsewhere are taken over, and the speed
is that of METRIC. A metric is on the front if none is both better and faster. Needs matplotlib for the picture.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from meteor_e_evaluation import load_index, load_test_set
from meteor_e_learned.ready import ReadyModel, ready_models

from meteor_e import load_metric

HERE = Path(__file__).parents[1]
DEFAULT = ("bleu", "chrf", "meteor", "en-light", "en-light-context")
PAIRS = {"wmt12": ("cs-en", "de-en", "es-en", "fr-en"), "wmt17": ("cs-en", "de-en", "lv-en")}
MEASURES = {"wmt12": "tau-strict", "wmt17": "pearson"}


class Point(NamedTuple):
    """A metric: its name, strict tau on WMT12, Pearson's r on WMT17, segments a second; NaN for what is not known."""

    name: str
    tau: float
    r: float
    speed: float


def main() -> None:
    """Measure, print a table, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-M", "--metric", action="append", dest="metrics", help=f"[{', '.join(DEFAULT)}]")
    parser.add_argument("--known", action="append", default=[], metavar="NAME=TAU,R,METRIC")
    parser.add_argument("--segments", type=int, default=1000, help="that the clock sees [1000]")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts [3]")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the picture")
    options = parser.parse_args()
    names = options.metrics or list(DEFAULT)
    quality = measured([name for name in names if name not in ready_models()])
    quality |= {name: of_card(card) for name, card in ready_models().items() if name in names}
    specs = {name: name for name in names}
    for entry in options.known:
        name, _, rest = entry.rpartition("=")
        tau, r, spec = rest.split(",")
        quality[name], specs[name] = (float(tau), float(r)), spec
    speeds = segments_per_second(list(specs.values()), options.segments, options.rounds)
    points = [Point(name, *quality[name], speed) for name, speed in zip(specs, speeds, strict=True)]
    print("| metric | segments/s | WMT12 strict tau | WMT17 r | on the front |\n|---|---|---|---|---|")
    for point in sorted(points, key=lambda point: -point.speed):
        fronts = [year for year in MEASURES if point in front(points, year)]
        cells = ["" if math.isnan(value) else f"{value:.4f}" for value in (point.tau, point.r)]
        print(f"| {point.name} | {point.speed:.0f} | {' | '.join(cells)} | {', '.join(fronts)} |")
    if options.write:
        draw(points, options.write)


def measured(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return tau and r of metrics, by ``meteor-e evaluate``."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for year, pairs in PAIRS.items():
        command = [sys.executable, "-m", "meteor_e", "evaluate", str(HERE / f"{year}.yaml"), "-f", "json", "-q"]
        command += ["-s", MEASURES[year]]
        command += [part for pair in pairs for part in ("--pair", pair)]
        command += [part for number, name in enumerate(names) for part in ("-M", f"m{number}={name}")]
        done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        (table,) = (each for each in done["tables"] if each["level"] == "segment")
        for number, name in enumerate(names):
            found[name].append(table["metrics"][f"m{number}"]["mean"]["value"])
    return {name: (tau, r) for name, (tau, r) in found.items()}


def of_card(card: ReadyModel) -> tuple[float, float]:
    """Return tau and r of a model's card; NaN for a year that is not on it."""
    known = {figure.data.partition(" ")[0].lower(): figure.value for figure in card.figures}
    return known.get("wmt12", math.nan), known.get("wmt17", math.nan)


def segments_per_second(specs: Sequence[str], count: int, rounds: int) -> list[float]:
    """Return how many segments of one system each metric scores in a second of processor time.

    The metrics take turns, so that a machine that slows down slows all of them.
    """
    test = load_test_set(load_index(HERE / "wmt12.yaml"), "de-en")
    references = [[text] for text in test.references[0][:count]]
    metrics = [load_metric(spec, language="en", threads=1) for spec in specs]
    for metric in metrics:
        metric.corpus(test.outputs[0][-20:], references[-20:])
    best = [math.inf] * len(metrics)
    for number in range(rounds):
        # Another system each time: some metrics remember texts that they have seen.
        hypotheses = test.outputs[number % len(test.outputs)][:count]
        for place, metric in enumerate(metrics):
            started = time.process_time()
            metric.corpus(hypotheses, references)
            best[place] = min(best[place], time.process_time() - started)
    return [len(references) / took for took in best]


def front(points: Sequence[Point], year: str) -> list[Point]:
    """Return the points that none beats in both, the fastest first."""
    best, found = -math.inf, []
    for point in sorted(points, key=lambda point: -point.speed):
        value = quality_of(point, year)
        if value > best:
            best = value
            found.append(point)
    return found


def quality_of(point: Point, year: str) -> float:
    """Return a point's agreement with people of a year."""
    return point.tau if year == "wmt12" else point.r


def draw(points: Sequence[Point], path: Path) -> None:
    """Write the picture: one panel for each year."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    titles = {"wmt12": "WMT12 into English, strict τ", "wmt17": "WMT17 (cs de lv), Pearson's r"}
    for panel, (year, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        known = [point for point in points if not math.isnan(quality_of(point, year))]
        line = front(points, year)
        panel.plot([each.speed for each in line], [quality_of(each, year) for each in line], color="0.7", zorder=1)
        panel.scatter([each.speed for each in known], [quality_of(each, year) for each in known], zorder=2)
        for each in known:
            place = (each.speed, quality_of(each, year))
            panel.annotate(each.name, place, xytext=(5, 5), textcoords="offset points", fontsize=9)
        panel.set_xscale("log")
        # Labels between powers of ten overlap where there are few of these.
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xlabel("segments a second, one core")
        panel.set_title(title)
        panel.margins(x=0.25, y=0.12)
        panel.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
