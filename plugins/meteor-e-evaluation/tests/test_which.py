"""``meteor-e which``: rounding, nltk's METEOR, and what is named for numbers of known programs."""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_evaluation.which import Evidence, Reported, which
from meteor_e_evaluation.which.nltk_meteor import RELEASES, emulated, porter_stemmer, scores, statistics
from meteor_e_evaluation.which.wordnet import find_wordnet

from meteor_e import ConfigError, InputError, Meteor
from meteor_e.cli.program import cli

RECORDED = json.loads(Path(__file__).with_name("nltk_meteor.json").read_text(encoding="utf-8"))
"""Scores of nltk itself; benchmarks/parity/which_nltk.py --record wrote them."""
HYPOTHESES = [
    "The cat sat on the mat .",
    "Two dogs are running quickly through the wet Grass",
    "He didn't buy the automobile , because it was expensive .",
    "A man rides his horse",
]
REFERENCES = [
    "A cat was sitting on the mat.",
    "Two dogs run fast through wet grass.",
    "He did not purchase the car because it costs too much.",
    "A man is riding a horse.",
]


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    """The tiny WordNet of the tests of synonyms, where nltk looks for its own."""
    file = Path(__file__).parents[2] / "meteor-e-languages" / "tests" / "tiny_wordnet.py"
    spec = importlib.util.spec_from_file_location("tiny_wordnet_of_synonyms", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write(tmp_path / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    return find_wordnet()


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("27.3", 0.2725, 0.2735),
        (".273", 0.2725, 0.2735),
        ("0.27", 0.265, 0.275),
        ("27", 0.265, 0.275),
        ("27.30 %", 0.27295, 0.27305),
        ("0.5%", 0.0045, 0.0055),
    ],
)
def test_what_a_number_allows(text, low, high):
    number = Reported.parse(text)
    for inside in (low, high, (low + high) / 2):
        assert number.distance(inside) == 0
    assert number.distance(low - 1e-6) == pytest.approx(1e-6)
    assert number.distance(high + 1e-6) == pytest.approx(1e-6)


def test_the_scale_can_be_said():
    assert Reported.parse("0.9", "percent").value == pytest.approx(0.009)
    assert Reported.parse("1", "fraction").value == 1
    for text, scale in (("27.3", "fraction"), ("101", "auto"), ("27.3%", "fraction"), ("1", "promille")):
        with pytest.raises(ConfigError):
            Reported.parse(text, scale)


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "1e-1", "27,3", "٣", "27.3.1", ".", "bleu=27.3"])
def test_what_is_no_number(text):
    with pytest.raises(ConfigError, match=r"as it was printed|a number is of"):
        Reported.parse(text)


@pytest.mark.parametrize("version", RECORDED["scores"])
def test_our_numbers_are_those_of_nltk(wordnet, version):
    for name, theirs in RECORDED["scores"][version].items():
        _, case, *formula = name.split()
        words = [
            [[word.lower() if case == "lower" else word for word in text.split()] for text in (hypothesis, *others)]
            for hypothesis, others in RECORDED["pairs"]
        ]
        release = emulated(version)
        ours = [
            scores(
                np.array([statistics(own, other, release, wordnet, porter_stemmer()) for other in others]),
                *map(float, formula),
            ).max()
            for own, *others in words
        ]
        assert np.abs(np.subtract(ours, theirs)).max() <= 1e-12


def test_the_recorded_releases_differ():
    """The numbers would prove nothing if all releases gave the same."""
    assert RECORDED["scores"]["3.6.2"] != RECORDED["scores"]["3.6.3"]


def test_rules_for_base_forms_are_applied_again_up_to_38(wordnet):
    assert "purchase" in wordnet.synonyms("buyings", True)
    assert "purchase" not in wordnet.synonyms("buyings", False)


