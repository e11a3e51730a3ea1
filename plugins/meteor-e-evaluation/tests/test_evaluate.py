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


class Lengths(SegmentMetric):
    """A metric of our own: the longer, the better."""

    name = "length"
    signature = "length|v1"

    def __init__(self):
        self.calls = 0

    def score_segments(self, hypotheses, references, sources):
        self.calls += len(hypotheses)
        return [len(text) / len(refs[0]) for text, refs in zip(hypotheses, references, strict=True)]


@pytest.fixture
def tests(task):
    return load_test_sets(load_index(task / "index.yaml"))


@pytest.fixture
def cache(tmp_path):
    return ArrayCache(tmp_path / "cache")


def test_score_test_set_equals_meteor(tests, cache, packs):
    (test,) = tests
    scores = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=True)
    meteor = Meteor.from_config(CHAIN)
    for row, output in enumerate(test.outputs):
        expected = [
            meteor.score(text, [reference]).score for text, reference in zip(output, test.references[0], strict=True)
        ]
        assert scores.segments[row] == pytest.approx(expected, rel=1e-12)
        assert scores.systems[row] == pytest.approx(meteor.corpus(output, test.references[0]).score, rel=1e-12)
    ones = np.ones((1, len(test)))
    assert scores.resampled(1, ones)[0] == pytest.approx(scores.systems[1])


def test_score_test_set_reads_alignments_from_the_cache(tests, cache, packs, monkeypatch):
    (test,) = tests
    first = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=False)

    def refuse(*_, **__):
        raise AssertionError("aligned again")

    monkeypatch.setattr(Meteor, "statistics", refuse)
    again = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=True)
    assert (first.segments == again.segments).all()
    with pytest.raises(PluginError, match="aligned again"):
        score_test_set(
            Meteor.from_config({**CHAIN, "matchers": ["exact", "stem"]}),
            test,
            test.judgment_mask(),
            cache,
            systems=False,
        )


def test_statistics_signature_names_all_components(packs):
    class Halves:
        kind, name = "segmenter", "halves"

        def describe(self):
            return "at 2"

    meteor = Meteor.from_config(CHAIN)
    before = translations.statistics_signature(meteor)
    meteor.components = dataclasses.replace(meteor.components, segmenter=Halves())
    after = translations.statistics_signature(meteor)
    assert after != before
    assert "segmenter:halves(at 2)" in after
    # What is applied afterwards is not: one alignment serves all parameters.
    for part in ("a:0.0", "b:0.0", "g:0.0", "d:0.0", "exact=0.0", "task:|"):
        assert part in before


def test_damaged_cache_is_ignored(tests, cache, packs):
    (test,) = tests
    first = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=False)
    for file in cache.folder.rglob("*.npz"):
        file.write_bytes(file.read_bytes()[:50])
    again = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=False)
    assert (again.segments == first.segments).all()


def test_meteor_uses_the_best_of_several_references(task, cache, packs):
    (task / "second.en").write_text("\n".join(OUTPUTS["gamma.x"]) + "\n", encoding="utf-8")
    index = (task / "index.yaml").read_text(encoding="utf-8")
    (task / "index.yaml").write_text(index.replace("ref.{target}", "'[rs]*.en'"), encoding="utf-8")
    (test,) = load_test_sets(load_index(task / "index.yaml"))
    scores = score_test_set(Meteor.from_config(CHAIN), test, test.judgment_mask(), cache, systems=False)
    assert (scores.segments[2] == 1.0).all()


