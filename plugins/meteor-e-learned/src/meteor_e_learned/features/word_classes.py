"""Function words by class, and content words: what two segments share of each, without a tagger (English)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e_learned.counting import mean_over_references, words

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


def listed(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


WORD_CLASSES: dict[str, frozenset[str]] = {
    "determiner": listed(
        "a an the this that these those some any each every either neither another such all both half many much few "
        "several own other"
    ),
    "pronoun": listed(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself "
        "yourself himself herself itself ourselves yourselves themselves one someone somebody something anyone anybody "
        "anything everyone everybody everything there"
    ),
    "preposition": listed(
        "of in to for with on at from by about as into like through after over between out against during without "
        "before under around among within along across behind beyond up down off above near since until towards "
        "toward despite upon per via onto"
    ),
    "conjunction": listed(
        "and but or so yet because although though while whereas if unless whether than however therefore thus also "
        "then moreover"
    ),
    "auxiliary": listed(
        "be am is are was were been being have has had having do does did doing will would shall should can could may "
        "might must ought 's 're 've 'll 'm 'd"
    ),
    "question": listed("who whom whose which what when where why how"),
    "negation": listed("no not never none nobody nothing nowhere nor cannot 't t hardly"),
}
"""The classes and their words, in lower case."""


class WordClassesFeature(Feature):
    """Words in common, missing and added, class by class: function words, numbers, marks, and content words.

    Content words are all that begin with a letter and are in no class; their bigrams leave out what is between them.
    Against several references, the mean over them.
    """

    name: ClassVar[str] = "word-classes"

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        return super().from_options(context, options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Four numbers for each class, and what the content words have in common in order."""
        kinds = [*WORD_CLASSES, "number", "mark", "content"]
        each = [f"{kind}_{what}" for kind in kinds for what in ("precision", "recall", "missing", "added")]
        return (*each, "content_bigram_precision", "content_bigram_recall", "content_bigram_f")

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Count."""
        pairs, known = words(batch)
        classes = len(WORD_CLASSES)
        kinds = word_kinds(known)
        tally = pairs.tally()
        common, left, right = (
            tally.totals(each, kinds[tally.item], classes + 3) for each in (tally.common, tally.left, tally.right)
        )
        # A class that a side does not have is neither right nor wrong.
        shares = [np.where(side > 0, common / np.maximum(side, 1), 0.5) for side in (left, right)]
        columns = np.stack([*shares, right - common, left - common], axis=2).reshape(pairs.count, -1)
        content = pairs.where(kinds[pairs.items] == classes + 2)
        return mean_over_references(np.column_stack([columns, content.ngram_shares(2)[1]]), batch)


_CLASS = {word: place for place, members in reversed(list(enumerate(WORD_CLASSES.values()))) for word in members}


def word_kinds(words: list[str]) -> NDArray[np.int64]:
    """Return the class of each word; after the classes of function words come numbers, marks and content words."""
    number, mark, content = (len(WORD_CLASSES) + step for step in range(3))
    of_first = {
        first: number if first.isdigit() else content if first.isalpha() or first == "'" else mark
        for first in {word[0] for word in words}
    }
    return np.array([_CLASS[word] if word in _CLASS else of_first[word[0]] for word in words] or [0])
