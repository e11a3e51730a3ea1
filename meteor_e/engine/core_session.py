"""Run a session with the C++ core. Word types and their features are kept from one batch to the next."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.matchers import Match, Matcher, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import plugin_errors
from meteor_e.base.lowercase import lowercase
from meteor_e.engine import candidates
from meteor_e.engine.native_plan import PlannedMatcher

if TYPE_CHECKING:
    from meteor_e._native import Batch, Core


@dataclass
class CoreSession:
    """An instance of the C++ core, and the vocabulary of the words that all previous batches contain.

    The features of a word type are computed in Python when the word occurs for the first time.

    Args:
        core: the native core.
        plan: the chain.
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units that a word counts; ``None`` if every word counts 1.
        keep_tokens: keep the token of each word type, because a matcher in Python needs tokens.
    """

    core: Core
    plan: Sequence[PlannedMatcher]
    function_words: Collection[str]
    word_units: Callable[[str], int] | None
    keep_tokens: bool
    _key_ids: defaultdict[int, dict[Hashable, int]] = field(default_factory=lambda: defaultdict(dict))
    """Ids of the keys of each matcher, by the matcher's index in the chain."""
    _tokens: list[Token] = field(default_factory=list)
    """Token of each word type; empty unless ``keep_tokens`` is set."""
    _dimensions: dict[int, int] = field(default_factory=dict)
    """Dimension of the vectors of each similarity matcher, by the matcher's index in the chain."""
    _type_ids: dict[Token, int] = field(default_factory=dict)
    """Id of each word type, in a chain where a token depends on its sentence."""

    def type_ids(self, segments: Sequence[Sequence[Token]]) -> list[list[int]]:
        """Convert the tokens of segments to ids. New tokens are added to the vocabulary."""
        type_ids = self._type_ids
        new_tokens: list[Token] = []
        for tokens in segments:
            for token in tokens:
                if token not in type_ids:
                    type_ids[token] = len(type_ids)
                    new_tokens.append(token)
        if new_tokens:
            self.core.add_types([token.form for token in new_tokens])
            self.describe(new_tokens)
        return [[type_ids[token] for token in tokens] for tokens in segments]

    def describe(self, tokens: Sequence[Token]) -> None:
        """Compute the features of words that have not occurred before, and pass the features to the C++ core."""
        features: list[Any] = []
        for index, planned in enumerate(self.plan):
            with plugin_errors(f"matcher {planned.matcher.name!r}"):
                features.append(self._compute_features(index, planned, tokens))
        if self.keep_tokens:
            self._tokens.extend(tokens)
        units: bytes | None = None
        if self.word_units is not None:
            units = array("I", [self.word_units(token.form) for token in tokens]).tobytes()
        is_function_word = bytes([lowercase(token.form) in self.function_words for token in tokens])
        self.core.describe(is_function_word, features, units)

    def _compute_features(self, index: int, planned: PlannedMatcher, tokens: Sequence[Token]) -> Any:
        """Compute a matcher's features of new word types, or return ``None`` if the C++ core computes them.

        Args:
            index: index of the matcher in the chain.
            planned: the matcher.
            tokens: the tokens of the word types.
        """
        matcher: Any = planned.matcher  # The class of the matcher depends on the family.
        match planned.family:
            case "strings":
                return [matcher.stem(token) for token in tokens]
            case "keys":
                return [self._to_key_ids(index, matcher.distinct_keys(token)) for token in tokens]
            case "ngrams":
                return [matcher.lowercase_form(token) for token in tokens]
            case "overlap":
                return [self._to_key_ids(index, matcher.distinct_pieces(token)) for token in tokens]
            case "similarity":
                return self._compute_vectors(index, matcher, tokens)
            case _:
                return None

    def _compute_vectors(self, index: int, matcher: SimilarityMatcher, tokens: Sequence[Token]) -> Any:
        """Return the vectors of tokens. Raise an error if their dimension differs from previous batches.

        Args:
            index: index of the matcher in the chain.
            matcher: the matcher.
            tokens: the tokens.
        """
        rows = matcher.compute_vectors(tokens)
        dimension = rows.shape[1]
        previous_dimension = self._dimensions.setdefault(index, dimension)
        if dimension != previous_dimension:
            raise ValueError(f"vectors had {previous_dimension} dimensions before, and now have {dimension}")
        return rows

    def _to_key_ids(self, index: int, keys: Collection[Hashable]) -> list[int]:
        """Convert the keys of a matcher to integer ids. New keys get the next free ids."""
        ids = self._key_ids[index]
        return [ids.setdefault(key, len(ids)) for key in keys]

    def encode(self, encoders: Sequence[PlannedMatcher], batch: Batch) -> None:
        """Encode the distinct sentences of a batch, and pass the vectors to the C++ core.

        Sentences that are too long for an encoder are skipped.
        """
        # For each distinct sentence, the C++ core returns the index of one segment that contains this sentence.
        sentences = [tuple(self._list_tokens(batch.types(segment))) for segment in batch.number_sentences()]
        for matchers in _group_by_encoder(encoders):
            rows_by_sentence = _encode_sentences(matchers[0].matcher, sentences)
            for planned in matchers:
                for sentence_index, rows in rows_by_sentence.items():
                    batch.give_rows(planned.column, sentence_index, rows)

    def propose(self, proposers: Sequence[PlannedMatcher], batch: Batch, reference_starts: Sequence[int]) -> None:
        """Call the matchers that run in Python for each pair of segments, and pass their matches to the C++ core.

        If the hypothesis and the reference are equal, only the first matcher of the chain is used.

        Args:
            proposers: the matchers that run in Python.
            batch: the paired segments.
            reference_starts: for each hypothesis the index of its first reference, and at the end the number of
                references.
        """
        first_matcher = self.plan[0]
        for pair in _read_pairs(batch, reference_starts):
            hypothesis = self._list_tokens(pair.hypothesis_type_ids)
            reference = self._list_tokens(pair.reference_type_ids)
            has_equal_segments = pair.hypothesis_type_ids == pair.reference_type_ids
            for planned in proposers:
                if planned is first_matcher or not has_equal_segments:
                    matches = _list_matches(planned.matcher, hypothesis, reference)
                    batch.propose(pair.reference_index, planned.column, matches)

    def _list_tokens(self, type_ids: Sequence[int]) -> list[Token]:
        """Return the tokens of word types."""
        tokens = self._tokens
        return [tokens[type_id] for type_id in type_ids]


