"""The feature ``tag-vectors``, which counts the parts of speech of English segments.

The feature uses TextBlob's rule-based tagger and English lexicon. Guzmán et al. (2015) use vectors from the Stanford
neural parser instead. Unlike the parser's vectors, this feature does not represent the structure of a sentence.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, SegmentFeature
from meteor_e.base.extras import how_to_install
from meteor_e_papers.splitting import split_with_case

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
"""The Penn Treebank tags of each word class. Each class is a dimension of the vectors."""

_CLASS_INDEXES = {tag: index for index, tags in enumerate(CLASSES.values()) for tag in tags}
_OTHER = list(CLASSES).index("other")
_PUNCTUATION = list(CLASSES).index("punctuation")


@functools.lru_cache(maxsize=1 << 14)
def tag_words(segment: str) -> tuple[tuple[str, int], ...]:
    """Return the lower-case words of a segment, and the word class of each word as an index of ``CLASSES``.

    The class of a word with an unknown tag is ``other``.
    """
    # The tagger recognizes names by their capital letters.
    words = split_with_case(segment)
    if not words:
        return ()
    word_classes = [_find_class(word, tag) for word, tag in zip(words, _find_tags(words), strict=True)]
    return tuple(zip(map(str.lower, words), word_classes, strict=True))


def _find_tags(words: list[str]) -> list[str]:
    """Return the Penn Treebank tag of each word, or an empty string if the tagger does not return a tag."""
    tagger = _load_tagger()
    tagged_words = tagger(" ".join(words), tokenize=False)
    if len(tagged_words) == len(words):
        return [tag for _, tag in tagged_words]
    # If the tagger has dropped or split words of the segment, each word is tagged separately.
    tags = []
    for word in words:
        tagged_words = tagger(word, tokenize=False)
        tags.append(tagged_words[0][1] if tagged_words else "")
    return tags


def _find_class(word: str, tag: str) -> int:
    """Return the index of a word's class in ``CLASSES``."""
    if not any(character.isalnum() for character in word):
        return _PUNCTUATION
    return _CLASS_INDEXES.get(tag, _OTHER)


@functools.lru_cache(maxsize=1)
def _load_tagger() -> Callable[..., list[tuple[str, str]]]:
    """Return TextBlob's tagger with its lexicon loaded.

    Raises:
        ConfigError: if TextBlob is not installed.
    """
    try:
        from textblob.en import tag
    except ImportError as error:
        raise ConfigError(
            f"parts of speech need {error.name or 'textblob'}; {how_to_install('meteor-e-papers')}"
        ) from error

    # TextBlob does not close the file of the lexicon, which it reads on the first call.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        tag("warm", tokenize=False)
    return cast(Callable[..., list[tuple[str, str]]], tag)


class TagVectorsFeature(SegmentFeature):
    """The proportion of a segment's words that belong to each of 25 word classes, such as nouns."""

    name: ClassVar[str] = "tag-vectors"
    requires: ClassVar[tuple[str, ...]] = ("textblob",)
    segment_dimension = len(CLASSES)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Create the feature.

        Raises:
            ConfigError: if the language is not English.
        """
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} tags English only, not {context.language.code!r}")
        return super().from_options(context, options)

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Return the share of each word class in each segment as an array ``(segments, 25)``."""
        shares = np.zeros((len(segments), len(CLASSES)))
        for index, segment in enumerate(segments):
            class_indexes = [class_index for _, class_index in tag_words(segment)]
            if class_indexes:
                shares[index] = np.bincount(class_indexes, minlength=len(CLASSES)) / len(class_indexes)
        return shares

    def describe(self) -> str:
        """Return the name and the version of the tagger."""
        return _tagger_version()

    def definition(self) -> str:
        """Return the name of the tagger without its version."""
        return "textblob"


def _tagger_version() -> str:
    """Return TextBlob's name and version.

    Raises:
        ConfigError: if TextBlob is not installed.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"textblob-{version('textblob')}"
    except PackageNotFoundError:
        raise ConfigError(f"parts of speech need textblob; {how_to_install('meteor-e-papers')}") from None
