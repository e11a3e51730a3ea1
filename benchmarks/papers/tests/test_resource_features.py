from __future__ import annotations

import pickle

import meteor_e_papers.plugin
import numpy as np
import pytest
from meteor_e_papers.features.language_model import LanguageModelFeature
from meteor_e_papers.features.tags import CLASSES, TagOverlapFeature, TagVectorsFeature, tagged
from meteor_e_papers.features.vectors import VectorMatchingFeature, WordVectorsFeature
from meteor_e_papers.features.vocabulary import VocabularyFeature

from meteor_e.base.errors import ConfigError, InputError, ResourceError
from meteor_e.testing import check_feature, check_plugin


def row(feature, hypothesis, reference):
    return dict(zip(feature.columns, feature.extract([hypothesis], [[reference]])[0], strict=True))


def test_plugin_conforms():
    check_plugin(meteor_e_papers.plugin)


@pytest.mark.parametrize("cls", [VocabularyFeature, TagVectorsFeature, TagOverlapFeature])
def test_features_conform(cls):
    check_feature(cls)


def test_vector_features_conform(test_set):
    check_feature(WordVectorsFeature, file=str(test_set / "words.txt"))
    check_feature(VectorMatchingFeature, file=str(test_set / "words.txt"))


def test_unknown_words():
    found = row(VocabularyFeature(), "the Ministr Xqzzt bought bought houses", "the minister bought Xqzzt houses")
    assert found["unknown"] == 2
    assert found["unknown_not_in_reference"] == 1
    assert found["unknown_capitalised"] == 1
    assert found["doubled"] == 1
    same = row(VocabularyFeature(), "the minister bought houses", "the minister bought houses")
    assert same["information_f"] == 1
    assert same["information_missing"] == same["information_added"] == 0
    # A rare word that is missing costs more than a frequent one.
    rare = row(VocabularyFeature(), "the bought houses", "the minister bought houses")
    often = row(VocabularyFeature(), "minister bought houses", "the minister bought houses")
    assert rare["information_recall"] < often["information_recall"]


def test_a_corpus_makes_words_known(tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("xqzzt said something\n", encoding="utf-8")
    feature = VocabularyFeature(corpus_file=str(corpus))
    assert row(feature, "xqzzt", "minister")["unknown"] == 0
    assert feature.describe() != VocabularyFeature().describe()


def test_a_language_without_words():
    with pytest.raises(ConfigError, match="no words of language 'xx'"):
        VocabularyFeature(language="xx")


def test_tags():
    names = list(CLASSES)
    assert len(names) == 25
    found = [(word, names[place]) for word, place in tagged("The minister has bought new houses .")]
    assert found[0] == ("the", "determiner")
    assert found[1] == ("minister", "noun")
    assert ("houses", "nouns") in found
    assert found[-1] == (".", "punctuation")
    vector = TagVectorsFeature().vectors(["The minister has bought new houses .", ""])
    assert vector[0].sum() == pytest.approx(1)
    assert not vector[1].any()
    verbless = row(TagOverlapFeature(), "the minister houses", "the minister bought houses")
    assert verbless["verbs_balance"] == -1
    assert verbless["verbs_missing"] == 1
    assert verbless["nouns_recall"] == 1


def test_word_vectors(test_set):
    from meteor_e_papers.features.vectors import open_word_vectors

    file = str(test_set / "words.txt")
    feature = WordVectorsFeature(file)
    words = open_word_vectors(file)
    mean = (words.table[words.rows["new"]] + words.table[words.rows["houses"]]) / 2
    assert feature.vectors(["New houses unheardof"])[0] == pytest.approx(mean)
    assert not feature.vectors(["unheardof"])[0].any()


def test_greedy_matching(test_set):
    feature = VectorMatchingFeature(str(test_set / "words.txt"))
    same = row(feature, "new houses rose", "new houses rose")
    assert same["plain_f"] == same["weighted_f"] == pytest.approx(1)
    assert same["context_f"] == pytest.approx(1)
    assert same["missing"] == pytest.approx(0)
    swapped = row(feature, "rose houses new", "new houses rose")
    assert swapped["plain_f"] == pytest.approx(1)
    assert swapped["context_f"] < 1
    unknown = row(feature, "zzyx zzyy", "new houses rose")
    assert unknown["plain_f"] == pytest.approx(0, abs=1e-9)
    assert np.isfinite(list(row(feature, "", "").values())).all()


ARPA = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-2.0\t<unk>
0\t<s>\t-0.3
-1.0\t</s>
-0.5\tnew\t-0.2
-0.7\thouses

\\2-grams:
-0.1\t<s> new
-0.2\tnew houses

\\end\\
"""


def test_language_model(tmp_path):
    file = tmp_path / "small.arpa"
    file.write_text(ARPA, encoding="utf-8")
    check_feature(LanguageModelFeature, file=str(file))
    feature = LanguageModelFeature(str(file))
    fluent = row(feature, "New houses", "new houses")
    assert fluent["total"] == pytest.approx(-0.1 - 0.2 - 1.0)
    assert fluent["per_word"] == pytest.approx(-1.3 / 3)
    assert fluent["mean_order"] == pytest.approx((2 + 2 + 1) / 3)
    assert fluent["unknown"] == fluent["added"] == fluent["difference"] == 0
    # "zzyx" backs off from the context "houses", which has no back-off weight.
    added = row(feature, "new houses zzyx", "new houses rose")
    assert added["unknown"] == added["unknown_added"] == 1
    assert added["added"] == added["added_per_word"] == added["worst_word"] == pytest.approx(-2.0)
    assert added["worst_window"] == pytest.approx(-2.3 / 3)
    assert np.isfinite(list(row(feature, "", "").values())).all()
    again = pickle.loads(pickle.dumps(feature))
    assert row(again, "New houses", "new houses") == fluent
    with pytest.raises(ResourceError, match="cannot be read"):
        LanguageModelFeature(str(tmp_path / "none.arpa"))
    file.write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match="not a language model"):
        LanguageModelFeature(str(file))


def test_files_that_hold_no_vectors(tmp_path):
    with pytest.raises(ResourceError, match="cannot be read"):
        WordVectorsFeature(str(tmp_path / "none.txt"))
    broken = tmp_path / "broken.txt"
    for content in ("3 2\na 1 2\nb x y\n", "2 2\na 1 2\nb 1\n", "2 2\na 1 2\nb 1 2 3\n", "a 1 2\nb 1 2\n", ""):
        broken.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="not word vectors"):
            WordVectorsFeature(str(broken))
    broken.write_text("2 2\na 1 2\nb 1 nan\n", encoding="utf-8")
    with pytest.raises(InputError, match="not finite"):
        WordVectorsFeature(str(broken))
