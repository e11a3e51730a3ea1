"""Measure metrics of answers on people's judgments: the table of docs/answers.md.

Learned models are evaluated without the system that they score (leave one system out), and without the question: they
learn from the other systems' answers to other questions.

    python benchmarks/answers/answers.py ../shared/data/answers/triviaqa-judged.jsonl.gz
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from meteor_e_learned.answers import JudgedAnswer, answer_examples, load_answers
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.features.short_texts import fold, split_forms
from meteor_e_learned.models.logistic_regression import LogisticRegression
from meteor_e_learned.recipe import load_recipe, make_features
from numpy.typing import NDArray

from meteor_e import Meteor
from meteor_e.base.array_cache import Floats
from meteor_e.render.plain import format_table
from meteor_e.scoring.formula import PART_INDEXES, PARTS

RECIPE = Path(__file__).parents[1] / "recipes" / "ready" / "answer-light.yaml"
FOLDS = 5
"""Folds of questions."""
DIFFICULTY = (
    *("answer.references", "answer.missing_by_references", "answer.reference_words", "answer.new_reference_words"),
)
"""Columns that describe the question's acceptable answers and not the answer."""


def area_under_curve(scores: Floats, correct: NDArray[np.bool_]) -> float:
    """Return the probability that a correct answer has a higher score than an incorrect one; a tie counts half."""
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
    """Return the threshold with the highest accuracy."""
    thresholds = np.unique(scores)
    accuracies = [float(((scores >= threshold) == correct).mean()) for threshold in thresholds]
    return float(thresholds[int(np.argmax(accuracies))])


def leave_one_system_out(
    examples: Sequence[Floats], correct: NDArray[np.bool_], systems: NDArray[np.str_], folds: NDArray[np.int64]
) -> Floats:
    """Return the probability of each answer by a model that saw neither its system nor its question.

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
    """Return baselines: exact containment, token F1, and what describes only length or difficulty."""
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
    """Return METEOR, its recall, the chain ``answer`` and sacreBLEU's chrF."""
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("answers", help="Judged answers in JSON Lines.")
    parser.add_argument("--references", type=int, help="Keep only so many acceptable answers per question.")
    arguments = parser.parse_args()
    answers = load_answers(arguments.answers)
    correct = np.array([answer.correct for answer in answers])
    systems = np.array([answer.system for answer in answers])
    questions = {question: index for index, question in enumerate(dict.fromkeys(answer.question for answer in answers))}
    folds = np.array([questions[answer.question] for answer in answers]) * 7919 % FOLDS
    recipe = load_recipe(RECIPE)
    features = make_features(recipe.features, recipe.language, RECIPE.parent)
    store = FeatureStore()
    kept = [answer_examples(answers, "", features, store, references=count).features for count in (None, 2)]
    if arguments.references is not None:
        limited = answer_examples(answers, "", features, store, references=arguments.references)
        answers = [
            JudgedAnswer(answer.question, list(texts), answer.answer, answer.correct, answer.system, answer.id)
            for answer, texts in zip(answers, limited.references, strict=True)
        ]
        kept = [limited.features, kept[1]]
    columns = [index for index, name in enumerate(features.columns) if name not in DIFFICULTY]
    learned = {
        "`answer-light`": leave_one_system_out(kept, correct, systems, folds),
        "`answer-light` without difficulty": leave_one_system_out(
            [rows[:, columns] for rows in kept], correct, systems, folds
        ),
    }
    rows = []
    for name, scores in {**surface_scores(answers), **meteor_scores(answers), **learned}.items():
        parts = [systems == system for system in np.unique(systems)]
        areas = [area_under_curve(scores[part], correct[part]) for part in parts]
        thresholds = [0.5 if name in learned else best_threshold(scores[~part], correct[~part]) for part in parts]
        accuracies = [
            float(((scores[part] >= threshold) == correct[part]).mean())
            for part, threshold in zip(parts, thresholds, strict=True)
        ]
        error = max(calibration_error(scores[part], correct[part]) for part in parts) if name in learned else math.nan
        rows.append([name, *(f"{np.mean(values):.4f}" for values in (areas, accuracies)), f"{min(areas):.4f}",
                     "" if math.isnan(error) else f"{error:.3f}"])  # fmt: skip
    print(format_table(["metric", "AUC", "accuracy", "lowest AUC", "highest ECE"], rows))


if __name__ == "__main__":
    main()
