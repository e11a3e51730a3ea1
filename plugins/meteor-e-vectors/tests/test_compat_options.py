"""The options of METEOR-E in ``compat``, which need this plugin and meteor-e-languages."""

from __future__ import annotations

import pytest

from meteor_e.java.options import JavaConfiguration, parse
from meteor_e.java.program import make_chain_entries

pytest.importorskip("meteor_e_languages", reason="meteor-e-languages is not installed")


def configuration(*arguments):
    return JavaConfiguration.from_options(parse(["h", "r", *arguments]))


def _matcher(module, parsed_options):
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
    parsed_options = configuration("-l", "fr", "-m", "exact embeddings", "-w", "1 .7", option, "v.txt", "-embTh", ".75")
    assert parsed_options.modules == ("exact", "embeddings")
    assert parsed_options.weights == (1.0, 0.7)
    assert _matcher("embeddings", parsed_options) == {"use": "vector", "file": "v.txt", "key": key, "threshold": 0.75}
    assert make_chain_entries(parsed_options)[1] == ("simplemma" if lemmatizes else None)


def test_vector_option_adds_the_module():
    parsed_options = configuration("-l", "fr", "-emb", "v.txt")
    assert parsed_options.modules == ("exact", "stem", "paraphrase", "embeddings")
    assert parsed_options.weights == (1.0, 0.2, 0.4, 0.8)
    assert _matcher("embeddings", configuration("-m", "exact embeddings")) == {
        "use": "vector",
        "key": "word",
        "threshold": 0.8,
    }


def test_lemma_option_changes_the_synonym_matcher(tmp_path):
    with_lemmas = configuration("-l", "de", "-m", "exact synonym", "-lemmas", "l.tsv", "-d", str(tmp_path))
    assert make_chain_entries(with_lemmas)[1] == {"use": "lookup", "file": "l.tsv"}
    assert _matcher("synonym", with_lemmas) == {"use": "dbnary", "file": str(tmp_path / "german.synsets")}
    (tmp_path / "german.synsets.gz").touch()
    assert _matcher("synonym", with_lemmas) == {"use": "dbnary", "file": str(tmp_path / "german.synsets.gz")}
    assert _matcher("synonym", configuration("-lemmas", "l.tsv")) == {"use": "dbnary", "pack": "en"}
    # If vectors do not need lemmas, synonyms are those of METEOR 1.5.
    assert _matcher("synonym", configuration("-emb", "v.txt", "-d", "x")) == {"use": "synonym"}
