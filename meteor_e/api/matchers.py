"""What a matcher is.

A matcher says which words or phrases of a hypothesis *may* match those of a reference; the core decides
which do. Four families cover nearly everything, and :class:`Matcher` itself is open for the rest:

- :class:`KeyMatcher`: two words match if they share a key (a stem, a synset, a phonetic code).
- :class:`SimilarityMatcher`: two words match if their vectors are similar enough.
- :class:`ContextualMatcher`: the same, for vectors that depend on the whole sentence.
- :class:`PhraseMatcher`: phrases match if a table pairs them.

A minimal plugin::

    class Soundex(KeyMatcher):
        \"\"\"Words that sound alike match.\"\"\"

        name = "soundex"

        def keys(self, token):
            return {soundex(token.form)}

:class:`ComponentOptions` says how a matcher has options; a YAML chain gives them beside ``use`` and ``weight``. A
matcher that needs the language or its resources overrides :meth:`Matcher.from_options`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.component import Component
from meteor_e.api.context import PhraseTable
from meteor_e.api.tokens import Token
from meteor_e.base.errors import InputError
from meteor_e.base.memory import Memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


CACHE_LIMIT = 1 << 17
"""Distinct tokens whose keys or vectors a matcher remembers; the memory is emptied when it is full."""

SENTENCE_LIMIT = 1 << 14
"""Distinct sentences whose vectors a matcher remembers, likewise."""

SENTENCE_BYTES = 1 << 27
"""Bytes of these vectors, beyond which they are forgotten, too."""

ENCODED_WORDS = 1 << 15
"""Words of the sentences that are encoded together, at most; a single sentence may have more."""

VECTOR_GRID = 1 << 14
"""What a part of a sentence's vectors is a multiple of, to 1."""


class Match(NamedTuple):
    """A match that a matcher proposes; positions count words from 0.

    Attributes:
        reference_start: first word in the reference.
        hypothesis_start: first word in the hypothesis.
        reference_length, hypothesis_length: number of words, at least 1.
        probability: how sure the matcher is, in [0, 1]; the score only uses it where the matcher is graded.
    """

    reference_start: int
    hypothesis_start: int
    reference_length: int = 1
    hypothesis_length: int = 1
    probability: float = 1.0


class Matcher(Component):
    """Base of all matchers: :meth:`match` in plain Python, for anything that no family covers.

    Instances are used from several threads at once and are pickled with the chain that holds them.

    Class attributes, beside those of :class:`Component`:
        default_weight: its weight in the score, in [0, 1], where neither chain nor language gives one.
        search_weight: what a matched word counts in the search for the alignment (1 for exact matches).
        graded: whether a match counts only as much as its probability, and not in full.
        accuracy_search_weight: the same in the aligner's maximum-accuracy mode.
        needs_lemmas: whether it is of no use in a chain without a lemmatizer, which is then an error; ``__init__`` may
            set it, where options decide.
        needs_tags: the same of a chain whose lemmatizer gives no tags.
        core_family: of meteor_e's own matchers, what the native core knows them as; a class that derives from one does
            not inherit it.
    """

    kind: ClassVar[str] = "matcher"
    default_weight: ClassVar[float] = 1.0
    search_weight: ClassVar[float] = 0.5
    accuracy_search_weight: ClassVar[float] = 1.0
    graded: ClassVar[bool] = False
    needs_lemmas: bool = False
    needs_tags: bool = False

    @abstractmethod
    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterable[Match]:
        """Propose matches.

        The order matters: of candidates at one reference position, those proposed first are tried first.
        """


class KeyMatcher(Matcher):
    """Two words match if their sets of keys meet.

    Equal words are left to the exact matcher unless ``match_equal_words`` is set.
    """

    match_equal_words: ClassVar[bool] = False

    identity: Callable[[str], Hashable] = str
    """What makes two words equal: the word, unless the metric says otherwise (``compat`` compares Java's hashes)."""

    _key_cache = cached_property(lambda self: Memory[Token, tuple[Hashable, ...]](CACHE_LIMIT, self.distinct_keys))

    @abstractmethod
    def keys(self, token: Token) -> Collection[Hashable]:
        """Return the keys of a token; called once a distinct token. Empty: it matches nothing."""

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
        places: dict[Hashable, list[int]] = {}
        identity = self.identity
        for i, token in enumerate(hypothesis):
            for key in self._key_cache[token]:
                places.setdefault(key, []).append(i)
        for j, token in enumerate(reference):
            found = [places[key] for key in self._key_cache[token] if key in places]
            for i in found[0] if len(found) == 1 else sorted(set[int]().union(*found)):
                if self.match_equal_words or identity(hypothesis[i].form) != identity(token.form):
                    yield Match(j, i)


