"""Tests of the metric ``answer-light`` for answers of language models: its feature, its estimator and its model."""

from __future__ import annotations

import csv
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_learned.answers import central_references, load_answers
from meteor_e_learned.explain import explain, explain_system
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.features.answer import COLUMNS, describe
from meteor_e_learned.features.answer_texts import Answer, Question
from meteor_e_learned.features.short_texts import fold, split_forms, split_forms_with_breaks
from meteor_e_learned.models.logistic_regression import LogisticRegression
from meteor_e_learned.ready import resolve_model
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train

from meteor_e import Meteor, load_metric
from meteor_e.api import ConfigError, InputError, MeteorError
from meteor_e.cli.score import score

ROOT = Path(__file__).resolve().parents[3]
RECIPE = ROOT / "benchmarks/recipes/ready/answer-light.yaml"
SHARED = Path(os.environ.get("METEOR_E_SHARED", ROOT.parent / "shared"))

QUESTION = "Who wrote the opera A Masked Ball?"
REFERENCES = ["Giuseppe Verdi", "G. Verdi"]
CORRECT = [
    ("Verdi", REFERENCES, QUESTION),
    ('The opera "A Masked Ball" was written by **Giuseppe Verdi** in 1859.', REFERENCES, QUESTION),
    ("The film won six Oscars.", ["6"], "How many Oscars did the film win?"),
    ("On 14 December 1972.", ["December 14, 1972"], "When did the last man walk on the Moon?"),
    ("Wilhelm Röntgen received it in 1901.", ["Wilhelm Conrad Rontgen"], "Who got the first Nobel prize in physics?"),
]
INCORRECT = [
    ("Puccini", REFERENCES, QUESTION),
    ('The opera "A Masked Ball" was written by Gaetano Donizetti.', REFERENCES, QUESTION),
    ("The film won eleven Oscars.", ["6"], "How many Oscars did the film win?"),
    ("I'm sorry, but I could not find any information about this opera.", REFERENCES, QUESTION),
    ("", REFERENCES, QUESTION),
]


def extract_terms(text):
    """Return the normalized terms of a text."""
    return split_forms(fold(text))


def compute_columns(answer, references, question):
    """Return the values of the feature by column."""
    return dict(zip(COLUMNS, describe(Answer(answer), Question(question, references)), strict=True))


@pytest.mark.parametrize(
    ("first_text", "second_text"),
    [
        ("The U.S.'s 1,000 islands", "the us 1000 island"),
        ("twenty-first", "21"),
        ("the 1930s", "the 1930"),
        ("Péru", "Peru"),
        ("_Boddington’s_", "boddington"),
        ("$6.8$", "6.8"),
    ],
)
def test_split_forms_returns_equal_terms_for_equal_facts(first_text, second_text):
    assert extract_terms(first_text) == extract_terms(second_text)


@pytest.mark.parametrize("first_line", ["Twenty one", "The opera"])
def test_split_forms_with_breaks_equals_split_forms_by_line(first_line):
    folded = fold("\n".join([first_line, "", "a b\u0301 1,000", "x" * 100]))
    lines = " ".join(split_forms_with_breaks(folded)).split("\n")
    assert [line.split() for line in lines] == [split_forms(line) for line in folded.split("\n")]


@pytest.mark.parametrize(
    ("reference", "padded_forms"),
    [
        ("Verdi (composer)", " verdi "),
        (" (Verdi) (composer) ", " verdi "),
        ("(Verdi)", " verdi "),
        ("a (b) c", " a b c "),
    ],
)
def test_question_ignores_a_comment_at_the_end_of_references(reference, padded_forms):
    assert Question("", ["Puccini", reference]).padded_references == [" puccini ", padded_forms]


def test_new_recall_ignores_words_of_the_question():
    row = compute_columns("A masked ball.", ["The Masked Ball by Verdi"], QUESTION)
    assert (row["content_recall"], row["new_recall"]) == (2 / 3, 0)
    assert row["missing_letters"] == len("verdi")


def test_describe_locates_first_match_and_negation():
    row = compute_columns("No, it was not Verdi. Donizetti wrote it.", REFERENCES, QUESTION)
    assert row["negation_before"] == 1
    assert row["first_match"] == pytest.approx(4 / 8)


def test_describe_accepts_references_without_words():
    assert compute_columns("Verdi", ["?!", ""], QUESTION) == dict.fromkeys(COLUMNS, 0.0)


