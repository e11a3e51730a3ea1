"""The script that finds which METEOR produced a number."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from meteor_e import Meteor

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "which" / "which.py"
HYPOTHESES = ["The cat sat on the mat .", "He didn't buy the automobile , because it was expensive ."]
REFERENCES = ["A cat was sitting on the mat.", "He did not purchase the car because it costs too much."]
SYNONYMS = {"buy": ["buy", "purchase"], "automobile": ["car", "automobile"], "cost": ["cost", "be"]}


@pytest.fixture(scope="module")
def script():
    if not SCRIPT.is_file():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("which_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_which_recognizes_a_known_meteor(script, tmp_path, capsys):
    files = [tmp_path / name for name in ("system", "reference")]
    for file, texts in zip(files, (HYPOTHESES, REFERENCES), strict=True):
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    score = Meteor("en", task="adq", normalization="none").corpus(HYPOTHESES, REFERENCES).score
    candidates = list(script.compute_candidates((HYPOTHESES, [REFERENCES]), "en", tmp_path))
    assert "nltk" in capsys.readouterr().err  # There is no WordNet.
    rows = script.rank_candidates([script.Reported.parse(f"{score * 100:.10f}")], [candidates])
    right = [row for row in rows if row.distance == 0]
    assert [row.scores[0] for row in right] == pytest.approx([score], abs=1e-12)
    assert ("METEOR 1.5", "-l en -t adq", "corpus") in [candidate.key for candidate in right[0].candidates]


@pytest.mark.parametrize(("text", "inside", "outside"), [("27.3", 0.27349, 0.27351), (".27", 0.2651, 0.2649)])
def test_which_compares_the_digits_of_a_number(script, text, inside, outside):
    number = script.Reported.parse(text)
    assert number.distance(inside) == 0
    assert number.distance(outside) == pytest.approx(1e-5, rel=1e-3) or number.distance(outside) > 0


def test_which_emulates_nltk(script):
    nltk = pytest.importorskip("nltk")
    from nltk.translate.meteor_score import single_meteor_score

    def lemma(name):
        return SimpleNamespace(name=lambda: name)

    def synsets(word):
        return [SimpleNamespace(lemmas=lambda: [lemma(name) for name in SYNONYMS[word]])] if word in SYNONYMS else []

    ours = SimpleNamespace(synonyms=lambda word, again: {word, *SYNONYMS.get(word, [])})
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        own, other = hypothesis.lower().split(), reference.lower().split()
        counts = np.array(script.count_matches(own, other, script.find_release(nltk.__version__), ours))
        theirs = single_meteor_score(other, own, wordnet=SimpleNamespace(synsets=synsets))
        assert abs(script.nltk_scores(counts, 0.9, 3, 0.5) - theirs) <= 1e-12
