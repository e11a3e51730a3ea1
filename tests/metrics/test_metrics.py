"""Test metrics: how they are selected and evaluated, and how they are shown in results."""

from __future__ import annotations

import itertools
import json
import pickle
import re
import types
from collections import UserList
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

import meteor_e
from meteor_e import ConfigError, InputError, Meteor, PluginError, SegmentMetric, hookimpl, load_metric
from meteor_e.api import ComponentOptions, Meta, MetricColumn, Segment, System
from meteor_e.api.batches import BATCH_SEGMENTS
from meteor_e.api.segments import TextContext
from meteor_e.api.table_sums import add_tables
from meteor_e.base.errors import SegmentWarning
from meteor_e.evaluate import KeptData, evaluate
from meteor_e.metrics.specs import create_metrics, parse_spec
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.render.documents import _json_pieces
from meteor_e.render.scores import ScoreResult
from meteor_e.significance.tables import Significance, compare_table

KEEP_SEGMENTS = KeptData(segments=True)
HYPOTHESES = ["the cat sat on the mat", "boats left the harbour early", "他 走 了 。"]
REFERENCES = [["a cat sat on the mat", "the cat is on a mat"], ["the boats left early"], ["他走了。"]]
SINGLE_REFERENCES = [references[:1] for references in REFERENCES]


def transpose_references(references):
    """Return the references in the form of sacreBLEU: one list for all first references, and so on."""
    return [list(row) for row in itertools.zip_longest(*references)]


SACREBLEU_METRICS = [
    ("bleu", "BLEU", {}),
    ("bleu:tokenize=zh", "BLEU", {"tokenize": "zh"}),
    ("bleu:tokenize=char,lowercase=true", "BLEU", {"tokenize": "char", "lowercase": True}),
    ("bleu:smooth_method=floor,smooth_value=0.2,max_ngram_order=3", "BLEU",
     {"smooth_method": "floor", "smooth_value": 0.2, "max_ngram_order": 3}),
    ("bleu:trg_lang=zh", "BLEU", {"trg_lang": "zh"}),
    ("chrf", "CHRF", {}),
    ("chrf++", "CHRF", {"word_order": 2}),
    ("chrf:char_order=4,beta=3,whitespace=true,eps_smoothing=true", "CHRF",
     {"char_order": 4, "beta": 3, "whitespace": True, "eps_smoothing": True}),
    ("ter", "TER", {}),
    ("ter:normalized=true,no_punct=true,asian_support=true,case_sensitive=true", "TER",
     {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}),
]  # fmt: skip
"""The specification of a metric, and the class and options of sacreBLEU for the same metric."""


@pytest.mark.parametrize(
    ("spec", "class_name", "options"), SACREBLEU_METRICS, ids=[spec for spec, _, _ in SACREBLEU_METRICS]
)
@pytest.mark.parametrize("references", [REFERENCES, SINGLE_REFERENCES], ids=["several", "one"])
def test_metric_equals_sacrebleu(spec, class_name, options, references):
    sacrebleu_metrics = pytest.importorskip("sacrebleu.metrics", reason="needs the extra 'metrics'")
    sacrebleu_class = getattr(sacrebleu_metrics, class_name)
    sacrebleu_metric = sacrebleu_class(**options)
    metric = load_metric(spec)
    corpus = metric.corpus(HYPOTHESES, references, segments=True)
    assert corpus.score == sacrebleu_metric.corpus_score(HYPOTHESES, transpose_references(references)).score
    assert corpus.signature.partition("|")[2] == str(sacrebleu_metric.get_signature())
    # For sentences, sacreBLEU recommends the effective order of BLEU.
    sentence_options = {"effective_order": True} if class_name == "BLEU" else {}
    sentence_metric = sacrebleu_class(**options, **sentence_options)
    assert corpus.segment_scores.tolist() == [
        sentence_metric.sentence_score(text, texts).score for text, texts in zip(HYPOTHESES, references, strict=True)
    ]
    assert metric.higher_is_better == (class_name != "TER")
    assert pickle.loads(pickle.dumps(metric)).corpus(HYPOTHESES, references).score == corpus.score


