from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

pytest.importorskip("torch", reason="torch is not installed")

CANDIDATES = ["a man is speaking", "rain falls on a roof ||| hard"]
REFERENCES = [["a man speaks", "someone is talking"], ["rain is falling on the roof"]]


def test_scores(packs):
    from meteor_e.integrations.aac_metrics import meteor

    corpus, sentences = meteor(CANDIDATES, REFERENCES, java_path="java", java_max_memory="2G", verbose=0)
    own = Meteor("en").corpus(["a man is speaking", "rain falls on a roof hard"], REFERENCES, segments=True)
    assert corpus["meteor"].item() == own.score
    assert sentences["meteor"].tolist() == [segment.score for segment in own.segments]
    assert meteor(CANDIDATES, REFERENCES, return_all_scores=False).item() == own.score


def test_parameters_and_weights(packs):
    from meteor_e.integrations.aac_metrics import meteor

    score = meteor(CANDIDATES, REFERENCES, False, params=[0.85, 0.2, 0.6, 0.75], weights=[1, 0.6, 0.8, 0.6])
    assert score.item() == meteor(CANDIDATES, REFERENCES, False).item()
    with pytest.raises(InputError, match="four"):
        meteor(CANDIDATES, REFERENCES, params=[0.85])
    with pytest.raises(InputError, match="4 matchers"):
        meteor(CANDIDATES, REFERENCES, weights=[1])


@pytest.mark.parametrize("candidates", [[], CANDIDATES[:1], [None, "a"]])
def test_bad_input(candidates, packs):
    from meteor_e.integrations.aac_metrics import meteor

    with pytest.raises(InputError):
        meteor(candidates, REFERENCES if candidates else [])
