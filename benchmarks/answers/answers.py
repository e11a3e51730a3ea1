"""Measure how well metrics of answers agree with human judgments, and print the table of docs/answers.md.

A learned model is tested on a system and on questions that it was not trained on. It learns from the answers of other
systems to other questions.

    python benchmarks/answers/answers.py ../shared/data/answers/triviaqa-judged.jsonl.gz
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from meteor_e_learned.answers import JudgedAnswer, answer_examples, load_answers
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.features.short_texts import fold, split_forms
from meteor_e_learned.inputs import InputExtractor
from meteor_e_learned.models.logistic_regression import LogisticRegression
from meteor_e_learned.recipe import load_recipe, make_features
from numpy.typing import NDArray

from meteor_e import Meteor
from meteor_e.base.array_cache import Floats
from meteor_e.render.plain import format_table
from meteor_e.scoring.formula import PART_INDEXES, PARTS

RECIPE = Path(__file__).parents[1] / "recipes" / "ready" / "answer-light.yaml"
FOLDS = 5
"""Number of folds into which the questions are divided."""
DIFFICULTY = (
    *("answer.references", "answer.missing_by_references", "answer.reference_words", "answer.new_reference_words"),
)
"""Columns that describe the acceptable answers of a question, regardless of the answer."""


def area_under_curve(scores: Floats, correct: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve. Equal scores of a correct and an incorrect answer count as 0.5."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives = int(correct.sum())
    negatives = len(correct) - positives
    return float((ranks[correct].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def calibration_error(probabilities: Floats, correct: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error with bins of equal width (Naeini et al., 2015)."""
    index = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = np.bincount(index, correct, bins) - np.bincount(index, probabilities, bins)
    return float(np.abs(gaps).sum() / len(correct))


def best_threshold(scores: Floats, correct: NDArray[np.bool_]) -> float:
    """Return the score threshold that separates correct and incorrect answers with the highest accuracy."""
    thresholds = np.unique(scores)
    accuracies = [float(((scores >= threshold) == correct).mean()) for threshold in thresholds]
    return float(thresholds[int(np.argmax(accuracies))])


def leave_one_system_out(
    examples: Sequence[Floats], correct: NDArray[np.bool_], systems: NDArray[np.str_], folds: NDArray[np.int64]
) -> Floats:
    """Return the probability that each answer is correct. No model is trained on the same system or question.

    Args:
        examples: features of all answers, once for each way to choose references; the first is scored.
        correct: the judgments.
        systems: the system of each answer.
        folds: the fold of each answer's question.
    """
    probabilities = np.empty(len(correct))
    for system in np.unique(systems):
        for index in range(FOLDS):
            train = (systems != system) & (folds != index)
            test = (systems == system) & (folds == index)
            model = LogisticRegression.make()
            model.fit(np.vstack([features[train] for features in examples]), np.tile(correct[train], len(examples)))
            probabilities[test] = model.score_segments(examples[0][test])
    return probabilities


def surface_scores(answers: Sequence[JudgedAnswer]) -> dict[str, Floats]:
    """Return the scores of four simple baselines, such as the token F1 and the length of the answer."""
    contained, f1 = [], []
    for answer in answers:
        words = split_forms(fold(answer.answer))
        references = [split_forms(fold(text)) for text in answer.references]
        spaced = f" {' '.join(words)} "
        contained.append(max(f" {' '.join(reference)} " in spaced for reference in references))
        f1.append(max(token_f1(words, reference) for reference in references))
    return {
        "contains a reference": np.array(contained, float),
        "token F1": np.array(f1),
        "length of the answer": np.array([len(answer.answer.split()) for answer in answers], float),
        "number of references": np.array([len(answer.references) for answer in answers], float),
    }


