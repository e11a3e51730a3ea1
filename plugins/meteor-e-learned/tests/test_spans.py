import json
import random

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from meteor_e_learned.spans import Spans
from meteor_e_learned.spans.evaluation import (
    Marked,
    agreement,
    counts,
    interval,
    read_ratings,
    read_spans,
    union,
)
from meteor_e_learned.spans.features import COLUMNS
from meteor_e_learned.spans.find import KINDS, Found, Missing, Span, describe
from meteor_e_learned.spans.formats import written
from meteor_e_learned.spans.metric import mqm_score
from meteor_e_learned.spans.model import load_span_model
from meteor_e_learned.spans.offsets import utf16_offsets, word_offsets

from meteor_e import Meteor, load_metric
from meteor_e.api import ConfigError, InputError
from meteor_e.cli.program import cli

HYPOTHESIS = "Three dogs do not run across the the green field near Paris in 1987 ."
REFERENCE = "Two dogs run quickly over the green field near London in 1986."


@pytest.fixture(scope="module")
def english():
    return Spans("en", threshold=0.12)


@pytest.fixture(scope="module")
def any_language():
    return Spans("other", model="any", threshold=0.12)


def test_spans_are_cut_from_the_raw_text_sorted_and_apart(english):
    spans = english.find(HYPOTHESIS, REFERENCE)
    assert spans
    end = 0
    for span in spans:
        assert end <= span.start < span.end <= len(HYPOTHESIS)
        assert HYPOTHESIS[span.start : span.end] == HYPOTHESIS[span.start : span.end].strip()
        assert span.severity in ("minor", "major")
        assert span.kind in KINDS
        assert 0 < span.probability <= 1
        end = span.end


@pytest.mark.parametrize(
    ("hypothesis", "reference", "word", "kind"),
    [
        ("It was built in 1987 by monks", "It was built in 1986 by monks", "1987", "number"),
        ("He does not like the red car", "He does like the red car", "not", "negation"),
        ("They met in Paris last year", "They met in London last year", "Paris", "name"),
        ("The house is big and big and red", "The house is big and red", "and", "repetition"),
        ("Она купила house вчера утром", "Она купила дом вчера утром", "house", "untranslated"),
        ("A zebra sleeps on the table now", "A cat sleeps on the table now", "zebra", "content word"),
    ],
)
def test_kinds_of_single_words(hypothesis, reference, word, kind):
    meteor = METEORS["other"]
    described = describe(meteor, [(hypothesis, [reference])])
    at = described.words.hypothesis.index(word.lower())
    sure = np.zeros(len(described.words.hypothesis))
    sure[at] = 0.9
    if kind == "repetition":
        at = len(sure) - 1 - described.words.hypothesis[::-1].index(word)
        sure[at] = 0.9
    (span,) = described.spans(0, np.array([at]), sure, sure)
    assert hypothesis[span.start : span.end] == word
    assert (span.kind, span.severity, span.probability) == (kind, "major", 0.9)
    assert repr(word) in span.reason


@pytest.mark.parametrize(
    ("hypothesis", "reference", "word"),
    [
        ("They met in Paris in 1987", "They met in London in 1986", "1987"),
        ("He does not like the red car", "He does like the red car", "not"),
    ],
)
def test_english_errors_in_otherwise_equal_texts_are_marked(hypothesis, reference, word):
    marked = [hypothesis[span.start : span.end] for span in Spans("en").find(hypothesis, reference)]
    assert any(word in text.split() for text in marked)


def test_equal_texts_have_no_spans_and_nothing_is_missing(any_language):
    assert Spans("en", threshold=0.001).find("a cat sat", ["a dog sat", "A cat  sat"]) == []
    (found,) = any_language.find_all([REFERENCE], [REFERENCE])
    assert found.spans == []
    assert found.missing == []
    assert mqm_score(found) == 0


def test_a_word_that_agrees_with_one_reference_is_not_marked(any_language):
    text, first, second = "a small dog sleeps", "a small cat sleeps", "a small dog rests"
    alone = any_language.find(text, first)
    both = any_language.find(text, [first, second])
    assert [text[span.start : span.end] for span in alone] == ["dog"]
    assert both == []


def test_omissions_say_what_and_where():
    finder = Spans("other", model="any")
    hypothesis = "the man walks home"
    reference = "the man walks home with his seventeen beautiful children every single evening"
    (found,) = finder.find_all([hypothesis], [reference])
    (missing,) = found.missing
    assert reference[missing.start : missing.end] == missing.text
    assert missing.text.startswith("with his seventeen")
    assert missing.at == len(hypothesis)


