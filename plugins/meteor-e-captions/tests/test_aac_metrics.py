from __future__ import annotations

import pytest

from meteor_e import ConfigError, InputError, Meteor

pytest.importorskip("torch", reason="torch is not installed")

CANDIDATES = ["a man is speaking", "rain falls on a roof ||| hard"]
REFERENCES = [["a man speaks", "someone is talking"], ["rain is falling on the roof"]]


def test_scores(packs):
    from meteor_e_captions.aac_metrics import meteor

    corpus, sentences = meteor(CANDIDATES, REFERENCES, java_path="java", java_max_memory="2G", verbose=0)
    own = Meteor("en").corpus(["a man is speaking", "rain falls on a roof hard"], REFERENCES, segments=True)
    assert corpus["meteor"].item() == own.score
    assert sentences["meteor"].tolist() == [segment.score for segment in own.segments]
    assert meteor(CANDIDATES, REFERENCES, return_all_scores=False).item() == own.score


def test_parameters_and_weights(packs):
    from meteor_e_captions.aac_metrics import meteor

    score = meteor(CANDIDATES, REFERENCES, False, params=[0.85, 0.2, 0.6, 0.75], weights=[1, 0.6, 0.8, 0.6])
    assert score.item() == meteor(CANDIDATES, REFERENCES, False).item()
    with pytest.raises(InputError, match="four"):
        meteor(CANDIDATES, REFERENCES, params=[0.85])
    for bad in ("0.85", 3, {0.85: 1}, float("nan")):
        with pytest.raises(InputError, match="are a list"):
            meteor(CANDIDATES, REFERENCES, params=bad)
        with pytest.raises(InputError, match="are a list"):
            meteor(CANDIDATES, REFERENCES, weights=bad)
    with pytest.raises(InputError, match="4 matchers"):
        meteor(CANDIDATES, REFERENCES, weights=[1])


def test_parameters_alone_take_the_weights_that_java_gives_them(packs):
    """java -jar meteor-1.5.jar - - -stdio -l en -norm -p "0.5 0.3 0.4 0.6" says: Weights: 1.0 1.0 0.6 0.8."""
    from meteor_e_captions.aac_metrics import meteor

    alone = meteor(CANDIDATES, REFERENCES, False, params=iter([0.5, 0.3, 0.4, 0.6]))
    weighted = meteor(CANDIDATES, REFERENCES, False, params=[0.5, 0.3, 0.4, 0.6], weights=[1, 1, 0.6, 0.8])
    other = meteor(CANDIDATES, REFERENCES, False, params=[0.5, 0.3, 0.4, 0.6], weights=[1, 0.6, 0.8, 0.6])
    assert alone.item() == weighted.item() != other.item()
    with pytest.raises(ConfigError, match="give weights, too"):
        meteor(CANDIDATES, REFERENCES, language="de", params=[0.5, 0.3, 0.4, 0.6])


@pytest.mark.parametrize("candidates", [[], CANDIDATES[:1], [None, "a"]])
def test_bad_input(candidates, packs):
    from meteor_e_captions.aac_metrics import meteor

    with pytest.raises(InputError):
        meteor(candidates, REFERENCES if candidates else [])
