"""Words that are known and words that are not, and words in common that weigh what they tell."""

from __future__ import annotations

import functools
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from meteor_e_learned.counting import Pairs, Tally, mean_over_references, precision_recall_f, segment_pairs, words
from meteor_e_learned.splitting import split
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Feature, FeatureBatch, FilePath, Meta
from meteor_e.base.array_cache import digest
from meteor_e.formats.plain import read_segments

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

UNKNOWN = 1e-9
"""The relative frequency that a word which is not listed is taken to have at most."""
RARE, FREQUENT = 1e-6, 1e-3
"""The relative frequencies below which a word is rare, and above which it is frequent."""


class Frequencies:
    """How often words occur: wordfreq's large list of a language, and corpora if there are any.

    Args:
        language: code of a language that wordfreq has.
        corpora: text files, plain, gzip, bzip2 or xz, one segment per line.
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

    def of_all(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the relative frequency of each word, ``(words,)``."""
        if self._total:
            return np.array([self.of(word) for word in words])
        get = _word_list(self.language).get
        return np.array([get(word, 0.0) for word in words])

    def information(self, word: str) -> float:
        """Return how much a word tells, in nats, relative to the rarest: a weight in (0, 1]."""
        return -math.log(max(self.of(word), UNKNOWN)) / -math.log(UNKNOWN)


@functools.lru_cache(maxsize=4)
def _word_list(language: str) -> Mapping[str, float]:
    found = _packed_list(language)
    if found is not None:
        return found
    import langcodes
    import wordfreq

    known = sorted(wordfreq.available_languages("small"))
    # wordfreq itself would take English for Swahili; up to 10, speakers understand one another.
    valid = langcodes.tag_is_valid(language)
    if not valid or langcodes.closest_match(language, known, max_distance=10)[0] == "und":
        raise ConfigError(f"wordfreq has no words of language {language!r}; it has {', '.join(known)}")
    listed: Mapping[str, float] = wordfreq.get_frequency_dict(language, "best")
    return listed


def _packed_list(language: str) -> Mapping[str, float] | None:
    """Return what ``wordfreq.get_frequency_dict`` does, without the import of wordfreq, which takes longer than this.

    The file is wordfreq's "cBpack": behind a header, lists of words; those of list n occur 10 ** (-n / 100) times a
    word. ``None`` if there is no file of the very language, or its form is another one; then wordfreq knows.
    """
    import gzip
    from importlib.util import find_spec

    spec = find_spec("wordfreq")
    places = spec.submodule_search_locations if spec is not None and language.isalpha() else None
    for folder in places or ():
        for size in ("large", "small"):
            file = Path(folder, "data", f"{size}_{language}.msgpack.gz")
            if not file.is_file():
                continue
            import msgpack

            header, *lists = msgpack.unpackb(gzip.decompress(file.read_bytes()), raw=False)
            if header != {"format": "cB", "version": 1}:
                return None
            found: dict[str, float] = {}
            for place, equally_frequent in enumerate(lists):
                found.update(dict.fromkeys(equally_frequent, 10 ** (-place / 100)))
            return found
    return None


def as_list(files: str | os.PathLike[str] | Sequence[str] | None) -> list[str]:
    """Return an option that names one file or several as a list."""
    if files is None:
        return []
    return [os.fspath(files)] if isinstance(files, str | os.PathLike) else [os.fspath(file) for file in files]


class LanguageOptions(ComponentOptions, kw_only=True):
    """The language of hypotheses and references, as an option of features that need it."""

    language: (
        Annotated[str, Meta(description="Code of the language of hypotheses and references; by default the recipe's.")]
        | None
    ) = None

    def within(self, context: MatcherContext) -> Self:
        """Return the options with the context's language, where they name none."""
        return self if self.language is not None else self.replaced(language=context.language.code)