def test_batches_and_order_do_not_change_what_is_found(english):
    words = ["the", "a", "dog", "cat", "sat", "ran", "on", "in", "mat", "house", "not", "12", "Paris", ",", "."]
    draw = random.Random(7)
    texts = [" ".join(draw.choices(words, k=draw.randint(0, 14))) for _ in range(600)]
    references = [" ".join(draw.choices(words, k=draw.randint(1, 14))) for _ in range(600)]
    found = list(english.find_all(texts, references))
    for at in (0, 255, 256, 599):
        (alone,) = english.find_all([texts[at]], [references[at]])
        assert alone == found[at]


@pytest.mark.filterwarnings("ignore:language 'sw'")
def test_a_language_that_wordfreq_lacks_has_the_model_without_lists():
    # wordfreq would take English for Swahili, and fails on "other".
    assert [Spans(code).model.name for code in ("is", "other", "sw")] == ["listed", "any", "any"]


def test_inputs_that_do_not_fit(english):
    with pytest.raises(InputError, match="references end after segment 1"):
        list(english.find_all(["a", "b"], ["a"]))
    with pytest.raises(InputError, match="segment 1 has no reference"):
        english.find("a", [])
    with pytest.raises(ConfigError, match="threshold"):
        Spans("en", threshold=1.0)


TEXT = st.text(
    st.one_of(
        st.sampled_from("aAbBçÇßİıσς 12.,!?“”„’–…  \t\u3000\u00a0漢字かなไทยकखشي😀🏽🇩🇪é\u0301"),
        st.characters(codec="utf-8", exclude_categories=["Cs"]),
    ),
    max_size=60,
)


@given(TEXT)
@settings(deadline=None, max_examples=300)
@pytest.mark.parametrize("language", ["en", "ru", "other"])
def test_offsets_of_any_text(language, text):
    words = [token.form for token in METEORS[language].tokenize(text)]
    places = word_offsets(text, words)
    assert len(places) == len(words)
    last = 0
    for word, (start, end) in zip(words, places, strict=True):
        assert last <= start <= end <= len(text)
        shown = text[start:end]
        assert shown == shown.strip(" \t\n\r\f")
        if word.isascii() and word.isalpha() and text.isascii():
            # Marks may be left out of a word, letters may not.
            assert "".join(filter(str.isalnum, shown.lower())) == word
        last = end


METEORS = {code: Meteor(code, matchers=["exact"]) for code in ("en", "ru", "other")}


@given(TEXT, TEXT)
@settings(deadline=None, max_examples=200)
def test_spans_of_any_text(hypothesis, reference):
    finder = FINDER
    (found,) = finder.find_all([hypothesis], [reference])
    assert all(0 <= span.start < span.end <= len(hypothesis) for span in found.spans)
    assert all(one.end <= two.start for one, two in zip(found.spans, found.spans[1:], strict=False))
    assert all(reference[each.start : each.end] == each.text for each in found.missing)
    utf16 = found.to_dict(utf16=True, references=[reference])
    encoded = hypothesis.encode("utf-16-le")
    for span, entry in zip(found.spans, utf16["spans"], strict=True):
        cut = encoded[2 * entry["start"] : 2 * entry["end"]].decode("utf-16-le")
        assert cut == hypothesis[span.start : span.end]


FINDER = Spans("other", model="any", threshold=0.05, meteor=METEORS["other"])


@pytest.mark.slow
def test_spans_of_many_random_texts():
    """100,000 texts: what is cut at the offsets is what was marked, in Python's and in UTF-16's count."""
    draw = random.Random(11)
    letters = "aAbBçÇßİıσς 12.,!?“”„’–…  \t\u3000\u00a0漢字かなไทยकखशي😀🏽🇩🇪é\u0301"

    def text():
        chars = draw.choices(letters, k=draw.randrange(24))
        for _ in range(draw.randrange(3)):
            code = draw.randrange(0x110000 - 0x800)
            chars.insert(draw.randint(0, len(chars)), chr(code + 0x800 * (code >= 0xD800)))
        return "".join(chars)

    pairs = [(text(), text()) for _ in range(100_000)]
    marked = 0
    for found, (hypothesis, reference) in zip(FINDER.find_all(*zip(*pairs, strict=True)), pairs, strict=True):
        last = 0
        for span, entry in zip(found.spans, found.to_dict(utf16=True, references=[reference])["spans"], strict=True):
            assert last <= span.start < span.end <= len(hypothesis)
            shown = hypothesis[span.start : span.end]
            assert shown == shown.strip(" \t\n\r\f")
            encoded = hypothesis.encode("utf-16-le")
            assert encoded[2 * entry["start"] : 2 * entry["end"]].decode("utf-16-le") == shown
            last = span.end
            marked += 1
        assert all(reference[each.start : each.end] == each.text for each in found.missing)
    assert marked > 50_000


