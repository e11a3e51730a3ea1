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
from meteor_e.api.batches import BATCH_SEGMENTS as BATCH
from meteor_e.api.segments import TextContext
from meteor_e.base.errors import SegmentWarning
from meteor_e.evaluate import KeptData, add_tables, evaluate
from meteor_e.metrics.specs import create_metrics, parse_spec
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.render.documents import _json_pieces
from meteor_e.render.scores import ScoreResult
from meteor_e.significance.tables import Significance, compare_table

SEGMENTS = KeptData(segments=True)
HYPOTHESES = ["the cat sat on the mat", "boats left the harbour early", "他 走 了 。"]
REFERENCES = [["a cat sat on the mat", "the cat is on a mat"], ["the boats left early"], ["他走了。"]]
RECTANGLE = [texts[:1] for texts in REFERENCES]


def sides(references):
    """Return references in the form of sacreBLEU."""
    most = max(map(len, references))
    return [[texts[at] if at < len(texts) else None for texts in references] for at in range(most)]


# The specification, and how sacreBLEU 2 makes the same metric.
SACRE = [
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


@pytest.mark.parametrize(("spec", "kind", "options"), SACRE, ids=[entry[0] for entry in SACRE])
@pytest.mark.parametrize("references", [REFERENCES, RECTANGLE], ids=["several", "one"])
def test_sacrebleu(spec, kind, options, references):
    metrics = pytest.importorskip("sacrebleu.metrics", reason="needs the extra 'metrics'")
    theirs = getattr(metrics, kind)(**options)
    ours = load_metric(spec)
    found = ours.corpus(HYPOTHESES, references, segments=True)
    assert found.score == theirs.corpus_score(HYPOTHESES, sides(references)).score
    assert found.signature.partition("|")[2] == str(theirs.get_signature())
    alone = getattr(metrics, kind)(**options, **({"effective_order": True} if kind == "BLEU" else {}))
    assert found.segment_scores.tolist() == [
        alone.sentence_score(text, texts).score for text, texts in zip(HYPOTHESES, references, strict=True)
    ]
    assert ours.higher_is_better == (kind != "TER")
    assert pickle.loads(pickle.dumps(ours)).corpus(HYPOTHESES, references).score == found.score


def test_smoothing_of_segments_alone():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    plain, floor = load_metric("bleu"), load_metric("bleu:smoothing=floor")
    one, two = (metric.corpus(HYPOTHESES, RECTANGLE, segments=True) for metric in (plain, floor))
    assert one.score == two.score
    assert one.segments != two.segments
    assert one.signature != two.signature


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
def test_invalid_metrics_are_refused(spec, message):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    with pytest.raises(ConfigError, match=message):
        load_metric(spec)


def test_meteor_by_name_and_by_chain(tmp_path):
    chain = tmp_path / "mine.yaml"
    chain.write_text("language: other\nmatchers: [exact]\nbeam: 5\n", encoding="utf-8")
    expected = Meteor.from_config(chain).corpus(HYPOTHESES, REFERENCES, segments=True)
    for spec in (str(chain), f"chain:{chain}", f"other-name={chain}"):
        metric = load_metric(spec)
        found = metric.corpus(HYPOTHESES, REFERENCES, segments=True)
        assert found.score == pytest.approx(expected.score, abs=1e-15)
        assert found.segment_scores == pytest.approx(expected.segment_scores, abs=1e-15)
        assert found.signature == expected.signature
    assert load_metric(str(chain)).label == "mine"
    named = tmp_path / "named.yaml"
    named.write_text("name: exact words\nmatchers: [exact]\n", encoding="utf-8")
    assert [load_metric(spec).label for spec in (str(named), f"short={named}")] == ["exact words", "short"]
    changed = load_metric(f"chain:{chain},beam=3,alpha=0.5")
    assert changed.signature == Meteor.from_config(chain, beam=3, parameters={"alpha": 0.5}).signature
    assert load_metric("meteor:matchers=exact,task=li", language="other").corpus(HYPOTHESES, REFERENCES).signature == (
        Meteor("other", matchers=["exact"], task="li").signature
    )


@pytest.mark.parametrize("chain", ["universal", "exact", "any"])
def test_named_chain_uses_the_language_of_the_text(own_packs, chain):
    # `-M chain:universal -l en` equals `-c universal -l en`.
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
    changed = load_metric(str(chain), language="da").corpus(HYPOTHESES, REFERENCES).signature
    assert "lang:da|" in changed


class Overlap(SegmentMetric):
    """The share of the hypothesis's words that a reference contains."""

    name = "test-overlap"

    class Options(ComponentOptions):
        """What is added."""

        bonus: Annotated[float, Meta(description="Added to the score.")] = 0.0

    @property
    def signature(self):
        return f"test-overlap|{self.describe()}"

    def score_segments(self, hypotheses, references, sources=None):
        return [
            max(len({*text.split()} & {*one.split()}) for one in texts) / len(text.split()) + self.options.bonus
            for text, texts in zip(hypotheses, references, strict=True)
        ]


class Broken(Overlap):
    """A metric that returns too few numbers, or other values."""

    name = "test-broken"

    def score_segments(self, hypotheses, references, sources=None):
        return {0: [1.0], 1: ["x"] * len(hypotheses), 2: [float("nan")] * len(hypotheses)}[int(self.options.bonus)]


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    module = types.ModuleType("overlap_plugin")

    @hookimpl
    def meteor_e_metrics():
        return [Overlap, Broken]

    module.meteor_e_metrics = meteor_e_metrics
    plugin_registry().register(module, "overlap")


def test_metric_of_a_plugin_is_computed(plugin):
    metric = load_metric("test-overlap:bonus=1")
    found = metric.corpus(HYPOTHESES, REFERENCES, segments=True)
    assert found.score == pytest.approx(found.segment_scores.mean())
    assert float(found.segments[0]) == 1 + 5 / 6
    assert metric.score(HYPOTHESES[0], REFERENCES[0]) == found.segments[0]
    labelled, plain = create_metrics(map(parse_spec, ["mine=test-overlap:bonus=2", "test-overlap"]))
    assert (labelled.label, plain.label) == ("mine", "test-overlap")
    with pytest.raises(ConfigError, match="two metrics are called 'test-overlap'"):
        create_metrics(map(parse_spec, ["test-overlap", "test-overlap:bonus=3"]))


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        (0, InputError, "returned 1 scores for 3 segments"),
        (1, InputError, "returned scores that are not all numbers"),
        (2, InputError, "no finite number for segment 1"),
    ],
)
def test_failing_metric_is_reported(plugin, kind, error, message):
    with pytest.raises(error, match=message):
        load_metric("test-broken", bonus=kind).corpus(HYPOTHESES, REFERENCES)


