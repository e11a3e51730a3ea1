"""Find which line of newstest2021 each segment number of WMT21's direct assessments stands for.

    python benchmarks/data/wmt21_join.py --write benchmarks/wmt21-segments

The judgments count the segments with the documents in another order than the files of outputs and references have
them. What is known: where documents begin among the judgments (people judge documents whole, so that no run of
judgments goes from one to the next), and that the lines of a document stay together and in order. What is looked
for: for each document its first line, so that the documents cover all lines once. Among all such arrangements, the
program takes the likeliest one, by integer programming (scipy's HiGHS), given

- how well people's scores of the segments, and of the systems on each segment, go with METEOR's, chrF's and length,
- how much the first line of a document looks like a headline: no full stop, short, nothing in common with the lines
  before. What headlines look like is learned from the arrangement, and the arrangement found again, until it stays.

Each pair's table has one row per segment: ``sid``, ``line`` (from 1), and ``sure``: 1 if both halves of systems, each
for itself, put the document at the same line (with what the whole says of headlines, METEOR, chrF and length). What is
printed: the correlation of METEOR + chrF with people within systems, on the numbers as they are, on the arrangement,
and on arrangements that were found without the judgments of the systems they are tested on.

METEOR was used to find the join, so its correlation with WMT21's judgments is a little flattered by it: WMT21 is for
training, and no test of metrics that count matching words. ``METEOR_E_SHARED`` names the folder of the data.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from meteor_e_evaluation.index import fill_pattern, load_index
from numpy.typing import NDArray

from meteor_e import Meteor
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import InputError, MeteorError
from meteor_e.formats.plain import read_segments

HERE = Path(__file__).parents[1]
Floats = NDArray[np.float64]
MAIN_WEIGHTS = np.array([0.5, 0.5, -0.3])  # METEOR, chrF, length: a guess to begin with
TITLE_WEIGHTS = np.array([5.0, -1.2, 1.0, -2.0, 0.3, -8.0, 2.0, -2.0])  # likewise, of title_signs


@dataclass
class Pair:
    """What is known of a language pair.

    Attributes:
        name: ``source-target``.
        bounds: first segment number of each document, from 1, and one after the last.
        human: z-scores less the system's mean, ``(systems, numbers)``; NaN where there is none.
        metric: METEOR + chrF of the judged systems' lines, standardized, ``(systems, lines)``.
        predictors: means of METEOR and of chrF, and length, of each line, as normal ranks, ``(lines, 3)``.
        signs: of headlines, ``(lines, signs)``.
    """

    name: str
    bounds: list[int]
    human: Floats
    metric: Floats
    predictors: Floats
    signs: Floats
    mean: Floats = field(init=False)
    interaction: Floats = field(init=False)

    def __post_init__(self) -> None:
        known = ~np.isnan(self.human)
        mean = np.nansum(self.human, axis=0) / np.maximum(known.sum(axis=0), 1)
        self.mean = normal_ranks(mean)
        rest = np.where(known, self.human - mean, 0.0)
        self.interaction = rest / rest[known].std()

    def half(self, rows: slice) -> Pair:
        """Return the pair with some of the systems."""
        return Pair(self.name, self.bounds, self.human[rows], self.metric[rows], self.predictors, self.signs)


def normal_ranks(values: Floats) -> Floats:
    """Return what standard normal values of the same ranks would be."""
    from scipy.stats import norm, rankdata

    result: Floats = norm.ppf((rankdata(values) - 0.5) / len(values))
    return result


def document_bounds(rows: list[tuple[str, int, float]], count: int) -> list[int]:
    """Return where documents begin: numbers over which hardly any two neighboring rows of judgments go."""
    crossed = np.zeros(count + 2, int)
    for (system, first, _), (other, second, _) in pairwise(rows):
        low, high = sorted((first, second))
        if system == other and high - low <= 12:
            crossed[low + 1 : high + 1] += 1
    return [1, *(number for number in range(2, count + 1) if crossed[number] <= 4), count + 1]


def title_signs(outputs: list[list[str]]) -> Floats:
    """Return what may tell headlines from other lines, from all outputs and references, ``(lines, signs)``."""
    ends = re.compile(r"[.!?:;…\"”“'’)]\s*$")
    no_stop = np.mean([[not ends.search(line) for line in output] for output in outputs], axis=0)
    length = np.log1p(np.median([[len(line.split()) for line in output] for output in outputs], axis=0))
    capitals = np.mean([[capital_share(line) for line in output] for output in outputs], axis=0)
    words = [{word.lower().strip(".,\"“”'") for output in outputs[:3] for word in output[at].split() if len(word) > 4}
             for at in range(len(length))]  # fmt: skip
    counts = Counter(word for line in words for word in line)

    def weight(chosen: set[str]) -> float:
        return float(sum(np.log(len(words) / counts[word]) for word in chosen))

    shared = np.zeros(len(words))
    for at in range(1, len(words)):
        before, after = set().union(*words[max(0, at - 4) : at]), set().union(*words[at : at + 4])
        shared[at] = weight(before & after) / np.sqrt((1 + weight(before)) * (1 + weight(after)))
    following = np.append(length[1:], length[-1])
    short, long = length < np.log(16), length > np.log(22)
    return np.stack(
        [no_stop, length, capitals, np.append(0, no_stop[:-1]), following - length, shared, no_stop * short, long], 1
    )


def capital_share(line: str) -> float:
    """Return the share of capitalized words among the longer ones after the first."""
    words = [word for word in line.split()[1:] if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].isupper() for word in words) / len(words) if words else 0.0


def read_pair(name: str, meteor: Meteor) -> Pair:
    """Read outputs, reference and judgments of a pair, and score the outputs."""
    from sacrebleu.metrics import CHRF

    index = load_index(HERE / "wmt21.yaml")
    root, spec = Path(index.root), index.judgments[0]
    texts = {}
    for file in sorted(root.glob(fill_pattern(index.outputs.file, name).replace("{system}", "*"))):
        texts[file.name.split(".hyp.")[1].removesuffix(".en")] = list(read_segments(file))
    reference = list(read_segments(root / fill_pattern(index.references[0], name)))
    rows = []
    for row in list(read_segments(root / fill_pattern(spec.file, name)))[1:]:
        cells = row.split()
        system = cells[0].rpartition(".")[0]
        rows.append((spec.rename.get(system, system), int(cells[1]), float(cells[3])))
    count = len(reference)
    if max(number for _, number, _ in rows) != count:
        raise InputError(f"{name}: the judgments count other segments than the reference has lines")
    systems = sorted({system for system, _, _ in rows} & texts.keys())
    human = np.full((len(systems), count), np.nan)
    for system, number, score in rows:
        if system in systems:
            human[systems.index(system), number - 1] = np.clip(score, -3, 2)
    human -= np.nanmean(human, axis=1, keepdims=True)
    chrf = CHRF()
    scores = np.array(
        [
            [
                [segment.score for segment in meteor.segments(texts[system], reference)],
                [
                    chrf.sentence_score(line, [other]).score
                    for line, other in zip(texts[system], reference, strict=True)
                ],
            ]
            for system in systems
        ]
    )
    centred = scores - scores.mean(axis=2, keepdims=True)
    metric = (centred / centred.std(axis=(0, 2), keepdims=True)).sum(axis=1)
    length = np.array([len(line.split()) for line in reference])
    predictors = np.stack([*map(normal_ranks, scores.mean(axis=0)), normal_ranks(length)], 1)
    signs = title_signs([*texts.values(), reference])
    return Pair(name, document_bounds(rows, count), human, metric, predictors, signs)


def log_likelihood(pair: Pair, expected: Floats, main: float, interaction: float) -> Floats:
    """Return for each number and line how much likelier their scores are if they belong together.

    Means over systems, and what is left of single scores, are taken for normal with the given correlations.
    """
    z, m = pair.mean[:, None], expected[None, :]
    result = -0.5 * np.log(1 - main**2) + (2 * main * z * m - main**2 * (z**2 + m**2)) / (2 * (1 - main**2))
    rest = pair.metric - pair.metric.mean(axis=0)
    rest = np.clip(rest / rest.std(), -3, 3)
    known = (~np.isnan(pair.human)).T.astype(float)
    products, squares = pair.interaction.T @ rest, (pair.interaction**2).sum(axis=0)[:, None] + known @ rest**2
    result += -0.5 * np.log(1 - interaction**2) * known.sum(axis=1, keepdims=True)
    result += (2 * interaction * products - interaction**2 * squares) / (2 * (1 - interaction**2))
    return np.asarray(result, float)


def arrange(pair: Pair, evidence: Floats, titles: Floats, least: float) -> NDArray[np.int64] | None:
    """Return for each number its line, from 0, in the likeliest arrangement; ``None`` if there is none.

    Args:
        pair: the pair.
        evidence: of :func:`log_likelihood`.
        titles: of each line, log odds that a document begins there.
        least: no document begins at lines below.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_matrix

    count = len(titles)
    may_begin = np.append(titles > least, True)
    may_begin[0] = True
    places, values, rows, columns = [], [], [], []
    documents = len(pair.bounds) - 1
    for document, (start, end) in enumerate(pairwise(pair.bounds)):
        size = end - start
        for line in range(count - size + 1):
            if may_begin[line] and may_begin[line + size]:
                column = len(places)
                places.append((start - 1, line, size))
                numbers = np.arange(size)
                values.append(evidence[start - 1 + numbers, line + numbers].sum() + titles[line])
                rows += [document, *range(documents + line, documents + line + size)]
                columns += [column] * (size + 1)
    table = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(documents + count, len(places)))
    found = milp(
        -np.array(values), constraints=LinearConstraint(table.tocsr(), 1, 1), integrality=np.ones(len(places)),
        bounds=Bounds(0, 1), options={"mip_rel_gap": 1e-6},
    )  # fmt: skip
    if found.x is None:
        return None
    lines = np.full(count, -1)
    for column in np.flatnonzero(found.x > 0.5):
        start, line, size = places[column]
        lines[start : start + size] = np.arange(line, line + size)
    return lines