def test_smoothing_option_changes_segment_scores_only():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    default = load_metric("bleu").corpus(HYPOTHESES, SINGLE_REFERENCES, segments=True)
    floor = load_metric("bleu:smoothing=floor").corpus(HYPOTHESES, SINGLE_REFERENCES, segments=True)
    assert default.score == floor.score
    assert default.segments != floor.segments
    assert default.signature != floor.signature


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bleu:tokeniser=zh", r"tokeniser: unknown option \(did you mean 'tokenize'"),
        ("bleu:tokenize=14a", r"tokenize is '14a' \(did you mean '13a'"),
        ("bleu:max_ngram_order=0", "max_ngram_order: must be a whole number from 1 to 100, not 0"),
        ("bleu:smooth_method=expo", r"smooth_method: must be one of .*, not 'expo' \(did you mean 'exp'"),
        ("bleu:lowercase=2", "lowercase: must be true or false, not 2"),
        ("chrf:beta=x", "beta: must be a whole number, at least 1, not 'x'"),
        ("ter:no_punct=maybe", "no_punct: must be true or false, not 'maybe'"),
        ("bleu:zh", "option 'zh' is not of the form name=value"),
        ("bleu:tokenize=zh,tokenize=13a", "option 'tokenize' is given twice"),
        ("bleus", r"unknown metric 'bleus' \(did you mean 'bleu'"),
        ("meteor:alpha=x", "alpha: must be a number from 0 to 1, not 'x'"),
    ],
)
def test_load_metric_rejects_invalid_specifications(spec, message):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    with pytest.raises(ConfigError, match=message):
        load_metric(spec)


def test_load_metric_accepts_chains_labels_and_options(tmp_path):
    chain = tmp_path / "mine.yaml"
    chain.write_text("language: other\nmatchers: [exact]\nbeam: 5\n", encoding="utf-8")
    expected = Meteor.from_config(chain).corpus(HYPOTHESES, REFERENCES, segments=True)
    for spec in (str(chain), f"chain:{chain}", f"other-name={chain}"):
        corpus = load_metric(spec).corpus(HYPOTHESES, REFERENCES, segments=True)
        assert corpus.score == pytest.approx(expected.score, abs=1e-15)
        assert corpus.segment_scores == pytest.approx(expected.segment_scores, abs=1e-15)
        assert corpus.signature == expected.signature
    assert load_metric(str(chain)).label == "mine"
    named_chain = tmp_path / "named.yaml"
    named_chain.write_text("name: exact words\nmatchers: [exact]\n", encoding="utf-8")
    labels = [load_metric(spec).label for spec in (str(named_chain), f"short={named_chain}")]
    assert labels == ["exact words", "short"]
    metric = load_metric(f"chain:{chain},beam=3,alpha=0.5")
    assert metric.signature == Meteor.from_config(chain, beam=3, parameters={"alpha": 0.5}).signature
    corpus = load_metric("meteor:matchers=exact,task=li", language="other").corpus(HYPOTHESES, REFERENCES)
    assert corpus.signature == Meteor("other", matchers=["exact"], task="li").signature


@pytest.mark.parametrize("chain", ["universal", "exact", "any"])
def test_named_chain_uses_the_language_of_the_text(own_packs, chain):
    """The options `-M chain:universal -l en` select the same metric as `-c universal -l en`."""
    expected = Meteor.from_config(chain, language="en").corpus(HYPOTHESES, REFERENCES)
    for spec in (chain, f"chain:{chain}"):
        corpus = load_metric(spec, language="en").corpus(HYPOTHESES, REFERENCES)
        assert corpus.signature == expected.signature
        assert corpus.score == pytest.approx(expected.score, abs=1e-15)


def test_chain_keeps_the_language_file_that_defines_its_language(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "code: en\nname: English\nmatchers: [exact]\ndefault_task: li\n", encoding="utf-8"
    )
    chain = tmp_path / "chain.yaml"
    chain.write_text("language: ./mine.yaml\n", encoding="utf-8")
    expected = Meteor.from_config(chain).corpus(HYPOTHESES, REFERENCES).signature
    assert load_metric(str(chain), language="en").corpus(HYPOTHESES, REFERENCES).signature == expected
    signature = load_metric(str(chain), language="da").corpus(HYPOTHESES, REFERENCES).signature
    assert "lang:da|" in signature


