"""Tests of the lemmatizers.

TreeTagger cannot be distributed with the project, so the tests run a fake program with the same line protocol. The
models of UDPipe cannot be distributed either, so a fixture trains a tiny model.
"""

from __future__ import annotations

import gc
import pickle
import sys
import threading
from pathlib import Path

import pytest
from meteor_e_languages.lemmatizers import hanta
from meteor_e_languages.lemmatizers.hanta import HantaLemmatizer
from meteor_e_languages.lemmatizers.simplemma_tables import AutoLemmatizer, SimplemmaLemmatizer
from meteor_e_languages.lemmatizers.tags import universal_tag
from meteor_e_languages.lemmatizers.treetagger import TreeTaggerLemmatizer
from meteor_e_languages.lemmatizers.udpipe import UdpipeLemmatizer

from meteor_e import ConfigError, Meteor, PluginError, ResourceError
from meteor_e.api import MatcherContext
from meteor_e.languages.files import builtin_language
from meteor_e.packs.resources import LanguageResources
from meteor_e.testing import check_component


def make_context(code):
    """Return the context in which a chain for a language creates its lemmatizer."""
    return MatcherContext(builtin_language(code), LanguageResources())


# -- simplemma -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "words", "lemmas"),
    [
        ("en", ["houses", "were", "xyzzy"], ["house", "be", "xyzzy"]),
        ("fr", ["maisons", "mangeait"], ["maison", "manger"]),
        ("de", ["häuser", "ging"], ["haus", "gehen"]),
        ("cs", ["domy"], ["dům"]),
        ("no", ["husene"], ["hus"]),
    ],
)
def test_simplemma_returns_lemmas(code, words, lemmas):
    lemmatizer = SimplemmaLemmatizer.make(make_context(code))
    tokens = lemmatizer.analyze(words)
    assert [token.lemma for token in tokens] == lemmas
    assert {token.tag for token in tokens} == {None}


@pytest.mark.parametrize(
    ("lemmatizer", "code", "words", "options"),
    [
        (SimplemmaLemmatizer, "en", ["houses", "were"], {}),
        (SimplemmaLemmatizer, "fr", ["maisons"], {"language": "fr", "greedy": True}),
        (AutoLemmatizer, "en", ["houses"], {}),
        (HantaLemmatizer, "en", ["the", "dogs"], {}),
        (HantaLemmatizer, "de", ["das", "haus"], {"language": "de"}),
    ],
)
def test_lemmatizers_pass_interface_checks(lemmatizer, code, words, options):
    check_component(lemmatizer, context=make_context(code), **options)


def test_simplemma_rejects_unknown_language_and_auto_ignores_it():
    with pytest.raises(ConfigError, match="simplemma does not know the language 'other'"):
        Meteor("other", lemmatizer="simplemma")
    meteor = Meteor("other", matchers=["exact"], lemmatizer="auto")
    assert "lemmas:auto(none)" in meteor.signature
    assert meteor.tokenize("houses")[0].lemma is None
    assert AutoLemmatizer.make(make_context("fr")).analyze(["maisons"])[0].lemma == "maison"
    assert AutoLemmatizer.make(make_context("fr")).describe().startswith("simplemma ")


@pytest.mark.shared
@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_simplemma_returns_the_lemmas_of_golden_outputs(code, shared):
    table = shared / f"golden/meteor-e/resources/{code}.lemmas.tsv"
    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]
    words, lemmas = [row[0] for row in rows], [row[2] for row in rows]
    result_lemmas = [lemma for lemma, _ in SimplemmaLemmatizer.make(make_context(code)).lemmatize(words)]
    # A few words may differ between versions of simplemma.
    equal_count = sum(lemma == expected_lemma for lemma, expected_lemma in zip(result_lemmas, lemmas, strict=True))
    assert equal_count >= 0.99 * len(lemmas)


# -- HanTa ---------------------------------------------------------------------------------------------------------


def test_hanta_returns_lemmas_and_tags():
    sentence = ["he", "saw", "the", "saws", "and", "saw", "them"]
    lemmatizer = HantaLemmatizer.make(make_context("en"))
    see, saw = ("see", "VERB"), ("saw", "NOUN")
    assert lemmatizer.lemmatize(sentence) == [
        *(("he", "PRON"), see, ("the", "DET"), saw, ("and", "CCONJ"), see, ("they", "PRON")),
    ]
    german_result = HantaLemmatizer.make(make_context("de")).lemmatize(["die", "häuser", "brannten", "."])
    assert german_result[1:] == [("haus", "NOUN"), ("brennen", "VERB"), (".", "PUNCT")]


