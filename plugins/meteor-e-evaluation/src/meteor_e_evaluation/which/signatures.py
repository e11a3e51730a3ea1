"""What a signature says, and whether it can be rerun here.

Signatures are meteor_e's own, the evaluation IDs of METEOR's Java program, and those that ``meteor-e which`` gives to
nltk's METEOR.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api import ConfigError, MeteorError
from meteor_e.render.plain import format_table
from meteor_e_evaluation.which.candidates import FORMULAS
from meteor_e_evaluation.which.nltk_meteor import RELEASES

if TYPE_CHECKING:
    from meteor_e import Meteor

_LONGEST = 10_000
_MATCHER = re.compile(r"(?P<name>[^=+()]+)=(?P<weight>[0-9.e+-]+)(?:\((?P<details>[^()]*(?:\([^()]*\)[^()]*)*)\))?")
_ID = re.compile(
    r"meteor-(?P<version>[0-9.]+)-(?P<units>wo|ch)-(?P<lang>\w+)-(?P<norm>no_norm|lc_only|norm|norm_nopunct)"
    r"-(?P<parameters>[0-9.]+(?:_[0-9.]+){3})-(?P<modules>[a-z]{2}(?:_[a-z]{2})*)-(?P<weights>[0-9.]+(?:_[0-9.]+)*)"
)
_MODULES = {"ex": "exact", "st": "stem", "sy": "synonym", "pa": "paraphrase"}
_MODES = {"no_norm": "none", "lc_only": "lower", "norm": "full", "norm_nopunct": "no-punctuation"}
_JAVA_CODES = {"cz": "cs", "se": "sv"}
_JAVA_UNITS = {"wo": "words", "ch": "chars"}
_GREEK = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta"}
_NLTK_TOKENS = ("split", "word_tokenize")
_NEEDED = ("lang", "norm", *_GREEK, "match")

MEANINGS = {
    "meteor_e": "version of meteor_e",
    "meteor": "version of METEOR's Java program",
    "nltk": "releases of nltk, whose METEOR differs from METEOR 1.5",
    "lang": "language",
    "task": "what the parameters were tuned for",
    "norm": "how text became words",
    "a": "α: weight of recall against precision",
    "b": "β: exponent of the fragmentation",
    "g": "γ: largest fragmentation penalty",
    "d": "δ: weight of content words against function words",
    "match": "matchers in order, with their weights",
    "beam": "paths that survive a position of the alignment search",
    "units": "whether lengths and matches count words or characters",
    "equal_segments": "whether a system's score counts each segment the same",
    "idf": "text by whose rarity words count",
    "pack": "resource pack, and the digest of its content",
    "lemmas": "lemmatizer",
    "segmenter": "segmenter that found the words",
    "plugins": "distributions that matchers and languages come from",
    "level": "score of the corpus, or mean of the segments' scores",
    "tokens": "how text was split before METEOR saw it",
    "case": "whether words were lowercased",
    "wordnet": "digest of WordNet's files",
}
"""The parts of signatures."""


class Part(NamedTuple):
    """A part of a signature.

    Attributes:
        name: of the part.
        value: what it says.
        meaning: what kind of thing that is.
        here: what is here instead; empty where it is the same, or where nothing can be compared.
    """

    name: str
    value: str
    meaning: str
    here: str = ""


@dataclass(frozen=True)
class Check:
    """A signature that was looked into.

    Attributes:
        signature: the text.
        parts: its parts.
        reasons: why it cannot be rerun here; empty if it can.
        command: that reruns it; empty if none does.
    """

    signature: str
    parts: tuple[Part, ...]
    reasons: tuple[str, ...]
    command: str

    def document(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "signature": self.signature,
            "parts": [part._asdict() for part in self.parts],
            "can_be_rerun": not self.reasons,
            "reasons": list(self.reasons),
            "command": self.command,
        }

    def text(self) -> str:
        """Return a table of the parts, and the verdict."""
        rows = [[part.name, part.value, part.meaning, part.here or "-"] for part in self.parts]
        lines = [format_table(["part", "value", "meaning", "here"], rows, left=4).rstrip(), ""]
        lines += ["It can be rerun here:" if not self.reasons else "It cannot be rerun here:"]
        return "\n".join([*lines, *(f"  {reason}" for reason in self.reasons or (self.command,))]) + "\n"


def parse_signature(text: str) -> dict[str, str]:
    """Return the parts of a signature by name; those of an evaluation ID get the names that meteor_e gives them.

    Raises:
        ConfigError: for what is not a signature of METEOR.
    """
    if len(text) > _LONGEST:
        raise ConfigError(f"a signature of {len(text)} characters is not METEOR's; the longest have {_LONGEST}")
    # Papers break long lines, and set blanks around the bars.
    text = re.sub(r"\s*\|\s*", "|", re.sub(r"\s*\n\s*", "", text.strip()))
    found = _ID.fullmatch(text)
    if found is not None:
        modules, weights = found["modules"].split("_"), found["weights"].split("_")
        unknown = [module for module in modules if module not in _MODULES]
        if unknown or len(modules) != len(weights):
            raise ConfigError(f"{text!r} names {len(modules)} modules and {len(weights)} weights, or modules unknown")
        return {
            "meteor": found["version"],
            "lang": _JAVA_CODES.get(found["lang"], found["lang"]),
            "norm": _MODES[found["norm"]],
            **dict(zip(_GREEK, found["parameters"].split("_"), strict=True)),
            "match": "+".join(f"{_MODULES[name]}={weight}" for name, weight in zip(modules, weights, strict=True)),
            "units": _JAVA_UNITS[found["units"]],
        }
    first = text.partition("|")[0].partition(":")[0]
    if first not in ("meteor_e", "nltk"):
        raise ConfigError(
            f"a signature that begins with {first[:80]!r} is not METEOR's, or is damaged; those begin with meteor_e:, "
            "nltk: or, in one piece, meteor-1.5-"
        )
    parts: dict[str, str] = {}
    for piece in text.split("|"):
        name, _, value = piece.partition(":")
        if not name or not value or name in parts:
            raise ConfigError(f"{piece!r} is not a part of a signature, or is there twice; parts are NAME:VALUE")
        parts[name] = value
    needed = _NEEDED if first == "meteor_e" else ("tokens", "case", "a", "b", "g")
    missing = [name for name in needed if name not in parts]
    if missing:
        raise ConfigError(f"the signature lacks {', '.join(missing)}")
    return parts


def check_signature(text: str) -> Check:
    """Say what a signature means, and whether it can be rerun here. Nothing is downloaded.

    Raises:
        ConfigError: for what is not a signature of METEOR.
    """
    parts = parse_signature(text)
    if "nltk" in parts:
        return _check_nltk(text, parts)
    try:
        meteor = _make_meteor(parts)
    except MeteorError as error:
        return _checked(text, parts, {}, [str(error)], "")
    here = parse_signature(meteor.signature)
    if "meteor" in parts:
        # The Java program says nothing of these.
        here = {name: value for name, value in here.items() if name in parts}
        here["match"] = re.sub(r"\([^)]*\)", "", here["match"])
        here = {name: value for name, value in here.items() if not _same(value, parts[name])}
        reasons = []
        if parts["meteor"] != "1.5":
            nearest = _command(meteor, parts)
            reasons = [f"it is of METEOR {parts['meteor']}, and this is METEOR 1.5; with the same settings: {nearest}"]
    else:
        names = [name for name in dict.fromkeys((*parts, *here)) if name not in ("level", "tokens")]
        here = {name: here.get(name, "none") for name in names if here.get(name) != parts.get(name)}
        reasons = []
    reasons += [_difference(name, parts.get(name, "none"), value) for name, value in here.items()]
    if parts.get("tokens", "ptb") != "ptb":
        reasons.append(f"words of {parts['tokens']!r} are not known")
    command = _command(meteor, parts) if not reasons else ""
    return _checked(text, parts, here, reasons, command)


def _checked(text: str, parts: Mapping[str, str], here: Mapping[str, str], reasons: list[str], command: str) -> Check:
    shown = [
        Part(name, parts.get(name, "none"), MEANINGS.get(name, "not known to this version"), here.get(name, ""))
        for name in dict.fromkeys((*parts, *here))
    ]
    return Check(text.strip(), tuple(shown), tuple(reasons), command)


def _difference(name: str, value: str, here: str) -> str:
    advice = {
        "meteor_e": f"; run: pip install meteor_e=={value}",
        "pack": "; the pack was made of other files",
        "plugins": "; install those versions",
    }
    return f"{name} is {value}, and {here} here{advice.get(name, '')}"


def _same(one: str, other: str) -> bool:
    """Compare values, numbers as numbers: the Java program spells 0.20 as 0.2."""
    return one == other or [_number(piece) for piece in re.split("[=+]", one)] == [
        _number(piece) for piece in re.split("[=+]", other)
    ]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def matchers_of(value: str) -> list[tuple[str, float, str]]:
    """Return name, weight and details of each matcher in a signature's part ``match``.

    Raises:
        ConfigError: if it is malformed.
    """
    found, at = [], 0
    while at < len(value):
        match = _MATCHER.match(value, at)
        if match is None:
            raise ConfigError(f"the matchers of the signature are malformed: {value[at : at + 80]!r}")
        weight = _number(match["weight"].rstrip("+"))
        if isinstance(weight, str):
            raise ConfigError(f"the weight of matcher {match['name']!r} is not a number: {match['weight']!r}")
        found.append((match["name"], weight, match["details"] or ""))
        at = match.end() + (value[match.end() : match.end() + 1] == "+")
    return found


def _make_meteor(parts: Mapping[str, str]) -> Meteor:
    """Make the metric that a signature describes; MeteorError says why there is none."""
    from meteor_e import Meteor
    from meteor_e.chains.lookup import find_language

    parameters = {}
    for short, name in _GREEK.items():
        value = _number(parts[short])
        if isinstance(value, str):
            raise ConfigError(f"{name} of the signature is not a number: {value!r}")
        parameters[name] = value
    language = find_language(parts["lang"].partition("(")[0])
    entries = [{"use": name, "weight": weight, "optional": True} for name, weight, _ in matchers_of(parts["match"])]
    more: dict[str, Any] = {}
    if parts.get("pack", "").partition("@")[0] not in ("", language.pack):
        more["pack"] = parts["pack"].partition("@")[0]
    if "lemmas" in parts:
        more["lemmatizer"] = parts["lemmas"].partition("(")[0]
    if "beam" in parts:
        if not parts["beam"].isdecimal():
            raise ConfigError(f"beam of the signature is not a number: {parts['beam']!r}")
        more["beam"] = int(parts["beam"])
    segmenter = parts.get("segmenter", "").partition("(")[0]
    if segmenter and segmenter != language.segmenter:
        more["segmenter"] = segmenter
    task = parts.get("task")
    return Meteor(
        language.code,
        offline=True,
        task=task if task in language.tasks else None,
        matchers=entries,
        parameters=parameters,
        normalization=parts["norm"],
        character_mode=parts.get("units") == "chars",
        equal_segments="equal_segments" in parts,
        **more,
    )


def _command(meteor: Meteor, parts: Mapping[str, str]) -> str:
    """Return the command that scores with a metric."""
    from meteor_e import Meteor

    chain = meteor.chain
    options = [f"-l {chain.language.code}"]
    if chain.task != chain.language.default_task:
        options.append(f"-t {chain.task}")
    plain = Meteor(chain.language.code, task=chain.task, offline=True).chain
    if chain.normalization != plain.normalization:
        options.append(f"-n {chain.normalization.value}")
    weights = [(matcher.name, matcher.weight) for matcher in chain.matchers]
    if weights != [(matcher.name, matcher.weight) for matcher in plain.matchers]:
        options.append(f"-m {','.join(f'{name}={weight}' for name, weight in weights)}")
    for name in _GREEK.values():
        if getattr(chain.parameters, name) != getattr(plain.parameters, name):
            options.append(f"-p {name}={getattr(chain.parameters, name)}")
    options += [f"-x {chain.beam}"] * (chain.beam != plain.beam) + ["--character-mode"] * chain.character_mode
    options += ["--equal-segments"] * chain.equal_segments
    options += [f"--pack {chain.pack or 'none'}"] * (chain.pack != plain.pack)
    if chain.segmenter is not None:
        options.append(f"--segmenter {chain.segmenter}")
    command = f"meteor-e score HYPOTHESIS REFERENCE {' '.join(options)}"
    if chain.lemmatizer is not None:
        command += f", in a chain file with the line 'lemmatizer: {chain.lemmatizer[0]}'"
    if parts.get("tokens") == "ptb":
        command += ", of texts from meteor_e_captions.coco.PTBTokenizer"
    return command


def _check_nltk(text: str, parts: Mapping[str, str]) -> Check:
    from meteor_e_evaluation.which.wordnet import find_wordnet

    reasons = []
    allowed = {"nltk": [release.name for release in RELEASES], "tokens": _NLTK_TOKENS, "case": ("lower", "as-is")}
    for name, known in allowed.items():
        if parts[name] not in known:
            reasons.append(f"{name} {parts[name]!r} is not known; there are {', '.join(known)}")
    numbers = [_number(parts[name]) for name in "abg"]
    for number in numbers:
        if not isinstance(number, float) or not math.isfinite(number) or number < 0:
            reasons.append(f"a parameter of the signature is not a number of 0 or more: {str(number)!r}")
    here = {}
    wordnet = find_wordnet()
    if wordnet is None:
        reasons.append("there is no WordNet; run: python -m nltk.downloader wordnet")
    elif "wordnet" in parts and wordnet.digest != parts["wordnet"]:
        here["wordnet"] = wordnet.digest
        reasons.append(_difference("wordnet", parts["wordnet"], here["wordnet"]))
    command = "meteor-e which REPORTED HYPOTHESIS REFERENCE"
    if not reasons and tuple(numbers) not in {formula[:3] for formula in FORMULAS}:
        command += f" --formula '{' '.join(parts[name] for name in 'abg')}'"
    return _checked(text, parts, here, reasons, command if not reasons else "")