class OverlapMetric(SegmentMetric):
    """A metric that returns the fraction of the words of the hypothesis that occur in a reference."""

    name = "test-overlap"

    class Options(ComponentOptions):
        """The options of the metric."""

        bonus: Annotated[float, Meta(description="Added to the score.")] = 0.0

    @property
    def signature(self):
        return f"test-overlap|{self.describe()}"

    def score_segments(self, hypotheses, references, sources=None):
        scores = []
        for hypothesis, texts in zip(hypotheses, references, strict=True):
            words = hypothesis.split()
            overlap = max(len(set(words) & set(text.split())) for text in texts)
            scores.append(overlap / len(words) + self.options.bonus)
        return scores


class BrokenMetric(OverlapMetric):
    """A metric that returns too few scores, texts or NaN, depending on its option ``bonus``."""

    name = "test-broken"

    def score_segments(self, hypotheses, references, sources=None):
        invalid_scores = {0: [1.0], 1: ["x"] * len(hypotheses), 2: [float("nan")] * len(hypotheses)}
        return invalid_scores[int(self.options.bonus)]


@pytest.fixture
def plugin(monkeypatch):
    """Register a plugin that provides OverlapMetric and BrokenMetric."""
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    module = types.ModuleType("overlap_plugin")

    @hookimpl
    def meteor_e_metrics():
        return [OverlapMetric, BrokenMetric]

    module.meteor_e_metrics = meteor_e_metrics
    plugin_registry().register(module, "overlap")


def test_metric_of_a_plugin_scores_segments_and_corpora(plugin):
    metric = load_metric("test-overlap:bonus=1")
    corpus = metric.corpus(HYPOTHESES, REFERENCES, segments=True)
    assert corpus.score == pytest.approx(corpus.segment_scores.mean())
    assert float(corpus.segments[0]) == 1 + 5 / 6
    assert metric.score(HYPOTHESES[0], REFERENCES[0]) == corpus.segments[0]
    with_label, without_label = create_metrics(map(parse_spec, ["mine=test-overlap:bonus=2", "test-overlap"]))
    assert (with_label.label, without_label.label) == ("mine", "test-overlap")
    with pytest.raises(ConfigError, match="two metrics are called 'test-overlap'"):
        create_metrics(map(parse_spec, ["test-overlap", "test-overlap:bonus=3"]))


@pytest.mark.parametrize(
    ("bonus", "error", "message"),
    [
        (0, InputError, "returned 1 scores for 3 segments"),
        (1, InputError, "returned scores that are not all numbers"),
        (2, InputError, "no finite number for segment 1"),
    ],
)
def test_invalid_scores_of_a_metric_raise_an_error(plugin, bonus, error, message):
    with pytest.raises(error, match=message):
        load_metric("test-broken", bonus=bonus).corpus(HYPOTHESES, REFERENCES)


def test_load_metric_does_not_load_plugins_for_builtin_metrics(monkeypatch):
    monkeypatch.setattr(
        "meteor_e.plugins.installed.InstalledPlugins.load", lambda *_: pytest.fail("plugins were loaded")
    )
    load_metric("meteor:task=adq")


def test_core_does_not_mention_plugins():
    plugin_names = re.compile(r"meteor_e_(learned|vectors|dbnary|wordnet|bitext)\b")
    root = Path(meteor_e.__file__).parent
    files = list(root.rglob("*.py"))
    assert len(files) > 100
    assert not [file for file in files if plugin_names.search(file.read_text(encoding="utf-8"))]


class LengthMetric(SegmentMetric):
    """A metric that returns the number of words and a fraction, so that sums depend on the order of summation."""

    name = "test-lengths"
    signature = "test-lengths"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text.split()) + 0.1 ** (len(text) % 7) for text in hypotheses]


class PreparingMetric(LengthMetric):
    """The metric :class:`LengthMetric` with a preparation that counts the references."""

    name = "test-ahead"
    reference_count = 0

    needs_references = True

    def prepare(self, references):
        type(self).reference_count = len(references)
        return self


def make_system(count, read_indices=None):
    """Return a system whose segments are generated while they are read.

    Args:
        count: number of segments.
        read_indices: list to which the index of each segment is appended when the segment is read.
    """

    def generate_segments():
        for index in range(count):
            if read_indices is not None:
                read_indices.append(index)
            yield Segment(index + 1, f"word {index} " * (index % 5 + 1), (f"word {index % 3}",))

    return System("one", generate_segments)


