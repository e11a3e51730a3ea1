"""Tests that the library and ``compat`` reproduce the golden outputs of the METEOR-E program."""

from __future__ import annotations

import math
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
TOLERANCE = 1e-9


class Command:
    """A command line of the METEOR-E program, with the output that it wrote."""

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
    def has_lemmas(self):
        """Whether the program used lemmas, for its synonyms or its vectors."""
        return "synonym" in self.options["-m"] or "-embLemma" in self.options

    def vectors(self):
        """Return the path of the vectors."""
        vector_file = next(path for option, path in self.options.items() if option in ("-emb", "-embLemma"))
        return self.golden / f"{vector_file}.gz"

    def matchers(self):
        """Yield the configurations of the matchers that are equivalent to the modules of the program."""
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
        """Return the lines with the statistics of segments, without messages of the program."""
        text = (self.golden / "meteor-e" / f"{self.name}.ss.txt").read_text()
        return [line for line in text.splitlines() if re.fullmatch(r"(?:[0-9.]+ ){26}[0-9.]+", line)]

    def figures(self):
        """Return the precision, recall, fragmentation penalty and score of each segment."""
        text = (self.golden / "meteor-e" / f"{self.name}.vout.tsv").read_text()
        return [[float(figure) for figure in line.split("\t")] for line in text.splitlines()]

    def table(self):
        """Return the part of the output that contains the scores of the system."""
        text = (self.golden / "meteor-e" / f"{self.name}.system.txt").read_text()
        return text[text.index("System level") :].strip()


@pytest.fixture(scope="module", autouse=True)
def _share_cache(tmp_path_factory):
    """Index synsets and convert vectors once for all tests of this file."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _use_temporary_folders():
    """Override the fixture of conftest.py, so that all tests of this file share the cache."""


@pytest.mark.parametrize("name", NAMES)
def test_segment_scores_equal_the_meteor_e_program(name, shared, meteor_packs):
    command = Command(shared, name)
    lemmatizer = {"use": "lookup", "file": str(command.lemmas)} if command.has_lemmas else None
    meteor = Meteor(command.language, matchers=list(command.matchers()), lemmatizer=lemmatizer)
    # The program compares words by their hash code, as METEOR 1.5 does, so two French words are equal.
    meteor.compare_words_by("java")
    hypotheses, references = (
        list(read_segments(command.golden / file)) for file in (command.hypotheses, command.references)
    )
    segments = list(meteor.segments(hypotheses, references))
    matcher_value_count = 4 * len(meteor.matchers)
    for segment, line, figures in zip(segments, command.statistics(), command.figures(), strict=True):
        expected_values = list(map(float, line.split()))
        matchers = len(meteor.matchers)
        assert make_java_vector(segment.statistics.to_vector(), matchers, matchers) == [
            *expected_values[: 4 + matcher_value_count],
            *expected_values[-3:],
        ]
        result_values = (segment.precision, segment.recall, segment.fragmentation_penalty, segment.score)
        assert all(
            abs(score - expected_score) <= TOLERANCE
            for score, expected_score in zip(result_values, figures, strict=True)
            if not math.isnan(expected_score)
        )
    if name == "de-vector":
        # The Python engine gives equal numbers for a sample.
        meteor.engine = "python"
        assert [segment.statistics for segment in meteor.segments(hypotheses[:40], references[:40])] == [
            segment.statistics for segment in segments[:40]
        ]


def make_compat_arguments(command, shared):
    """Return the command line of a golden output with local paths.

    The option ``-a`` is omitted, because ``compat`` reads the paraphrases from the pack.
    """
    replaced_paths = {"-d": str(shared / "data" / "dbnary")}
    arguments = [str(command.golden / file) for file in (command.hypotheses, command.references)] + ["-norm"]
    for option, value in command.options.items():
        if option in ("-emb", "-embLemma"):
            value = str(command.vectors())
        if option != "-a":
            arguments += [option, replaced_paths.get(option, value)]
    if command.has_lemmas:
        arguments += ["-lemmas", str(command.lemmas)]
    return arguments


@pytest.mark.parametrize("name", NAMES)
def test_compat_output_equals_the_meteor_e_program(name, shared, meteor_packs):
    from meteor_e.cli.program import cli

    command = Command(shared, name)
    compat_command = ["compat", *make_compat_arguments(command, shared)]
    result = CliRunner().invoke(cli, [*compat_command, "-ssOut"], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == command.statistics()
    result = CliRunner().invoke(cli, compat_command, catch_exceptions=False)
    assert result.stdout[result.stdout.index("System level") :].strip() == command.table()
