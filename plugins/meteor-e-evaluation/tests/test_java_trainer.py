"""The grid against the Java Trainer, live, on sentences of our own."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.grid import evaluate_grid, java_axes
from meteor_e_evaluation.tuning.objectives import make_objective
from tiny_task import OUTPUTS, REFERENCE

from meteor_e import Meteor
from meteor_e.packs.build_indexes import build_paraphrase_index
from meteor_e.packs.indexes import ParaphraseIndex
from meteor_e.packs.store import PackStore

pytestmark = pytest.mark.java

FIRST, LAST, STEP = (0.6, 0.2, 0.2, 0.5), (0.9, 1.4, 0.8, 0.8), (0.1, 0.4, 0.3, 0.15)


PARAPHRASES = (
    ("painted the blue door", "door blue paint"),
    ("climbed the wall", "on wall"),
    ("was late because of the snow", "was because of the snow late"),
    ("flying kites", "kite fly"),
    ("small library", "little library"),
    ("heavy rain fell", "rain is heavy"),
)


@pytest.fixture(scope="module")
def small(java, _packs, tmp_path_factory):
    """The Java program with a small English table, which it reads in a moment, and our resources with the same."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "data").mkdir()
    file = folder / "data" / "paraphrase-en.gz"
    rows = [f"0.5\n{one}\n{other}\n" for pair in PARAPHRASES for one, other in (pair, pair[::-1])]
    file.write_bytes(gzip.compress("".join(rows).encode()))
    build_paraphrase_index(file, folder / "paraphrases.idx")
    index = ParaphraseIndex(folder / "paraphrases.idx")
    # It looks for its table in the folder of the jar.
    program = type(java)(Path(shutil.copy(java.jar, folder)))
    return program, PackStore(_packs).get("en").replace("own", paraphrases=index)


def sgm(kind: str, attribute: str, name: str, lines: list[str]) -> str:
    segments = "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(lines, 1))
    head = f'<{kind} setid="s" srclang="cs" trglang="en">\n<doc docid="d" {attribute}="{name}">\n'
    return f"{head}{segments}</doc>\n</{kind}>\n"


def grid_options(weights: str, last_weights: str, steps: str) -> list[str]:
    def text(point: tuple[float, ...], rest: str) -> str:
        return f"{' '.join(map(str, point))} {rest}"

    return ["-i", text(FIRST, weights), "-f", text(LAST, last_weights), "-s", text(STEP, steps)]


def tuning_set(meteor: Meteor, pairs: list[tuple[int, str, str]], human_scores: dict[str, list[float]]) -> TuningSet:
    names = list(OUTPUTS)
    size = len(REFERENCE)
    references = [[text] for text in REFERENCE]
    counts = np.concatenate([np.asarray(meteor.rows(OUTPUTS[name], references)) for name in names]).astype(int)
    cell = {(name, segment): row * size + segment for row, name in enumerate(names) for segment in range(size)}
    return TuningSet(
        counts=counts,
        starts=np.arange(len(counts)),
        units=np.tile(np.arange(size), len(names)),
        groups=np.zeros(len(counts), int),
        human_scores=np.concatenate([human_scores.get(name, [np.nan] * size) for name in names]),
        reference_lengths=counts[:, 1].astype(float),
        better=np.array([cell[better, segment] for segment, better, _ in pairs], int),
        worse=np.array([cell[worse, segment] for segment, _, worse in pairs], int),
        names=("ours",),
        unit_groups=np.zeros(size, int),
    )


def parse(output: str) -> tuple[list[float], list[tuple[float, ...]]]:
    rows = [[float(part) for part in line.split()] for line in output.splitlines() if line[:1] in "-0123456789"]
    return [row[0] for row in rows], [tuple(row[1:]) for row in rows]


def rank_pairs() -> list[tuple[int, str, str]]:
    names = list(OUTPUTS)
    return [
        (segment, names[a], names[b]) if (segment * 7 + a * 3 + b) % 4 else (segment, names[b], names[a])
        for segment in range(len(REFERENCE))
        for a in range(3)
        for b in range(a + 1, 3)
    ]


def test_rank_objective_equals_the_java_trainer(small, tmp_path):
    java, resources = small
    (tmp_path / "cs-en.ref.sgm").write_text(sgm("refset", "refid", "ref", REFERENCE), encoding="utf-8")
    for name, lines in OUTPUTS.items():
        system = name.replace(".", "")
        (tmp_path / f"cs-en.{system}.sgm").write_text(sgm("tstset", "sysid", system, lines), encoding="utf-8")
    pairs = rank_pairs()
    rows = "".join(
        f"{segment + 1}\tcs-en\t{better.replace('.', '')}\tcs-en\t{worse.replace('.', '')}\n"
        for segment, better, worse in pairs
    )
    (tmp_path / "cs-en.rank").write_text(rows, encoding="utf-8")
    # The Trainer ranks with exact and paraphrase on lowercased text; the last two of its weights are idle.
    options = grid_options("1 0.5 1 1", "1 0.7 1 1", "1 0.1 1 1")
    values, theirs = parse(java.run(["rank", str(tmp_path), "-l", "en", *options], main="Trainer"))
    meteor = Meteor("en", matchers=["exact", "paraphrase"], normalization="lower", resources=resources)
    axes = java_axes((*FIRST, 1, 0.5), (*LAST, 1, 0.7), (*STEP, 1, 0.1))
    result = evaluate_grid(tuning_set(meteor, pairs, {}), make_objective("rank", macro=False), axes)
    assert result.values.tolist() == pytest.approx(values, abs=1e-12)
    assert result.value == pytest.approx(max(values))
    assert result.best == pytest.approx(theirs[values.index(max(values))][:6])


@pytest.mark.parametrize(("task", "objective"), [("segcor", "weighted-pearson"), ("spearman", "spearman")])
def test_correlation_objectives_equal_the_java_trainer(small, tmp_path, task, objective):
    java, resources = small
    (tmp_path / "x.ref").write_text(sgm("refset", "refid", "ref", REFERENCE), encoding="utf-8")
    (tmp_path / "x.tst").write_text(sgm("tstset", "sysid", "beta", OUTPUTS["beta"]), encoding="utf-8")
    human_scores = [0.3, 0.9, 0.5, 0.2, 0.8, 0.1, 0.45, 0.7, 0.65, 0.15]
    lines = [f"d {number} {score}\n" for number, score in enumerate(human_scores, 1)]
    (tmp_path / "x.ter").write_text("".join(lines), encoding="utf-8")
    options = grid_options("1 0.5 0.8 0.6", "1 0.7 0.8 0.6", "1 0.1 1 1")
    values, theirs = parse(java.run([task, str(tmp_path), "-l", "en", *options], main="Trainer"))
    axes = java_axes((*FIRST, 1, 0.5, 0.8, 0.6), (*LAST, 1, 0.7, 0.8, 0.6), (*STEP, 1, 0.1, 1, 1))
    data = tuning_set(Meteor("en", resources=resources), [], {"beta": human_scores})
    result = evaluate_grid(data, make_objective(objective, macro=False), axes)
    assert result.values.tolist() == pytest.approx(values, abs=1e-9)
    best = theirs[values.index(max(values))]
    assert result.value == pytest.approx(max(values), abs=1e-9)
    assert result.best == pytest.approx(best)
