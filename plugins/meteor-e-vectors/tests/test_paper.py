"""The examples of Servan et al. (2016), tables 7 and 8, with vectors and synsets that make them.

The sentences are set as the paper prints them. The angles between vectors are ours; what matches what is the paper's.
"""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_vectors import write_vectors

from meteor_e import Meteor

pytest.importorskip("meteor_e_languages")

TABLE_7 = (
    "je pense qu' il est concevable que ces données soient employées pour le bénéfice mutuel .",
    "j' estime qu' il est concevable que ces données soient utilisées dans leur intérêt mutuel .",
)
TABLE_8 = (
    "le créateur de SAS disait il faisait un genre du feuilleton géopolitique .",
    "le père de SAS disait faire un genre de feuilleton géopolitique .",
)
SYNSETS = "employer\n1 2\nutiliser\n2 1\npour\n3 4\ndans\n4 3\ncréateur\n5 6\npère\n6 5\nfaire\n7\n"
LEMMAS = "employées\tVERB\temployer\nutilisées\tVERB\tutiliser\nfaisait\tVERB\tfaire\n"
# Pairs of words and their similarity, (1 + cosine)/2.
SIMILAR = {
    ("pense", "estime"): 0.85,
    ("je", "j'"): 0.9,
    ("du", "de"): 0.88,
    ("employées", "utilisées"): 0.84,
    ("bénéfice", "intérêt"): 0.77,
}


@pytest.fixture
def meteor(tmp_path):
    """Return METEOR-E for French with the resources of the examples, by chain and threshold."""
    words, rows = [], []
    for number, ((one, other), similarity) in enumerate(SIMILAR.items()):
        # Each pair has a plane of its own.
        plane = np.zeros((2, 2 * len(SIMILAR)), np.float32)
        cosine = 2 * similarity - 1
        plane[0, 2 * number] = 1
        plane[1, 2 * number : 2 * number + 2] = cosine, np.sqrt(1 - cosine**2)
        words += [one, other]
        rows += list(plane)
    write_vectors(tmp_path / "fr.vectors", words, np.stack(rows))
    (tmp_path / "french.synsets").write_text(SYNSETS, encoding="utf-8")
    (tmp_path / "lemmas.tsv").write_text(LEMMAS, encoding="utf-8")

    def make(*names, threshold=0.8):
        options = {
            "dbnary": {"file": str(tmp_path / "french.synsets")},
            "vector": {"file": str(tmp_path / "fr.vectors"), "threshold": threshold},
        }
        return Meteor(
            "fr",
            matchers=[{"use": name, **options.get(name, {})} for name in names],
            lemmatizer={"use": "lookup", "file": str(tmp_path / "lemmas.tsv")},
            normalization="lower",
        )

    return make


def found(meteor, pair, *matchers):
    return {
        (hypothesis, reference)
        for hypothesis, reference, matcher in meteor.score(*pair).alignment.pairs()
        if matcher in matchers
    }


def test_table_7(meteor, meteor_packs):
    both = meteor("exact", "stem", "dbnary", "vector")
    assert found(both, TABLE_7, "dbnary") == {("employées", "utilisées"), ("pour", "dans")}
    assert found(both, TABLE_7, "vector") == {("pense", "estime"), ("je", "j'")}
    assert found(both, TABLE_7, "exact") == {(word, word) for word in TABLE_7[1].split() if word in TABLE_7[0].split()}


def test_table_8(meteor, meteor_packs):
    both = meteor("exact", "stem", "dbnary", "vector")
    assert found(both, TABLE_8, "dbnary") == {("créateur", "père"), ("faisait", "faire")}
    assert found(both, TABLE_8, "vector") == {("du", "de")}
