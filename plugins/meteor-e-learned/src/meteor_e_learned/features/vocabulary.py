"""Words that are known and words that are not, and words in common that weigh what they tell."""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api import ConfigError, ReferenceFeature
from meteor_e.base import digest
from meteor_e.features import split
from meteor_e.formats import read_segments

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

__all__ = ["Frequencies", "VocabularyFeature"]

UNKNOWN = 1e-9
"""The relative frequency that a word which is not listed is taken to have at most."""


class Frequencies:
    """How often words occur: wordfreq's large list of a language, and corpora if there are any.

    Args:
        language: code of a language that wordfreq has.
        corpora: text files, plain, gzip, bzip2 or xz, a segment a line.
    """

    def __init__(self, language: str, corpora: Sequence[str] = ()) -> None:
        self.language, self.corpora = language, tuple(corpora)
        self._counts: Mapping[str, int] = {}
        self.digest = ""
        if corpora:
            counts: Counter[str] = Counter()
            for file in corpora:
                for segment in read_segments(file):
                    counts.update(split(segment))
            self._counts = counts
            self.digest = digest(f"{word}\t{count}" for word, count in sorted(counts.items()))[:12]
        self._total = sum(self._counts.values())
        # Raises early where the language has no list.
        _word_list(language)

    def of(self, word: str) -> float:
        """Return a word's relative frequency; 0 for one that is in no list."""
        listed = _word_list(self.language).get(word, 0.0)
        return max(listed, self._counts.get(word, 0) / self._total) if self._total else listed

    def information(self, word: str) -> float:
        """Return how much a word tells, in nats, relative to the rarest: a weight in (0, 1]."""
        return -math.log(max(self.of(word), UNKNOWN)) / -math.log(UNKNOWN)


@functools.lru_cache(maxsize=4)
def _word_list(language: str) -> Mapping[str, float]:
    import wordfreq

    try:
        found: Mapping[str, float] = wordfreq.get_frequency_dict(language, "best")
    except LookupError as error:
        known = ", ".join(sorted(wordfreq.available_languages("small")))
        raise ConfigError(f"wordfreq has no words of language {language!r}; it has {known}") from error
    return found


def as_list(files: str | os.PathLike[str] | Sequence[str] | None) -> list[str]:
    """Return an option that names one file or several as a list."""
    if files is None:
        return []
    return [os.fspath(files)] if isinstance(files, str | os.PathLike) else [os.fspath(file) for file in files]


class VocabularyFeature(ReferenceFeature):
    """Words that no list has, words that the reference lacks, and words in common by what they tell.

    Unknown words of the hypothesis are mostly source words that were left untranslated, or misspelt.

    Args:
        language: of hypotheses and references.
        corpus_file: text files whose words are known, too; frequencies in them count where they are higher.
    """

    name: ClassVar[str] = "vocabulary"
    requires: ClassVar[tuple[str, ...]] = ("wordfreq",)

    def __init__(self, language: str = "en", corpus_file: str | Sequence[str] | None = None) -> None:
        self.frequencies = Frequencies(language, as_list(corpus_file))
        self._known: dict[str, float] = {}

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Take the recipe's language where no option names another."""
        return super().create(context, **{"language": context.language.code, **options})

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return (
            *("unknown", "unknown_share", "unknown_not_in_reference", "unknown_not_in_reference_share"),
            *("rare_not_in_reference", "rare_not_in_reference_share", "unknown_capitalised", "unknown_reference"),
            *("information_precision", "information_recall", "information_f"),
            *("information_missing", "information_added", "mean_information", "most_informative_missing"),
            *("frequent_precision", "frequent_recall", "doubled"),
        )

    def _frequency(self, word: str) -> float:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self.frequencies.of(word)
        return found

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Look the words up."""
        left, right = split(hypothesis), split(reference)
        there = set(right)
        words = [word for word in left if word[0].isalpha()]
        length = max(1, len(words))
        unknown = [word for word in words if not self._frequency(word)]
        foreign = [word for word in unknown if word not in there]
        rare = [word for word in words if word not in there and self._frequency(word) < 1e-6]
        capitals = sum(word[0].isupper() for word in hypothesis.split() if word.lower() in foreign)
        row = [len(unknown), len(unknown) / length, len(foreign), len(foreign) / length, len(rare), len(rare) / length]
        row += [capitals, sum(not self._frequency(word) for word in right if word[0].isalpha())]
        first, second = Counter(left), Counter(right)
        weight = {word: self.frequencies.information(word) for word in {*first, *second}}
        common = sum(weight[word] * min(count, second[word]) for word, count in first.items())
        sides = [sum(weight[word] * count for word, count in side.items()) for side in (first, second)]
        precision, recall = (common / side if side else 0.0 for side in sides)
        row += [precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0]
        row += [sides[1] - common, sides[0] - common, sides[0] / max(1, len(left))]
        row.append(max((weight[word] for word in second if word not in first), default=0.0))
        often = [Counter({w: c for w, c in side.items() if self._frequency(w) > 1e-3}) for side in (first, second)]
        shared = (often[0] & often[1]).total()
        row += [shared / max(1, often[0].total()), shared / max(1, often[1].total())]
        row.append(sum(word == after for word, after in itertools.pairwise(left)))
        return [float(value) for value in row]

    def describe(self) -> str:
        """Return the list, its version and the digest of the corpora."""
        from importlib.metadata import version

        corpora = f"+{self.frequencies.digest}" if self.frequencies.digest else ""
        return f"wordfreq-{version('wordfreq')}:{self.frequencies.language}{corpora}"