class OverlapMatcher(Matcher):
    """Two words match in part, by the pieces that they share: each matches one other word at most.

    The similarity of two words is that of Dice, ``2·|A∩B| / (|A| + |B|)``; a piece that a word has twice counts twice.
    Words that the other side has as they are, are left to the exact matcher. Of the others, pairs are taken from the
    most similar to the least; of equally similar ones, that whose places in the segments are closest.

    A match counts as much as its similarity, which the option ``threshold`` bounds from below.
    """

    graded: ClassVar[bool] = True
    search_weight: ClassVar[float] = 0.25
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:OverlapOptions"

    _piece_cache = cached_property(
        lambda self: Memory[Token, frozenset[tuple[Hashable, int]]](CACHE_LIMIT, self.distinct_pieces)
    )

    @abstractmethod
    def pieces(self, token: Token) -> Iterable[Hashable]:
        """Return the pieces of a token, with repetitions; called once a distinct token. None: it matches nothing."""

    def distinct_pieces(self, token: Token) -> frozenset[tuple[Hashable, int]]:
        """Return the pieces of a token, each with its number among its equals."""
        seen: Counter[Hashable] = Counter()
        numbered = []
        for piece in self.pieces(token):
            numbered.append((piece, seen[piece]))
            seen[piece] += 1
        return frozenset(numbered)

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose the pairs, from the most similar to the least."""
        both = {token.form for token in hypothesis} & {token.form for token in reference}
        others = [(i, self._piece_cache[token]) for i, token in enumerate(hypothesis) if token.form not in both]
        pairs = []
        for j, token in enumerate(reference):
            pieces = frozenset() if token.form in both else self._piece_cache[token]
            for i, other in others if pieces else ():
                shared = len(pieces & other)
                similarity = 2.0 * shared / (len(pieces) + len(other))
                if shared and similarity >= self.options.threshold:
                    pairs.append((-similarity, abs(j * len(hypothesis) - i * len(reference)), j, i))
        taken: set[tuple[str, int]] = set()
        for negative, _, j, i in sorted(pairs):
            if taken.isdisjoint(words := {("reference", j), ("hypothesis", i)}):
                taken |= words
                yield Match(j, i, probability=-negative)


class _VectorMatcher(Matcher):
    """What matchers share that compare vectors, wherever these come from."""

    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:SimilarityOptions"

    @abstractmethod
    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.floating[Any]]:
        """Return the vectors of a segment's tokens, from memory where they are known."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose every similar pair: by reference word, then by hypothesis word."""
        if not hypothesis or not reference:
            return
        hypothesis_rows = self._rows(hypothesis)
        reference_rows = self._rows(reference)
        hypothesis_known = [bool(row.any()) for row in hypothesis_rows]
        similarities = (1 + _products(reference_rows, hypothesis_rows)) / 2
        below: float | None = self.options.below
        similar = similarities >= self.options.threshold
        if below is not None:
            similar &= similarities < below
        for j, token in enumerate(reference):
            known = bool(reference_rows[j].any())
            for i, other in enumerate(hypothesis):
                if token.form == other.form:
                    if below is None:
                        yield Match(j, i)
                elif known and hypothesis_known[i] and similar[j, i]:
                    # Rows are of length 1 except for rounding, which must not make a probability of more than 1.
                    yield Match(j, i, probability=min(1.0, float(similarities[j, i])))