def token_f1(words: Sequence[str], reference: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of words (Rajpurkar et al., 2016)."""
    common = (Counter(words) & Counter(reference)).total()
    return 2 * common / (len(words) + len(reference)) if common else 0.0


def meteor_scores(answers: Sequence[JudgedAnswer]) -> dict[str, Floats]:
    """Score the answers with METEOR, the recall of METEOR, the chain ``answer``, and sacreBLEU's chrF."""
    from sacrebleu.metrics.chrf import CHRF

    hypotheses, references = [answer.answer for answer in answers], [answer.references for answer in answers]
    scores = {}
    for name, meteor in (("METEOR", Meteor("en")), ("chain `answer`", Meteor.from_config("answer"))):
        parts = np.nan_to_num(meteor.rows(hypotheses, references).arrays().scores[:, PART_INDEXES])
        scores[name] = parts[:, 0]
        if name == "METEOR":
            scores["METEOR's recall"] = parts[:, PARTS.index("recall")]
    chrf = CHRF()
    scores["chrF"] = np.array(
        [chrf.sentence_score(text, list(texts)).score for text, texts in zip(hypotheses, references, strict=True)]
    )
    return scores


def choose_folds(answers: Sequence[JudgedAnswer]) -> NDArray[np.int64]:
    """Return the cross-validation fold of each answer. All answers to a question are in the same fold."""
    distinct_questions = dict.fromkeys(answer.question for answer in answers)
    question_indexes = {question: index for index, question in enumerate(distinct_questions)}
    return np.array([question_indexes[answer.question] for answer in answers]) * 7919 % FOLDS


def replace_references(answers: Sequence[JudgedAnswer], references: Sequence[Sequence[str]]) -> list[JudgedAnswer]:
    """Return copies of the judged answers that have other reference answers."""
    return [
        msgspec.structs.replace(answer, references=list(texts))
        for answer, texts in zip(answers, references, strict=True)
    ]


def make_row(
    name: str, scores: Floats, correct: NDArray[np.bool_], systems: NDArray[np.str_], *, learned: bool
) -> list[str]:
    """Return a row of the table with the name of a metric and its results over all systems.

    Args:
        name: the name of the metric.
        scores: the score of each answer.
        correct: the judgments.
        systems: the system of each answer.
        learned: whether the scores are probabilities. If they are not, the threshold is chosen on the other systems.
    """
    areas, accuracies, calibration_errors = [], [], []
    for system in np.unique(systems):
        part = systems == system
        threshold = 0.5 if learned else best_threshold(scores[~part], correct[~part])
        areas.append(area_under_curve(scores[part], correct[part]))
        accuracies.append(float(((scores[part] >= threshold) == correct[part]).mean()))
        if learned:
            calibration_errors.append(calibration_error(scores[part], correct[part]))
    highest_error = f"{max(calibration_errors):.3f}" if learned else ""
    return [name, f"{np.mean(areas):.4f}", f"{np.mean(accuracies):.4f}", f"{min(areas):.4f}", highest_error]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("answers", help="Judged answers in JSON Lines.")
    parser.add_argument("--references", type=int, help="Maximum number of acceptable answers per question.")
    arguments = parser.parse_args()
    answers = load_answers(arguments.answers)
    correct = np.array([answer.correct for answer in answers])
    systems = np.array([answer.system for answer in answers])
    folds = choose_folds(answers)
    recipe = load_recipe(RECIPE)
    features = make_features(recipe.features, recipe.language, RECIPE.parent)
    store = FeatureStore()
    # Like the included model, the models are trained with all acceptable answers, and again with only two of them.
    extractor = InputExtractor(features, FeatureSet([]), store)
    examples = answer_examples(answers, "", extractor, max_references=arguments.references)
    two_references = answer_examples(answers, "", extractor, max_references=2)
    answers = replace_references(answers, examples.references)
    matrices = [examples.features, two_references.features]
    columns = [index for index, name in enumerate(features.columns) if name not in DIFFICULTY]
    answer_matrices = [matrix[:, columns] for matrix in matrices]
    learned_scores = {
        "`answer-light`": leave_one_system_out(matrices, correct, systems, folds),
        "`answer-light` without difficulty": leave_one_system_out(answer_matrices, correct, systems, folds),
    }
    fixed_scores = {**surface_scores(answers), **meteor_scores(answers)}
    rows = [make_row(name, scores, correct, systems, learned=False) for name, scores in fixed_scores.items()]
    rows += [make_row(name, scores, correct, systems, learned=True) for name, scores in learned_scores.items()]
    print(format_table(["metric", "AUC", "accuracy", "lowest AUC", "highest ECE"], rows))


if __name__ == "__main__":
    main()
