"""Find the line of newstest2021 for each segment number in the direct assessments of WMT21.

    python benchmarks/data/wmt21_join.py --write benchmarks/wmt21-segments

The segment numbers of the judgments follow another order of the documents than the files of outputs and references.
The boundaries of the documents are known: people judge complete documents, so no run of judgments crosses a boundary.
The lines of a document are consecutive and in order. The script searches the first line of each document, so that the
documents cover each line exactly once. Among all such arrangements, integer programming (HiGHS in scipy) finds the most
likely one. The likelihood has two parts:

- the correlation of human scores, of segments and of systems on the same segment, with METEOR, chrF and length;
- the similarity of the first line of a document to a headline, which is short, does not end with a full stop, and has
  no words in common with the lines before it. A model of headlines is learned from the arrangement. Then the
  arrangement is computed again, until it does not change.

The table of a language pair has a row per segment with the columns ``sid``, ``line`` (from 1) and ``sure``. ``sure`` is
1 if the judgments of each half of the systems lead to the same line. The models of headlines, METEOR, chrF and length
are those of all systems. The script prints correlations of METEOR + chrF with human scores within systems: for the
segment numbers as lines, for the arrangement, and for arrangements that do not depend on the tested systems.

Because the arrangement depends on METEOR, the correlation of METEOR with these judgments is slightly too high.
Therefore WMT21 is used for training, but not for tests of metrics that count matching words. ``METEOR_E_SHARED`` is the
folder of the data.
"""

from __future__ import annotations

import argparse
import math
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
INITIAL_SCORE_WEIGHTS = np.array([0.5, 0.5, -0.3])
"""Estimated weights of METEOR, chrF and length, with which the search starts."""
INITIAL_HEADLINE_WEIGHTS = np.array([5.0, -1.2, 1.0, -2.0, 0.3, -8.0, 2.0, -2.0])
"""Estimated weights of the features of headlines, with which the search starts."""


@dataclass
class Pair:
    """The data of a language pair.

    Attributes:
        name: name of the pair, ``source-target``.
        bounds: first segment number of each document, from 1, and at the end the number after the last segment.
        human: human z-scores minus the system's mean, ``(systems, numbers)``; NaN for missing judgments.
        metric: standardized sum of METEOR and chrF of the judged systems, ``(systems, lines)``.
        predictors: normal scores of METEOR, chrF and length, averaged over systems, ``(lines, 3)``.
        headline_features: features that distinguish headlines from other lines, ``(lines, features)``.
        mean: normal scores of the human scores, averaged over systems, ``(numbers,)``.
        interaction: standardized deviations of human scores from the segment's mean, ``(systems, numbers)``.
    """

    name: str
    bounds: list[int]
    human: Floats
    metric: Floats
    predictors: Floats
    headline_features: Floats
    mean: Floats = field(init=False)
    interaction: Floats = field(init=False)

    def __post_init__(self) -> None:
        is_judged = ~np.isnan(self.human)
        mean = np.nansum(self.human, axis=0) / np.maximum(is_judged.sum(axis=0), 1)
        self.mean = normal_scores(mean)
        deviations = np.where(is_judged, self.human - mean, 0.0)
        self.interaction = deviations / deviations[is_judged].std()

    def select_systems(self, systems: slice) -> Pair:
        """Return the language pair with only some of its systems."""
        human, metric = self.human[systems], self.metric[systems]
        return Pair(self.name, self.bounds, human, metric, self.predictors, self.headline_features)


def normal_scores(values: Floats) -> Floats:
    """Replace each value by the standard normal quantile of its rank."""
    from scipy.stats import norm, rankdata

    result: Floats = norm.ppf((rankdata(values) - 0.5) / len(values))
    return result


