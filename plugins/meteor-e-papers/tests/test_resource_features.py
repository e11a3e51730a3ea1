"""Tests of the features that need resources: vectors of parts of speech and of words."""

from __future__ import annotations

import meteor_e_papers.plugin
import pytest
from meteor_e_papers.features.tags import CLASSES, TagVectorsFeature, tag_words
from meteor_e_papers.features.vectors import WordVectorsFeature

from meteor_e.base.errors import InputError, ResourceError
from meteor_e.testing import check_component, check_plugin


def test_plugin_passes_interface_checks():
    check_plugin(meteor_e_papers.plugin)


def test_features_pass_interface_checks(test_set):
    check_component(TagVectorsFeature)
    check_component(WordVectorsFeature, file=str(test_set / "words.txt"))


def test_tag_vectors_feature_counts_word_classes():
    class_names = list(CLASSES)
    assert len(class_names) == 25
    tagged_words = [(word, class_names[index]) for word, index in tag_words("The minister has bought new houses .")]
    assert tagged_words[0] == ("the", "determiner")
    assert tagged_words[1] == ("minister", "noun")
    assert ("houses", "nouns") in tagged_words
    assert tagged_words[-1] == (".", "punctuation")
    vector = TagVectorsFeature().vectors(["The minister has bought new houses .", ""])
    assert vector[0].sum() == pytest.approx(1)
    assert not vector[1].any()


def test_word_vectors_feature_returns_the_mean_vector(test_set):
    from meteor_e_papers.features.vectors import open_word_vectors

    file = str(test_set / "words.txt")
    feature = WordVectorsFeature.make(file=file)
    word_vectors = open_word_vectors(file)
    mean = (word_vectors.table[word_vectors.rows["new"]] + word_vectors.table[word_vectors.rows["houses"]]) / 2
    assert feature.vectors(["New houses unheardof"])[0] == pytest.approx(mean)
    assert not feature.vectors(["unheardof"])[0].any()


def test_word_vectors_feature_reads_every_format(test_set, tmp_path):
    from gensim.models import KeyedVectors
    from meteor_e_papers.features.vectors import open_word_vectors
    from meteor_e_vectors.cache import convert_vectors

    text = test_set / "words.txt"
    expected = WordVectorsFeature.make(file=str(text)).vectors(["New houses", "the minister"])
    gensim_vectors = KeyedVectors.load_word2vec_format(str(text))
    assert (open_word_vectors(text).table == gensim_vectors.vectors).all()
    (tmp_path / "glove.txt").write_text(text.read_text("utf-8").split("\n", 1)[1], encoding="utf-8")
    gensim_vectors.save_word2vec_format(str(tmp_path / "words.bin"), binary=True)
    convert_vectors(text, tmp_path / "own.vectors")
    for name in ("glove.txt", "words.bin", "own.vectors"):
        feature = WordVectorsFeature.make(file=str(tmp_path / name))
        assert (feature.vectors(["New houses", "the minister"]) == expected).all(), name


def test_word_vectors_feature_rejects_invalid_files(tmp_path):
    with pytest.raises(ResourceError, match="cannot be read"):
        WordVectorsFeature.make(file=str(tmp_path / "none.txt"))
    invalid_file = tmp_path / "broken.txt"
    for content, message in (
        ("3 2\na 1 2\nb x y\n", "broken.txt:3: a line must contain a word and 2 numbers"),
        ("2 2\na 1 2\nb 1\n", "broken.txt:3: a line must contain a word and 2 numbers"),
        ("2 2\na 1 2\nb 1 2 3\n", "broken.txt:3: a line must contain a word and 2 numbers"),
        ("3 2\na 1 2\nb 1 2\n", "announces 3 words and has 2"),
        ("", "has an unknown format"),
    ):
        invalid_file.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            WordVectorsFeature.make(file=str(invalid_file))
    invalid_file.write_text("2 2\na 1 2\nb 1 nan\n", encoding="utf-8")
    with pytest.raises(InputError, match="not finite"):
        WordVectorsFeature.make(file=str(invalid_file))
