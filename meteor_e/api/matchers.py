"""The base classes of matchers.

A matcher proposes candidate matches between words or phrases of a hypothesis and of a reference. The alignment search
then selects some of the candidates. Most matchers belong to one of the following families, and all others derive from
:class:`Matcher`:

- :class:`KeyMatcher`: two words match if they share a key, such as a stem, a synset or a phonetic code.
- :class:`OverlapMatcher`: two words match partly if they share pieces, such as character n-grams.
- :class:`SimilarityMatcher`: two words match if their vectors are similar.
- :class:`ContextualMatcher`: two words match if their vectors, which depend on the sentence, are similar.
- :class:`PhraseMatcher`: two phrases match if a table pairs them.

A minimal plugin::

    class Soundex(KeyMatcher):
        \"\"\"Words that sound alike match.\"\"\"

        name = "soundex"

        def keys(self, token):
            return {soundex(token.form)}

A matcher defines its options in a subclass of :class:`ComponentOptions`. A YAML chain sets the options next to ``use``
and ``weight``. A matcher that needs the language or its resources overrides :meth:`Matcher.from_options`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.component import Component
from meteor_e.api.context import PhraseTable
from meteor_e.api.tokens import Token
from meteor_e.base.bounded_cache import BoundedCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


CACHE_LIMIT = 1 << 17
"""Number of distinct tokens whose keys or vectors a matcher caches. The cache is cleared when it is full."""


class Match(NamedTuple):
    """A match that a matcher proposes. Positions are indexes of words, counted from 0.

    Attributes:
        reference_start: position of the first word in the reference.
        hypothesis_start: position of the first word in the hypothesis.
        reference_length, hypothesis_length: number of words, at least 1.
        probability: confidence of the matcher, in [0, 1]. It affects the score only if the matcher is graded.
    """

    reference_start: int
    hypothesis_start: int
    reference_length: int = 1
    hypothesis_length: int = 1
    probability: float = 1.0


class Matcher(Component):
    """Base class of all matchers. A direct subclass defines the method :meth:`match`.

    Several threads may use an instance at once. Instances must be picklable, so that METEOR can be sent to other
    processes.

    The class attributes of :class:`Component` are inherited.

    Class attributes
    ----------------
    default_weight : float
        Weight in the score, in [0, 1], if neither the chain nor the language defines a weight.
    search_weight : float
        Weight of a matched word in the alignment search; 1 for exact matches.
    accuracy_search_weight : float
        Weight in the alignment search in the maximum-accuracy mode.
    graded : bool
        Whether the contribution of a match to the score is multiplied by its probability.
    needs_lemmas : bool
        Whether the matcher requires a lemmatizer in the chain. ``__init__`` may set this attribute.
    needs_tags : bool
        Whether the matcher requires a lemmatizer that returns tags. ``__init__`` may set this attribute.
    core_family
        Name of a built-in matcher's implementation in the native core. Subclasses do not inherit it.
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
        """Propose matches between the words of a hypothesis and of a reference.

        The alignment search tries the candidates of each reference word in the order of the returned matches.
        Therefore, the order can affect the alignment.
        """


