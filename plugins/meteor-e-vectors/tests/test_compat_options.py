"""Tests of the METEOR-E options of ``compat``, which need this plugin and meteor-e-languages."""

from __future__ import annotations

import pytest

from meteor_e.java.options import JavaConfiguration, parse
from meteor_e.java.scorer import make_chain_entries

pytest.importorskip("meteor_e_languages", reason="meteor-e-languages is not installed")


def parse_configuration(*arguments):
    """Parse the options of a command line."""
    return JavaConfiguration.from_options(parse(["h", "r", *arguments]))


def find_matcher(module, parsed_options):
    """Return the configuration of the matcher that replaces a module of METEOR-E."""
    return make_chain_entries(parsed_options)[0][parsed_options.modules.index(module)]


@pytest.mark.parametrize(
    ("option", "key", "lemmatizes"),
    [
        ("-emb", "word", False),
        ("-embLemma", "lemma", True),
        ("-embWord_POS", "word_POS", True),
        ("-embLemma_POS", "lemma_POS", True),
        ("-embWord_Lemma", "word_lemma", True),
    ],
)
def test_vector_options_select_key_and_threshold(option, key, lemmatizes):
    parsed_options = parse_configuration(
        "-l", "fr", "-m", "exact embeddings", "-w", "1 .7", option, "v.txt", "-embTh", ".75"
    )
    assert parsed_options.modules == ("exact", "embeddings")
    assert parsed_options.weights == (1.0, 0.7)
    assert find_matcher("embeddings", parsed_options) == {
        "use": "vector",
        "file": "v.txt",
        "key": key,
        "threshold": 0.75,
    }
    assert make_chain_entries(parsed_options)[1] == ("simplemma" if lemmatizes else None)


def test_vector_option_adds_the_module():
    parsed_options = parse_configuration("-l", "fr", "-emb", "v.txt")
    assert parsed_options.modules == ("exact", "stem", "paraphrase", "embeddings")
    assert parsed_options.weights == (1.0, 0.2, 0.4, 0.8)
    assert find_matcher("embeddings", parse_configuration("-m", "exact embeddings")) == {
        "use": "vector",
        "key": "word",
        "threshold": 0.8,
    }


def test_lemma_option_changes_the_synonym_matcher(tmp_path):
    parsed_options = parse_configuration("-l", "de", "-m", "exact synonym", "-lemmas", "l.tsv", "-d", str(tmp_path))
    assert make_chain_entries(parsed_options)[1] == {"use": "lookup", "file": "l.tsv"}
    assert find_matcher("synonym", parsed_options) == {"use": "dbnary", "file": str(tmp_path / "german.synsets")}
    (tmp_path / "german.synsets.gz").touch()
    assert find_matcher("synonym", parsed_options) == {"use": "dbnary", "file": str(tmp_path / "german.synsets.gz")}
    assert find_matcher("synonym", parse_configuration("-lemmas", "l.tsv")) == {"use": "dbnary", "pack": "en"}
    # Without lemmas, the synonyms are those of METEOR 1.5.
    assert find_matcher("synonym", parse_configuration("-emb", "v.txt", "-d", "x")) == {"use": "synonym"}