def test_the_installed_nltk(wordnet, tmp_path, monkeypatch):
    nltk = pytest.importorskip("nltk")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.translate.meteor_score import single_meteor_score

    folder = tmp_path / "corpora" / "wordnet"
    (folder / "lexnames").write_text("".join(f"{number:02d}\tfile\t1\n" for number in range(64)), encoding="ascii")
    (folder / "index.sense").touch()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    opened = []

    class Reader(WordNetCorpusReader):
        def open(self, file):
            opened.append(super().open(file))
            return opened[-1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It says that there is no multilingual part.
        reader = Reader(str(folder), None)
    release, stem = emulated(nltk.__version__), porter_stemmer()
    for hypothesis, others in RECORDED["pairs"][:60]:
        own, other = hypothesis.lower().split(), others[0].lower().split()
        counts = np.array(statistics(own, other, release, wordnet, stem))
        assert abs(scores(counts, 0.9, 3, 0.5) - single_meteor_score(other, own, wordnet=reader)) <= 1e-12
    for stream in opened:
        stream.close()


def named(found):
    return {(each.program, each.settings, each.level) for row in found.matches for each in row.candidates}


def test_meteor_15_is_named(wordnet):
    meteor = Meteor("en", normalization="none", task="adq")
    score = meteor.corpus(HYPOTHESES, REFERENCES).score
    found = which(repr(score), HYPOTHESES, [REFERENCES])
    assert ("METEOR 1.5", "-l en -t adq", "corpus") in named(found)
    assert abs(found.matches[0].score - score) <= 1e-12
    meteor = Meteor("en", task="hter")
    mean = np.mean([meteor.score(*pair).score for pair in zip(HYPOTHESES, REFERENCES, strict=True)])
    found = which(f"{mean * 100:.13f}", HYPOTHESES, [REFERENCES], level="segments")
    assert ("METEOR 1.5", "-l en -norm -t hter", "segments") in named(found)


def test_nltk_is_named_and_its_releases_told_apart(wordnet):
    sides = [[text.lower().split() for text in side] for side in (HYPOTHESES, REFERENCES)]
    for release in RELEASES:
        counts = np.array([statistics(*pair, release, wordnet, porter_stemmer()) for pair in zip(*sides, strict=True)])
        score = float(scores(counts, 0.9, 3, 0.5).mean())
        found = which(repr(score), HYPOTHESES, [REFERENCES])
        assert ("nltk", f"{release.name}, split", "segments") in named(found)


def test_the_best_reference_of_each_segment_counts(wordnet):
    meteor = Meteor("en")
    pairs = list(zip(HYPOTHESES, REFERENCES, REFERENCES[::-1], strict=True))
    mean = np.mean([meteor.score(own, others).score for own, *others in pairs])
    found = which(repr(float(mean)), HYPOTHESES, [REFERENCES, REFERENCES[::-1]])
    assert ("METEOR 1.5", "-l en -norm", "segments") in named(found)


def test_parameters_of_your_own(wordnet):
    parameters = {"alpha": 0.85, "beta": 2.35, "gamma": 0.45, "delta": 0.7}
    score = Meteor("en", parameters=parameters).corpus(HYPOTHESES, REFERENCES).score
    found = which(repr(score), HYPOTHESES, [REFERENCES], formulas=[list(parameters.values())])
    assert ("METEOR 1.5", "-l en -norm -p '0.85 2.35 0.45 0.7'", "corpus") in named(found)
    for wrong in ([0.85, 2.35], [2, 1, 1, 1]):
        with pytest.raises(ConfigError):
            which("0.5", HYPOTHESES, [REFERENCES], formulas=[wrong])


def test_another_language_and_a_table_that_is_missing(wordnet):
    texts, others = ["Ein Hund läuft .", "", "Zwei Männer"], ["Der Hund rennt .", "Leer", ""]
    score = Meteor("de", normalization="none", task="li").corpus(texts, others).score
    found = which(repr(score), texts, [others], "de")
    assert ("METEOR 1.5", "-l de -t li", "corpus") in named(found)
    assert "no paraphrase table" in found.text()


def test_all_that_matches_is_named_by_program(wordnet):
    found = which("0.5", HYPOTHESES, [REFERENCES])
    assert len(found.matches) > 3
    assert sorted(row for group in found.groups for row in map(id, group.rows)) == sorted(map(id, found.matches))
    assert len(found.groups) == len({row.candidates[0].family for row in found.matches})
    assert [row.unusual for row in found.matches] == sorted(row.unusual for row in found.matches)
    text = found.text()
    for row in found.matches:
        for each in row.candidates:
            assert f" {each.settings}" in text
    assert "program" in found.differences()
    assert len({f"{row.score:.{found.decimals()}f}" for row in found.matches}) == len(found.matches)
    assert "to tell them apart:" in text


def test_what_gives_the_same_number_is_one_candidate(wordnet):
    """Chain meteor-1.5-en is METEOR 1.5 under another name."""
    found = which(repr(Meteor("en").corpus(HYPOTHESES, REFERENCES).score), HYPOTHESES, [REFERENCES])
    assert [group.name for group in found.groups] == ["METEOR 1.5"]
    assert ("meteor-e", "-c meteor-1.5-en", "corpus") in named(found)


def test_further_numbers_of_the_same_meteor(wordnet):
    meteor = Meteor("en", task="adq")
    whole = meteor.corpus(HYPOTHESES, REFERENCES)
    mean = np.mean([meteor.score(*pair).score for pair in zip(HYPOTHESES, REFERENCES, strict=True)])
    alone = which(f"corpus={whole.score:.1f}", HYPOTHESES, [REFERENCES])
    assert {each.level for row in alone.matches for each in row.candidates} == {"corpus"}
    further = [
        Evidence(f"segments={mean:.3f}", HYPOTHESES, [REFERENCES]),
        Evidence(f"precision={whole.precision:.4f}", HYPOTHESES, [REFERENCES]),
        Evidence(f"recall={whole.recall:.4f}", HYPOTHESES, [REFERENCES]),
        Evidence(f"fmean={whole.fmean:.4f}", HYPOTHESES, [REFERENCES]),
        Evidence(f"f1={whole.f1 * 100:.2f}", HYPOTHESES, [REFERENCES]),
    ]
    found = which(f"corpus={whole.score:.1f}", HYPOTHESES, [REFERENCES], also=further)
    assert ("METEOR 1.5", "-l en -norm -t adq", "corpus") in named(found)
    assert len(found.matches) < len(alone.matches)
    (row, *_) = found.matches
    assert row.scores == pytest.approx([whole.score, mean, whole.precision, whole.recall, whole.fmean, whole.f1])
    wrong = which(f"corpus={whole.score:.1f}", HYPOTHESES, [REFERENCES], also=[further[0]._replace(reported="0.1")])
    assert not wrong.matches


def test_another_language_tells_more(wordnet):
    english = Meteor("en").corpus(HYPOTHESES, REFERENCES).score
    texts, others = ["Ein Hund läuft .", "Zwei Männer"], ["Der Hund rennt .", "Zwei Frauen"]
    german = Meteor("de").corpus(texts, others).score
    found = which(f"{english:.12f}", HYPOTHESES, [REFERENCES], also=[Evidence(f"{german:.12f}", texts, [others], "de")])
    assert ("METEOR 1.5", "-l en -norm", "corpus") in named(found)
    assert all(each.program != "pycocoevalcap" for row in found.matches for each in row.candidates)


def test_the_year_of_a_paper(wordnet):
    found = which("0.5", HYPOTHESES, [REFERENCES], year=2010)
    assert {group.name for group in found.groups} <= {"METEOR before 1.3"}
    assert any("newer than 2010" in reason for reason in found.left_out)
    assert found.computed < which("0.5", HYPOTHESES, [REFERENCES], year=2030).computed
    with pytest.raises(ConfigError, match="2005"):
        which("0.5", HYPOTHESES, [REFERENCES], year=1999)


def test_nothing_matches(wordnet):
    found = which("0.00012345", HYPOTHESES, [REFERENCES], nearest=2)
    assert not found.matches
    assert len(found.nearest) == 2
    assert "none of" in found.text()


def test_texts_that_do_not_line_up(wordnet):
    with pytest.raises(InputError):
        which("27.3", HYPOTHESES, [REFERENCES[:-1]])
    with pytest.raises(InputError, match="no segments"):
        which("27.3", [], [[]])
    with pytest.raises(InputError, match="no references"):
        which("27.3", HYPOTHESES, [])


def test_the_command(wordnet, tmp_path):
    for name, side in (("system", HYPOTHESES), ("reference", REFERENCES)):
        (tmp_path / name).write_text("\n".join(side) + "\n", encoding="utf-8")
    files = [str(tmp_path / "system"), str(tmp_path / "reference")]
    score = Meteor("en").corpus(HYPOTHESES, REFERENCES).score
    run = CliRunner().invoke(cli, ["which", f"{score * 100:.6f}", *files, "-f", "json"])
    assert run.exit_code == 0, run.output
    document = json.loads(run.stdout)
    matches = [row for group in document["programs"] for row in group["matches"]]
    programs = {each["program"] for row in matches for each in row["candidates"]}
    assert "METEOR 1.5" in programs
    run = CliRunner().invoke(cli, ["which", f"{score * 100:.6f}", *files])
    assert "for a paper: We report METEOR" in run.stdout
    run = CliRunner().invoke(cli, ["which", "0.0001", *files])
    assert run.exit_code == 1
    assert "none of" in run.stdout
    run = CliRunner().invoke(cli, ["which", "abc", *files])
    assert isinstance(run.exception, ConfigError)
    assert not run.stdout


def test_further_numbers_by_options_and_by_a_table(wordnet, tmp_path):
    for name, side in (("system", HYPOTHESES), ("reference", REFERENCES), ("other", HYPOTHESES[::-1])):
        (tmp_path / name).write_text("\n".join(side) + "\n", encoding="utf-8")
    files = [str(tmp_path / "system"), str(tmp_path / "reference")]
    meteor = Meteor("en", task="hter")
    score, other = (meteor.corpus(side, REFERENCES).score for side in (HYPOTHESES, HYPOTHESES[::-1]))
    (tmp_path / "numbers").write_text(f"# a comment\n\n{other:.4f}\ten\tother\treference\n", encoding="utf-8")
    for more in (["--also", f"{other:.4f}", str(tmp_path / "other")], ["--table", str(tmp_path / "numbers")]):
        run = CliRunner().invoke(cli, ["which", f"{score:.4f}", *files, *more, "-f", "json"])
        assert run.exit_code == 0, run.output
        document = json.loads(run.stdout)
        assert len(document["reported"]) == 2
        found = [each for group in document["programs"] for row in group["matches"] for each in row["candidates"]]
        assert "-l en -norm -t hter" in {each["settings"] for each in found}
    (tmp_path / "numbers").write_text("0.3\ten\tother\n", encoding="utf-8")
    run = CliRunner().invoke(cli, ["which", "0.3", *files, "--table", str(tmp_path / "numbers")])
    assert isinstance(run.exception, InputError)
    assert "line 1" in str(run.exception)


def test_captions_with_different_numbers_of_references(wordnet, tmp_path):
    results = [{"image_id": number, "caption": text} for number, text in enumerate(HYPOTHESES)]
    annotations = [{"image_id": number, "caption": text} for number, text in enumerate(REFERENCES)]
    annotations.append({"image_id": 0, "caption": "There is a cat on the mat."})
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (tmp_path / "annotations.json").write_text(json.dumps({"annotations": annotations}), encoding="utf-8")
    references = [[REFERENCES[0], "There is a cat on the mat."], *([text] for text in REFERENCES[1:])]
    score = Meteor("en").corpus(HYPOTHESES, references).score
    files = [str(tmp_path / "results.json"), str(tmp_path / "annotations.json")]
    run = CliRunner().invoke(cli, ["which", f"{score:.12f}", *files])
    assert run.exit_code == 0, run.output
    assert "METEOR 1.5  corpus  -l en -norm" in run.stdout