def test_offsets_in_utf16():
    assert utf16_offsets("a😀b", [0, 1, 2, 3]) == [0, 1, 3, 4]
    assert utf16_offsets("añb", [0, 1, 2, 3]) == [0, 1, 2, 3]


def test_counts_of_characters_and_words():
    text = "one two three"
    predicted, marked = [Marked(4, 7, "minor")], [Marked(4, 13, "major")]
    assert counts(text, predicted, marked) == (3, 3, 9)
    assert counts(text, predicted, marked, severity=True) == (1.5, 3, 9)
    assert counts(text, predicted, marked, unit="words") == (1, 1, 2)
    assert counts(text, [], []) == (0, 0, 0)


def test_agreement_by_hand():
    rows = np.array([[3.0, 4, 6], [0, 0, 0], [0, 2, 0]])
    micro = agreement(rows)
    assert (micro.precision, micro.recall) == (0.5, 0.5)
    assert micro.f1 == pytest.approx(2 * 3 / 12)
    macro = agreement(rows, macro=True)
    assert macro.f1 == pytest.approx((2 * 3 / 10 + 1 + 0) / 3)
    assert agreement(np.zeros((2, 3))).f1 == 1
    low, high = interval(rows, [0, 1, 2], samples=200)
    assert low <= micro.f1 <= high


def test_readers(tmp_path):
    esa = tmp_path / "esa.tsv"
    esa.write_text(
        'system\tline\trater\tscore\terrors\nA\t1\tr1\t80\t[[0, 2, "minor"], ["missing", "missing", "major"]]\n'
    )
    (row,) = read_ratings(str(esa))
    assert row.spans == (Marked(0, 3, "minor"),)
    mqm = tmp_path / "mqm.tsv"
    mqm.write_text(
        "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
        "A\td\t1\t1\tr1\ts\tone <v>two</v>\tAccuracy\tMajor\nA\td\t1\t1\tr2\ts\tone two\tNo-error\tNo-error\n"
    )
    first, second = read_ratings(str(mqm))
    assert first.spans == (Marked(4, 7, "major"),)
    assert second.spans == ()
    (both,) = union([first, second])
    assert both.spans == first.spans
    esa.write_text('system\tline\trater\tscore\terrors\nA\t1\tr1\t80\t[[5, 2, "minor"]]\n')
    with pytest.raises(InputError, match=r"esa.tsv, line 2: a span from 5 to 2"):
        read_ratings(str(esa))
    mqm.write_text("a\tb\n")
    with pytest.raises(InputError, match="names neither"):
        read_ratings(str(mqm))


def test_models_are_checked(tmp_path):
    model = load_span_model("any")
    assert {*model.error.weights} <= {*COLUMNS}
    file = tmp_path / "model.json"
    file.write_text('{"name": "x"}')
    with pytest.raises(InputError, match="no model of error spans"):
        load_span_model(file)
    file.write_text(json.dumps(json.loads(json.dumps(msgspec.to_builtins(model))) | {"threshold": 1.5}))
    with pytest.raises(ConfigError, match="thresholds"):
        load_span_model(file)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "A.txt").write_text(f"{HYPOTHESIS}\na cat sat\n")
    (tmp_path / "ref.txt").write_text(f"{REFERENCE}\na cat sat\n")
    start = HYPOTHESIS.index("1987")
    errors = json.dumps([[start, start + 3, "major"]])
    (tmp_path / "gold.tsv").write_text(
        f"system\tline\trater\tscore\terrors\nA\t1\tr1\t50\t{errors}\nA\t1\tr2\t60\t{errors}\nA\t2\tr1\t100\t[]\n"
    )
    return tmp_path