class KeyMatcher(Matcher):
    """Base class of matchers in which two words match if they have a key in common.

    By default, pairs of equal words are left to the exact matcher. Set ``match_equal_words`` to propose these pairs,
    too.
    """

    match_equal_words: ClassVar[bool] = False

    identity: Callable[[str], Hashable] = str
    """Function whose results are compared to decide whether two words are equal; by default, the words themselves."""

    _key_cache = cached_property(
        lambda self: BoundedCache[Token, tuple[Hashable, ...]](CACHE_LIMIT, self.distinct_keys)
    )

    @abstractmethod
    def keys(self, token: Token) -> Collection[Hashable]:
        """Return the keys of a token. A token without keys does not match. Results are cached."""

    def compare_words_by(self, identity: Callable[[str], Hashable]) -> None:
        """Set the function that decides whether words are equal, and clear the cache of keys.

        Args:
            identity: function that returns the same value for words that count as equal.
        """
        self.identity = identity
        self._key_cache.clear()

    def distinct_keys(self, token: Token) -> tuple[Hashable, ...]:
        """Return the distinct keys of a token.

        Raises:
            TypeError: if :meth:`keys` returned a string.
        """
        keys = self.keys(token)
        if isinstance(keys, str):
            raise TypeError(f"{type(self).__name__}.keys returned a string; it must return a set of keys")
        return tuple(dict.fromkeys(keys))

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose all pairs of words that share a key, ordered by reference word and then by hypothesis word."""
        positions_by_key: dict[Hashable, list[int]] = {}
        identity = self.identity
        for i, token in enumerate(hypothesis):
            for key in self._key_cache[token]:
                positions_by_key.setdefault(key, []).append(i)
        for j, token in enumerate(reference):
            position_lists = [positions_by_key[key] for key in self._key_cache[token] if key in positions_by_key]
            for i in _merge_positions(position_lists):
                if self.match_equal_words or identity(hypothesis[i].form) != identity(token.form):
                    yield Match(j, i)


def _merge_positions(position_lists: Sequence[Sequence[int]]) -> Sequence[int]:
    """Merge sorted lists of positions into one sorted list without duplicates."""
    if not position_lists:
        return ()
    if len(position_lists) == 1:
        return position_lists[0]
    return sorted(set[int]().union(*position_lists))


class _SimilarPair(NamedTuple):
    """A pair of similar words. Pairs are sorted by decreasing similarity, and then by increasing distance.

    Attributes:
        negative_similarity: similarity of the words, multiplied by -1.
        distance: difference of the relative positions of the words, multiplied by the lengths of both segments.
        reference_position: position of the word in the reference.
        hypothesis_position: position of the word in the hypothesis.
    """

    negative_similarity: float
    distance: int
    reference_position: int
    hypothesis_position: int


class OverlapMatcher(Matcher):
    """Base class of matchers in which two words match partly if they share pieces, such as character n-grams.

    The similarity of two words is the Dice coefficient of their pieces, ``2·|A∩B| / (|A| + |B|)``. Repeated pieces
    are counted as often as they occur. Words that occur in both segments are ignored, because the exact matcher matches
    them. The matcher proposes at most one match for each word. It selects the most similar pairs first and, among
    equally similar pairs, those with the closest relative positions.

    A match contributes to the score in proportion to its similarity. Two words match only if their similarity is at
    least ``threshold``.
    """

    graded: ClassVar[bool] = True
    search_weight: ClassVar[float] = 0.25
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:OverlapOptions"

    _piece_cache = cached_property(
        lambda self: BoundedCache[Token, frozenset[tuple[Hashable, int]]](CACHE_LIMIT, self.distinct_pieces)
    )

    @abstractmethod
    def pieces(self, token: Token) -> Iterable[Hashable]:
        """Return all pieces of a token, including repetitions. The matcher ignores tokens without pieces.

        Results are cached.
        """

    def distinct_pieces(self, token: Token) -> frozenset[tuple[Hashable, int]]:
        """Return a pair ``(piece, count)`` for each piece of a token.

        A piece is a part of a word, such as a character n-gram. The count is the number of earlier occurrences of the
        piece in the token. For example, the letters of "dad" give the pairs ``("d", 0)``, ``("a", 0)`` and
        ``("d", 1)``.
        """
        counts: Counter[Hashable] = Counter()
        numbered_pieces = []
        for piece in self.pieces(token):
            numbered_pieces.append((piece, counts[piece]))
            counts[piece] += 1
        return frozenset(numbered_pieces)

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose pairs of words, from the most to the least similar. Each word occurs in at most one pair."""
        matched_hypothesis_words: set[int] = set()
        matched_reference_words: set[int] = set()
        for negative_similarity, _, j, i in sorted(self._compare_words(hypothesis, reference)):
            if i not in matched_hypothesis_words and j not in matched_reference_words:
                matched_hypothesis_words.add(i)
                matched_reference_words.add(j)
                yield Match(j, i, probability=-negative_similarity)

    def _compare_words(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> list[_SimilarPair]:
        """Return all pairs of a hypothesis word and a reference word whose similarity reaches the threshold.

        Words that occur in both segments are left out.
        """
        common_forms = {token.form for token in hypothesis} & {token.form for token in reference}
        hypothesis_words = [(i, token) for i, token in enumerate(hypothesis) if token.form not in common_forms]
        reference_words = [(j, token) for j, token in enumerate(reference) if token.form not in common_forms]
        pairs = []
        for j, reference_token in reference_words:
            for i, hypothesis_token in hypothesis_words:
                similarity = self._similarity(hypothesis_token, reference_token)
                if similarity > 0 and similarity >= self.options.threshold:
                    # The relative positions i / len(hypothesis) and j / len(reference) are compared without division.
                    distance = abs(j * len(hypothesis) - i * len(reference))
                    pairs.append(_SimilarPair(-similarity, distance, j, i))
        return pairs

    def _similarity(self, hypothesis_token: Token, reference_token: Token) -> float:
        """Return the Dice coefficient of the pieces of two words. It is 0 for words without pieces."""
        hypothesis_pieces = self._piece_cache[hypothesis_token]
        reference_pieces = self._piece_cache[reference_token]
        shared_count = len(reference_pieces & hypothesis_pieces)
        if shared_count == 0:
            return 0.0
        return 2.0 * shared_count / (len(reference_pieces) + len(hypothesis_pieces))


class VectorMatcher(Matcher):
    """Base class of matchers that compare vectors of words."""

    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:SimilarityOptions"

    @abstractmethod
    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.floating[Any]]:
        """Return the vectors of a segment's tokens, from the cache if possible."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose all pairs of similar words, ordered by reference word and then by hypothesis word."""
        if not hypothesis or not reference:
            return
        hypothesis_vectors = self._rows(hypothesis)  # (hypothesis words, dimension)
        reference_vectors = self._rows(reference)  # (reference words, dimension)
        similarities = (1 + _multiply_rows(reference_vectors, hypothesis_vectors)) / 2
        is_similar = self._select_similar(similarities, reference_vectors, hypothesis_vectors)
        is_equal = _compare_forms(reference, hypothesis)
        # Equal words match even without vectors, unless the option ``below`` selects words that are less similar.
        is_match = is_similar | is_equal if self.options.below is None else is_similar & ~is_equal
        for j, i in zip(*is_match.nonzero(), strict=True):
            # Rounded vectors can be slightly longer than 1, but a probability must not exceed 1.
            probability = 1.0 if is_equal[j, i] else min(1.0, float(similarities[j, i]))
            yield Match(int(j), int(i), probability=probability)

    def _select_similar(
        self,
        similarities: NDArray[np.float64],
        reference_vectors: NDArray[np.floating[Any]],
        hypothesis_vectors: NDArray[np.floating[Any]],
    ) -> NDArray[np.bool_]:
        """Return a Boolean matrix that is true if two words are similar and both words have vectors.

        The matrix has the shape ``(reference words, hypothesis words)``. Similar words have a similarity between
        ``threshold`` (inclusive) and ``below`` (exclusive). A vector of zeros means that the word does not have a
        vector.
        """
        import numpy as np

        is_similar: NDArray[np.bool_] = similarities >= self.options.threshold
        if self.options.below is not None:
            is_similar &= similarities < self.options.below
        have_vectors = np.logical_and.outer(reference_vectors.any(axis=1), hypothesis_vectors.any(axis=1))
        return is_similar & have_vectors


