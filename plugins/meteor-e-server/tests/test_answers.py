"""What the addresses answer: the same numbers as in Python."""

from __future__ import annotations

import json

import jsonschema
import pytest
from meteor_e_server.store import Store

import meteor_e
from meteor_e import InputError, Meteor, MeteorError, load_metric
from meteor_e.cli.options import MeteorMaker

PAIRS = [
    ("the cat sat on the mat", ["a cat sat on the mat", "the cat was sitting on a mat"]),
    ("", ["nothing to see"]),
    ("Ünïcödé 😀 \x00 words", "ünïcödé 😀 other words"),
    ("word " * 300, "word other " * 150),
]
SPOILED = {"hypothesis": "They met in Paris 😀 in 1987.", "references": "They met in London 😀 in 1986."}


@pytest.fixture
def meteor():
    return Meteor("other", matchers=[{"use": "exact"}])


def test_scores_are_those_of_python(client, meteor):
    answer = client.score(*PAIRS).json
    sides = [list(side) for side in zip(*PAIRS, strict=True)]
    whole = meteor.corpus(*sides, segments=True)
    assert (answer["score"], answer["signature"], answer["version"]) == (
        whole.score,
        meteor.signature,
        meteor_e.__version__,
    )
    assert answer["parts"]["recall"] == whole.recall
    assert (answer["count"], answer["language"], answer["metric"]) == (4, "other", "METEOR")
    for found, expected in zip(answer["segments"], whole.segments, strict=True):
        assert found["score"] == expected.score
        assert found["parts"]["fragmentation_penalty"] == expected.fragmentation_penalty
        assert found["reference_index"] == expected.reference_index


def test_more_segments_than_one_call_takes(client, meteor):
    pairs = [(f"word {number} of {number % 7}", [f"the word {number} of 3"]) for number in range(1500)]
    answer = client.score(*pairs).json
    sides = [list(side) for side in zip(*pairs, strict=True)]
    whole = meteor.corpus(*sides, segments=True)
    assert answer["score"] == whole.score
    assert [each["score"] for each in answer["segments"]] == [each.score for each in whole.segments]


def test_alignments_are_those_of_python(client, meteor):
    request = {"segments": [{"hypothesis": PAIRS[0][0], "references": PAIRS[0][1], "id": "first"}]}
    (found,) = client.post("/align", request).json["segments"]
    expected = meteor.score(*PAIRS[0])
    assert found["alignment"] == json.loads(json.dumps(expected.alignment.to_dict()))
    assert (found["id"], found["score"]) == ("first", expected.score)


def test_another_metric(serving):
    store = Store(MeteorMaker({"language": "en"}, None, (), True, 1), ("chrf", "short=bleu"))
    with serving(store) as client:
        sides = [list(side) for side in zip(*PAIRS, strict=True)]
        for name, metric in (("chrf", load_metric("chrf")), ("short", load_metric("bleu"))):
            expected = metric.corpus(*[sides[0], [[each] if isinstance(each, str) else each for each in sides[1]]])
            answer = client.score(*PAIRS, metric=name).json
            assert (answer["score"], answer["signature"]) == (expected.score, expected.signature)
            assert [each["score"] for each in answer["segments"]] == expected.segments.tolist()
        assert client.score(*PAIRS).json["metric"] == "chrF"
        assert "does not align words" in client.post("/align", {"segments": [SPOILED]}).error


def test_metrics_and_languages_on_demand(serving):
    maker = MeteorMaker({"language": "other", "matchers": [{"use": "exact"}]}, None, (), True, 1)
    store = Store(maker, ("meteor",), ("chrf", "ter"), ("fi", "sw"), keep=2)
    with serving(store) as client:
        pair = PAIRS[0]
        for options in ({"metric": "chrf"}, {"language": "fi"}, {"metric": "ter"}, {"language": "sw"}, {}):
            assert client.score(pair, **options).status == 200
        # The last two that were asked for, and METEOR.
        assert sorted(key.metric for key in store._lanes) == ["meteor", "meteor", "ter"]
        assert (
            client.score(pair, language="fi").json["signature"] == Meteor("fi", matchers=[{"use": "exact"}]).signature
        )
        assert "it has other, fi, sw" in client.score(pair, language="de").error
        assert "no metric 'chr' (did you mean 'chrf'?)" in client.score(pair, metric="chr").error


def gone(*_):
    raise InputError("the model is gone")


