"""Compares the evaluation of a grid with the Trainer of METEOR 1.5, which runs in Java."""

from __future__ import annotations

import gzip
import itertools
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

# The first values, the last values and the steps of alpha, beta, gamma and delta.
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
def small_table(java, _packs, tmp_path_factory):
    """Return the Java program and English resources, both with the same small paraphrase table, which loads quickly."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "data").mkdir()
    file = folder / "data" / "paraphrase-en.gz"
    directions = [direction for pair in PARAPHRASES for direction in (pair, pair[::-1])]
    rows = [f"0.5\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in directions]
    file.write_bytes(gzip.compress("".join(rows).encode()))
    build_paraphrase_index(file, folder / "paraphrases.idx")
    index = ParaphraseIndex(folder / "paraphrases.idx")
    # The program looks for its table in the folder of the jar.
    program = type(java)(Path(shutil.copy(java.jar, folder)))
    return program, PackStore(_packs).get("en").replace("own", paraphrases=index)


def make_sgm(kind: str, attribute: str, name: str, lines: list[str]) -> str:
    """Return an SGML file of one document."""
    segments = "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(lines, 1))
    header = f'<{kind} setid="s" srclang="cs" trglang="en">\n<doc docid="d" {attribute}="{name}">\n'
    return f"{header}{segments}</doc>\n</{kind}>\n"


def make_grid_options(weights: str, last_weights: str, steps: str) -> list[str]:
    """Return the Trainer's options for the grid; the arguments are the values of the matcher weights."""

    def join(point: tuple[float, ...], weights: str) -> str:
        return f"{' '.join(map(str, point))} {weights}"

    return ["-i", join(FIRST, weights), "-f", join(LAST, last_weights), "-s", join(STEP, steps)]


def make_tuning_set(
    meteor: Meteor, pairs: list[tuple[int, str, str]], human_scores: dict[str, list[float]]
) -> TuningSet:
    """Make a tuning set of the tiny task.

    Args:
        meteor: aligns the outputs with the reference.
        pairs: judgments as tuples of a segment, the better system and the worse system.
        human_scores: scores of the segments by system.
    """
    names = list(OUTPUTS)
    n_segments = len(REFERENCE)
    references = [[text] for text in REFERENCE]
    counts = np.concatenate([np.asarray(meteor.rows(OUTPUTS[name], references)) for name in names]).astype(int)
    cell_indices = {
        (name, segment): row * n_segments + segment for row, name in enumerate(names) for segment in range(n_segments)
    }
    return TuningSet(
        counts=counts,
        starts=np.arange(len(counts)),
        units=np.tile(np.arange(n_segments), len(names)),
        groups=np.zeros(len(counts), int),
        human_scores=np.concatenate([human_scores.get(name, [np.nan] * n_segments) for name in names]),
        reference_lengths=counts[:, 1].astype(float),
        better=np.array([cell_indices[better, segment] for segment, better, _ in pairs], int),
        worse=np.array([cell_indices[worse, segment] for segment, _, worse in pairs], int),
        names=("ours",),
        unit_groups=np.zeros(n_segments, int),
        systems=np.repeat(np.arange(len(names)), n_segments),
    )


def parse_output(output: str) -> tuple[list[float], list[tuple[float, ...]]]:
    """Return the values of the objective and the points of the grid from the Trainer's output."""
    rows = [[float(part) for part in line.split()] for line in output.splitlines() if line[:1] in "-0123456789"]
    return [row[0] for row in rows], [tuple(row[1:]) for row in rows]


def make_rank_pairs() -> list[tuple[int, str, str]]:
    """Make a judgment of every two systems on each segment. Most judgments prefer the first system."""
    names = list(OUTPUTS)
    pairs = []
    for segment in range(len(REFERENCE)):
        for first, second in itertools.combinations(range(3), 2):
            prefers_first = (segment * 7 + first * 3 + second) % 4
            better, worse = (first, second) if prefers_first else (second, first)
            pairs.append((segment, names[better], names[worse]))
    return pairs


def test_rank_objective_equals_the_java_trainer(small_table, tmp_path):
    java, resources = small_table
    (tmp_path / "cs-en.ref.sgm").write_text(make_sgm("refset", "refid", "ref", REFERENCE), encoding="utf-8")
    for name, lines in OUTPUTS.items():
        system = name.replace(".", "")
        (tmp_path / f"cs-en.{system}.sgm").write_text(make_sgm("tstset", "sysid", system, lines), encoding="utf-8")
    pairs = make_rank_pairs()
    rows = "".join(
        f"{segment + 1}\tcs-en\t{better.replace('.', '')}\tcs-en\t{worse.replace('.', '')}\n"
        for segment, better, worse in pairs
    )
    (tmp_path / "cs-en.rank").write_text(rows, encoding="utf-8")
    # For rank judgments, the Trainer uses the exact and paraphrase matchers on lowercased text.
    # It ignores the last two weights.
    options = make_grid_options("1 0.5 1 1", "1 0.7 1 1", "1 0.1 1 1")
    trainer_values, trainer_points = parse_output(
        java.run(["rank", str(tmp_path), "-l", "en", *options], main="Trainer")
    )
    meteor = Meteor("en", matchers=["exact", "paraphrase"], normalization="lower", resources=resources)
    axes = java_axes((*FIRST, 1, 0.5), (*LAST, 1, 0.7), (*STEP, 1, 0.1))
    result = evaluate_grid(make_tuning_set(meteor, pairs, {}), make_objective("rank", macro=False), axes)
    assert result.values.tolist() == pytest.approx(trainer_values, abs=1e-12)
    assert result.value == pytest.approx(max(trainer_values))
    assert result.best == pytest.approx(trainer_points[trainer_values.index(max(trainer_values))][:6])


@pytest.mark.parametrize(("task", "objective"), [("segcor", "weighted-pearson"), ("spearman", "spearman")])
def test_correlation_objectives_equal_the_java_trainer(small_table, tmp_path, task, objective):
    java, resources = small_table
    (tmp_path / "x.ref").write_text(make_sgm("refset", "refid", "ref", REFERENCE), encoding="utf-8")
    (tmp_path / "x.tst").write_text(make_sgm("tstset", "sysid", "beta", OUTPUTS["beta"]), encoding="utf-8")
    human_scores = [0.3, 0.9, 0.5, 0.2, 0.8, 0.1, 0.45, 0.7, 0.65, 0.15]
    lines = [f"d {number} {score}\n" for number, score in enumerate(human_scores, 1)]
    (tmp_path / "x.ter").write_text("".join(lines), encoding="utf-8")
    options = make_grid_options("1 0.5 0.8 0.6", "1 0.7 0.8 0.6", "1 0.1 1 1")
    trainer_values, trainer_points = parse_output(java.run([task, str(tmp_path), "-l", "en", *options], main="Trainer"))
    axes = java_axes((*FIRST, 1, 0.5, 0.8, 0.6), (*LAST, 1, 0.7, 0.8, 0.6), (*STEP, 1, 0.1, 1, 1))
    data = make_tuning_set(Meteor("en", resources=resources), [], {"beta": human_scores})
    result = evaluate_grid(data, make_objective(objective, macro=False), axes)
    assert result.values.tolist() == pytest.approx(trainer_values, abs=1e-9)
    best_point = trainer_points[trainer_values.index(max(trainer_values))]
    assert result.value == pytest.approx(max(trainer_values), abs=1e-9)
    assert result.best == pytest.approx(best_point)
