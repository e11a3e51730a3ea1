from __future__ import annotations

import pytest

from meteor_e import Meteor

HYPOTHESES = ["the train leaves today", "he closed the door"]


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("HF_HUB_OFFLINE", "1")
    patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("huggingface")))
    evaluate = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
    from meteor_e.integrations.huggingface import MODULE

    yield evaluate.load(MODULE)
    patch.undo()


@pytest.mark.parametrize(
    "references",
    [["today the train leaves", "he shut the door"], [["today the train leaves"], ["he shut the door"]]],
    ids=["texts", "lists"],
)
@pytest.mark.filterwarnings("ignore")
def test_compute(metric, references, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    result = metric.compute(predictions=HYPOTHESES, references=references, options=options)
    corpus = Meteor("en", **options).corpus(HYPOTHESES, references, segments=True)
    assert result["meteor"] == sum(segment.score for segment in corpus.segments) / 2
    assert result["corpus"] == corpus.score
    assert result["segments"] == [segment.score for segment in corpus.segments]
    assert result["signature"] == corpus.signature
    assert 0 < result["meteor"] < 1
    # Options that JSON cannot hold are Meteor's, too.
    assert (
        metric.compute(predictions=HYPOTHESES, references=references, options={**options, "pack": tiny_pack}) == result
    )