@pytest.mark.parametrize("word", ["x" * 1_000_000, "\0", "\ud800", "\u0130", "\U0010ffff", "3.5", "``"])
def test_hanta_accepts_any_text(word):
    (first, second) = HantaLemmatizer.make(make_context("en")).lemmatize([word, "dogs"])
    assert first[0]
    assert second[0] == "dog"
    assert len(word) < hanta.MAX_CHARACTERS or first[0] == word


def test_hanta_reports_missing_language_and_library(monkeypatch):
    with pytest.raises(ConfigError, match=r"HanTa has no model of the language 'fr'; it has de, en, nl"):
        Meteor("fr", matchers=["exact"], lemmatizer="hanta")
    monkeypatch.setitem(sys.modules, "HanTa", None)
    hanta._load_tagger.cache_clear()
    with pytest.raises(ResourceError, match=r"HanTa is not installed; install it with `pip install"):
        HantaLemmatizer.make(make_context("en"))


def test_hanta_ignores_models_in_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "morphmodel_en.pgz").write_bytes(b"no model, and it could be any pickle")
    monkeypatch.chdir(tmp_path)
    hanta._load_tagger.cache_clear()
    assert HantaLemmatizer.make(make_context("en")).lemmatize(["dogs"]) == [("dog", "NOUN")]


# -- UDPipe --------------------------------------------------------------------------------------------------------

TREEBANK = [
    [("the", "the", "DET"), ("dogs", "dog", "NOUN"), ("bark", "bark", "VERB")],
    [("dogs", "dog", "NOUN"), ("saw", "see", "VERB"), ("the", "the", "DET"), ("saw", "saw", "NOUN")],
    [("the", "the", "DET"), ("Paris", "Paris", "PROPN"), ("saw", "saw", "NOUN"), ("barks", "bark", "VERB")],
]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """Train a UDPipe model on three sentences, and return its path."""
    from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences, Trainer

    conllu_lines = []
    for tokens in TREEBANK * 5:
        for token_id, (form, lemma, tag) in enumerate(tokens, 1):
            conllu_lines.append(f"{token_id}\t{form}\t{lemma}\t{tag}\t_\t_\t0\troot\t_\t_\n")
        conllu_lines.append("\n")
    reader = InputFormat.newInputFormat("conllu")
    reader.setText("".join(conllu_lines))
    sentences, error = Sentences(), ProcessingError()
    sentence = Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = Sentence()
    model_bytes = Trainer.train(
        "morphodita_parsito", sentences, Sentences(), Trainer.NONE, "iterations=3", Trainer.NONE, error
    )
    assert not error.occurred(), error.message
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(model_bytes)
    return path


def test_udpipe_returns_lemmas_and_tags(model):
    lemmatizer = UdpipeLemmatizer.make(make_context("en"), model_file=str(model), language="en")
    assert lemmatizer.lemmatize(["the", "dogs", "saw", "the", "saw"]) == [
        *(("the", "DET"), ("dog", "NOUN"), ("see", "VERB"), ("the", "DET"), ("saw", "NOUN")),
    ]
    assert lemmatizer.describe().startswith("tiny.udpipe@")
    copy = pickle.loads(pickle.dumps(lemmatizer))
    assert copy.lemmatize(["dogs"]) == lemmatizer.lemmatize(["dogs"])
    check_component(UdpipeLemmatizer, model_file=model)


@pytest.mark.parametrize("name", ["simplemma", "hanta"])
def test_lemmatizers_reject_another_language(name):
    """The language of the lemmas must be the language of the chain, unless the chain is for 'other'."""
    chain = {"matchers": ["exact"], "lemmatizer": {"use": name, "language": "de"}}
    with pytest.raises(ConfigError, match=f"'{name}': the lemmas are of 'de', and the chain is for 'nl'"):
        Meteor.from_config({"language": "nl", **chain})
    for language in ("de", "other"):
        assert Meteor.from_config({"language": language, **chain}).lemmatizer is not None


def test_lemmatizers_reject_models_of_another_language(model, tmp_path):
    """The file name of a UDPipe or TreeTagger model starts with the English name of its language."""
    path = tmp_path / "french-gsd.udpipe"
    path.write_bytes(model.read_bytes())
    for file, options in ((path, {}), (model, {"language": "fr"})):
        with pytest.raises(ConfigError, match=f"the lemmas of {file.name} are of 'fr', and the chain is for 'de'"):
            UdpipeLemmatizer.make(make_context("de"), model_file=str(file), **options)
    UdpipeLemmatizer.make(make_context("fr"), model_file=str(path))
    UdpipeLemmatizer.make(make_context("de"), model_file=str(path), language="de")
    with pytest.raises(ConfigError, match=r"the parameters french\.par are of 'fr', and the chain is for 'de'"):
        TreeTaggerLemmatizer.make(make_context("de"), parameter_file="french.par")


