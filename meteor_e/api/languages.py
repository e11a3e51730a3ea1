"""Languages: what is known of each."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from meteor_e.base.errors import ConfigError, near_miss

GREEK = ("alpha", "beta", "gamma", "delta")
"""The parameters of the formula beside the weights."""

MAX_WEIGHT = 1_000_000
"""The largest weight of a matcher. Sums and products of weights up to this limit stay finite."""


@dataclass(frozen=True)
class Parameters:
    """α, β, γ, δ and one weight per matcher, as in METEOR 1.5 (Denkowski and Lavie, 2014).

    Attributes:
        alpha: balance of precision and recall, in [0, 1]; the higher, the more recall counts.
        beta: exponent of the fragmentation, at least 0.
        gamma: largest share of the score that the fragmentation penalty takes, in [0, 1].
        delta: weight of content words, in [0, 1]; function words weigh ``1 - delta``.
        weights: one weight per matcher, in chain order, each at least 0.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


class Normalization(str, enum.Enum):
    """How text becomes tokens."""

    NONE = "none"
    """Split on white space; case is kept."""
    LOWER = "lower"
    """Lowercase only."""
    FULL = "full"
    """Tokenize, normalize punctuation, lowercase (Java: ``-norm``)."""
    NO_PUNCTUATION = "no-punctuation"
    """As ``full``, then drop punctuation (Java: ``-norm -noPunct``)."""


class NonbreakingPrefixes(NamedTuple):
    """Abbreviations whose dot stays: always, or only before a number (compared with case)."""

    always: Collection[str] = frozenset()
    numeric: Collection[str] = frozenset()


@dataclass(frozen=True)
class Task:
    """A named set of parameters, tuned for a purpose.

    Attributes:
        alpha, beta, gamma, delta: see :class:`Parameters`.
        weights: matchers and their weights, in chain order.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]

    @property
    def parameters(self) -> Parameters:
        """The parameters with the weights of the task's own chain."""
        return Parameters(self.alpha, self.beta, self.gamma, self.delta, tuple(self.weights.values()))


class Evidence(NamedTuple):
    """The measured effect of a resource on agreement with human judgments, alone beside exact matches.

    Attributes:
        change: difference of Kendall's tau inside a segment, the mean over the judgments.
        low, high: its 95 % interval, from segments drawn anew.
        data: the judgments, such as ``WMT24 en-es``.
    """

    change: float
    low: float
    high: float
    data: str

    @property
    def verdict(self) -> str:
        """``proven`` where the whole interval is above 0, ``harmful`` where it is below, else ``neutral``."""
        return "proven" if self.low > 0 else "harmful" if self.high < 0 else "neutral"


METEOR_CODES = {"cs": "cz", "sv": "se"}
"""The Java program's codes of languages where they are not ISO 639-1's."""

ISO_CODES = {java: iso for iso, java in METEOR_CODES.items()}
"""ISO's codes by the Java program's; every language answers to both."""


@dataclass(frozen=True)
class Language:
    """What is known of a language.

    Attributes:
        code: ISO 639-1 code.
        name: English name.
        aliases: other codes it answers to.
        meteor_code: the Java program's code.
        normalization: how text is normalized where nothing else is asked for.
        apostrophes: one of ``APOSTROPHE_STYLES``.
        stemmer: name of its Snowball stemmer, or ``None``.
        pack: name of the resource pack that it needs, or ``None``.
        function_words: name of the pack whose function words count, ``None`` for its own pack's. METEOR 1.5 counts
            English function words in every language.
        segmenter: name of the segmenter that finds its words, ``None`` where spaces separate them.
        lemmatizer: name of the lemmatizer that chains with the matcher ``lemma`` use where they name none.
        resources: what can be had by name beside its stems: ``simplemma``, ``omw``, ``dbnary``.
        evidence: the measured effects of resources on agreement with human judgments, by name; see :class:`Evidence`.
        matchers: its modules, in chain order.
        default_task: the task used where none is named.
        tasks: its tasks by name.
        source: what errors call its definition.
        path: its file, if a chain names it by that rather than by its code.
        script: of a language without a file, the script whose generic definition it has.
    """

    code: str
    name: str
    matchers: tuple[str, ...]
    tasks: Mapping[str, Task]
    default_task: str
    aliases: tuple[str, ...] = ()
    meteor_code: str = ""
    normalization: Normalization = Normalization.LOWER
    apostrophes: str = "apart"
    stemmer: str | None = None
    pack: str | None = None
    function_words: str | None = None
    segmenter: str | None = None
    lemmatizer: str | None = None
    resources: tuple[str, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    source: str = field(default="", compare=False)
    path: str = ""
    script: str = ""

    def task(self, name: str | None) -> tuple[str, Task]:
        """Return name and parameters of a task; ``None`` is the default task.

        Raises:
            ConfigError: if the language has no such task.
        """
        name = self.default_task if name is None else name
        if name not in self.tasks:
            raise ConfigError(
                f"language {self.code!r} has no task {name!r}{near_miss(name, self.tasks)}; "
                f"its tasks: {', '.join(self.tasks)}"
            )
        return name, self.tasks[name]