def test_segment_metric_scores_each_output_once(tests, cache):
    (test,) = tests
    scorer = Lengths()
    scores = score_test_set(scorer, test, test.judgment_mask(), cache, systems=False)
    assert scorer.calls == 30
    assert scores.segments[0, 0] == 1.0
    score_test_set(scorer, test, test.judgment_mask(), cache, systems=True)
    assert scorer.calls == 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[:-1], r"no score of m for system gamma.x, segment 10 of cs-en"),
        (lambda rows: [*rows, "m\tcs-en\tt\tbeta\t11\t1\n"], "line 31: system beta has a segment 11; cs-en has 10"),
        (lambda rows: ["m\tde-en\tt\tbeta\t1\n"], "no scores of m for cs-en"),
        (lambda rows: ["n\tcs-en\tt\tbeta\t1\n"], "no metric 'm'"),
    ],
)
def test_score_file_metric_looks_scores_up(tests, cache, tmp_path, change, message):
    (test,) = tests
    rows = [
        f"m\tcs-en\tt\t{system}\t{number}\t{len(line)}\n"
        for system, lines in OUTPUTS.items()
        for number, line in enumerate(lines, 1)
    ]
    file = tmp_path / "m.seg"
    file.write_text("".join(rows), encoding="utf-8")
    scores = ScoreFileMetric.make(files=[str(file)]).score_systems(test, test.judgment_mask(), cache, systems=True)
    assert scores.name == "m"
    assert scores.systems[0] == pytest.approx(np.mean([len(line) for line in OUTPUTS["alpha"]]))
    negated = load_metric(f"mine=scores:-{file}")
    assert negated.label == "mine"
    assert (negated.score_systems(test, test.judgment_mask(), cache, systems=False).segments == -scores.segments).all()
    file.write_text("".join(change(rows)), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ScoreFileMetric.make(files=[str(file)], metric="m").score_systems(
            test, test.judgment_mask(), cache, systems=True
        )


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "darr"] + ["darr:threshold=0.5"])
def test_resampled_with_equal_weights_equals_the_value(name, task, cache):
    text = "SYS SID Z\n" + "".join(
        f"{system} {number} {len(line) / 7 - number % 3}\n"
        for system, lines in OUTPUTS.items()
        for number, line in enumerate(lines, 1)
    )
    (task / "da.csv").write_text(text, encoding="utf-8")
    index = (
        (task / "index.yaml")
        .read_text(encoding="utf-8")
        .replace("judgments:", "judgments:\n  - {file: da.csv, format: da-segments}")
    )
    (task / "index.yaml").write_text(index, encoding="utf-8")
    (test,) = load_test_sets(load_index(task / "index.yaml"))
    scores = score_test_set(Lengths(), test, test.judgment_mask(), cache, systems=True)
    value = measure(name).value(test, scores)
    assert -1 <= value <= 1
    # On samples, soft accuracy takes p from the normal distribution, which is rough for ten segments.
    near = 0.03 if name == "spa" else 1e-6
    assert measure(name).resampled(test, scores, np.ones((2, 10))) == pytest.approx([value, value], abs=near)
    drawn = measure(name).resampled(test, scores, draw_weights(10, 50))
    assert np.nanmin(drawn) - near - 0.01 <= value <= np.nanmax(drawn) + near + 0.01


def test_human_system_scores_are_shares_of_wins(tests):
    won = human_system_scores(tests[0])
    assert won == {"alpha": 19 / 20, "beta": 10 / 21, "gamma.x": 1 / 19}


@pytest.mark.parametrize(
    ("parse", "name", "message"),
    [
        (measure, "pearsn", "unknown measure 'pearsn' .did you mean 'pearson'"),
        (load_metric, "meteo", "unknown metric 'meteo' .did you mean 'meteor'"),
    ],
)
def test_unknown_name_error_has_the_near_miss(parse, name, message):
    with pytest.raises(ConfigError, match=message):
        parse(name)


def run(tests, cache, **options):
    metrics = [Lengths(), Constant()]
    return evaluate(tests, metrics, [measure("tau-strict"), measure("pearson")], cache, **options)


class Constant(SegmentMetric):
    """A metric that knows nothing."""

    name = signature = "constant"

    def score_segments(self, hypotheses, references, sources):
        return [1.0] * len(hypotheses)