def test_builtin_names_need_no_look_at_plugins(monkeypatch):
    monkeypatch.setattr("meteor_e.plugins.installed.InstalledPlugins.load", lambda *_: pytest.fail("looked at plugins"))
    load_metric("meteor:task=adq")


def test_core_names_no_plugin():
    names = re.compile(r"meteor_e_(learned|vectors|dbnary|wordnet|bitext)\b")
    root = Path(meteor_e.__file__).parent
    files = list(root.rglob("*.py"))
    assert len(files) > 100
    assert not [file for file in files if names.search(file.read_text(encoding="utf-8"))]


class Lengths(SegmentMetric):
    """The number of words, with digits that depend on the order of summation."""

    name = "test-lengths"
    signature = "test-lengths"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text.split()) + 0.1 ** (len(text) % 7) for text in hypotheses]


class Ahead(Lengths):
    """The metric :class:`Lengths` with a preparation that reads the references."""

    name = "test-ahead"
    seen = 0

    needs_references = True

    def prepare(self, references):
        type(self).seen = len(references)
        return self


def system(count, taken=None):
    """Return a system, and record the indices of the segments that are read."""

    def segments():
        for number in range(count):
            if taken is not None:
                taken.append(number)
            yield Segment(number + 1, f"word {number} " * (number % 5 + 1), (f"word {number % 3}",))

    return System("one", segments)


