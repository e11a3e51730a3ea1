"""Parts of speech: a vector of 25 numbers per segment.

The tagger is TextBlob's rule-based one (of the library pattern), which brings its English lexicon along. The vectors
are no match for those of the Stanford neural parser in Guzmán et al. (2015): they count tags, and see no structure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, SegmentFeature
from meteor_e.base.extras import how_to_install

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

CLASSES: dict[str, tuple[str, ...]] = {
    "noun": ("NN",),
    "nouns": ("NNS",),
    "name": ("NNP", "NNPS"),
    "verb": ("VB",),
    "past": ("VBD",),
    "gerund": ("VBG",),
    "participle": ("VBN",),
    "present": ("VBP",),
    "third-person": ("VBZ",),
    "modal": ("MD",),
    "adjective": ("JJ",),
    "compared-adjective": ("JJR", "JJS"),
    "adverb": ("RB",),
    "compared-adverb": ("RBR", "RBS"),
    "determiner": ("DT", "PDT"),
    "pronoun": ("PRP",),
    "possessive": ("PRP$", "POS"),
    "question-word": ("WP", "WP$", "WDT", "WRB"),
    "preposition": ("IN",),
    "to": ("TO",),
    "conjunction": ("CC",),
    "number": ("CD",),
    "particle": ("RP", "EX", "UH"),
    "punctuation": (".", ",", ":", "(", ")", "''", "``", '"', "'", "-LRB-", "-RRB-"),
    "other": ("FW", "SYM", "LS", "$", "#"),
}
"""The classes of the vectors' dimensions, and the Penn Treebank's tags in each; unknown tags are ``other``."""

_CLASS = {tag: place for place, tags in enumerate(CLASSES.values()) for tag in tags}
_OTHER = list(CLASSES).index("other")
_PUNCTUATION = list(CLASSES).index("punctuation")


@functools.lru_cache(maxsize=1 << 14)
def tagged(segment: str) -> tuple[tuple[str, int], ...]:
    """Return the words of a segment, in lower case, with the place of their class."""
    # Case helps with names, so words are split as elsewhere but not lowered.
    words = split_with_case(segment)
    if not words:
        return ()
    tag = _textblob_tag()
    found = tag(" ".join(words), tokenize=False)
    if len(found) != len(words):
        # The tagger splits on line breaks of Unicode, too, and drops what it takes for markup; tag one by one.
        found = [(tag(word, tokenize=False) or [(word, "")])[0] for word in words]
    return tuple(
        (word.lower(), _PUNCTUATION if not any(map(str.isalnum, word)) else _CLASS.get(name, _OTHER))
        for word, (_, name) in zip(words, found, strict=True)
    )


@functools.lru_cache(maxsize=1)
def _textblob_tag() -> Callable[..., list[tuple[str, str]]]:
    """Return TextBlob's tagger, its lexicon read: it leaves the file open, which Python would warn of."""
    import warnings

    try:
        from textblob.en import tag
    except ImportError as error:
        raise ConfigError(
            f"parts of speech need {error.name or 'textblob'}; {how_to_install('meteor-e-papers')}"
        ) from error

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        tag("warm", tokenize=False)
    found: Callable[..., list[tuple[str, str]]] = tag
    return found


def split_with_case(segment: str) -> list[str]:
    """Split as :func:`~meteor_e_papers.splitting.split` does, but keep capitals."""
    import re

    return re.findall(r"\w+|'\w+|[^\w\s]", segment.replace("’", "'"))


class TagVectorsFeature(SegmentFeature):
    """Sentence vectors of 25 dimensions: the share of each class of parts of speech among the words."""

    name: ClassVar[str] = "tag-vectors"
    requires: ClassVar[tuple[str, ...]] = ("textblob",)
    segment_dimension = len(CLASSES)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} tags English only, not {context.language.code!r}")
        return super().from_options(context, options)

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Tag and count."""
        rows = np.zeros((len(segments), len(CLASSES)))
        for row, segment in zip(rows, segments, strict=True):
            for _, place in tagged(segment):
                row[place] += 1
            row /= max(1.0, row.sum())
        return rows

    def describe(self) -> str:
        """Name the tagger."""
        return _tagger()

    def definition(self) -> str:
        """Name the tagger without its version."""
        return "textblob"


def _tagger() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"textblob-{version('textblob')}"
    except PackageNotFoundError:
        raise ConfigError(f"parts of speech need textblob; {how_to_install('meteor-e-papers')}") from None