class SimilarityMatcher(_VectorMatcher):
    """Two words match if the similarity of their vectors, (1 + cosine)/2, reaches a threshold.

    Equal words match whatever their vectors are, with probability 1. A word's vector is the same in every sentence; it
    is asked for once a distinct token. See :class:`ContextualMatcher` for vectors that depend on the sentence.

    The options are those of :class:`SimilarityOptions`, ``threshold`` and ``below``; options of your own derive from
    it.
    """

    _row_cache = cached_property(lambda self: Memory[Token, "NDArray[np.float32]"](CACHE_LIMIT))

    @abstractmethod
    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return a row of length 1 a token, ``(len(tokens), dimension)``; a row of zeros matches nothing."""

    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        import numpy as np

        cache = self._row_cache
        # Other threads may empty it at any time, so each row is taken from it once and kept.
        rows = {token: row for token in tokens if (row := cache.get(token)) is not None}
        missing = [token for token in dict.fromkeys(tokens) if token not in rows]
        if missing:
            fresh = dict(zip(missing, self.compute_vectors(missing), strict=True))
            rows.update(fresh)
            cache.remember(fresh)
        return np.stack([rows[token] for token in tokens])

    def compute_vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return :meth:`vectors`; TypeError if it is not one row per token."""

        rows = self.vectors(tokens)
        if rows.ndim != 2 or len(rows) != len(tokens):
            raise TypeError(
                f"{type(self).__name__}.vectors returned an array of shape {rows.shape} for {len(tokens)} "
                "tokens; it must return one row per token"
            )
        return rows