def test_systems_are_scored_while_they_are_read(monkeypatch):
    taken, held = [], []
    metric = Lengths()
    statistics = Lengths.statistics

    def watched(self, batch):
        held.append((len(batch), len(taken)))
        return statistics(self, batch)

    monkeypatch.setattr(Lengths, "statistics", watched)
    table = evaluate([metric], [system(10_000, taken)])
    # The first batches are small; no batch is read before the one before it is scored.
    assert [size for size, _ in held[:6]] == [64, 128, 256, 512, 1024, 2048]
    assert [read for _, read in held] == list(itertools.accumulate(size for size, _ in held))
    assert [scores.segment_count for scores in table.systems] == [10_000]
    assert table.segment_scores("test-lengths") == []
    segments = list(system(10_000).read())
    hypotheses, references = ([segment[column] for segment in segments] for column in (1, 2))
    whole = metric.corpus(hypotheses, references, segments=True)
    kept = evaluate([metric], [System.from_segments("one", segments)], keep=SEGMENTS)
    assert table.scores("test-lengths") == kept.scores("test-lengths") == [whole.score]
    assert kept.segment_scores("test-lengths") == whole.segment_scores.tolist()


def test_metric_with_preparation_reads_all_references():
    plain, ahead = Lengths(), Ahead()
    table = evaluate([plain, ahead], [system(5000)])
    assert ahead.seen == 5000
    assert table.scores("test-lengths") == table.scores("test-ahead")


def test_tests_need_systems_of_the_same_segments():
    one, other = system(20), replace(system(20), name="two")
    few = Significance("bootstrap", 10)
    keep = KeptData(statistics=True, references=True)
    table = evaluate([Lengths()], [one, other], keep=keep)
    assert compare_table(table, [Lengths()], few).columns[0][1].p is not None
    changed = [*other.read()]
    changed[3] = changed[3]._replace(references=("another reference",))
    other = System.from_segments("two", changed)
    with pytest.raises(InputError, match="two and one have different segments"):
        compare_table(evaluate([Lengths()], [one, other], keep=keep), [Lengths()], few)


def test_references_are_counted_wherever_they_come():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    pairs = [("a cat sat", ["a cat sat"])] * 5000 + [("a cat sat", ["a cat sat", "the cat sat"])]
    metric = load_metric("chrf")
    mixed = System.from_lists("one", *zip(*pairs, strict=True))
    assert "nrefs:var" in evaluate([metric], [mixed]).metrics[0].signature
    assert "nrefs:1|" in evaluate([metric], [system(3)]).metrics[0].signature


def test_metrics_of_one_chain_align_once(own_packs, monkeypatch):
    metrics = [Meteor.from_config({}, label=name) for name in ("one", "two")]
    other = Meteor.from_config({}, label="three", task="adq")
    alone = evaluate([metrics[0]], [system(30)], keep=SEGMENTS)
    asked = []
    engine = type(metrics[0]._engine)
    score = engine.score

    def watched(self, batch):
        asked.append(len(batch))
        return score(self, batch)

    monkeypatch.setattr(engine, "score", watched)
    table = evaluate([*metrics, other], [system(30)], keep=SEGMENTS)
    assert asked == [30, 30]
    for name in ("one", "two"):
        assert table.scores(name) == alone.scores("one")
        assert table.segment_scores(name) == alone.segment_scores("one")