class FrequencyFeature(Feature):
    """Base of features that read how often words occur.

    Args:
        language: of hypotheses and references.
        corpus_file: text files whose words are known, too; frequencies in them count where they are higher.
    """

    requires: ClassVar[tuple[str, ...]] = ("wordfreq",)

    Options: ClassVar[type[ComponentOptions]] = LanguageOptions

    def __init__(self, language: str = "en", corpus_file: str | Sequence[str] | None = None) -> None:
        self.frequencies = Frequencies(language, as_list(corpus_file))

    def frequency_and_information(self, batch: FeatureBatch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often each of a batch's words occurs and what it tells; looked up once for all features."""
        known = words(batch)[1] or [" "]

        def look_up() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            frequency = self.frequencies.of_all(known)
            return frequency, np.log(np.maximum(frequency, UNKNOWN)) / math.log(UNKNOWN)

        return batch.shared(f"frequencies {self.definition()}", look_up)

    @classmethod
    def from_options(cls, context: MatcherContext, options: LanguageOptions) -> Self:
        """Take the recipe's language where no option names another."""
        return super().from_options(context, options.within(context))

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def describe(self) -> str:
        """Return the list, its version and the digest of the corpora."""
        from importlib.metadata import version

        corpora = f"+{self.frequencies.digest}" if self.frequencies.digest else ""
        return f"wordfreq-{version('wordfreq')}:{self.frequencies.language}{corpora}"

    def definition(self) -> str:
        """Return the language and the digest of the corpora."""
        return f"{self.frequencies.language}{'+' if self.frequencies.digest else ''}{self.frequencies.digest}"


class CorpusOptions(LanguageOptions, kw_only=True):
    """A language, and corpora whose frequencies count."""

    corpus_file: (
        Annotated[
            FilePath | list[FilePath],
            Meta(description="Text files whose words are known, too; frequencies in them count where they are higher."),
        ]
        | None
    ) = None


class VocabularyFeature(FrequencyFeature):
    """Words that no list has, words that the reference lacks, and words in common by what they tell.

    Unknown words of the hypothesis are mostly source words that were left untranslated, or misspelt.
    """

    name: ClassVar[str] = "vocabulary"

    Options = CorpusOptions

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

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Look the words up, each distinct one once, and count."""
        pairs, known = words(batch)
        frequency, information = self.frequency_and_information(batch)
        alphabetic = np.array([word[0].isalpha() for word in known] or [False])
        tally = pairs.tally()
        left, right = tally.left, tally.right
        weight = information[tally.item]
        listed = frequency[tally.item]
        wordlike = alphabetic[tally.item]
        absent = right == 0
        unknown = wordlike & (listed == 0)
        length = np.maximum(tally.total(left * wordlike), 1)
        counted = [
            tally.total(left * which) for which in (unknown, unknown & absent, wordlike & absent & (listed < RARE))
        ]
        columns = [column for count in counted for column in (count, count / length)]
        columns += [self._capitals(batch, pairs, known, tally, unknown & absent), tally.total(right * unknown)]
        common, one, other = (tally.total(each * weight) for each in (tally.common, left, right))
        columns += list(precision_recall_f(common, one, other).T)
        columns += [other - common, one - common, one / np.maximum(tally.total(left), 1)]
        missing = np.zeros(pairs.count)
        np.maximum.at(missing, tally.pair, weight * ((left == 0) & (right > 0)))
        columns.append(missing)
        often = listed > FREQUENT
        shared = tally.total(tally.common * often)
        columns += [shared / np.maximum(tally.total(side * often), 1) for side in (left, right)]
        doubled = (pairs.items[1:] == pairs.items[:-1]) & (pairs.owner[1:] == pairs.owner[:-1])
        columns.append(np.bincount(pairs.owner[1:][doubled], minlength=2 * pairs.count)[: pairs.count].astype(float))
        return mean_over_references(np.column_stack(columns), batch)

    @staticmethod
    def _capitals(
        batch: FeatureBatch, pairs: Pairs, known: Sequence[str], tally: Tally, foreign: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return how many of the unknown words that the reference lacks are written with a capital."""
        result = np.zeros(pairs.count)
        left, _ = segment_pairs(batch)
        chosen = foreign & (tally.left > 0)
        by_pair: dict[int, set[str]] = {}
        for pair, item in zip(tally.pair[chosen].tolist(), tally.item[chosen].tolist(), strict=True):
            by_pair.setdefault(pair, set()).add(known[item])
        for pair, found in by_pair.items():
            result[pair] = sum(word[0].isupper() for word in left[pair].split() if word.lower() in found)
        return result