def document_bounds(rows: list[tuple[str, int, float]], count: int) -> list[int]:
    """Return the first segment number of each document, followed by the number after the last segment.

    People judge whole documents. Therefore, consecutive judgments rarely cross the start of a document.

    Args:
        rows: system, segment number and score of each judgment, in the order of the file.
        count: number of segments.
    """
    crossings = np.zeros(count + 2, int)
    for (system, number, _), (next_system, next_number, _) in pairwise(rows):
        low, high = sorted((number, next_number))
        if system == next_system and high - low <= 12:
            crossings[low + 1 : high + 1] += 1
    return [1, *(number for number in range(2, count + 1) if crossings[number] <= 4), count + 1]


def extract_headline_features(outputs: list[list[str]]) -> Floats:
    """Return an array ``(lines, features)`` of features that distinguish headlines from other lines.

    Args:
        outputs: lines of all systems and of the reference.
    """
    final_punctuation = re.compile(r"[.!?:;…\"”“'’)]\s*$")
    no_stop = np.mean([[not final_punctuation.search(line) for line in output] for output in outputs], axis=0)
    length = np.log1p(np.median([[len(line.split()) for line in output] for output in outputs], axis=0))
    capitals = np.mean([[capital_share(line) for line in output] for output in outputs], axis=0)
    previous_no_stop = np.append(0, no_stop[:-1])
    next_length = np.append(length[1:], length[-1])
    is_short, is_long = length < np.log(16), length > np.log(22)
    return np.stack(
        [
            no_stop,
            length,
            capitals,
            previous_no_stop,
            next_length - length,
            measure_continuity(outputs[:3]),
            no_stop * is_short,
            is_long,
        ],
        1,
    )


def measure_continuity(outputs: list[list[str]]) -> Floats:
    """Return for each line how similar the four lines before it are to the four lines that start with it."""
    words: list[set[str]] = []
    for index in range(len(outputs[0])):
        line_words = [word for output in outputs for word in output[index].split() if len(word) > 4]
        words.append({word.lower().strip(".,\"“”'") for word in line_words})
    counts = Counter(word for line in words for word in line)

    def sum_idf(chosen_words: set[str]) -> float:
        # Unlike sum, fsum does not depend on the order of the words, which differs from run to run.
        return math.fsum(math.log(len(words) / counts[word]) for word in chosen_words)

    continuity = np.zeros(len(words))
    for index in range(1, len(words)):
        earlier_words = set().union(*words[max(0, index - 4) : index])
        later_words = set().union(*words[index : index + 4])
        norm = np.sqrt((1 + sum_idf(earlier_words)) * (1 + sum_idf(later_words)))
        continuity[index] = sum_idf(earlier_words & later_words) / norm
    return continuity


def capital_share(line: str) -> float:
    """Return the share of capitalized words among the long words after the first word."""
    words = [word for word in line.split()[1:] if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].isupper() for word in words) / len(words) if words else 0.0


def read_pair(name: str, meteor: Meteor) -> Pair:
    """Read the outputs, the reference and the judgments of a language pair, and score the outputs."""
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
    system_scores = []
    for system in systems:
        meteor_scores = [segment.score for segment in meteor.segments(texts[system], reference)]
        line_pairs = zip(texts[system], reference, strict=True)
        chrf_scores = [chrf.sentence_score(line, [reference_line]).score for line, reference_line in line_pairs]
        system_scores.append([meteor_scores, chrf_scores])
    scores = np.array(system_scores)
    centered = scores - scores.mean(axis=2, keepdims=True)
    metric = (centered / centered.std(axis=(0, 2), keepdims=True)).sum(axis=1)
    length = np.array([len(line.split()) for line in reference])
    predictors = np.stack([*map(normal_scores, scores.mean(axis=0)), normal_scores(length)], 1)
    headline_features = extract_headline_features([*texts.values(), reference])
    return Pair(name, document_bounds(rows, count), human, metric, predictors, headline_features)


