"""The parity files, which contain sentences and the output of the Java program for them."""

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
OWN = FOLDER / "own"
SCORE_FILES = sorted(FOLDER.glob("scores-*.tsv"))
TOKEN_FILES = sorted(FOLDER.glob("tokens-*.tsv"))
CORPUS_FILE = FOLDER / "corpus.tsv"
ALIGNMENT_FILE = FOLDER / "maxacc.tsv"

COMMAND = "python tests/parity/make.py"
VALUES = {"-l", "-t", "-m", "-w", "-p", "-x", "-d", "-a", "-s"}
FLAGS = {"-norm", "-lower", "-noPunct", "-ch"}


class ScoreCase(NamedTuple):
    """A line of a score file: a pair, and the figures in the form of the Java program."""

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
    def run(self) -> tuple[str, int]:
        """The key of cases that one call of the Java program can compute."""
        return self.options, len(self.references)


class TokenCase(NamedTuple):
    """A line of a token file: a raw segment, and its words according to the Java program."""

    options: str
    rule: str
    text: str
    tokens: str = ""


class CorpusCase(NamedTuple):
    """A line of the corpus file: the system block of all pairs of a score file that share their options."""

    file: str
    options: str
    references: str
    precision: str
    recall: str
    f1: str
    fmean: str
    penalty: str
    score: str


def quoted(value: object) -> str:
    """Return a text as JSON, with escapes for invisible characters."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(
        char if char == " " or unicodedata.category(char)[0] not in "CZM" else json.dumps(char)[1:-1] for char in text
    )


def rows(path: Path) -> Iterator[list[str]]:
    """Return the cells of the lines of a file, without comments."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def head(path: Path) -> list[str]:
    """Return the comments at the start of a file. The second line contains the command that wrote the file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line.startswith("#")]


def read_scores(path: Path) -> list[ScoreCase]:
    """Read a score file (figures may be missing)."""
    return [
        ScoreCase(options, rule, json.loads(hypothesis), tuple(json.loads(references)), *figures)
        for options, rule, hypothesis, references, *figures in rows(path)
    ]


def read_tokens(path: Path) -> list[TokenCase]:
    """Read a token file (the words may be missing)."""
    return [
        TokenCase(options, rule, json.loads(text), *map(json.loads, tokens))
        for options, rule, text, *tokens in rows(path)
    ]


def read_corpus() -> list[CorpusCase]:
    """Read the corpus file."""
    return [CorpusCase(*row) for row in rows(CORPUS_FILE)]


def score_line(case: ScoreCase) -> str:
    """Write a line of a score file."""
    cells = [case.options, case.rule, quoted(case.hypothesis), quoted(list(case.references)), *case[4:]]
    return "\t".join(cells) + "\n"


def token_line(case: TokenCase) -> str:
    """Write a line of a token file."""
    return "\t".join([case.options, case.rule, quoted(case.text), quoted(case.tokens)]) + "\n"


def parse_options(options: str) -> dict[str, Any]:
    """Split the Java program's options into a mapping."""
    words = shlex.split(options)
    found: dict[str, Any] = {}
    while words:
        option = words.pop(0)
        if option in FLAGS:
            found[option] = True
        else:
            assert option in VALUES, f"unknown option {option}"
            found[option] = words.pop(0)
    return found


def needs_pack(options: str) -> bool:
    """Return whether the options need resources other than the small ones of the tests."""
    given = parse_options(options)
    return "-norm" in given or not {"-d", "-a", "-s"} <= given.keys()


def loads_table(options: str) -> bool:
    """Return whether the Java program reads METEOR's paraphrase table, which takes seconds."""
    given = parse_options(options)
    chain = given.get("-m", "paraphrase" if given.get("-l", "en") == "en" else "")
    return "-a" not in given and "paraphrase" in chain


class OwnResources:
    """Small resources in the formats of the Java program, and as indexes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for source in OWN.iterdir():
            shutil.copy(source, folder / source.name)
        table = (OWN / "paraphrases.txt").read_bytes()
        (folder / "paraphrases.gz").write_bytes(gzip.compress(table, mtime=0))
        self.function_words = parse_function_words(read_word_list(OWN / "function.words"))
        build_paraphrase_index(folder / "paraphrases.gz", folder / "paraphrases.idx")
        build_synonym_index(OWN / "english.synsets", OWN / "english.exceptions", folder / "synonyms.idx")
        self.paraphrases = ParaphraseIndex(folder / "paraphrases.idx")
        self.synonyms = SynonymIndex(folder / "synonyms.idx")

    def java_arguments(self, options: str) -> list[str]:
        """Return the options of the Java program, with OWN replaced by the folder."""
        return [word.replace("OWN", str(self.folder)) for word in shlex.split(options)]

    def meteor(self, options: str, engine: str = "python") -> Meteor:
        """Return the metric for options of the Java program, with one of the engines."""
        given = parse_options(options)
        language = plugin_registry().languages.get(given.get("-l", "en"))
        modes = [mode for mode, flag in (("full", "-norm"), ("lower", "-lower")) if flag in given] or ["none"]
        mode = "no-punctuation" if modes[0] == "full" and "-noPunct" in given else modes[0]
        matchers = None
        if "-m" in given:
            names = given["-m"].split()
            # The aligner alone has no weights.
            weights = map(float, given["-w"].split()) if "-w" in given else [1.0] * len(names)
            matchers = [{"use": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]
        elif "-w" in given:
            _, task = language.task(given.get("-t"))
            matchers = [
                {"use": name, "weight": weight, "optional": True}
                for name, weight in zip(task.weights, map(float, given["-w"].split()), strict=True)
            ]
        parameters = None
        if "-p" in given:
            parameters = dict(zip(("alpha", "beta", "gamma", "delta"), map(float, given["-p"].split()), strict=True))
        pack = PackStore().get(language.pack) if language.pack and needs_pack(options) else None
        # The Java program counts English function words in every language.
        own = {"function_words": self.function_words if "-s" in given else PackStore().get("en").function_words}
        own |= {"synonyms": self.synonyms} if "-d" in given else {}
        own |= {"paraphrases": self.paraphrases} if "-a" in given else {}
        resources = (pack or LanguageResources()).replace("own", **own)
        meteor = Meteor(
            language.code,
            task=given.get("-t"),
            matchers=matchers,
            parameters=parameters,
            normalization=mode,
            beam=int(given["-x"]) if "-x" in given else None,
            character_mode="-ch" in given,
            resources=resources,
        )
        if engine == "python":
            meteor.engine = "python"
        assert meteor.engine == engine
        return meteor