def correlation(pair: Pair, lines: NDArray[np.int64], systems: slice = slice(None)) -> float:
    """Return Pearson's correlation of METEOR + chrF with people within systems."""
    metric, human = pair.metric[systems][:, lines], pair.human[systems]
    known = ~np.isnan(human)
    return float(np.corrcoef((metric - metric.mean(axis=1, keepdims=True))[known], human[known])[0, 1])


def join(pair: Pair) -> tuple[NDArray[np.int64], NDArray[np.bool_], float]:
    """Return for each number its line and whether that is sure, and the correlation on systems not used."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    documents, count = len(pair.bounds) - 1, len(pair.signs)
    titles = pair.signs @ TITLE_WEIGHTS
    titles = np.clip(titles - np.quantile(titles, 1 - documents / count), -8, 6)
    expected = normal_ranks(pair.predictors @ MAIN_WEIGHTS)
    main, interaction, least = 0.4, 0.12, -3.0
    signs = (pair.signs - pair.signs.mean(axis=0)) / pair.signs.std(axis=0)
    lines: NDArray[np.int64] | None = None
    for _ in range(8):
        found = None
        while found is None:
            found = arrange(pair, log_likelihood(pair, expected, main, interaction), titles, least)
            if found is None:
                least -= 2
        if lines is not None and (found == lines).all():
            break
        lines = found
        begins = np.isin(np.arange(count), lines[np.array(pair.bounds[:-1]) - 1])
        model = LogisticRegression(max_iter=1000).fit(signs, begins)
        titles, least = np.clip(model.decision_function(signs), -8, 6), min(least, -4.0)
        weights = LinearRegression().fit(pair.predictors[lines], pair.mean).coef_
        expected = normal_ranks(pair.predictors @ weights)
        main = float(np.clip(np.corrcoef(expected[lines], pair.mean)[0, 1], 0.05, 0.7))
        rest = (pair.metric - pair.metric.mean(axis=0))[:, lines]
        known = ~np.isnan(pair.human)
        interaction = float(np.clip(np.corrcoef(pair.interaction[known], rest[known])[0, 1], 0.02, 0.4))
    assert lines is not None
    sure, held_out = np.ones(count, bool), []
    for used, tested in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
        half = pair.half(used)
        found = arrange(half, log_likelihood(half, expected, main, interaction), titles, least)
        if found is None:
            raise InputError(f"{pair.name}: half of the systems has no arrangement")
        sure &= found == lines
        held_out.append(correlation(pair, found, tested))
    return lines, sure, float(np.mean(held_out))


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write a table a pair")
    parser.add_argument("--pairs", nargs="+", default=["cs-en", "de-en", "ha-en", "is-en", "ja-en", "ru-en"])
    options = parser.parse_args()
    print(
        "| pair | documents | r, numbers as lines | r, joined | r, systems not used | sure |\n|---|---|---|---|---|---|"
    )
    try:
        meteor = Meteor("en")
        for name in options.pairs:
            pair = read_pair(name, meteor)
            lines, sure, held_out = join(pair)
            before = correlation(pair, np.arange(len(lines)))
            print(
                f"| {name} | {len(pair.bounds) - 1} | {before:.3f} | {correlation(pair, lines):.3f} | {held_out:.3f} | "
                f"{100 * sure.mean():.0f} % |",
                flush=True,
            )
            if options.write is not None:
                options.write.mkdir(parents=True, exist_ok=True)
                with atomic_writer(options.write / f"{name}.tsv") as stream:
                    stream.write("sid\tline\tsure\n")
                    for number, (line, good) in enumerate(zip(lines, sure, strict=True), 1):
                        stream.write(f"{number}\t{line + 1}\t{int(good)}\n")
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