class SimilarityMatcher(VectorMatcher):
    """Base class of matchers in which two words match if their vectors are similar.

    The similarity is (1 + cosine)/2, and the option ``threshold`` is its minimum. Equal words match with probability 1,
    even if they do not have vectors. The vector of a word must not depend on the sentence. For vectors that depend on
    the sentence, use :class:`ContextualMatcher`.

    The options of the matcher are ``threshold`` and ``below``. A subclass with additional options derives its class of
    options from :class:`SimilarityOptions`.
    """

    _row_cache = cached_property(lambda self: BoundedCache[Token, "NDArray[np.float32]"](CACHE_LIMIT))

    @abstractmethod
    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return a unit vector for each token. The shape is ``(len(tokens), dimension)``. Results are cached.

        If a token does not have a vector, its row consists of zeros. Such a token only matches equal tokens.
        """

    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of a segment's tokens. Vectors that are not in the cache are computed."""
        import numpy as np

        row_by_token = self._row_cache.get_or_make_items(tokens, self.compute_vectors)
        return np.stack([row_by_token[token] for token in tokens])

    def compute_vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Call :meth:`vectors`, and check the shape of the result.

        Raises:
            TypeError: if the result is not an array with one row per token.
        """
        rows = self.vectors(tokens)
        if rows.ndim != 2 or len(rows) != len(tokens):
            raise TypeError(
                f"{type(self).__name__}.vectors returned an array of shape {rows.shape} for {len(tokens)} "
                "tokens; it must return one row per token"
            )
        return rows


def _compare_forms(reference: Sequence[Token], hypothesis: Sequence[Token]) -> NDArray[np.bool_]:
    """Return a matrix of shape ``(reference words, hypothesis words)`` that is true if the two words are equal."""
    import numpy as np

    return np.array([[word.form == other_word.form for other_word in hypothesis] for word in reference])


def _multiply_rows(left: NDArray[np.floating[Any]], right: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the dot product of each row of ``left`` with each row of ``right``.

    The products of coordinates are added in the order of the dimensions. A matrix product of NumPy cannot be used,
    because the order of its additions depends on the shapes of the matrices. The same pair of words could then reach
    the threshold in one sentence and miss it in another. Products of single-precision numbers are exact in double
    precision.
    """
    import numpy as np

    left_columns = left.T.astype(np.float64)  # (dimension, left rows)
    right_columns = np.ascontiguousarray(right.T, dtype=np.float64)  # (dimension, right rows)
    products = np.zeros((len(left), len(right)))
    for left_column, right_column in zip(left_columns, right_columns, strict=True):
        products += left_column[:, None] * right_column
    return products


