"""Tests of the evaluation of metrics on test sets."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import numpy as np
import pytest
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import MEASURES, measure
from meteor_e_evaluation.report import EvaluationResult
from meteor_e_evaluation.sanity import check_scores
from meteor_e_evaluation.score_files import ScoreFileMetric
from meteor_e_evaluation.system_measures import human_system_scores
from tiny_task import OUTPUTS

from meteor_e import Meteor, SegmentMetric, load_metric
from meteor_e.api import OutputOptions, PluginError
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.cli.options import Output
from meteor_e.metrics import translations
from meteor_e.metrics.specs import parse_spec
from meteor_e.metrics.translations import score_test_set
from meteor_e.significance.resampling import draw_weights

CHAIN = {"language": "en", "matchers": ["exact"], "normalization": "lower"}


class RelativeLength(SegmentMetric):
    """A metric that divides the length of a hypothesis by the length of its first reference."""

    name = "length"
    signature = "length|v1"

    def __init__(self):
        self.calls = 0

    def score_segments(self, hypotheses, references, sources):
        self.calls += len(hypotheses)
        return [len(text) / len(refs[0]) for text, refs in zip(hypotheses, references, strict=True)]


@pytest.fixture(name="test_sets")
def load_tiny_sets(task):
    """Load the test sets of the tiny task."""
    return load_test_sets(load_index(task / "index.yaml"))


@pytest.fixture
def cache(tmp_path):
    """Make an empty cache."""
    return ArrayCache(tmp_path / "cache")


def test_score_test_set_equals_meteor(test_sets, cache, packs):
    (test_set,) = test_sets
    scores = score_test_set(Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=True)
    meteor = Meteor.from_config(CHAIN)
    for row, output in enumerate(test_set.outputs):
        expected = [
            meteor.score(text, [reference]).score
            for text, reference in zip(output, test_set.references[0], strict=True)
        ]
        assert scores.segments[row] == pytest.approx(expected, rel=1e-12)
        assert scores.systems[row] == pytest.approx(meteor.corpus(output, test_set.references[0]).score, rel=1e-12)
    equal_weights = np.ones((1, len(test_set)))
    assert scores.resampled(1, equal_weights)[0] == pytest.approx(scores.systems[1])


def test_score_test_set_reads_alignments_from_the_cache(test_sets, cache, packs, monkeypatch):
    (test_set,) = test_sets
    scores = score_test_set(Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=False)

    def fail(*_, **__):
        raise AssertionError("aligned again")

    monkeypatch.setattr(Meteor, "statistics", fail)
    cached_scores = score_test_set(Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=True)
    assert (scores.segments == cached_scores.segments).all()
    with pytest.raises(PluginError, match="aligned again"):
        score_test_set(
            Meteor.from_config({**CHAIN, "matchers": ["exact", "stem"]}),
            test_set,
            test_set.judgment_mask(),
            cache,
            systems=False,
        )


def test_statistics_signature_names_all_components(packs):
    class Halves:
        kind, name = "segmenter", "halves"

        def describe(self):
            return "at 2"

    meteor = Meteor.from_config(CHAIN)
    default_signature = translations.statistics_signature(meteor)
    meteor.components = dataclasses.replace(meteor.components, segmenter=Halves())
    changed_signature = translations.statistics_signature(meteor)
    assert changed_signature != default_signature
    assert "segmenter:halves(at 2)" in changed_signature
    # Parameters that do not change alignments are set to 0: one cached alignment serves all their values.
    for part in ("a:0.0", "b:0.0", "g:0.0", "d:0.0", "exact=0.0", "task:|"):
        assert part in default_signature


def test_array_cache_ignores_damaged_files(test_sets, cache, packs):
    (test_set,) = test_sets
    scores = score_test_set(Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=False)
    for file in cache.folder.rglob("*.npz"):
        file.write_bytes(file.read_bytes()[:50])
    recomputed_scores = score_test_set(
        Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=False
    )
    assert (recomputed_scores.segments == scores.segments).all()


def test_meteor_uses_the_best_of_several_references(task, cache, packs):
    (task / "second.en").write_text("\n".join(OUTPUTS["gamma.x"]) + "\n", encoding="utf-8")
    index = (task / "index.yaml").read_text(encoding="utf-8")
    (task / "index.yaml").write_text(index.replace("ref.{target}", "'[rs]*.en'"), encoding="utf-8")
    (test_set,) = load_test_sets(load_index(task / "index.yaml"))
    scores = score_test_set(Meteor.from_config(CHAIN), test_set, test_set.judgment_mask(), cache, systems=False)
    assert (scores.segments[2] == 1.0).all()


def test_segment_metric_scores_each_output_once(test_sets, cache):
    (test_set,) = test_sets
    metric = RelativeLength()
    scores = score_test_set(metric, test_set, test_set.judgment_mask(), cache, systems=False)
    assert metric.calls == 30
    assert scores.segments[0, 0] == 1.0
    score_test_set(metric, test_set, test_set.judgment_mask(), cache, systems=True)
    assert metric.calls == 30


@pytest.mark.parametrize(
    ("edit_rows", "message"),
    [
        (lambda rows: rows[:-1], r"no score of m for system gamma.x, segment 10 of cs-en"),
        (lambda rows: [*rows, "m\tcs-en\tt\tbeta\t11\t1\n"], "line 31: system beta has a segment 11; cs-en has 10"),
        (lambda rows: ["m\tde-en\tt\tbeta\t1\n"], "no scores of m for cs-en"),
        (lambda rows: ["n\tcs-en\tt\tbeta\t1\n"], "no metric 'm'"),
    ],
    ids=["missing segment", "unknown segment", "other pair", "other metric"],
)
def test_score_file_metric_reads_and_checks_scores(test_sets, cache, tmp_path, edit_rows, message):
    (test_set,) = test_sets
    rows = [
        f"m\tcs-en\tt\t{system}\t{number}\t{len(line)}\n"
        for system, lines in OUTPUTS.items()
        for number, line in enumerate(lines, 1)
    ]
    file = tmp_path / "m.seg"
    file.write_text("".join(rows), encoding="utf-8")
    scores = ScoreFileMetric.make(files=[str(file)]).score_systems(
        test_set, test_set.judgment_mask(), cache, systems=True
    )
    assert scores.name == "m"
    assert scores.systems[0] == pytest.approx(np.mean([len(line) for line in OUTPUTS["alpha"]]))
    negated_metric = load_metric(f"mine=scores:-{file}")
    assert negated_metric.label == "mine"
    negated_scores = negated_metric.score_systems(test_set, test_set.judgment_mask(), cache, systems=False)
    assert (negated_scores.segments == -scores.segments).all()
    file.write_text("".join(edit_rows(rows)), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ScoreFileMetric.make(files=[str(file)], metric="m").score_systems(
            test_set, test_set.judgment_mask(), cache, systems=True
        )


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "darr"] + ["darr:threshold=0.5"])
def test_resampled_equals_value_for_equal_weights(name, task, cache):
    text = "SYS SID Z\n" + "".join(
        f"{system} {number} {len(line) / 7 - number % 3}\n"
        for system, lines in OUTPUTS.items()
        for number, line in enumerate(lines, 1)
    )
    (task / "da.csv").write_text(text, encoding="utf-8")
    index = (task / "index.yaml").read_text(encoding="utf-8")
    index = index.replace("judgments:", "judgments:\n  - {file: da.csv, format: da-segments}")
    (task / "index.yaml").write_text(index, encoding="utf-8")
    (test_set,) = load_test_sets(load_index(task / "index.yaml"))
    scores = score_test_set(RelativeLength(), test_set, test_set.judgment_mask(), cache, systems=True)
    value = measure(name).value(test_set, scores)
    assert -1 <= value <= 1
    # For samples, soft pairwise accuracy uses a normal approximation of p-values, which is rough for ten segments.
    tolerance = 0.03 if name == "spa" else 1e-6
    assert measure(name).resampled(test_set, scores, np.ones((2, 10))) == pytest.approx([value, value], abs=tolerance)
    resampled_values = measure(name).resampled(test_set, scores, draw_weights(10, 50))
    assert np.nanmin(resampled_values) - tolerance - 0.01 <= value <= np.nanmax(resampled_values) + tolerance + 0.01


def test_human_system_scores_are_proportions_of_wins(test_sets):
    human_scores = human_system_scores(test_sets[0])
    assert human_scores == {"alpha": 19 / 20, "beta": 10 / 21, "gamma.x": 1 / 19}


@pytest.mark.parametrize(
    ("load", "name", "message"),
    [
        (measure, "pearsn", "unknown measure 'pearsn' .did you mean 'pearson'"),
        (load_metric, "meteo", "unknown metric 'meteo' .did you mean 'meteor'"),
    ],
)
def test_unknown_name_error_suggests_a_similar_name(load, name, message):
    with pytest.raises(ConfigError, match=message):
        load(name)


def evaluate_metrics(test_sets, cache, **options):
    """Evaluate two metrics by two measures."""
    metrics = [RelativeLength(), ConstantMetric()]
    return evaluate(test_sets, metrics, [measure("tau-strict"), measure("pearson")], cache, **options)


class ConstantMetric(SegmentMetric):
    """A metric that gives every segment the same score."""

    name = signature = "constant"

    def score_segments(self, hypotheses, references, sources):
        return [1.0] * len(hypotheses)


def test_evaluation_result_is_written_in_every_format(test_sets, cache):
    evaluation = evaluate_metrics(test_sets, cache, intervals=100, significance="paired", samples=200)
    table = evaluation.tables[0]
    assert table.rows["constant"][0].value == -1.0
    comparison = table.comparisons["cs-en"]
    assert comparison.names == ("length", "constant")
    assert comparison.p[0, 1] == pytest.approx(2 / 201)
    outputs = {}
    for format_name in ("text", "tsv", "json", "latex", "markdown"):
        stream = io.StringIO()
        Output(format_name).format().write(EvaluationResult(evaluation), stream, OutputOptions())
        outputs[format_name] = stream.getvalue()
    assert "Ranks in parentheses" in outputs["text"]
    document = json.loads(outputs["json"])
    assert document["tables"][0]["metrics"]["length"]["cs-en"]["value"] == table.rows["length"][0].value
    assert document["tables"][1]["metrics"]["length"]["cs-en"]["value"] is None
    rows = list(csv.DictReader(io.StringIO(outputs["tsv"]), delimiter="\t"))
    assert float(rows[0]["value"]) == table.rows["length"][0].value
    assert rows[2]["value"] == ""
    assert r"$\tau$ strict" in outputs["latex"]
    assert "| length | **" in outputs["markdown"]


def test_mean_column_averages_language_pairs(task, cache):
    index = (task / "index.yaml").read_text(encoding="utf-8")
    index = index.replace("pairs: [cs-en]", "pairs: [cs-en, fr-en]").replace(
        "gamma: gamma.x", "gamma: gamma.x, other: beta"
    )
    (task / "index.yaml").write_text(index, encoding="utf-8")
    for system, lines in OUTPUTS.items():
        (task / "outputs" / f"tiny.fr-en.{system}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    evaluation = evaluate_metrics(load_test_sets(load_index(task / "index.yaml")), cache, intervals=20)
    table = evaluation.tables[0]
    assert table.columns == ("cs-en", "fr-en", "mean")
    first, second, mean = table.rows["length"]
    assert mean.value == pytest.approx((first.value + second.value) / 2)
    assert mean.interval is not None


def test_check_scores_warns_of_uncorrelated_metrics(test_sets, cache):
    (test_set,) = test_sets
    scores = score_test_set(RelativeLength(), test_set, test_set.judgment_mask(), cache, systems=False)
    repeated_rankings = test_set.rankings.select(np.tile(np.arange(32), 10))
    repeated_set = dataclasses.replace(test_set, rankings=repeated_rankings)
    assert check_scores(repeated_set, scores) == []
    shuffled_segments = np.random.default_rng(1).permuted(scores.segments, axis=0)
    shuffled_scores = type(scores)(scores.name, "", shuffled_segments, scores.systems)
    balanced_set = dataclasses.replace(test_set, rankings=add_reverse_rankings(repeated_rankings))
    (warning,) = check_scores(balanced_set, shuffled_scores)
    assert warning.startswith("warning: length does not correlate with human judgments (0.000)")


def add_reverse_rankings(rankings):
    """Return the rankings followed by their opposites."""
    return type(rankings)(
        np.r_[rankings.segments, rankings.segments],
        np.r_[rankings.better, rankings.worse],
        np.r_[rankings.worse, rankings.better],
        np.r_[rankings.ties, rankings.ties],
    )


def test_evaluate_reports_signatures_by_target_language(test_sets, cache, tmp_path):
    (test_set,) = test_sets
    german, ukrainian = (dataclasses.replace(test_set, pair=f"cs-{code}", language=code) for code in ("de", "uk"))
    paraphrase = {"use": "paraphrase", "optional": True}
    chain = {"matchers": ["exact", paraphrase], "normalization": "lower"}
    (tmp_path / "chain.yaml").write_text(json.dumps(chain), encoding="utf-8")
    metric = parse_spec(f"METEOR={tmp_path / 'chain.yaml'}")
    evaluation = evaluate([test_set, german, ukrainian], [metric], [measure("tau-strict")], cache)
    assert list(evaluation.signatures) == ["METEOR (en)", "METEOR (de)", "METEOR (uk)"]
    assert "lang:de" in evaluation.signatures["METEOR (de)"]
    warns_of_missing_table = [
        any("without paraphrases" in warning for warning in warnings) for warnings in evaluation.warnings.values()
    ]
    lacks_table = ["(no table)" in signature for signature in evaluation.signatures.values()]
    assert lacks_table[1:] == [True, True]
    assert warns_of_missing_table == [*lacks_table[:2], False], (
        "a missing Ukrainian table needs no warning, because METEOR 1.5 does not have one either"
    )
