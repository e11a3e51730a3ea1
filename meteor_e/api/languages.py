"""Definitions of languages."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from meteor_e.base.errors import ConfigError, near_miss

GREEK = ("alpha", "beta", "gamma", "delta")
"""Names of the parameters of the formula, without the weights."""

MAX_WEIGHT = 1_000_000
"""The largest weight of a matcher. Sums and products of weights up to this limit stay finite."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of METEOR's formula: α, β, γ, δ and one weight per matcher (Denkowski and Lavie, 2014).

    Attributes:
        alpha: balance of precision and recall, in [0, 1]. With a higher value, recall counts more.
        beta: exponent of the fragmentation, at least 0.
        gamma: maximum of the fragmentation penalty, in [0, 1].
        delta: weight of content words, in [0, 1]. The weight of function words is ``1 - delta``.
        weights: Non-negative weight of each matcher, in chain order.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


class Normalization(str, enum.Enum):
    """The ways in which a text can be normalized and split into tokens."""

    NONE = "none"
    """Split at white space, and keep the case."""
    LOWER = "lower"
    """Lowercase, and split at white space."""
    FULL = "full"
    """Tokenize, normalize punctuation and lowercase (Java: ``-norm``)."""
    NO_PUNCTUATION = "no-punctuation"
    """Normalize as in mode ``full``, then remove punctuation (Java: ``-norm -noPunct``)."""


class NonbreakingPrefixes(NamedTuple):
    """Abbreviations, such as "Dr.", from which the tokenizer does not separate the final dot. Case matters.

    Attributes:
        always: abbreviations that keep their dot in every context.
        numeric: abbreviations that keep their dot only before a number.
    """

    always: Collection[str] = frozenset()
    numeric: Collection[str] = frozenset()


@dataclass(frozen=True)
class Task:
    """Parameters of METEOR's formula that were tuned for a purpose, such as ranking or adequacy.

    Attributes:
        alpha, beta, gamma, delta: parameters of the formula; see :class:`Parameters`.
        weights: names of matchers and their weights, in chain order.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]

    @property
    def parameters(self) -> Parameters:
        """The parameters of the formula, including the weights of the task's matchers."""
        return Parameters(self.alpha, self.beta, self.gamma, self.delta, tuple(self.weights.values()))


class Evidence(NamedTuple):
    """The effect of a resource on METEOR's correlation with human judgments, compared with exact matching.

    Attributes:
        change: difference of the segment-level Kendall's tau, averaged over the judgments.
        low, high: limits of the 95% confidence interval, from a bootstrap over segments.
        data: the judgments, such as ``WMT24 en-es``.
    """

    change: float
    low: float
    high: float
    data: str

    @property
    def verdict(self) -> str:
        """``proven`` if the confidence interval is above 0, ``harmful`` if it is below 0, otherwise ``neutral``."""
        if self.low > 0:
            return "proven"
        if self.high < 0:
            return "harmful"
        return "neutral"


METEOR_CODES = {"cs": "cz", "sv": "se"}
"""ISO 639-1 code → code in the Java program, for the languages for which they differ."""

ISO_CODES = {meteor_code: iso_code for iso_code, meteor_code in METEOR_CODES.items()}
"""Code in the Java program → ISO 639-1 code. Both codes are accepted for every language."""


@dataclass(frozen=True)
class Language:
    """The definition of a language.

    Attributes:
        code: ISO 639-1 code.
        name: English name.
        aliases: other codes that are accepted.
        meteor_code: code in the Java program.
        normalization: default normalization of texts.
        apostrophes: one of ``APOSTROPHE_STYLES``.
        stemmer: name of the Snowball stemmer, or ``None``.
        pack: name of the resource pack that the language needs, or ``None``.
        function_words: name of the pack that contains the function words; ``None`` for the language's pack. METEOR 1.5
            uses English function words for every language.
        segmenter: name of the segmenter; ``None`` if words are separated by spaces.
        lemmatizer: name of the default lemmatizer of chains with the matcher ``lemma``.
        resources: names of available resources in addition to stems: ``simplemma``, ``omw`` or ``dbnary``.
        evidence: measured effects of resources, by the name of the resource; see :class:`Evidence`.
        matchers: names of the matchers, in chain order.
        default_task: name of the default task.
        tasks: tasks by name.
        source: description of the definition's origin for error messages.
        path: path of the file, if a chain refers to the language by its file instead of its code.
        script: script whose generic definition is used, if the language does not have a file.
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
        """Return the name and the parameters of a task.

        Args:
            name: name of the task; ``None`` for the default task.

        Raises:
            ConfigError: if the language does not have a task with this name.
        """
        name = self.default_task if name is None else name
        if name not in self.tasks:
            raise ConfigError(
                f"language {self.code!r} has no task {name!r}{near_miss(name, self.tasks)}; "
                f"its tasks: {', '.join(self.tasks)}"
            )
        return name, self.tasks[name]