class SentenceMemory(Memory[tuple[Token, ...], "NDArray[np.int16]"]):
    """Vectors of sentences that were encoded lately; emptied before it would hold more than :data:`SENTENCE_BYTES`.

    Threads may share it. A pickled copy is empty.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__(SENTENCE_LIMIT)
        self.size = 0

    def remember(self, items: Mapping[tuple[Token, ...], NDArray[np.int16]]) -> None:
        """Put the vectors of some sentences."""
        size = sum(rows.nbytes for rows in items.values())
        if self.size + size > SENTENCE_BYTES:
            self.clear()
            self.size = 0
        self.size += size
        super().remember(items)

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return SentenceMemory, ()


class ContextualMatcher(_VectorMatcher):
    """Two words match if their vectors, each made from its whole sentence, are similar enough.

    The options are those of :class:`SimilarityMatcher`, and the words match by the same rules.

    The parts of the vectors are rounded to multiples of 2⁻¹⁴ (:data:`VECTOR_GRID`). A product of two vectors is then a
    sum of whole numbers, which is the same in every order: both engines get the same similarities.

    Class attributes:
        longest_sentence: words beyond which a segment is refused. Its vectors would take too much memory.
    """

    longest_sentence: ClassVar[int] = 8192

    @abstractmethod
    def encode(self, sentences: Sequence[Sequence[Token]]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return a vector of length 1 for each token of some sentences; a vector of zeros matches nothing.

        A sentence's vectors do not depend on the sentences that it is encoded with: scores must not depend on how
        segments were grouped. A network gives other last digits for other shapes of its input. Give it one sentence at
        a time, or always the same shape.

        A chunk of segments asks once, for its distinct sentences that are not remembered. Several threads may ask at
        once.

        Args:
            sentences: distinct sentences, each the tokens of a segment after normalization, never none.

        Returns:
            The rows, ``(tokens of all sentences, dimension)``, sentence by sentence; and the offsets,
            ``(len(sentences) + 1,)``: the rows of sentence ``k`` are ``rows[offsets[k] : offsets[k + 1]]``.
        """

    def sentence_rows(self, sentences: Sequence[tuple[Token, ...]]) -> list[NDArray[np.int16]]:
        """Return the rounded vectors of distinct sentences, times :data:`VECTOR_GRID`.

        What is remembered is not encoded again. :meth:`encode` is asked in parts of
        at most :data:`ENCODED_WORDS` words.

        Raises:
            TypeError: if :meth:`encode` does not return one row per token.
            ValueError: if a row is not finite, or longer than 1, or rows differ in dimension.
        """
        cache = self.memory
        # Other threads may empty it at any time, so each item is taken from it once and kept.
        found = {sentence: rows for sentence in sentences if (rows := cache.get(sentence)) is not None}
        part: list[tuple[Token, ...]] = []
        words = 0
        for sentence in sentences:
            if sentence in found:
                continue
            if part and words + len(sentence) > ENCODED_WORDS:
                found.update(self._encoded(part))
                part, words = [], 0
            part.append(sentence)
            words += len(sentence)
        if part:
            found.update(self._encoded(part))
        dimensions = sorted({rows.shape[1] for rows in found.values()})
        if len(dimensions) > 1:
            raise ValueError(
                f"{type(self).__name__}.encode returned rows of {dimensions[0]} and {dimensions[-1]} dimensions"
            )
        return [found[sentence] for sentence in sentences]

    @property
    def memory(self) -> SentenceMemory:
        """The vectors that are remembered. Matchers with the same vectors may share one: override this."""
        memory: SentenceMemory = self.__dict__.setdefault("_memory", SentenceMemory())
        return memory

    def too_long(self, words: int) -> InputError:
        """Return the error for a segment of more words than :attr:`longest_sentence`."""
        return InputError(
            f"a segment of {words} words is too long for matcher {self.name!r}, which takes {self.longest_sentence}; "
            "split the segment"
        )

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose every similar pair: by reference word, then by hypothesis word."""
        longest = max(len(hypothesis), len(reference))
        if hypothesis and reference and longest > self.longest_sentence:
            raise self.too_long(longest)
        yield from super().match(hypothesis, reference)

    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.float64]:
        (rows,) = self.sentence_rows([tuple(tokens)])
        scaled: NDArray[np.float64] = rows / VECTOR_GRID
        return scaled

    def _encoded(self, sentences: list[tuple[Token, ...]]) -> dict[tuple[Token, ...], NDArray[np.int16]]:
        """Encode sentences, and remember their rows."""
        import numpy as np

        rows, offsets = self.encode(sentences)
        spans = list(pairwise(map(int, offsets)))
        lengths = [len(sentence) for sentence in sentences]
        if (
            rows.ndim != 2
            or [end - start for start, end in spans] != lengths
            or sum(lengths) != len(rows)
            or spans[0][0]
        ):
            raise TypeError(
                f"{type(self).__name__}.encode returned rows of shape {rows.shape} in {len(spans)} parts for "
                f"{len(sentences)} sentences with {sum(lengths)} tokens; it must return one row per token"
            )
        # Not "any row is longer": of what is not a number, nothing is larger.
        if not (np.square(rows, dtype=np.float64).sum(axis=1) <= 1.01).all():
            raise ValueError(f"{type(self).__name__}.encode returned rows that are not finite, or longer than 1")
        rounded = np.rint(rows.astype(np.float64) * VECTOR_GRID).astype(np.int16)
        # Copies: a view would keep all sentences in memory.
        found = {sentence: rounded[start:end].copy() for sentence, (start, end) in zip(sentences, spans, strict=True)}
        self.memory.remember(found)
        return found


def _products(left: NDArray[np.floating[Any]], right: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
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

    @property
    @abstractmethod
    def table(self) -> PhraseTable | None:
        """The phrase table; ``None`` matches nothing."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose the table's pairs, first from the reference's phrases, then from the hypothesis's."""
        table = self.table
        if table is None:
            return
        sides = self._phrases(table, reference), self._phrases(table, hypothesis)
        for turned, (phrases, others) in enumerate((sides, sides[::-1])):
            places: dict[int, list[tuple[int, int]]] = {}
            for start, length, node in others:
                places.setdefault(node, []).append((start, length))
            for start, length, node in phrases:
                paired = table.paraphrases(node)
                # Most phrases have no pair on the other side.
                for other in () if places.keys().isdisjoint(paired) else paired:
                    for other_start, other_length in places.get(other, ()):
                        if turned:
                            yield Match(other_start, start, other_length, length)
                        else:
                            yield Match(start, other_start, length, other_length)

    def _phrases(self, table: PhraseTable, tokens: Sequence[Token]) -> list[tuple[int, int, int]]:
        """Return ``(start, length, node)`` of each phrase of the table in a segment."""
        ids = [table.word_id(token.form) for token in tokens]
        return [
            (start, length, node)
            for start, word in enumerate(ids)
            if word >= 0
            for length, node in table.phrases_at(ids, start)
        ]
