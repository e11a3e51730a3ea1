"""What a matcher is.

A matcher says which words or phrases of a hypothesis *may* match those of a reference; the core decides
which do. Three families cover nearly everything, and :class:`Matcher` itself is open for the rest:

- :class:`KeyMatcher`: two words match if they share a key (a stem, a synset, a phonetic code).
- :class:`SimilarityMatcher`: two words match if their vectors are similar enough.
- :class:`PhraseMatcher`: phrases match if a table pairs them.

A minimal plugin::

    class Soundex(KeyMatcher):
        \"\"\"Words that sound alike match.\"\"\"

        name = "soundex"

        def keys(self, token):
            return {soundex(token.form)}

Options are the keyword arguments of ``__init__``; a YAML chain gives them beside ``use`` and ``weight``, and
an option that ``__init__`` does not take is an error. A matcher that needs the language or its resources
overrides :meth:`Matcher.create`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.context import MatcherContext, PhraseTable
from meteor_e.api.options import construct
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError
from meteor_e.base.memory import Remembered, forgetting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self


__all__ = [
    "KeyMatcher",
    "Match",
    "Matcher",
    "PhraseMatcher",
    "SimilarityMatcher",
]

CACHE_LIMIT = 1 << 17
"""Distinct tokens whose keys or vectors a matcher remembers; the memory is emptied when it is full."""


class Match(NamedTuple):
    """A match that a matcher proposes; positions count words from 0.

    Attributes:
        reference_start: first word in the reference.
        hypothesis_start: first word in the hypothesis.
        reference_length, hypothesis_length: number of words, at least 1.
        probability: how sure the matcher is, in [0, 1]; kept for the record, the score does not use it.
    """

    reference_start: int
    hypothesis_start: int
    reference_length: int = 1
    hypothesis_length: int = 1
    probability: float = 1.0


class Matcher(ABC):
    """Base of all matchers: :meth:`match` in plain Python, for anything that no family covers.

    Instances are used from several threads at once and are pickled with the chain that holds them.

    Class attributes:
        name: what a chain calls it; lower case, unique among all installed plugins.
        default_weight: its weight in the score, in [0, 1], where neither chain nor language gives one.
        search_weight: what a matched word counts in the search for the alignment (1 for exact matches).
        accuracy_search_weight: the same in the aligner's maximum-accuracy mode.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
        needs_lemmas: whether it is of no use in a chain without a lemmatiser, which is then an error; ``__init__`` may
            set it, where options decide.
        needs_tags: the same of a chain whose lemmatiser gives no tags.
        core_family: of meteor_e's own matchers, what the native core knows them as; a class that derives from one does
            not inherit it.
    """

    name: ClassVar[str] = ""
    default_weight: ClassVar[float] = 1.0
    search_weight: ClassVar[float] = 0.5
    accuracy_search_weight: ClassVar[float] = 1.0
    requires: ClassVar[tuple[str, ...]] = ()
    needs_lemmas: bool = False
    needs_tags: bool = False

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Make the matcher for a chain.

        Args:
            context: language and resources.
            options: what the chain gives beside ``use`` and ``weight``.

        Raises:
            ConfigError: for an option that the matcher does not have, or a value that it refuses.
            ResourceError: if a resource that it needs is missing.
        """
        return construct(f"matcher {cls.name!r}", cls, options)

    @abstractmethod
    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterable[Match]:
        """Propose matches.

        The order matters: of candidates at one reference position, those proposed first are tried first.
        """

    def describe(self) -> str:
        """Return what the signature says of this matcher behind its name: options that change its result."""
        return ""