def test_central_references_returns_the_most_similar():
    references = ["Tyrus Cobb", "The Georgia Peach", "Ty Cobb", "Tyrus Raymond Cobb", "Ty Cobb"]
    assert central_references(references, 2) == ["Tyrus Cobb", "Tyrus Raymond Cobb"]
    assert central_references(references, 9) == references[:-1]


def test_logistic_regression_recovers_the_true_log_odds():
    generator = np.random.default_rng(0)
    features = generator.normal(size=(20_000, 2))
    log_odds = 1.5 * features[:, 0] - 0.5
    labels = (generator.random(20_000) < 1 / (1 + np.exp(-log_odds))).astype(float)
    model = LogisticRegression.make().fit(features, labels)
    is_typical = np.abs(features).max(axis=1) < 3
    assert model.raw(features)[is_typical] == pytest.approx(log_odds[is_typical], abs=0.25)
    assert model.score_segments(features).mean() == pytest.approx(labels.mean(), abs=1e-6)
    raw_scores = model.contributions(features).sum(axis=1) + model.intercept_[0]
    assert raw_scores == pytest.approx(model.raw(features))


def test_logistic_regression_rejects_unsuitable_judgments():
    with pytest.raises(InputError, match="judgments that are 0 or 1"):
        LogisticRegression.make().fit(np.ones((3, 1)), np.array([0, 0.5, 1]))
    with pytest.raises(InputError, match="all judgments are equal"):
        LogisticRegression.make().fit(np.ones((3, 1)), np.ones(3))


def test_load_answers_reports_the_invalid_line(tmp_path):
    file = tmp_path / "answers.jsonl"
    valid_line = '{"question": "q", "references": ["r"], "answer": "a", "correct": true}\n'
    file.write_text(valid_line + valid_line.replace("true", "1"))
    with pytest.raises(InputError, match=r"answers\.jsonl:2: not a judged answer: .*bool"):
        load_answers(file)
    file.write_text(valid_line + valid_line.replace('["r"]', "[]"))
    with pytest.raises(InputError, match=r"answers\.jsonl:2: 'references' is empty"):
        load_answers(file)


def test_load_recipe_rejects_index_together_with_answers(tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text(RECIPE.read_text().replace("{answers:", "{index: x.yaml, answers:"))
    with pytest.raises(ConfigError, match="judgments 1 need either 'index' or 'answers'"):
        load_recipe(file)


@pytest.mark.usefixtures("packs")
def test_answer_light_separates_correct_and_incorrect_answers():
    metric = load_metric("answer-light")
    assert min(metric.score(*row).score for row in CORRECT) > 0.5
    assert max(metric.score(*row).score for row in INCORRECT) < 0.5


@pytest.mark.usefixtures("packs")
def test_answer_chain_measures_recall_of_the_reference():
    meteor = Meteor.from_config("answer")
    assert meteor.score("It was written by Giuseppe Verdi, and I can prove it.", REFERENCES).recall == 1
    assert 0 < meteor.score("Verdi", ["Giuseppe Verdi"]).score < 1
    assert meteor.score("Puccini", REFERENCES).score == 0


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize("file_format", ["jsonl", "csv"])
def test_score_command_reads_questions_from_a_column(tmp_path, file_format):
    rows = [(*row, index) for index, row in enumerate(CORRECT[:2] + INCORRECT[:2], 10)]
    file = tmp_path / f"answers.{file_format}"
    if file_format == "jsonl":
        names = "answer", "references", "question", "id"
        file.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    else:
        with file.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["answer", "references", "question", "id"])
            writer.writerows((answer, references[0], question, index) for answer, references, question, index in rows)
    columns = ["--hypothesis-column", "answer", "--reference-column", "references", "--id-column", "id"]
    command = [str(file), *columns, "--source-column", "question", "-M", "answer-light", "--segments", "-f", "json"]
    result = CliRunner().invoke(score, command)
    assert result.exit_code == 0, result.output
    metric = load_metric("answer-light")
    expected = [
        metric.score(answer, references if file_format == "jsonl" else references[0], question).score
        for answer, references, question, _ in rows
    ]
    (system,) = json.loads(result.stdout)["systems"]
    scores = [segment["scores"]["answer-light"]["score"] for segment in system["segments"]]
    assert scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("file_format", ["jsonl", "csv"])
