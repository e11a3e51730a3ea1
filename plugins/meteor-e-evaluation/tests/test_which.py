"""Tests of the script ``which.py``, which finds out which implementation of METEOR computed a score."""

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
    """Import the script as a module."""
    if not SCRIPT.is_file():
        pytest.skip("the folder benchmarks is missing")
    spec = importlib.util.spec_from_file_location("which_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_which_recognizes_a_score_of_meteor(script, tmp_path, capsys):
    files = [tmp_path / name for name in ("system", "reference")]
    for file, texts in zip(files, (HYPOTHESES, REFERENCES), strict=True):
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    score = Meteor("en", task="adq", normalization="none").corpus(HYPOTHESES, REFERENCES).score
    candidates = list(script.compute_candidates((HYPOTHESES, [REFERENCES]), "en", tmp_path))
    assert "nltk" in capsys.readouterr().err  # NLTK cannot be tried without WordNet.
    rows = script.rank_candidates([script.Reported.parse(f"{score * 100:.10f}")], [candidates])
    exact_rows = [row for row in rows if row.distance == 0]
    assert [row.scores[0] for row in exact_rows] == pytest.approx([score], abs=1e-12)
    assert ("METEOR 1.5", "-l en -t adq", "corpus") in [candidate.key for candidate in exact_rows[0].candidates]


@pytest.mark.parametrize(
    ("text", "equal_score", "different_score"), [("27.3", 0.27349, 0.27351), (".27", 0.2651, 0.2649)]
)
def test_which_compares_the_digits_of_a_score(script, text, equal_score, different_score):
    reported = script.Reported.parse(text)
    assert reported.distance(equal_score) == 0
    assert reported.distance(different_score) == pytest.approx(1e-5, rel=1e-3) or reported.distance(different_score) > 0


def test_which_computes_the_scores_of_nltk(script):
    nltk = pytest.importorskip("nltk")
    from nltk.translate.meteor_score import single_meteor_score

    def make_lemma(name):
        return SimpleNamespace(name=lambda: name)

    def find_synsets(word):
        if word not in SYNONYMS:
            return []
        lemmas = [make_lemma(name) for name in SYNONYMS[word]]
        return [SimpleNamespace(lemmas=lambda: lemmas)]

    wordnet = SimpleNamespace(synonyms=lambda word, _: {word, *SYNONYMS.get(word, [])})
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        hypothesis_words, reference_words = hypothesis.lower().split(), reference.lower().split()
        release = script.find_release(nltk.__version__)
        counts = np.array(script.count_matches(hypothesis_words, reference_words, release, wordnet))
        nltk_wordnet = SimpleNamespace(synsets=find_synsets)
        nltk_score = single_meteor_score(reference_words, hypothesis_words, wordnet=nltk_wordnet)
        assert abs(script.nltk_scores(counts, 0.9, 3, 0.5) - nltk_score) <= 1e-12