class KeyMatcher(Matcher):
    """Two words match if their sets of keys meet.

    Equal words are left to the exact matcher unless ``match_equal_words`` is set.
    """

    match_equal_words: ClassVar[bool] = False

    identity: Callable[[str], Hashable] = str
    """What makes two words equal: the word, unless the metric says otherwise (``compat`` compares Java's hashes)."""

    _key_cache = Remembered[Token, tuple[Hashable, ...]](CACHE_LIMIT)

    @abstractmethod
    def keys(self, token: Token) -> Collection[Hashable]:
        """Return the keys of a token; called once a distinct token. Empty: it matches nothing."""

    def _cached_keys(self, token: Token) -> tuple[Hashable, ...]:
        found = self._key_cache.get(token)
        if found is None:
            found = self._key_cache[token] = self.distinct_keys(token)
        return found

    def compare_words_by(self, identity: Callable[[str], Hashable]) -> None:
        """Say what makes two words equal; keys that are remembered may depend on it."""
        self.identity = identity
        self._key_cache.clear()

    def distinct_keys(self, token: Token) -> tuple[Hashable, ...]:
        """Return the keys of a token, each once; TypeError if :meth:`keys` returned a string."""
        keys = self.keys(token)
        if isinstance(keys, str):
            raise TypeError(f"{type(self).__name__}.keys returned a string; it must return a set of keys")
        return tuple(dict.fromkeys(keys))

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose every pair of words that share a key: by reference word, then by hypothesis word."""
        positions: dict[Hashable, list[int]] = {}
        identity = self.identity
        for i, token in enumerate(hypothesis):
            for key in self._cached_keys(token):
                positions.setdefault(key, []).append(i)
        for j, token in enumerate(reference):
            found: list[int] = []
            sources = 0
            for key in self._cached_keys(token):
                starts = positions.get(key)
                if starts is not None:
                    found = starts if not sources else [*found, *starts]
                    sources += 1
            if not sources:
                continue
            if sources > 1:
                found = sorted(set(found))
            for i in found:
                if self.match_equal_words or identity(hypothesis[i].form) != identity(token.form):
                    yield Match(j, i)

    def __getstate__(self) -> dict[str, Any]:
        return forgetting(self)


class SimilarityMatcher(Matcher):
    """Two words match if the similarity of their vectors, (1 + cosine)/2, reaches a threshold.

    Equal words match whatever their vectors are, with probability 1.

    Args:
        threshold: lowest similarity of a match, in [0, 1].
        below: similarity from which on words do not match, equal words among them, in (0, 1]; ``None`` for no such
            bound. A chain with the matcher several times, each for a band of similarities, gives them other weights.
    """

    contextual: ClassVar[bool] = False
    """Whether a token's vector depends on its sentence; if not, it is asked for once a distinct token."""

    def __init__(self, threshold: float = 0.8, below: float | None = None) -> None:
        if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise ConfigError(
                f"matcher {self.name!r}: threshold is {threshold}; it must be between 0 and 1, such as 0.8"
            )
        if below is not None and (not isinstance(below, int | float) or not threshold < below <= 1):
            raise ConfigError(f"matcher {self.name!r}: below is {below}; it must be above the threshold, up to 1")
        self.threshold = threshold
        self.below = below

    _row_cache = Remembered[Token, "NDArray[np.float32]"](CACHE_LIMIT)

    @abstractmethod
    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return a row of length 1 a token, ``(len(tokens), dimension)``; a row of zeros matches nothing."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose every similar pair: by reference word, then by hypothesis word."""
        if not hypothesis or not reference:
            return
        hypothesis_rows = self._rows(hypothesis)
        reference_rows = self._rows(reference)
        hypothesis_known = [bool(row.any()) for row in hypothesis_rows]
        similarities = (1 + _products(reference_rows, hypothesis_rows)) / 2
        equal_match = self.below is None
        similar = similarities >= self.threshold
        if self.below is not None:
            similar &= similarities < self.below
        for j, token in enumerate(reference):
            known = bool(reference_rows[j].any())
            for i, other in enumerate(hypothesis):
                if token.form == other.form:
                    if equal_match:
                        yield Match(j, i)
                elif known and hypothesis_known[i] and similar[j, i]:
                    # Rows are of length 1 but for rounding, which must not make a probability of more than 1.
                    yield Match(j, i, probability=min(1.0, float(similarities[j, i])))

    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        import numpy as np

        if self.contextual:
            return self.checked_vectors(tokens)
        cache = self._row_cache
        # Other threads may empty it at any time, so each row is taken from it once and kept.
        rows = {token: row for token in tokens if (row := cache.get(token)) is not None}
        missing = [token for token in dict.fromkeys(tokens) if token not in rows]
        if missing:
            fresh = dict(zip(missing, self.checked_vectors(missing), strict=True))
            rows.update(fresh)
            cache.remember(fresh)
        return np.stack([rows[token] for token in tokens])

    def checked_vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return :meth:`vectors`; TypeError if it is not one row a token."""

        rows = self.vectors(tokens)
        if rows.ndim != 2 or len(rows) != len(tokens):
            raise TypeError(
                f"{type(self).__name__}.vectors returned an array of shape {rows.shape} for {len(tokens)} "
                "tokens; it must return one row a token"
            )
        return rows

    def __getstate__(self) -> dict[str, Any]:
        return forgetting(self)

    def describe(self) -> str:
        """Name the threshold, and the bound above it if there is one."""
        return f"threshold={self.threshold}" + ("" if self.below is None else f" below={self.below}")


def _products(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the products of all rows, summed over the dimensions in their order.

    A matrix product adds up in an order that depends on the shapes, so that a pair of words could reach a
    threshold in one sentence and miss it in another. Products of single precision are exact in double.
    """
    import numpy as np

    columns = np.ascontiguousarray(right.T, dtype=np.float64)
    total = np.zeros((len(left), len(right)))
    for dimension, factors in enumerate(left.T.astype(np.float64)):
        total += factors[:, None] * columns[dimension]
    return total