class _Phrase(NamedTuple):
    """A phrase of a segment.

    Attributes:
        start: position of the first word.
        length: number of words.
        node: node that represents the phrase in the phrase table.
    """

    start: int
    length: int
    node: int


class PhraseMatcher(Matcher):
    """Base class of matchers in which two phrases match if a table contains the pair.

    Pairs are looked up in both directions. As in METEOR 1.5, a pair that the table contains in both directions is
    proposed twice.
    """

    accuracy_search_weight: ClassVar[float] = 0.0

    @property
    @abstractmethod
    def table(self) -> PhraseTable | None:
        """The phrase table, or ``None`` to match nothing."""

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose all pairs of phrases that the table contains.

        The matcher looks up the paraphrases of the reference phrases before the paraphrases of the hypothesis phrases.
        """
        table = self.table
        if table is None:
            return
        reference_phrases = _find_phrases(table, reference)
        hypothesis_phrases = _find_phrases(table, hypothesis)
        for in_reference, in_hypothesis in _find_paraphrases(table, reference_phrases, hypothesis_phrases):
            yield Match(in_reference.start, in_hypothesis.start, in_reference.length, in_hypothesis.length)
        for in_hypothesis, in_reference in _find_paraphrases(table, hypothesis_phrases, reference_phrases):
            yield Match(in_reference.start, in_hypothesis.start, in_reference.length, in_hypothesis.length)


def _find_phrases(table: PhraseTable, tokens: Sequence[Token]) -> list[_Phrase]:
    """Find all phrases of a segment that occur in a phrase table."""
    word_ids = [table.word_id(token.form) for token in tokens]
    phrases = []
    for start, word_id in enumerate(word_ids):
        if word_id >= 0:
            phrases += [_Phrase(start, length, node) for length, node in table.phrases_at(word_ids, start)]
    return phrases


def _find_paraphrases(
    table: PhraseTable, phrases: Sequence[_Phrase], other_phrases: Sequence[_Phrase]
) -> Iterator[tuple[_Phrase, _Phrase]]:
    """Find pairs of paraphrases between two segments.

    Args:
        table: the phrase table.
        phrases: phrases of the first segment that the table contains.
        other_phrases: phrases of the second segment that the table contains.

    Yields:
        Pairs of a phrase of the first segment and its paraphrase in the second segment.
    """
    other_phrases_by_node: dict[int, list[_Phrase]] = {}
    for other_phrase in other_phrases:
        other_phrases_by_node.setdefault(other_phrase.node, []).append(other_phrase)
    for phrase in phrases:
        paraphrase_nodes = table.paraphrases(phrase.node)
        # This test quickly skips the many phrases without a paraphrase in the other segment.
        if other_phrases_by_node.keys().isdisjoint(paraphrase_nodes):
            continue
        for node in paraphrase_nodes:
            for other_phrase in other_phrases_by_node.get(node, ()):
                yield phrase, other_phrase
