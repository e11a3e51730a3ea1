from __future__ import annotations

import pytest

from meteor_e import Meteor

PREDICTIONS = ["the train leaves today", "he closed the door"]
REFERENCES = [["today the train leaves", "a train"], ["he shut the door"]]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def metric(tiny_pack, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    pytest.importorskip("jury", reason="jury is not installed", exc_type=ImportError)
    from meteor_e.integrations.jury import MeteorE

    return MeteorE("en", options={"pack": str(tiny_pack), "normalization": "lower"})


def test_in_a_jury(metric, tiny_pack):
    from jury import Jury

    meteor = Meteor("en", pack=tiny_pack, normalization="lower")
    expected = [meteor.score(*pair).score for pair in zip(PREDICTIONS, REFERENCES, strict=True)]
    found = Jury(metrics=[metric])(predictions=[[text] for text in PREDICTIONS], references=REFERENCES)
    assert found["meteor"] == {"score": pytest.approx(sum(expected) / 2), "signature": meteor.signature}
    several = [[PREDICTIONS[0], ""], ["no", PREDICTIONS[1]]]
    assert metric.compute(predictions=several, references=REFERENCES)["meteor"]["score"] == pytest.approx(
        sum(expected) / 2
    )
    mean = metric.compute(predictions=several, references=REFERENCES, reduce_fn="mean")["meteor"]["score"]
    assert mean == pytest.approx(sum(expected) / 4)