def test_evaluate_scores_systems_while_it_reads_them(monkeypatch):
    read_indices = []
    batch_sizes = []
    read_counts = []
    metric = LengthMetric()
    compute_statistics = LengthMetric.statistics

    def record_batch(self, batch):
        batch_sizes.append(len(batch))
        read_counts.append(len(read_indices))
        return compute_statistics(self, batch)

    monkeypatch.setattr(LengthMetric, "statistics", record_batch)
    table = evaluate([metric], [make_system(10_000, read_indices)])
    # The first batches are small. A batch is read only after the previous batch has been scored.
    assert batch_sizes[:6] == [64, 128, 256, 512, 1024, 2048]
    assert read_counts == list(itertools.accumulate(batch_sizes))
    assert [scores.segment_count for scores in table.systems] == [10_000]
    assert table.segment_scores("test-lengths") == []
    segments = list(make_system(10_000).read())
    hypotheses = [segment.hypothesis for segment in segments]
    references = [segment.references for segment in segments]
    corpus = metric.corpus(hypotheses, references, segments=True)
    segment_table = evaluate([metric], [System.from_segments("one", segments)], keep=KEEP_SEGMENTS)
    assert table.scores("test-lengths") == segment_table.scores("test-lengths") == [corpus.score]
    assert segment_table.segment_scores("test-lengths") == corpus.segment_scores.tolist()


def test_prepare_receives_all_references():
    preparing_metric = PreparingMetric()
    table = evaluate([LengthMetric(), preparing_metric], [make_system(5000)])
    assert preparing_metric.reference_count == 5000
    assert table.scores("test-lengths") == table.scores("test-ahead")


def test_compare_table_needs_systems_with_the_same_segments():
    first, second = make_system(20), replace(make_system(20), name="two")
    significance = Significance("bootstrap", 10)
    keep = KeptData(statistics=True, references=True)
    table = evaluate([LengthMetric()], [first, second], keep=keep)
    assert compare_table(table, [LengthMetric()], significance).columns[0][1].p is not None
    segments = [*second.read()]
    segments[3] = segments[3]._replace(references=("another reference",))
    table = evaluate([LengthMetric()], [first, System.from_segments("two", segments)], keep=keep)
    with pytest.raises(InputError, match="two and one have different segments"):
        compare_table(table, [LengthMetric()], significance)


def test_signature_reports_the_number_of_references():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    metric = load_metric("chrf")
    # Only the last segment has two references.
    references = [*[["a cat sat"]] * 5000, ["a cat sat", "the cat sat"]]
    varying = System.from_lists("one", ["a cat sat"] * 5001, references)
    assert "nrefs:var" in evaluate([metric], [varying]).metrics[0].signature
    assert "nrefs:1|" in evaluate([metric], [make_system(3)]).metrics[0].signature


def test_evaluate_aligns_once_for_metrics_with_the_same_chain(own_packs, monkeypatch):
    metrics = [Meteor.from_config({}, label=name) for name in ("one", "two")]
    other_metric = Meteor.from_config({}, label="three", task="adq")
    expected = evaluate([metrics[0]], [make_system(30)], keep=KEEP_SEGMENTS)
    batch_sizes = []
    engine_class = type(metrics[0]._engine)
    score_batch = engine_class.score

    def record_batch(self, batch):
        batch_sizes.append(len(batch))
        return score_batch(self, batch)

    monkeypatch.setattr(engine_class, "score", record_batch)
    table = evaluate([*metrics, other_metric], [make_system(30)], keep=KEEP_SEGMENTS)
    # The engine aligns once for the first two metrics, and once for the third metric.
    assert batch_sizes == [30, 30]
    for name in ("one", "two"):
        assert table.scores(name) == expected.scores("one")
        assert table.segment_scores(name) == expected.segment_scores("one")


@pytest.mark.usefixtures("low_candidate_limit")
def test_error_of_a_segment_names_its_line():
    metric = Meteor("other", matchers=["exact"])
    texts = ["a b"] * 5000 + ["a " * 10_001]
    system = System.from_lists("one", texts, [[text] for text in texts])
    with pytest.raises(InputError, match=r"^segment 5001: "):
        evaluate([metric], [system])