class _TypePair(NamedTuple):
    """Store the word types of a hypothesis and a reference.

    Attributes:
        reference_index: index of the reference among all references of the batch.
        hypothesis_type_ids: the ids of the hypothesis's word types.
        reference_type_ids: the ids of the reference's word types.
    """

    reference_index: int
    hypothesis_type_ids: list[int]
    reference_type_ids: list[int]


def _read_pairs(batch: Batch, reference_starts: Sequence[int]) -> Iterator[_TypePair]:
    """Yield the distinct pairs of a hypothesis and one of its references. See :meth:`CoreSession.propose`."""
    hypothesis_count = len(reference_starts) - 1
    for hypothesis in range(hypothesis_count):
        # The C++ core computes the result of equal segments only once.
        if batch.original(hypothesis) == hypothesis:
            hypothesis_type_ids = batch.types(hypothesis)
            for reference in range(reference_starts[hypothesis], reference_starts[hypothesis + 1]):
                # The batch contains all hypotheses, followed by all references.
                yield _TypePair(reference, hypothesis_type_ids, batch.types(hypothesis_count + reference))


def _group_by_encoder(encoders: Sequence[PlannedMatcher]) -> list[list[PlannedMatcher]]:
    """Group matchers that compute the same vectors, so that each sentence is encoded once per group."""
    groups: defaultdict[Hashable, list[PlannedMatcher]] = defaultdict(list)
    for planned in encoders:
        matcher: Any = planned.matcher
        # Matchers with the same encoder share a cache, but may have different limits on the sentence length.
        groups[id(matcher.memory), matcher.longest_sentence].append(planned)
    return list(groups.values())


def _encode_sentences(matcher: Any, sentences: Sequence[tuple[Token, ...]]) -> dict[int, Any]:
    """Return a dictionary from sentence indexes to vectors, without sentences that are too long for a matcher."""
    limit = matcher.longest_sentence
    short_sentences = {index: sentence for index, sentence in enumerate(sentences) if len(sentence) <= limit}
    with plugin_errors(f"matcher {matcher.name!r}"):
        rows = matcher.sentence_rows(list(short_sentences.values()))
    return dict(zip(short_sentences, rows, strict=True))


def _list_matches(matcher: Matcher, hypothesis: Sequence[Token], reference: Sequence[Token]) -> list[Match]:
    """Return the matches that a matcher proposes for a pair of segments.

    At most :data:`~meteor_e.engine.candidates.MAX_CANDIDATES` + 1 matches are returned. The C++ core reports an error
    if the limit is exceeded.
    """
    matches = []
    with plugin_errors(f"matcher {matcher.name!r}"):
        proposals = islice(matcher.match(hypothesis, reference), candidates.MAX_CANDIDATES + 1)
        # The Python engine unpacks matches in the same way, so both engines report the same error for an invalid match.
        for j, i, reference_length, hypothesis_length, probability in proposals:
            matches.append(Match(j, i, reference_length, hypothesis_length, probability))
    return matches