@pytest.mark.parametrize("form", ["text", "jsonl", "json", "tsv", "mqm", "esa", "pearmut", "wmt", "html"])
def test_the_command_in_every_form(files, form):
    arguments = ["spans", str(files / "out" / "A.txt"), str(files / "ref.txt"), "-f", form, "--threshold", "0.1"]
    result = CliRunner().invoke(cli, [*arguments, "--pair", "de-en"], catch_exceptions=False)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    if form == "jsonl":
        rows = [json.loads(line) for line in lines]
        assert [row["segment"] for row in rows] == [1, 2]
        assert rows[1]["spans"] == []
        assert {*rows[0]["spans"][0]} == {"start", "end", "severity", "probability", "kind", "reason"}
    elif form == "json":
        assert json.loads(result.output)["version"] == 1
    elif form == "wmt":
        assert lines[1].split("\t")[-3:] == ["-1", "-1", "no-error"]
    elif form == "esa":
        (span, *_) = json.loads(lines[0])["error_spans"]
        assert {*span} == {"start_i", "end_i", "severity"}
    elif form == "pearmut":
        campaign = json.loads(result.output)
        assert campaign["info"] == {"assignment": "task-based", "protocol": "ESA"}
        ((item,), (clean,)) = campaign["data"][0]
        assert {*item} == {"item_id", "ref", "tgt", "error_spans"}
        (name,) = item["tgt"]
        assert {*item["error_spans"][name][0]} == {"start_i", "end_i", "severity", "category"}
        assert clean["error_spans"] == {name: []}
    elif form == "html":
        assert '<mark class="' in result.output
        assert result.output.count("<section") == 2
    elif form == "mqm":
        (files / "mqm.tsv").write_text(result.output)
        first, second = read_ratings(str(files / "mqm.tsv"))
        assert first.spans
        assert not second.spans


def test_web_tools_get_utf16_offsets_and_omissions_where_they_look_for_them():
    found = Found("a \U0001f600 b", [Span(4, 5, "major", 0.9, "name", "")], [Missing(0, 1, 5, "minor", 0.5, "c", 0)])
    arguments = {"system": "A", "pair": "", "method": "", "signature": ""}
    (text,) = written("pearmut", [(found, ["c"])], **arguments)
    spans = json.loads(text)["data"][0][0][0]["error_spans"]["A"]
    assert [(span["start_i"], span["end_i"]) for span in spans] == [(5, 5), (6, 6)]
    for utf16, place in ((False, 4), (True, 5)):
        (text,) = written("esa", [(found, ["c"])], **arguments, utf16=utf16)
        assert [span["end_i"] for span in json.loads(text)["error_spans"]] == [place, "missing"]
    with pytest.raises(ConfigError, match="'7'"):
        list(written("pearmut", [(found, ["c"])], **{**arguments, "system": "7"}))


def test_evaluation_of_spans(files):
    arguments = [
        *("evaluate", "spans", str(files / "gold.tsv"), "--outputs", str(files / "out"), "-R", str(files / "ref.txt")),
        *("--samples", "20", "-f", "json", "--by", "system"),
    ]
    report = json.loads(CliRunner().invoke(cli, arguments, catch_exceptions=False).output)
    rows = {(row["spans"], row["of"]): row for row in report["rows"]}
    assert rows["humans", "all"]["f1"] == 1
    assert rows["everything", "all"]["recall"] == 1
    assert rows["unmatched", "all"] == {**rows["unmatched", "A"], "of": "all"}
    spans = files / "spans"
    spans.mkdir()
    written = [
        "spans",
        str(files / "out" / "A.txt"),
        str(files / "ref.txt"),
        "-f",
        "jsonl",
        "-o",
        str(spans / "A.jsonl"),
    ]
    assert CliRunner().invoke(cli, written, catch_exceptions=False).exit_code == 0
    assert len(read_spans(str(spans / "A.jsonl"))) == 2
    own = json.loads(CliRunner().invoke(cli, [*arguments, "--spans", f"own={spans}"], catch_exceptions=False).output)
    scores = {row["spans"]: row["f1"] for row in own["rows"] if row["of"] == "all"}
    assert scores["own"] == scores["default"]


def test_ratings_of_lines_that_are_not_there(files):
    (files / "gold.tsv").write_text("system\tline\trater\tscore\terrors\nA\t9\tr1\t50\t[]\n")
    arguments = [
        "evaluate",
        "spans",
        str(files / "gold.tsv"),
        "--outputs",
        str(files / "out"),
        "-R",
        str(files / "ref.txt"),
    ]
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, InputError)
    assert "line 9 of A" in str(result.exception)


def test_the_metric_counts_as_mqm_does():
    metric = load_metric("spans-en")
    scores = metric.corpus([REFERENCE, HYPOTHESIS], [REFERENCE, REFERENCE])
    assert scores.segments[0] == 0
    assert scores.segments[1] < 0