class PhraseMatcher(Matcher):
    """Phrases match if a table pairs them; the table is looked up in both directions.

    A pair that the table holds both ways is proposed twice, as in METEOR 1.5.
    """

    accuracy_search_weight: ClassVar[float] = 0.0

    _word_cache = Remembered[str, int](CACHE_LIMIT)
    _pair_cache = Remembered[int, frozenset[int]](CACHE_LIMIT // 4)

    @property
    @abstractmethod
    def table(self) -> PhraseTable | None:
        """The phrase table; ``None`` matches nothing."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose the table's pairs, first from the reference's phrases, then from the hypothesis's."""
        table = self.table
        if table is None:
            return
        hypothesis_phrases = self._phrases(table, hypothesis)
        reference_phrases = self._phrases(table, reference)
        hypothesis_starts = _by_node(hypothesis_phrases)
        reference_starts = _by_node(reference_phrases)
        hypothesis_nodes = frozenset(hypothesis_starts)
        reference_nodes = frozenset(reference_starts)
        for j, phrases in enumerate(reference_phrases):
            for length, node in phrases:
                for other in self._pairs(table, node, hypothesis_nodes):
                    other_length, starts = hypothesis_starts[other]
                    for i in starts:
                        yield Match(j, i, length, other_length)
        for i, phrases in enumerate(hypothesis_phrases):
            for length, node in phrases:
                for other in self._pairs(table, node, reference_nodes):
                    other_length, starts = reference_starts[other]
                    for j in starts:
                        yield Match(j, i, other_length, length)

    def _phrases(self, table: PhraseTable, tokens: Sequence[Token]) -> list[list[tuple[int, int]]]:
        cache = self._word_cache
        ids = []
        for token in tokens:
            word = token.form
            number = cache.get(word)
            if number is None:
                number = cache[word] = table.word_id(word)
            ids.append(number)
        return [table.phrases_at(ids, start) if ids[start] >= 0 else [] for start in range(len(ids))]

    def _pairs(self, table: PhraseTable, node: int, wanted: frozenset[int]) -> Sequence[int]:
        """Return the paraphrases of a node that are wanted, in table order."""
        paired = self._pair_cache.get(node)
        if paired is None:
            paired = self._pair_cache[node] = frozenset(table.paraphrases(node))
        common = paired & wanted
        if not common:
            return ()
        return [other for other in table.paraphrases(node) if other in common]

    def __getstate__(self) -> dict[str, Any]:
        return forgetting(self)


def _by_node(phrases: list[list[tuple[int, int]]]) -> dict[int, tuple[int, list[int]]]:
    """Return for each node its length and the positions where it begins, ascending."""
    starts: dict[int, tuple[int, list[int]]] = {}
    for position, found in enumerate(phrases):
        for length, node in found:
            if node in starts:
                starts[node][1].append(position)
            else:
                starts[node] = (length, [position])
    return starts