@pytest.mark.usefixtures("low_candidate_limit")
def test_failing_segment_is_named_by_its_line():
    metric = Meteor("other", matchers=["exact"])
    pairs = [("a b", ["a b"])] * 5000 + [("a " * 10_001, ["a " * 10_001])]
    with pytest.raises(InputError, match=r"^segment 5001: "):
        evaluate([metric], [System.from_lists("one", *zip(*pairs, strict=True))])


def test_metrics_of_two_languages():
    class Words(SegmentMetric):
        def __init__(self, label, language):
            self.label, self.signature, self.language = label, label, language

        def score_segments(self, hypotheses, references, sources=None):
            return [len(text.split()) for text in hypotheses]

    french, english, any_language = Words("f", "fr"), Words("e", "en"), Words("any", "")
    systems = [System.from_lists("one", ["a b"], [["a"]])]
    assert evaluate([any_language, french], systems).scores("f") == [2.0]
    with pytest.raises(ConfigError, match=r"^metric e is for 'en', and f for 'fr'$"):
        evaluate([any_language, french, english], systems)


class Lines(SegmentMetric):
    """A metric with two columns and details of each segment. The second column has a part."""

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
    pairs = [("a cat", ["x"]), ("dogs run far", ["x"])]
    systems = [System.from_lists(name, *zip(*pairs, strict=True)) for name in ("one", "two")]
    metrics = [Lines(), Lengths()]
    scores = evaluate(metrics, systems, keep=KeptData(segments=True, statistics=True, details=True))
    table = ScoreResult(scores, compare_table(scores, metrics, Significance("bootstrap", 10)))
    assert next(table.records())[:8] == ["system", "segment", "words", "words low", "words high",
                                            "words difference", "words p", "letters"]  # fmt: skip
    assert list(table.records())[3][2] == 2.5
    document = table.document()
    assert list(document["metrics"]) == ["words", "letters", "test-lengths"]
    second = document["systems"][1]
    assert second["scores"]["letters"]["score"] == 8.5
    assert second["scores"]["letters"]["parts"] == {"vowels": 2.5}
    assert document["significance"]["tests"]["letters"][1]["difference"] == 0
    assert [entry["scores"]["words"]["details"] for entry in second["segments"]] == [{"first": "a"}, {"first": "d"}]
    assert "details" not in second["segments"][0]["scores"]["letters"]
    assert [entry["id"] for entry in second["segments"]] == [1, 2]
    (main, tested) = table.grids()
    assert main.header == ["system", "words", "letters ↓", "test-lengths", "segments"]
    assert [row[1] for row in tested.rows] == ["words", "words", "letters", "letters", "test-lengths", "test-lengths"]


def test_columns_are_as_many_as_the_metric_says():
    metric = Lines()
    metric.scores = lambda sums: sums
    with pytest.raises(PluginError, match="returned 4 values; its columns have 3"):
        evaluate([metric], [system(3)])


class Both(SegmentMetric):
    """A name that selects two metrics."""

    name = "test-both"

    @classmethod
    def from_options(cls, context, options):
        return [Lengths(), Ahead()]

    def score_segments(self, hypotheses, references, sources=None):
        raise NotImplementedError


def test_name_can_select_several_metrics(monkeypatch):
    monkeypatch.setattr("meteor_e.metrics.specs._find_class", lambda name, text: Both)
    assert [metric.label for metric in create_metrics([parse_spec("test-both")])] == ["test-lengths", "test-ahead"]
    labels = [metric.label for metric in create_metrics([parse_spec("my=test-both")])]
    assert labels == ["my test-lengths", "my test-ahead"]
    with pytest.raises(ConfigError, match="stands for several metrics: test-lengths, test-ahead"):
        load_metric("test-both")


def test_segments_of_a_document_are_made_when_they_are_written():
    table = evaluate([Lines()], [system(3 * BATCH)], keep=SEGMENTS)
    segments = ScoreResult(table).document()["systems"][0]["segments"]
    assert not isinstance(segments, list)
    assert [next(iter(segments))["id"], len(segments), segments[-1]["id"]] == [1, 3 * BATCH, 3 * BATCH]