def test_evaluate_rejects_metrics_of_different_languages():
    class WordCount(SegmentMetric):
        def __init__(self, label, language):
            self.label, self.signature, self.language = label, label, language

        def score_segments(self, hypotheses, references, sources=None):
            return [len(text.split()) for text in hypotheses]

    french, english, any_language = WordCount("f", "fr"), WordCount("e", "en"), WordCount("any", "")
    systems = [System.from_lists("one", ["a b"], [["a"]])]
    assert evaluate([any_language, french], systems).scores("f") == [2.0]
    with pytest.raises(ConfigError, match=r"^metric e is for 'en', and f for 'fr'$"):
        evaluate([any_language, french, english], systems)


class ColumnsMetric(SegmentMetric):
    """A metric with two columns and with details of each segment. The second column has one part."""

    name = "test-columns"
    signature = "test-columns"
    columns = (MetricColumn("words"), MetricColumn("letters", higher_is_better=False, decimals=1, parts=("vowels",)))

    def score_segments(self, hypotheses, references, sources=None):
        return [0] * len(hypotheses)

    def statistics(self, batch):
        return [[1, len(text.split()), len(text), sum(char in "aeiou" for char in text)] for text in batch.hypotheses]

    def scores(self, sums):
        return sums[:, 1:] / sums[:, :1]

    def details(self, statistics, batch=None):
        return [] if batch is None else [{"first": text[:1]} for text in batch.hypotheses]


def test_metric_can_have_several_columns_and_details():
    systems = [System.from_lists(name, ["a cat", "dogs run far"], [["x"], ["x"]]) for name in ("one", "two")]
    metrics = [ColumnsMetric(), LengthMetric()]
    table = evaluate(metrics, systems, keep=KeptData(segments=True, statistics=True, details=True))
    result = ScoreResult(table, compare_table(table, metrics, Significance("bootstrap", 10)))
    assert next(result.records())[:8] == ["system", "segment", "words", "words low", "words high",
                                            "words difference", "words p", "letters"]  # fmt: skip
    assert list(result.records())[3][2] == 2.5
    document = result.document()
    assert list(document["metrics"]) == ["words", "letters", "test-lengths"]
    system_entry = document["systems"][1]
    assert system_entry["scores"]["letters"]["score"] == 8.5
    assert system_entry["scores"]["letters"]["parts"] == {"vowels": 2.5}
    assert document["significance"]["tests"]["letters"][1]["difference"] == 0
    segments = system_entry["segments"]
    assert [segment["scores"]["words"]["details"] for segment in segments] == [{"first": "a"}, {"first": "d"}]
    assert "details" not in segments[0]["scores"]["letters"]
    assert [segment["id"] for segment in segments] == [1, 2]
    score_grid, significance_grid = result.grids()
    assert score_grid.header == ["system", "words", "letters ↓", "test-lengths", "segments"]
    labels = [row[1] for row in significance_grid.rows]
    assert labels == ["words", "words", "letters", "letters", "test-lengths", "test-lengths"]


def test_scores_must_return_one_value_per_column():
    metric = ColumnsMetric()
    metric.scores = lambda sums: sums
    with pytest.raises(PluginError, match="returned 4 values; its columns have 3"):
        evaluate([metric], [make_system(3)])


class MetricPair(SegmentMetric):
    """A metric class whose name selects two metrics."""

    name = "test-both"

    @classmethod
    def from_options(cls, context, options):
        return [LengthMetric(), PreparingMetric()]

    def score_segments(self, hypotheses, references, sources=None):
        raise NotImplementedError


def test_metric_name_can_select_several_metrics(monkeypatch):
    monkeypatch.setattr("meteor_e.metrics.specs._find_class", lambda name, text: MetricPair)
    assert [metric.label for metric in create_metrics([parse_spec("test-both")])] == ["test-lengths", "test-ahead"]
    labels = [metric.label for metric in create_metrics([parse_spec("my=test-both")])]
    assert labels == ["my test-lengths", "my test-ahead"]
    with pytest.raises(ConfigError, match="stands for several metrics: test-lengths, test-ahead"):
        load_metric("test-both")


def test_document_creates_segments_lazily():
    table = evaluate([ColumnsMetric()], [make_system(3 * BATCH_SEGMENTS)], keep=KEEP_SEGMENTS)
    segments = ScoreResult(table).document()["systems"][0]["segments"]
    assert not isinstance(segments, list)
    assert next(iter(segments))["id"] == 1
    assert len(segments) == segments[-1]["id"] == 3 * BATCH_SEGMENTS


