"""The sentence and the bibliography of a methods section, from a signature."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from meteor_e import __version__
from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import os_errors_as, read_regular
from meteor_e_evaluation.which.candidates import FORMULAS
from meteor_e_evaluation.which.signatures import matchers_of, parse_signature

_LARGEST = 1 << 28
_SACREBLEU = re.compile(r"(?:^|\|)nrefs:.*\|version:[0-9]")
_MARKS = {"a": "α", "b": "β", "g": "γ", "d": "δ"}
_NORMALIZED = {
    "full": "METEOR's normalization",
    "lower": "text in lower case",
    "none": "text as it was",
    "no-punctuation": "METEOR's normalization without punctuation",
}
_OF_MATCHERS = {"dbnary": "servan-2016-word2vec", "vector": "servan-2016-word2vec", "wordnet": "miller-1995-wordnet"}
_SPOKEN = {"servan-2016-word2vec": "Servan et al., 2016", "miller-1995-wordnet": "Miller, 1995"}


@dataclass(frozen=True)
class Methods:
    """What to write about a score.

    Attributes:
        signature: of the score.
        sentence: for the section on methods.
        bibliography: BibTeX of what the sentence cites.
    """

    signature: str
    sentence: str
    bibliography: str


def methods(signature: str, metric: str = "") -> Methods:
    """Return what to write about scores of a signature.

    Args:
        signature: of METEOR, or, if the metric is named, of any metric that ``meteor-e score`` knows.
        metric: its name.

    Raises:
        ConfigError: for what is not a signature of METEOR, and the metric is not named.
    """
    signature = signature.strip()
    parts = parse_signature(signature) if not metric or _is_of_meteor(signature) else {}
    if not parts:
        sentence, keys = _other(metric, signature)
    else:
        sentence, keys = _nltk(parts) if "nltk" in parts else _meteor(parts)
    if "level" in parts:
        what = (
            "Scores are those of the corpus" if parts["level"] == "corpus" else "Scores are means of segments' scores"
        )
        sentence += f" {what}."
    sentence += f" Signature: {signature}"
    entries = _bibliography()
    return Methods(
        signature,
        sentence,
        "\n\n".join(entries[key].replace("VERSION", parts.get("meteor_e", __version__)) for key in dict.fromkeys(keys)),
    )


def _meteor(parts: Mapping[str, str]) -> tuple[str, list[str]]:
    matchers = matchers_of(parts["match"])
    keys = list(dict.fromkeys(_OF_MATCHERS[name] for name, *_ in matchers if name in _OF_MATCHERS))
    cited = "; ".join(["Denkowski and Lavie, 2014", *(_SPOKEN[key] for key in keys)])
    parameters = ", ".join(f"{mark} = {parts[name]}" for name, mark in _MARKS.items())
    named = ", ".join(f"{name} ({weight:g})" for name, weight, _ in matchers)
    task = f" of the task {parts['task']}" if "task" in parts else ""
    if "meteor_e" in parts:
        program = f"meteor_e {parts['meteor_e']}"
        keys.append("meteor-e")
    else:
        program = f"the Java program of METEOR {parts['meteor']}"
    if parts.get("tokens") == "ptb":
        program += ", on captions tokenized as in the COCO evaluation (Chen et al., 2015)"
        keys.append("chen-2015-coco")
    counted = " Lengths and matches count characters." if parts.get("units") == "chars" else ""
    return (
        f"We report METEOR ({cited}) for language {parts['lang']}, computed by {program}, with the parameters{task} "
        f"({parameters}), the matchers {named} with their weights, and {_NORMALIZED.get(parts['norm'], parts['norm'])}."
        f"{counted}"
    ), ["denkowski-lavie-2014-meteor", *keys]


def _other(metric: str, signature: str) -> tuple[str, list[str]]:
    if _SACREBLEU.search(signature):
        return f"We report {metric}, computed by sacreBLEU (Post, 2018).", ["post-2018-sacrebleu"]
    return f"We report {metric}, computed by meteor_e {__version__}.", ["meteor-e"]


def _nltk(parts: Mapping[str, str]) -> tuple[str, list[str]]:
    values = [parts[name] for name in "abg"]
    sources = [formula for formula in FORMULAS if [str(each) for each in formula[:3]] == values]
    keys = ["banerjee-lavie-2005-meteor", *(formula.key for formula in sources), "bird-klein-loper-2009-nltk"]
    of = f" of {sources[0].source}" if sources else ""
    given = ", ".join(f"{mark} = {parts[name]}" for name, mark in _MARKS.items() if name in parts)
    how = "split at white space" if parts["tokens"] == "split" else f"tokenized by {parts['tokens']}"
    lowercased = " and lowercased" if parts["case"] == "lower" else ""
    program = f"nltk (Bird et al., 2009; release {parts['nltk']})"
    return (
        f"We report METEOR (Banerjee and Lavie, 2005) as {program} computes it, with the parameters{of} ({given}), on "
        f"text {how}{lowercased}. These scores are not comparable with METEOR 1.5's."
    ), [*keys, "miller-1995-wordnet"]


def _bibliography() -> dict[str, str]:
    text = resources.files("meteor_e_evaluation.which").joinpath("bibliography.bib").read_text(encoding="utf-8")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in text.strip().split("\n\n")}


def signatures_in(file: Path) -> dict[str, str]:
    """Return the names of metrics in a JSON document, such as ``meteor-e score -f json`` writes, by their signatures.

    Raises:
        InputError: if the file is not JSON, or has no signature.
    """
    try:
        with os_errors_as(InputError, f"cannot read {file}"):
            document = json.loads(read_regular(file, _LARGEST).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: {str(error)[:200]}") from error
    found = {text: name for text, name in _signatures(document) if name or _is_of_meteor(text)}
    if not found:
        raise InputError(f"{file} has no signature of a metric; `meteor-e score -f json` writes one")
    return found


def _is_of_meteor(signature: str) -> bool:
    try:
        parse_signature(signature)
    except ConfigError:
        return False
    return True


def _signatures(document: Any) -> Iterator[tuple[str, str]]:
    """Return signatures, each with the key of the object that has it."""
    waiting = [("", document)]
    while waiting:
        name, each = waiting.pop()
        if isinstance(each, dict):
            if isinstance(each.get("signature"), str):
                yield each["signature"], name
            waiting += reversed(each.items())
        elif isinstance(each, list):
            waiting += ((name, item) for item in reversed(each))