def test_ids_are_those_of_the_file():
    segments = [Segment(name, "a cat", ("x",)) for name in ("img-7", "img-3")]
    table = evaluate([Lines()], [System.from_segments("one", segments)], keep=SEGMENTS)
    result = ScoreResult(table)
    assert [line.partition(":")[0] for line in result.lines()] == ["segment img-7", "segment img-3"]
    assert [row[1] for row in result.records()][1:] == ["img-7", "img-3", "all"]


def test_parts_of_a_corpus_add_up_to_the_whole(packs):
    hypotheses, references = [*HYPOTHESES, "a boat", "the mat"], [*REFERENCES, ["boats"], ["the mat", "mats"]]
    metrics = create_metrics(map(parse_spec, ["meteor", "chrf", "bleu"]), TextContext("en"))

    def scored(start, end):
        systems = [
            System.from_lists(name, texts[start:end], references[start:end])
            for name, texts in (("one", hypotheses), ("two", hypotheses[::-1]))
        ]
        return evaluate(metrics, systems, keep=KeptData(segments=True, statistics=True))

    whole = scored(0, 5)
    for cut in range(1, 5):
        added = add_tables(metrics, scored(0, cut), scored(cut, 5))
        assert [row[2:] for row in ScoreResult(added).records()] == [row[2:] for row in ScoreResult(whole).records()]
        assert [system.segment_count for system in added.systems] == [5, 5]
    with pytest.raises(ConfigError, match="the same systems and metrics"):
        add_tables(metrics, whole, evaluate(metrics[:1], [system(3)]))


def test_ter_of_very_long_segments_is_refused():
    ter = load_metric("ter")
    long = "a b " * 600_000
    with pytest.raises(InputError, match=r"segment 2 has 1,200,000 words and its reference 4;"):
        ter.corpus(["a", long], ["a", "a b c d"])
    with pytest.raises(InputError, match="segment 1 has 4 words"):
        ter.corpus(["a b c d"], [["a", long]])
    with pytest.raises(InputError, match="segment 5001 has 1,200,000 words"):
        ter.corpus([*["a"] * 5000, long], [*["a"] * 5000, "a b c d"])
    # One long word is no long segment.
    assert ter.corpus(["a" * 3_000], ["b" * 3_000]).score == 100


def test_document_in_pieces_equals_the_output_of_json():
    document = {"none": UserList(), "some": UserList([{"é": [1, 2]}, UserList("a")]), "no": {}, "two\nlines": 1.5}
    wanted = {"none": [], "some": [{"é": [1, 2]}, ["a"]], "no": {}, "two\nlines": 1.5}
    assert "".join(_json_pieces(document)) == json.dumps(wanted, ensure_ascii=False, indent=2)


def test_segment_without_alignment_counts_its_words():
    meteor = Meteor("other", matchers=["exact"], resources=LanguageResources(), on_error="zero")
    endless = "a " * 10_001
    with pytest.warns(SegmentWarning, match="segment 2"):
        found = meteor.rows(["x y", endless], [["x y"], [endless + "b"]])
    assert (len(found), found.failures) == (2, {})
    rows = np.asarray(found)
    assert rows[1].sum() > 20_000
    assert list(found.total) == rows.sum(axis=0).tolist()


def test_sum_that_overflows_is_an_error_in_every_output(plugin, tmp_path):
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    text = tmp_path / "text"
    text.write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(InputError, match="the system's score is infinite, because a sum over 3 segments overflows"):
        load_metric("test-overlap:bonus=1e308").corpus(list("abc"), list("abc"))
    for form in ("text", "json", "tsv", "csv", "markdown", "latex", "jsonl"):
        arguments = ["score", str(text), "-r", str(text), "-M", "test-overlap:bonus=1e308", "-f", form]
        result = CliRunner().invoke(cli, arguments)
        assert isinstance(result.exception, InputError), (form, result.output)