def log_likelihood(pair: Pair, expected: Floats, main: float, interaction: float) -> Floats:
    """Return the log likelihood ratio that each segment number belongs to each line, as ``(numbers, lines)``.

    The means over systems and the deviations of single scores are assumed to have a bivariate normal distribution.

    Args:
        pair: the language pair.
        expected: expected normal scores of the lines.
        main: correlation of the means over systems.
        interaction: correlation of the deviations.
    """
    z, m = pair.mean[:, None], expected[None, :]
    result = -0.5 * np.log(1 - main**2) + (2 * main * z * m - main**2 * (z**2 + m**2)) / (2 * (1 - main**2))
    deviations = pair.metric - pair.metric.mean(axis=0)
    deviations = np.clip(deviations / deviations.std(), -3, 3)
    is_judged = (~np.isnan(pair.human)).T.astype(float)
    products = pair.interaction.T @ deviations
    squares = (pair.interaction**2).sum(axis=0)[:, None] + is_judged @ deviations**2
    result += -0.5 * np.log(1 - interaction**2) * is_judged.sum(axis=1, keepdims=True)
    result += (2 * interaction * products - interaction**2 * squares) / (2 * (1 - interaction**2))
    return np.asarray(result, float)


def arrange(pair: Pair, likelihood: Floats, headline_odds: Floats, min_odds: float) -> NDArray[np.int64] | None:
    """Return the line of each segment number in the most likely arrangement, or ``None`` if there is none.

    Args:
        pair: the language pair.
        likelihood: result of :func:`log_likelihood`.
        headline_odds: for each line, the log odds that a document starts there.
        min_odds: minimum of the log odds at which a document can start.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_matrix

    count = len(headline_odds)
    can_start = np.append(headline_odds > min_odds, True)
    can_start[0] = True
    # Each variable of the integer program places a document at a line. The constraints ensure that each
    # document has exactly one place, and that exactly one document covers each line.
    placements: list[tuple[int, int, int]] = []
    values: list[float] = []
    rows: list[int] = []
    columns: list[int] = []
    document_count = len(pair.bounds) - 1
    for document, (start, end) in enumerate(pairwise(pair.bounds)):
        size = end - start
        for line in range(count - size + 1):
            if can_start[line] and can_start[line + size]:
                column = len(placements)
                placements.append((start - 1, line, size))
                offsets = np.arange(size)
                values.append(likelihood[start - 1 + offsets, line + offsets].sum() + headline_odds[line])
                rows += [document, *range(document_count + line, document_count + line + size)]
                columns += [column] * (size + 1)
    constraints = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(document_count + count, len(placements)))
    solution = milp(
        -np.array(values), constraints=LinearConstraint(constraints.tocsr(), 1, 1),
        integrality=np.ones(len(placements)), bounds=Bounds(0, 1), options={"mip_rel_gap": 1e-6},
    )  # fmt: skip
    if solution.x is None:
        return None
    lines = np.full(count, -1)
    for column in np.flatnonzero(solution.x > 0.5).tolist():
        start, line, size = placements[column]
        lines[start : start + size] = np.arange(line, line + size)
    return lines


def correlation(pair: Pair, lines: NDArray[np.int64], systems: slice = slice(None)) -> float:
    """Return the within-system Pearson correlation of METEOR + chrF with human scores."""
    metric, human = pair.metric[systems][:, lines], pair.human[systems]
    is_judged = ~np.isnan(human)
    centered = metric - metric.mean(axis=1, keepdims=True)
    return float(np.corrcoef(centered[is_judged], human[is_judged])[0, 1])


@dataclass
class Models:
    """The models of headlines and scores that determine the most likely arrangement of documents.

    Attributes:
        headline_odds: for each line, the log odds that a document starts there.
        expected: expected normal scores of the lines.
        main: correlation of the means over systems with the expected scores.
        interaction: correlation of the deviations of single scores.
        min_odds: minimum of the log odds at which a document can start.
    """

    headline_odds: Floats
    expected: Floats
    main: float = 0.4
    interaction: float = 0.12
    min_odds: float = -3.0

    @classmethod
    def initial(cls, pair: Pair) -> Models:
        """Return the initial models of the search."""
        document_count, count = len(pair.bounds) - 1, len(pair.headline_features)
        odds = pair.headline_features @ INITIAL_HEADLINE_WEIGHTS
        odds = np.clip(odds - np.quantile(odds, 1 - document_count / count), -8, 6)
        return cls(odds, normal_scores(pair.predictors @ INITIAL_SCORE_WEIGHTS))

    def arrange(self, pair: Pair) -> NDArray[np.int64] | None:
        """Return the line of each segment number, or ``None`` if there is no arrangement."""
        likelihood = log_likelihood(pair, self.expected, self.main, self.interaction)
        return arrange(pair, likelihood, self.headline_odds, self.min_odds)

    def fit(self, pair: Pair, lines: NDArray[np.int64]) -> None:
        """Learn the models from an arrangement."""
        from sklearn.linear_model import LinearRegression, LogisticRegression

        features = pair.headline_features
        standardized = (features - features.mean(axis=0)) / features.std(axis=0)
        is_start = np.isin(np.arange(len(features)), lines[np.array(pair.bounds[:-1]) - 1])
        headline_model = LogisticRegression(max_iter=1000).fit(standardized, is_start)
        self.headline_odds = np.clip(headline_model.decision_function(standardized), -8, 6)
        self.min_odds = min(self.min_odds, -4.0)
        weights = LinearRegression().fit(pair.predictors[lines], pair.mean).coef_
        self.expected = normal_scores(pair.predictors @ weights)
        self.main = float(np.clip(np.corrcoef(self.expected[lines], pair.mean)[0, 1], 0.05, 0.7))
        deviations = (pair.metric - pair.metric.mean(axis=0))[:, lines]
        is_judged = ~np.isnan(pair.human)
        interaction = np.corrcoef(pair.interaction[is_judged], deviations[is_judged])[0, 1]
        self.interaction = float(np.clip(interaction, 0.02, 0.4))


def join(pair: Pair) -> tuple[NDArray[np.int64], NDArray[np.bool_], float]:
    """Find the line of each segment number.

    Returns:
        The lines; whether both halves of the systems lead to the same line; and the mean correlation for systems whose
        judgments were not used.
    """
    models = Models.initial(pair)
    lines: NDArray[np.int64] | None = None
    for _ in range(8):
        new_lines = models.arrange(pair)
        while new_lines is None:
            models.min_odds -= 2
            new_lines = models.arrange(pair)
        if lines is not None and (new_lines == lines).all():
            break
        lines = new_lines
        models.fit(pair, lines)
    assert lines is not None
    is_sure, correlations = np.ones(len(lines), bool), []
    even, odd = slice(0, None, 2), slice(1, None, 2)
    for used_systems, tested_systems in ((even, odd), (odd, even)):
        half_lines = models.arrange(pair.select_systems(used_systems))
        if half_lines is None:
            raise InputError(f"{pair.name}: half of the systems has no arrangement")
        is_sure &= half_lines == lines
        correlations.append(correlation(pair, half_lines, tested_systems))
    return lines, is_sure, float(np.mean(correlations))


def main() -> int:
    """Run the script, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write a table for each language pair to a folder")
    parser.add_argument("--pairs", nargs="+", default=["cs-en", "de-en", "ha-en", "is-en", "ja-en", "ru-en"])
    options = parser.parse_args()
    print(
        "| pair | documents | r, numbers as lines | r, joined | r, systems not used | sure |\n|---|---|---|---|---|---|"
    )
    try:
        meteor = Meteor("en")
        for name in options.pairs:
            pair = read_pair(name, meteor)
            lines, is_sure, held_out_correlation = join(pair)
            correlations = (correlation(pair, np.arange(len(lines))), correlation(pair, lines), held_out_correlation)
            cells = " | ".join(f"{value:.3f}" for value in correlations)
            print(f"| {name} | {len(pair.bounds) - 1} | {cells} | {100 * is_sure.mean():.0f} % |", flush=True)
            if options.write is not None:
                options.write.mkdir(parents=True, exist_ok=True)
                with atomic_writer(options.write / f"{name}.tsv") as stream:
                    stream.write("sid\tline\tsure\n")
                    for number, (line, sure) in enumerate(zip(lines, is_sure, strict=True), 1):
                        stream.write(f"{number}\t{line + 1}\t{int(sure)}\n")
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
