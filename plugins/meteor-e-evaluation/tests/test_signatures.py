"""``meteor-e check-signature`` and ``meteor-e methods``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from meteor_e_evaluation.which import Texts, check_signature, every_meteor, parse_signature
from meteor_e_evaluation.which.methods import methods

from meteor_e import ConfigError, InputError, Meteor
from meteor_e.cli.program import cli

JAVA = "meteor-1.5-wo-en-norm-0.85_0.2_0.6_0.75-ex_st_sy_pa-1.0_0.6_0.8_0.6"
NLTK = "nltk:3.6.3-3.8.2|tokens:split|case:lower|a:0.9|b:3.0|g:0.5|level:segments"


def run(*arguments):
    return CliRunner().invoke(cli, arguments)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"task": "adq"},
        {"language": "de"},
        {"language": "fr", "normalization": "lower", "beam": 5},
        {"matchers": ["exact", {"use": "stem", "weight": 0.3}], "character_mode": True},
        {"parameters": {"alpha": 0.5, "beta": 2}},
    ],
)
def test_our_own_signatures_can_be_rerun(keys):
    signature = Meteor(**keys).signature
    found = check_signature(signature)
    assert found.reasons == ()
    # The command has the options that make the metric again.
    options = found.command.partition("REFERENCE ")[2].split()
    assert ("-t" in options) == ("task" in keys)
    assert ("--character-mode" in options) == ("character_mode" in keys)
    assert ("-m" in options) == ("matchers" in keys)


def test_signatures_of_which_can_be_rerun():
    texts = Texts(["the cat sat"], [["a cat sits"]], "en")
    signatures = {each.signature for each in every_meteor(texts) if each.program != "meteor-e"}
    assert len(signatures) > 300
    for signature in signatures:
        assert methods(signature).signature == signature
    for signature in sorted(signatures)[::40]:
        found = check_signature(signature)
        assert found.reasons == () or "WordNet" in found.reasons[0]


def test_the_command_gives_the_signature(tmp_path):
    signature = Meteor("de", task="li", parameters={"alpha": 0.6}, beam=7).signature
    file = tmp_path / "texts"
    file.write_text("Ein Hund .\n", encoding="utf-8")
    command = check_signature(signature).command.replace("HYPOTHESIS", str(file)).replace("REFERENCE", str(file))
    answer = run(*command.split()[1:], "-f", "json")
    assert json.loads(answer.stdout)["metrics"]["METEOR"]["signature"] == signature


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("meteor_e:", "meteor_e:9.", "pip install meteor_e==9."),
        ("pack:en@", "pack:en@ff", "pack is en@ff"),
        ("stem=0.6(english)", "stem=0.6(klingon)", "match is"),
        ("synonym=0.8", "soothsayer=0.8", "soothsayer"),
        ("lang:en", "lang:xx-nowhere", "xx-nowhere"),
        ("a:0.85", "a:1.85", "alpha"),
        ("beam:40", "beam:40|future:1", "future is 1"),
        ("pack:en@", "pack:enn@", "enn"),
    ],
)
def test_what_cannot_be_rerun(old, new, reason):
    signature = Meteor("en").signature
    assert old in signature
    found = check_signature(signature.replace(old, new))
    assert any(reason in each for each in found.reasons), found.reasons
    assert not found.command
    answer = run("check-signature", signature.replace(old, new))
    assert answer.exit_code == 1
    assert "cannot be rerun here" in answer.stdout


def test_evaluation_ids_of_the_java_program():
    assert check_signature(JAVA).command.endswith("-l en")
    assert "-t adq" not in check_signature(JAVA).command
    found = check_signature(JAVA.replace("-wo-", "-ch-").replace("0.6_0.75", "0.60_0.5"))
    assert not found.reasons
    assert "--character-mode" in found.command
    assert "-p delta=0.5" in found.command
    (reason,) = check_signature(JAVA.replace("1.5-wo", "1.4-wo")).reasons
    assert "it is of METEOR 1.4, and this is METEOR 1.5" in reason
    assert "meteor-e score HYPOTHESIS REFERENCE -l en" in reason
    assert parse_signature("meteor-1.5-wo-cz-norm-0.95_0.2_0.6_0.8-ex_pa-1.0_0.4")["lang"] == "cs"


@pytest.mark.parametrize(
    "text",
    [
        *("", "bleu|nrefs:1", "nrefs:1|case:mixed", "meteor_e:0.1.0", "meteor_e:0.1.0|", "meteor_e", "nltk:1"),
        *("x" * 20_000, f"{JAVA}-x", JAVA.replace("ex_", "zz_"), JAVA.replace("_0.8_", "_"), "meteor_e:1|meteor_e:1"),
    ],
)
def test_what_is_not_a_signature(text):
    with pytest.raises(ConfigError):
        check_signature(text)
    answer = run("check-signature", "--", text)
    assert isinstance(answer.exception, ConfigError)
    assert not answer.stdout


def test_the_sentence_and_its_bibliography(tmp_path):
    signature = Meteor("en").signature
    found = methods(signature)
    assert signature in found.sentence
    assert "α = 0.85" in found.sentence
    assert "{denkowski-lavie-2014-meteor," in found.bibliography
    assert "{servan" not in found.bibliography
    assert found.bibliography.count("{") == found.bibliography.count("}")
    assert "not comparable" in methods(NLTK).sentence
    assert "bird-klein-loper" in methods(NLTK).bibliography
    assert "Java program of METEOR 1.5" in methods(JAVA).sentence
    with_vectors = signature.replace("paraphrase=0.6", "vector=0.6(x, y)")
    assert "{servan" in methods(with_vectors).bibliography
    scores = tmp_path / "scores.json"
    document = {"metrics": {"METEOR": {"signature": signature}, "BLEU": {"signature": "nrefs:1|case:mixed"}}}
    scores.write_text(json.dumps(document), encoding="utf-8")
    answer = run("methods", str(scores))
    assert answer.exit_code == 0
    assert answer.stdout.startswith(found.sentence)
    assert json.loads(run("methods", str(scores), "-f", "json").stdout)[0]["signature"] == signature


@pytest.mark.parametrize("content", ["", "{", "[]", '{"signature": 1}', '{"signature": "nrefs:1"}', "[" * 100_000])
def test_files_without_a_signature(tmp_path, content):
    (tmp_path / "scores.json").write_text(content, encoding="utf-8")
    assert isinstance(run("methods", str(tmp_path / "scores.json")).exception, InputError)


def test_signatures_as_papers_break_them():
    signature = Meteor("en").signature
    for damaged in (
        signature.replace("|", " | "),
        signature.replace("|", "|\n"),
        f"{signature[:40]}\n  {signature[40:]}",
    ):
        assert parse_signature(damaged) == parse_signature(signature)


@pytest.mark.parametrize(("part", "wrong"), [("a:0.9", "a:x"), ("a:0.9", "a:inf"), ("split", "spl"), ("lower", "big")])
def test_damaged_signatures_of_nltk(part, wrong):
    signature = "nltk:>=3.9|tokens:split|case:lower|a:0.9|b:3.0|g:0.5"
    assert any(wrong.rpartition(":")[2] in reason for reason in check_signature(signature.replace(part, wrong)).reasons)


def test_parameters_of_ones_own_in_nltk():
    check = check_signature("nltk:>=3.9|tokens:split|case:lower|a:0.7|b:2.0|g:0.5")
    assert "--formula '0.7 2.0 0.5'" in (check.command or "--formula '0.7 2.0 0.5'")
    assert check.command or "WordNet" in check.reasons[0]


def test_methods_of_other_metrics(tmp_path):
    metrics = {
        "METEOR": {"signature": Meteor("en").signature},
        "chrF2": {"signature": "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"},
        "en-light": {"signature": "model:en-light|guarded-linear|options:9617c60c"},
    }
    file = tmp_path / "scores.json"
    file.write_text(json.dumps({"metrics": metrics}), encoding="utf-8")
    answer = run("methods", str(file))
    assert "We report METEOR" in answer.stdout
    assert "We report chrF2, computed by sacreBLEU (Post, 2018)" in answer.stdout
    assert "@inproceedings{post-2018-sacrebleu" in answer.stdout
    assert "We report en-light, computed by meteor_e" in answer.stdout
    for value in metrics.values():
        assert value["signature"] in answer.stdout
    assert "cannot read" in str(run("methods", str(tmp_path / "none.json")).exception)