def test_a_metric_that_can_no_longer_be_loaded(serving, monkeypatch):
    maker = MeteorMaker({"language": "other", "matchers": [{"use": "exact"}]}, None, (), True, 1)
    with serving(Store(maker, ("meteor",), ("chrf",))) as client:
        with monkeypatch.context() as patch:
            patch.setattr(MeteorMaker, "metrics", gone)
            for _ in range(2):
                answer = client.score(PAIRS[0], metric="chrf")
                assert answer.status in (422, 500)
                assert "the model is gone" in answer.error
        assert client.score(PAIRS[0], metric="chrf").status == 200
        assert client.score(PAIRS[0]).status == 200


def test_an_allowed_metric_is_tried_at_the_start():
    maker = MeteorMaker({"language": "other", "matchers": [{"use": "exact"}]}, None, (), True, 1)
    with pytest.raises(MeteorError, match="there/is/none"):
        Store(maker, ("meteor",), ("model:/there/is/none",))


def test_spans(serving, own_packs):
    pytest.importorskip("meteor_e_learned")
    from meteor_e_learned.spans import Spans

    with serving(Store(MeteorMaker({"language": "en"}, None, (), True, 1))) as client:
        (expected,) = Spans("en").find_all([SPOILED["hypothesis"]], [SPOILED["references"]])
        answer = client.post("/spans", {"segments": [SPOILED]}).json
        assert answer["segments"] == [json.loads(json.dumps(expected.to_dict()))]
        assert answer["signature"] == Spans("en").signature
        utf16 = client.post("/spans", {"segments": [SPOILED], "utf16": True}).json["segments"][0]["spans"]
        last = answer["segments"][0]["spans"][-1]
        # The emoji is two units there.
        assert utf16[-1]["start"] == last["start"] + 1
        lines = client.stream("/spans?utf16=true", [SPOILED, SPOILED]).lines
        assert lines[0]["spans"] == lines[1]["spans"] == utf16
        assert lines[2]["count"] == 2


def test_streams(client):
    whole = client.score(*PAIRS).json
    lines = [{"hypothesis": one, "references": other, "id": at} for at, (one, other) in enumerate(PAIRS)]
    answer = client.stream("/score", [*lines[:2], b"\n \n", *lines[2:]])
    assert answer.headers["content-type"] == "application/x-ndjson"
    *found, last = answer.lines
    assert [each.pop("id") for each in found] == [0, 1, 2, 3]
    assert found == whole.pop("segments")
    assert last == whole
    many = client.stream("/score", lines[:3] * 700).lines
    assert len(many) == 2101
    assert many[-1]["score"] == client.score(*PAIRS[:3] * 700).json["score"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{\n", "not JSON"),
        (b'{"hypothesis": "x"}\n', "missing required field `references`"),
        ({"hypothesis": "x" * 30_000, "references": "x"}, "segment 3: a text has more than 20000 characters"),
    ],
)
def test_a_wrong_line_ends_a_stream(client, line, message):
    good = {"hypothesis": "x", "references": "x"}
    *found, last = client.stream("/score", [good, good, line, good]).lines
    assert [each["score"] for each in found] == [client.score(("x", "x")).json["score"]] * 2
    assert message in last["error"]
    assert last.get("segment", 3) == 3


def test_what_the_server_has(client, store):
    answer = client.get("/metrics").json
    assert answer["loaded"] == [{"metric": "meteor", "label": "METEOR", "signature": store.works["meteor"].signature}]
    assert answer["limits"]["segments"] == 10_000
    assert client.get("/health").json["queue"] == {"requests": 0, "bytes": 0}
    assert "/score" in client.get("/").json["endpoints"]


def test_answers_are_as_openapi_says(client):
    described = client.get("/openapi.json").json
    assert set(described["paths"]) == set(client.get("/").json["endpoints"]) - {"/", "/openapi.json"}

    def check(name, message):
        jsonschema.Draft202012Validator({**described, "$ref": f"#/components/schemas/{name}"}).validate(message)

    check("Request", {"segments": [SPOILED], "metric": "meteor"})
    check("Scored", client.post("/align", {"segments": [SPOILED]}).json)
    check("Error", client.get("/nothing").json)
    *_, last = client.stream("/score", [SPOILED]).lines
    check("Scored", last)
    with pytest.raises(jsonschema.ValidationError):
        check("Request", {"segments": [SPOILED], "metrics": "meteor"})
