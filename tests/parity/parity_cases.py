"""Read and write the parity files, which contain sentences and the output of the Java program for them."""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from meteor_e.meteor import Meteor
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
from meteor_e.packs.pack import parse_function_words, read_word_list
from meteor_e.packs.resources import LanguageResources
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry

FOLDER = Path(__file__).parent
RESOURCE_FOLDER = FOLDER / "own"
SCORE_FILES = sorted(FOLDER.glob("scores-*.tsv"))
TOKEN_FILES = sorted(FOLDER.glob("tokens-*.tsv"))
CORPUS_FILE = FOLDER / "corpus.tsv"
ALIGNMENT_FILE = FOLDER / "maxacc.tsv"

COMMAND = "python tests/parity/make.py"
OPTIONS_WITH_VALUE = {"-l", "-t", "-m", "-w", "-p", "-x", "-d", "-a", "-s"}
FLAGS = {"-norm", "-lower", "-noPunct", "-ch"}


class ScoreCase(NamedTuple):
    """A line of a score file: a hypothesis, its references, and the output of the Java program.

    All results are strings, as the Java program prints them.
    """

    options: str
    rule: str
    hypothesis: str
    references: tuple[str, ...]
    statistics: str = ""
    precision: str = ""
    recall: str = ""
    penalty: str = ""
    score: str = ""
    alignment: str = ""

    @property
    def run_key(self) -> tuple[str, int]:
        """The options and the number of references. One call of the Java program computes all cases with equal keys."""
        return self.options, len(self.references)


class TokenCase(NamedTuple):
    """A line of a token file: a raw segment, and the tokens into which the Java program splits it."""

    options: str
    rule: str
    text: str
    tokens: str = ""


class CorpusCase(NamedTuple):
    """A line of the corpus file: the system scores of all cases of a score file that have the same options."""

    file: str
    options: str
    references: str
    precision: str
    recall: str
    f1: str
    fmean: str
    penalty: str
    score: str


def quote(value: object) -> str:
    """Return a value as JSON, with escapes for invisible characters."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(
        char if char == " " or unicodedata.category(char)[0] not in "CZM" else json.dumps(char)[1:-1] for char in text
    )


def read_rows(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each line of a file. Comments and empty lines are skipped."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def read_comments(path: Path) -> list[str]:
    """Return the comments of a file. The second comment contains the command that wrote the file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line.startswith("#")]


def read_scores(path: Path) -> list[ScoreCase]:
    """Read a score file. The results of the Java program may be missing."""
    return [
        ScoreCase(options, rule, json.loads(hypothesis), tuple(json.loads(references)), *results)
        for options, rule, hypothesis, references, *results in read_rows(path)
    ]


def read_tokens(path: Path) -> list[TokenCase]:
    """Read a token file. The tokens may be missing."""
    return [
        TokenCase(options, rule, json.loads(text), *map(json.loads, tokens))
        for options, rule, text, *tokens in read_rows(path)
    ]


def read_corpus() -> list[CorpusCase]:
    """Read the corpus file."""
    return [CorpusCase(*row) for row in read_rows(CORPUS_FILE)]


def format_score_line(case: ScoreCase) -> str:
    """Return the line of a score file for a case."""
    cells = [case.options, case.rule, quote(case.hypothesis), quote(list(case.references)), *case[4:]]
    return "\t".join(cells) + "\n"


def format_token_line(case: TokenCase) -> str:
    """Return the line of a token file for a case."""
    return "\t".join([case.options, case.rule, quote(case.text), quote(case.tokens)]) + "\n"


def parse_options(options: str) -> dict[str, Any]:
    """Return the values of the Java program's options. The value of a flag is True."""
    words = shlex.split(options)
    values: dict[str, Any] = {}
    while words:
        option = words.pop(0)
        if option in FLAGS:
            values[option] = True
        else:
            assert option in OPTIONS_WITH_VALUE, f"unknown option {option}"
            values[option] = words.pop(0)
    return values


def needs_pack(options: str) -> bool:
    """Return whether the options need an installed pack in addition to the small resources of the tests."""
    values = parse_options(options)
    return "-norm" in values or not {"-d", "-a", "-s"} <= values.keys()


def loads_table(options: str) -> bool:
    """Return whether the Java program loads METEOR's own paraphrase table, which takes seconds."""
    values = parse_options(options)
    modules = values.get("-m", "paraphrase" if values.get("-l", "en") == "en" else "")
    return "-a" not in values and "paraphrase" in modules


class SmallResources:
    """The small resources of the tests, as files for the Java program and as indexes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for source in RESOURCE_FOLDER.iterdir():
            shutil.copy(source, folder / source.name)
        table = (RESOURCE_FOLDER / "paraphrases.txt").read_bytes()
        (folder / "paraphrases.gz").write_bytes(gzip.compress(table, mtime=0))
        self.function_words = parse_function_words(read_word_list(RESOURCE_FOLDER / "function.words"))
        build_paraphrase_index(folder / "paraphrases.gz", folder / "paraphrases.idx")
        build_synonym_index(
            RESOURCE_FOLDER / "english.synsets", RESOURCE_FOLDER / "english.exceptions", folder / "synonyms.idx"
        )
        self.paraphrases = ParaphraseIndex(folder / "paraphrases.idx")
        self.synonyms = SynonymIndex(folder / "synonyms.idx")

    def make_java_arguments(self, options: str) -> list[str]:
        """Return the arguments of the Java program, in which the folder of the resources replaces ``OWN``."""
        return [word.replace("OWN", str(self.folder)) for word in shlex.split(options)]

    def make_metric(self, options: str, engine: str = "python") -> Meteor:
        """Return the metric that corresponds to the options of the Java program and uses the given engine."""
        values = parse_options(options)
        language = plugin_registry().languages.get(values.get("-l", "en"))
        modes = [mode for mode, flag in (("full", "-norm"), ("lower", "-lower")) if flag in values] or ["none"]
        mode = "no-punctuation" if modes[0] == "full" and "-noPunct" in values else modes[0]
        matchers = None
        if "-m" in values:
            names = values["-m"].split()
            # The options of the Java aligner (class Matcher) do not include weights.
            weights = map(float, values["-w"].split()) if "-w" in values else [1.0] * len(names)
            matchers = [{"use": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]
        elif "-w" in values:
            _, task = language.task(values.get("-t"))
            matchers = [
                {"use": name, "weight": weight, "optional": True}
                for name, weight in zip(task.weights, map(float, values["-w"].split()), strict=True)
            ]
        parameters = None
        if "-p" in values:
            parameters = dict(zip(("alpha", "beta", "gamma", "delta"), map(float, values["-p"].split()), strict=True))
        pack = PackStore().get(language.pack) if language.pack and needs_pack(options) else None
        # The Java program counts English function words in every language.
        small_resources = {
            "function_words": self.function_words if "-s" in values else PackStore().get("en").function_words
        }
        small_resources |= {"synonyms": self.synonyms} if "-d" in values else {}
        small_resources |= {"paraphrases": self.paraphrases} if "-a" in values else {}
        resources = (pack or LanguageResources()).replace("own", **small_resources)
        meteor = Meteor(
            language.code,
            task=values.get("-t"),
            matchers=matchers,
            parameters=parameters,
            normalization=mode,
            beam=int(values["-x"]) if "-x" in values else None,
            character_mode="-ch" in values,
            resources=resources,
        )
        if engine == "python":
            meteor.engine = "python"
        assert meteor.engine == engine
        return meteor
