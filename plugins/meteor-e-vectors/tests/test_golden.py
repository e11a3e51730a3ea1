"""The golden outputs of the METEOR-E program are reproduced by the library and by ``compat``."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from meteor_e import Meteor
from meteor_e.formats.plain import read_segments
from meteor_e.java.report import make_java_vector

pytestmark = pytest.mark.shared

NAMES = [
    "de-dbnary",
    "de-dbnary-vector",
    "de-dbnary-vector-lemma",
    "de-stem-vector",
    "de-vector",
    "de-vector-0.75",
    "de-vector-0.90",
    "en-baseline",
    "en-baseline-vector",
    "en-dbnary",
    "en-dbnary-vector",
    "en-vector",
    "fr-dbnary",
    "fr-dbnary-vector",
    "fr-dbnary-vector-lemma",
    "fr-stem-vector",
    "fr-vector",
    "fr-vector-0.75",
    "fr-vector-0.90",
]
SYNSETS = {"en": "english", "de": "german", "fr": "french"}
CLOSE = 1e-9


class Command:
    """A command line of the METEOR-E program."""

    def __init__(self, shared, name):
        self.golden = shared / "golden"
        self.name = name
        self.resources = self.golden / "meteor-e" / "resources"
        arguments = shlex.split((self.golden / "meteor-e" / f"{name}.cmd").read_text())
        _, self.hypotheses, self.references, *option_arguments = arguments
        option_arguments.remove("-norm")
        self.options = dict(zip(option_arguments[::2], option_arguments[1::2], strict=True))
        self.language = self.options["-l"]
        self.lemmas = self.resources / f"{self.language}.lemmas.tsv"
        self.synsets = shared / "data" / "dbnary" / f"{SYNSETS[self.language]}.synsets.gz"

    @property
    def lemmatizes(self):
        """Whether the program had lemmas: for its synonyms, or its vectors."""
        return "synonym" in self.options["-m"] or "-embLemma" in self.options

    def vectors(self):
        vector_file = next(path for option, path in self.options.items() if option in ("-emb", "-embLemma"))
        return self.golden / f"{vector_file}.gz"

    def matchers(self):
        weights = map(float, self.options["-w"].split())
        for module, weight in zip(self.options["-m"].split(), weights, strict=True):
            if module == "embeddings":
                key = "lemma" if "-embLemma" in self.options else "word"
                threshold = float(self.options.get("-embTh", 0.8))
                yield {
                    "use": "vector",
                    "weight": weight,
                    "file": str(self.vectors()),
                    "key": key,
                    "threshold": threshold,
                }
            elif module == "synonym":
                source = {"file": str(self.synsets)} if "-d" in self.options else {"pack": "en"}
                yield {"use": "dbnary", "weight": weight, **source}
            else:
                yield {"use": module, "weight": weight}

    def statistics(self):
        """Return the statistics lines of the output, without messages of the program."""
        text = (self.golden / "meteor-e" / f"{self.name}.ss.txt").read_text()
        return [line for line in text.splitlines() if re.fullmatch(r"(?:[0-9.]+ ){26}[0-9.]+", line)]

    def figures(self):
        text = (self.golden / "meteor-e" / f"{self.name}.vout.tsv").read_text()
        return [[float(figure) for figure in line.split("\t")] for line in text.splitlines()]

    def table(self):
        text = (self.golden / "meteor-e" / f"{self.name}.system.txt").read_text()
        return text[text.index("System level") :].strip()


@pytest.fixture(scope="module", autouse=True)
def _one_cache(tmp_path_factory):
    """Index synsets and convert vectors once for all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METEOR_E_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _own_folders():
    """Leave the cache as it is."""


@pytest.mark.parametrize("name", NAMES)
def test_segments_are_equal_to_the_meteor_e_program(name, shared, meteor_packs):

    command = Command(shared, name)
    lemmatizer = {"use": "lookup", "file": str(command.lemmas)} if command.lemmatizes else None
    meteor = Meteor(command.language, matchers=list(command.matchers()), lemmatizer=lemmatizer)
    # The program compares words by their hash code, as METEOR 1.5 does, so two French words are equal.
    meteor.compare_words_by("java")
    hypotheses, references = (
        list(read_segments(command.golden / file)) for file in (command.hypotheses, command.references)
    )
    segments = list(meteor.segments(hypotheses, references))
    slots = 4 * len(meteor.matchers)
    for segment, line, figures in zip(segments, command.statistics(), command.figures(), strict=True):
        numbers = list(map(float, line.split()))
        matchers = len(meteor.matchers)
        assert make_java_vector(segment.statistics.to_vector(), matchers, matchers) == [
            *numbers[: 4 + slots],
            *numbers[-3:],
        ]
        ours = (segment.precision, segment.recall, segment.fragmentation_penalty, segment.score)
        assert all(
            abs(score - expected_score) <= CLOSE
            for score, expected_score in zip(ours, figures, strict=True)
            if expected_score == expected_score
        )
    if name == "de-vector":
        # The Python engine gives equal numbers for a sample.
        meteor.engine = "python"
        assert [segment.statistics for segment in meteor.segments(hypotheses[:40], references[:40])] == [
            segment.statistics for segment in segments[:40]
        ]


def compat_arguments(command, shared):
    """Return the command line of a golden output, with local paths. Paraphrases (-a) are taken from the pack."""
    replaced_paths = {"-d": str(shared / "data" / "dbnary")}
    arguments = [str(command.golden / file) for file in (command.hypotheses, command.references)] + ["-norm"]
    for option, value in command.options.items():
        if option in ("-emb", "-embLemma"):
            value = str(command.vectors())
        if option != "-a":
            arguments += [option, replaced_paths.get(option, value)]
    if command.lemmatizes:
        arguments += ["-lemmas", str(command.lemmas)]
    return arguments


@pytest.mark.parametrize("name", NAMES)
def test_compat_accepts_the_command_line(name, shared, meteor_packs):
    from meteor_e.cli.program import cli

    command = Command(shared, name)
    run = ["compat", *compat_arguments(command, shared)]
    done = CliRunner().invoke(cli, [*run, "-ssOut"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == command.statistics()
    done = CliRunner().invoke(cli, run, catch_exceptions=False)
    assert done.stdout[done.stdout.index("System level") :].strip() == command.table()