# -- TreeTagger ----------------------------------------------------------------------------------------------------


@pytest.fixture
def make_treetagger(tmp_path):
    """Return a function that creates a lemmatizer with the fake TreeTagger in a given mode."""
    program = tmp_path / "tree-tagger"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).parent / "fake_tree_tagger.py"}" "$@"\n')
    program.chmod(0o755)

    def make(mode="good", **options):
        parameters = tmp_path / "french.par"
        parameters.write_text(mode, encoding="utf-8")
        return TreeTaggerLemmatizer.make(
            make_context("fr"), parameter_file=str(parameters), command=str(program), **options
        )

    return make


def test_treetagger_returns_lemmas_and_tags(make_treetagger):
    lemmatizer = make_treetagger()
    assert lemmatizer.lemmatize(["le", "chats", "mange"]) == [("le", "ADV"), ("chat", "NOUN"), ("manger", "VERB")]
    assert lemmatizer.lemmatize(["suis", "."]) == [("suivre", "VERB"), (".", "PUNCT")]
    assert lemmatizer.lemmatize(["<unk>", "été", "a\tb"]) == [("<unk>", "ADV"), ("été", "ADV"), ("a\tb", "ADV")]
    assert lemmatizer.describe().startswith("french.par@")


def test_treetagger_handles_long_sentences_and_threads(make_treetagger):
    lemmatizer = make_treetagger()
    long_sentence = ["chats", "mange"] * 20_000
    results = {}

    def run(word_count):
        results[word_count] = lemmatizer.lemmatize(long_sentence if word_count == 0 else ["chats"] * word_count)

    threads = [threading.Thread(target=run, args=(word_count,)) for word_count in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == [("chat", "NOUN"), ("manger", "VERB")] * 20_000
    assert all(results[word_count] == [("chat", "NOUN")] * word_count for word_count in range(1, 5))


def test_treetagger_reports_failures_of_its_process(make_treetagger):
    crashing_lemmatizer = make_treetagger("dies")
    assert crashing_lemmatizer.lemmatize(["le"]) == [("le", "ADV")]
    with pytest.raises(ResourceError, match="TreeTagger ended: ERROR: out of memory"):
        crashing_lemmatizer.lemmatize(["meurs"])
    assert crashing_lemmatizer.lemmatize(["chats"]) == [("chat", "NOUN")], "the lemmatizer must start the process again"
    hanging_lemmatizer = make_treetagger("hangs", timeout=0.5)
    with pytest.raises(PluginError, match=r"did not answer a sentence of 1 words in 0\.5 s"):
        hanging_lemmatizer.lemmatize(["dors"])
    with pytest.raises(PluginError, match="wrote 'no tabs'"):
        make_treetagger("odd").lemmatize(["le"])


def test_treetagger_ends_its_process_when_deleted(make_treetagger):
    lemmatizer = make_treetagger()
    lemmatizer.lemmatize(["le"])
    process = lemmatizer._process._process
    del lemmatizer
    gc.collect()
    assert process.poll() is not None


@pytest.mark.parametrize(
    ("language", "tag", "universal"),
    [
        *(("en", "NNS", "NOUN"), ("en", "NPS", "PROPN"), ("en", "VVZ", "VERB"), ("en", "SENT", "PUNCT")),
        *(("de", "VAFIN", "AUX"), ("de", "PPOSAT", "DET"), ("de", "$.", "PUNCT"), ("fr", "VER:pres", "VERB")),
        *(("es", "VLfin", "VERB"), ("es", "VEfin", "AUX"), ("ru", "Ncmsnn", "NOUN"), ("ru", "Npmsny", "PROPN")),
        *(("it", "NOM", None), ("fr", "??", None), ("en-c5", "VVD", "VERB"), ("en-c5", "NP0", "PROPN")),
        *(
            ("de", "VV(PP)", "VERB"),
            ("nl", "N(eigen,ev,basis,zijd,stan)", "PROPN"),
            ("nl", "WW(vd,vrij,zonder)", "VERB"),
        ),
    ],
)
def test_universal_tag_maps_tags_of_each_tag_set(language, tag, universal):
    assert universal_tag(tag, language) == universal