def test_score_result_shows_the_ids_of_segments():
    segments = [Segment(name, "a cat", ("x",)) for name in ("img-7", "img-3")]
    table = evaluate([ColumnsMetric()], [System.from_segments("one", segments)], keep=KEEP_SEGMENTS)
    result = ScoreResult(table)
    assert [line.partition(":")[0] for line in result.lines()] == ["segment img-7", "segment img-3"]
    assert [row[1] for row in result.records()][1:] == ["img-7", "img-3", "all"]


def test_add_tables_equals_scoring_the_whole_corpus(packs):
    hypotheses, references = [*HYPOTHESES, "a boat", "the mat"], [*REFERENCES, ["boats"], ["the mat", "mats"]]
    metrics = create_metrics(map(parse_spec, ["meteor", "chrf", "bleu"]), TextContext("en"))

    def evaluate_part(start, end):
        """Evaluate two systems on a part of the segments."""
        systems = [
            System.from_lists(name, texts[start:end], references[start:end])
            for name, texts in (("one", hypotheses), ("two", hypotheses[::-1]))
        ]
        return evaluate(metrics, systems, keep=KeptData(segments=True, statistics=True))

    expected = evaluate_part(0, 5)
    expected_rows = [row[2:] for row in ScoreResult(expected).records()]
    for boundary in range(1, 5):
        table = add_tables(metrics, evaluate_part(0, boundary), evaluate_part(boundary, 5))
        assert [row[2:] for row in ScoreResult(table).records()] == expected_rows
        assert [scores.segment_count for scores in table.systems] == [5, 5]
    with pytest.raises(ConfigError, match="the same systems and metrics"):
        add_tables(metrics, expected, evaluate(metrics[:1], [make_system(3)]))


def test_ter_rejects_very_long_segments():
    ter = load_metric("ter")
    long_text = "a b " * 600_000
    with pytest.raises(InputError, match=r"segment 2 has 1,200,000 words and its reference 4;"):
        ter.corpus(["a", long_text], ["a", "a b c d"])
    with pytest.raises(InputError, match="segment 1 has 4 words"):
        ter.corpus(["a b c d"], [["a", long_text]])
    with pytest.raises(InputError, match="segment 5001 has 1,200,000 words"):
        ter.corpus([*["a"] * 5000, long_text], [*["a"] * 5000, "a b c d"])
    # A segment with one long word is not a long segment.
    assert ter.corpus(["a" * 3_000], ["b" * 3_000]).score == 100


def test_json_pieces_equal_the_output_of_json_dumps():
    document = {"none": UserList(), "some": UserList([{"é": [1, 2]}, UserList("a")]), "no": {}, "two\nlines": 1.5}
    expected = {"none": [], "some": [{"é": [1, 2]}, ["a"]], "no": {}, "two\nlines": 1.5}
    assert "".join(_json_pieces(document)) == json.dumps(expected, ensure_ascii=False, indent=2)


def test_segment_without_alignment_still_counts_its_words():
    meteor = Meteor("other", matchers=["exact"], resources=LanguageResources(), on_error="zero")
    repetitive_text = "a " * 10_001
    with pytest.warns(SegmentWarning, match="segment 2"):
        rows = meteor.rows(["x y", repetitive_text], [["x y"], [repetitive_text + "b"]])
    assert (len(rows), rows.failures) == (2, {})
    statistics = np.asarray(rows)
    assert statistics[1].sum() > 20_000
    assert list(rows.total) == statistics.sum(axis=0).tolist()


def test_infinite_system_score_is_an_error_in_every_format(plugin, tmp_path):
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    text = tmp_path / "text"
    text.write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(InputError, match="the system's score is infinite, because a sum over 3 segments overflows"):
        load_metric("test-overlap:bonus=1e308").corpus(list("abc"), list("abc"))
    for output_format in ("text", "json", "tsv", "csv", "markdown", "latex", "jsonl"):
        arguments = ["score", str(text), "-r", str(text), "-M", "test-overlap:bonus=1e308", "-f", output_format]
        result = CliRunner().invoke(cli, arguments)
        assert isinstance(result.exception, InputError), (output_format, result.output)