def test_score_command_reads_systems_from_a_column(tmp_path, file_format):
    rows = [("B", "a b"), ("A", "c"), ("A", "a b"), ("B", "a")]
    file = tmp_path / f"answers.{file_format}"
    if file_format == "jsonl":
        lines = (json.dumps({"system": name, "hypothesis": text, "reference": "a b"}) for name, text in rows)
    else:
        lines = ("system,hypothesis,reference", *(f"{name},{text},a b" for name, text in rows))
    file.write_text("\n".join(lines) + "\n")
    command = [str(file), "--system-column", "system", "-M", "bleu", "-f", "json", "--segments"]
    result = CliRunner().invoke(score, command)
    assert result.exit_code == 0, result.output
    systems = json.loads(result.stdout)["systems"]
    assert [system["system"] for system in systems] == ["B", "A"]
    # Each system's scores, in the order of its segments.
    scores = [[segment["scores"]["BLEU"]["score"] for segment in system["segments"]] for system in systems]
    assert [scores[0][0], scores[1][1]] == [pytest.approx(100)] * 2
    assert scores[1][0] == 0
    result = CliRunner().invoke(score, [*command[:1], "--system-column", "sistem", *command[3:]])
    assert "has no column 'sistem'" in str(result.exception) + result.output
    assert "--system-column" in str(result.exception) + result.output


@pytest.mark.usefixtures("packs")
def test_explain_reasons_add_up_to_the_difference_in_percent():
    metric = load_metric("answer-light")
    explanation = explain(metric.model, ["Giuseppe Verdi"], ["I'm sorry, I do not know."], [REFERENCES], [QUESTION])
    assert explanation.first == pytest.approx(100 * metric.score("Giuseppe Verdi", REFERENCES, QUESTION).score)
    difference = explanation.first - explanation.second
    assert sum(reason.points for reason in explanation.reasons) == pytest.approx(difference)
    text = metric.explain(["Verdi"], ["Puccini"], [REFERENCES], ("A", "B"), [QUESTION])
    assert text.startswith("answer-light: A (")
    assert "words of an acceptable answer" in text


@pytest.fixture
def answer_command(tmp_path):
    """Write the correct and incorrect answers as a table; return the arguments of ``score`` that score them."""
    file = tmp_path / "answers.jsonl"
    names = "answer", "references", "question"
    rows = [dict(zip(names, row, strict=True)) for row in CORRECT + INCORRECT]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ["--hypothesis-column", "answer", "--reference-column", "references", "--source-column", "question"]
    return [str(file), *columns, "-M", "answer-light"]