def test_evaluation_result_in_every_output_format(tests, cache):
    evaluation = run(tests, cache, intervals=100, significance="paired", samples=200)
    table = evaluation.tables[0]
    assert table.rows["constant"][0].value == -1.0
    comparison = table.comparisons["cs-en"]
    assert comparison.names == ("length", "constant")
    assert comparison.p[0, 1] == pytest.approx(2 / 201)
    written = {}
    for form in ("text", "tsv", "json", "latex", "markdown"):
        stream = io.StringIO()
        Output(form).format().write(EvaluationResult(evaluation), stream, OutputOptions())
        written[form] = stream.getvalue()
    assert "Ranks in parentheses" in written["text"]
    document = json.loads(written["json"])
    assert document["tables"][0]["metrics"]["length"]["cs-en"]["value"] == table.rows["length"][0].value
    assert document["tables"][1]["metrics"]["length"]["cs-en"]["value"] is None
    rows = list(csv.DictReader(io.StringIO(written["tsv"]), delimiter="\t"))
    assert float(rows[0]["value"]) == table.rows["length"][0].value
    assert rows[2]["value"] == ""
    assert r"$\tau$ strict" in written["latex"]
    assert "| length | **" in written["markdown"]


def test_mean_column_averages_language_pairs(task, cache):
    index = (task / "index.yaml").read_text(encoding="utf-8")
    index = index.replace("pairs: [cs-en]", "pairs: [cs-en, fr-en]").replace(
        "gamma: gamma.x", "gamma: gamma.x, other: beta"
    )
    (task / "index.yaml").write_text(index, encoding="utf-8")
    for system, lines in OUTPUTS.items():
        (task / "outputs" / f"tiny.fr-en.{system}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    evaluation = run(load_test_sets(load_index(task / "index.yaml")), cache, intervals=20)
    table = evaluation.tables[0]
    assert table.columns == ("cs-en", "fr-en", "mean")
    first, second, mean = table.rows["length"]
    assert mean.value == pytest.approx((first.value + second.value) / 2)
    assert mean.interval is not None


def test_check_scores_warns_of_uncorrelated_metrics(tests, cache):
    (test,) = tests
    scores = score_test_set(Lengths(), test, test.judgment_mask(), cache, systems=False)
    many = type(test)(**{**vars(test), "rankings": test.rankings.select(np.tile(np.arange(32), 10))})
    assert check_scores(many, scores) == []
    shuffled = type(scores)(scores.name, "", np.random.default_rng(1).permuted(scores.segments, axis=0), scores.systems)
    balanced = type(test)(**{**vars(test), "rankings": both_ways(many.rankings)})
    (warning,) = check_scores(balanced, shuffled)
    assert warning.startswith("warning: length does not correlate with human judgments (0.000)")


def both_ways(rankings):
    return type(rankings)(
        np.r_[rankings.segments, rankings.segments],
        np.r_[rankings.better, rankings.worse],
        np.r_[rankings.worse, rankings.better],
        np.r_[rankings.ties, rankings.ties],
    )


def test_signatures_and_warnings_by_target_language(tests, cache, tmp_path):
    (test,) = tests
    german, ukrainian = (dataclasses.replace(test, pair=f"cs-{code}", language=code) for code in ("de", "uk"))
    paraphrase = {"use": "paraphrase", "optional": True}
    chain = {"matchers": ["exact", paraphrase], "normalization": "lower"}
    (tmp_path / "chain.yaml").write_text(json.dumps(chain), encoding="utf-8")
    metric = parse_spec(f"METEOR={tmp_path / 'chain.yaml'}")
    found = evaluate([test, german, ukrainian], [metric], [measure("tau-strict")], cache)
    assert list(found.signatures) == ["METEOR (en)", "METEOR (de)", "METEOR (uk)"]
    assert "lang:de" in found.signatures["METEOR (de)"]
    missing = [any("without paraphrases" in each for each in told) for told in found.warnings.values()]
    lacking = ["(no table)" in signature for signature in found.signatures.values()]
    assert lacking[1:] == [True, True]
    assert missing == [*lacking[:2], False], "the Java program has none for Ukrainian"