@pytest.mark.usefixtures("packs")
def test_score_command_prints_interval_of_one_system(answer_command):
    result = CliRunner().invoke(score, [*answer_command, "--significance", "bootstrap", "-f", "json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    (test,) = document["significance"]["tests"]["answer-light"]
    low, high = test["interval"]
    assert 0 < low < document["systems"][0]["scores"]["answer-light"]["score"] < high < 1


@pytest.mark.usefixtures("packs")
def test_score_command_prints_the_interval_next_to_the_score(answer_command):
    table, significance = (
        CliRunner().invoke(score, [*answer_command, "-M", "answer", *options]).stdout
        for options in ([], ["--significance"])
    )
    header, row = table.splitlines()[:2]
    assert header.split() == ["system", "answer-light", "95", "%", "interval", "answer", "segments"]
    interval = row[row.index("[") : row.index("]") + 1]
    assert interval in significance
    assert "interval: bootstrap, 1000 samples, seed 12345" in table.splitlines()
    # The table of significance tests contains the intervals, so the table of scores does not repeat them.
    assert "interval" not in significance.splitlines()[0]


@pytest.mark.usefixtures("packs")
def test_score_command_prints_intervals_of_different_questions(tmp_path, answer_command):
    file = tmp_path / "answers.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    systems = ["A"] * 6 + ["B"] * 4
    labeled_rows = [{**row, "system": system} for row, system in zip(rows, systems, strict=True)]
    file.write_text("".join(json.dumps(row) + "\n" for row in labeled_rows))
    result = CliRunner().invoke(score, [*answer_command, "--system-column", "system"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["A", "B"]
    assert lines[1].count("[") == lines[2].count("[") == 1


@pytest.mark.usefixtures("packs")
def test_explain_compares_high_and_low_scores_of_one_system(answer_command):
    result = CliRunner().invoke(score, [*answer_command, "--explain"])
    assert result.exit_code == 0, result.output
    assert "answer-light: the high-scoring part of answer (" in result.stdout
    assert "above the low-scoring part (" in result.stdout
    model = load_metric("answer-light").model
    answers, references, questions = map(list, zip(*CORRECT, *INCORRECT, strict=True))
    explanation = explain_system(model, answers, references, questions)
    high, low = [zip(*rows, strict=True) for rows in (CORRECT, INCORRECT)]
    for group, expected in ((high, explanation.first), (low, explanation.second)):
        scores = [load_metric("answer-light").score(*row).score for row in zip(*group, strict=True)]
        assert 100 * np.mean(scores) == pytest.approx(expected)


@pytest.mark.usefixtures("packs")
def test_explain_compares_one_answer_with_training_average():
    text = load_metric("answer-light").explain_system(["I'm sorry."], [REFERENCES], "A", [QUESTION])
    assert text.startswith("answer-light: the average of the training data (")
    assert "refusals and negations" in text


@pytest.mark.usefixtures("packs")
def test_explain_compares_equal_answers_with_training_average():
    metric = load_metric("answer-light")
    text = metric.explain_system(["I'm sorry."] * 2, [REFERENCES] * 2, "A", [QUESTION] * 2)
    assert text == metric.explain_system(["I'm sorry."], [REFERENCES], "A", [QUESTION])


@pytest.mark.usefixtures("packs")
def test_answer_light_error_suggests_source_column():
    with pytest.raises(InputError, match="name their column with --source-column"):
        load_metric("answer-light").score("Verdi", REFERENCES)


TEXT_FRAGMENTS = [
    "",
    " ",
    "a",
    "Verdi",
    "**Verdi**",
    "7",
    "1,000,000",
    "twenty",
    "one",
    "?!",
    "\n\n",
    "|---|",
    "$\\frac{a}{b}$",
]
TEXT_FRAGMENTS += [
    "```py\nx = 1\n```",
    "не знаю",
    "日本國",
    "\u0301",
    "\U0001f600",
    "I'm sorry",
    "not",
    "(x)",
    "'s",
    "x" * 5000,
    "\0",
]


def random_answers(count, seed):
    """Yield answers, references and questions that consist of random fragments."""
    generator = random.Random(seed)
    for _ in range(count):
        texts = [" ".join(generator.choices(TEXT_FRAGMENTS, k=generator.choice((0, 1, 2, 5, 20)))) for _ in range(4)]
        answer, question, *references = texts
        answer = generator.choice((answer, answer, question, " ".join(references)))
        yield answer, references[: generator.choice((1, 2))], question


def score_or_error(metric, answer, references, question):
    """Return the score of an answer, or the message of the error."""
    try:
        return metric.score(answer, references, question).score
    except MeteorError as error:
        return str(error)


def check_random_answers(count):
    """Check that most random answers have a probability, and that the errors of the others are short."""
    metric = load_metric("answer-light")
    results = [score_or_error(metric, *row) for row in random_answers(count, seed=1)]
    probabilities = [result for result in results if not isinstance(result, str)]
    assert all(0 <= probability <= 1 for probability in probabilities)
    assert all(len(result) < 1000 for result in results if isinstance(result, str))
    assert len(probabilities) > 0.9 * count


@pytest.mark.usefixtures("packs")
def test_answer_light_scores_unusual_texts():
    check_random_answers(200)


@pytest.mark.slow
@pytest.mark.usefixtures("packs")
def test_answer_light_scores_ten_thousand_unusual_texts():
    check_random_answers(10_000)


@pytest.mark.usefixtures("packs")
def test_answer_light_scores_long_texts():
    words = [f"word{index}" for index in range(100_000)]
    assert load_metric("answer-light").score(" ".join(words), REFERENCES, QUESTION).score < 0.5
    assert load_metric("answer-light").score("Giuseppe Verdi", [" ".join(words)], QUESTION).score < 0.5


@pytest.mark.shared
@pytest.mark.usefixtures("packs")
def test_training_reproduces_the_shipped_model(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_SHARED", str(SHARED))
    file = tmp_path / "answer-light.safetensors"
    train(load_recipe(RECIPE), file, folder=RECIPE.parent, store=FeatureStore(enabled=False))
    assert file.read_bytes() == resolve_model("answer-light").read_bytes()
