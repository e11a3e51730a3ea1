"""A native core together with what Python keeps about its word types."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Match, OverlapMatcher, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import guarded
from meteor_e.base.lowercase import lowercase
from meteor_e.engine import candidates
from meteor_e.engine.native_plan import PlannedMatcher

if TYPE_CHECKING:
    from meteor_e._native import Batch, Core


@dataclass
class CoreSession:
    """A core and its vocabulary: the distinct words seen so far, each with its features.

    Python computes the features of a word type once, when a batch contains it for the first time.

    Args:
        core: the core.
        plan: the chain.
        function_words: the language's function words, in lower case.
        word_units: what a word counts; ``None`` if every word counts 1.
        keep_tokens: keep the token of each word type, because a matcher is asked for pairs or sentences.
    """

    core: Core
    plan: Sequence[PlannedMatcher]
    function_words: Collection[str]
    word_units: Callable[[str], int] | None
    keep_tokens: bool
    _key_ids: defaultdict[int, dict[Hashable, int]] = field(default_factory=lambda: defaultdict(dict))
    """Ids of the keys of each matcher, by the matcher's index in the chain."""
    _tokens: list[Token] = field(default_factory=list)
    """The token of each word type, if they are kept."""
    _dimensions: dict[int, int] = field(default_factory=dict)
    """Dimension of the vectors of each similarity matcher, by the matcher's index in the chain."""
    _type_ids: dict[Token, int] = field(default_factory=dict)
    """Id of each word type, in a chain where a token depends on its sentence."""

    def type_ids(self, segments: Sequence[Sequence[Token]]) -> list[list[int]]:
        """Return the word types of tokenized segments; tokens that are new become word types."""
        type_ids, known_count = self._type_ids, len(self._type_ids)
        segment_types = [[type_ids.setdefault(token, len(type_ids)) for token in tokens] for tokens in segments]
        new_tokens = list(islice(type_ids, known_count, None))
        if new_tokens:
            self.core.add_types([token.form for token in new_tokens])
            self.describe(new_tokens)
        return segment_types

    def describe(self, tokens: Sequence[Token]) -> None:
        """Compute the features of new word types and pass them to the core."""
        features: list[Any] = []
        for index, planned in enumerate(self.plan):
            with guarded(f"matcher {planned.matcher.name!r}"):
                features.append(self._features(index, planned, tokens))
        if self.keep_tokens:
            self._tokens.extend(tokens)
        word_units = self.word_units
        units = None if word_units is None else array("I", [word_units(token.form) for token in tokens]).tobytes()
        is_function_word = bytes([lowercase(token.form) in self.function_words for token in tokens])
        self.core.describe(is_function_word, features, units)

    def _features(self, index: int, planned: PlannedMatcher, tokens: Sequence[Token]) -> Any:
        """Ask a matcher for the features of new word types; ``None`` if the core computes them itself."""
        matcher = planned.matcher
        if planned.family == "strings":
            return [matcher.stem(token) for token in tokens]  # type: ignore[attr-defined]
        if planned.family == "keys":
            assert isinstance(matcher, KeyMatcher)
            return [self._ids_of_keys(index, matcher.distinct_keys(token)) for token in tokens]
        if planned.family == "ngrams":
            return [matcher.lowercase_form(token) for token in tokens]  # type: ignore[attr-defined]
        if planned.family == "overlap":
            assert isinstance(matcher, OverlapMatcher)
            return [self._ids_of_keys(index, matcher.distinct_pieces(token)) for token in tokens]
        if planned.family == "similarity":
            assert isinstance(matcher, SimilarityMatcher)
            rows = matcher.checked_vectors(tokens)
            dimension = self._dimensions.setdefault(index, rows.shape[1])
            if rows.shape[1] != dimension:
                raise ValueError(f"vectors had {dimension} dimensions before, and now have {rows.shape[1]}")
            return rows
        return None

    def _ids_of_keys(self, index: int, keys: Collection[Hashable]) -> list[int]:
        ids = self._key_ids[index]
        return [ids.setdefault(key, len(ids)) for key in keys]

    def encode(self, encoders: Sequence[PlannedMatcher], batch: Batch) -> None:
        """Pass the vectors of the batch's distinct sentences to the core, except for sentences that are too long."""
        tokens = self._tokens
        sentences = [tuple(tokens[type_id] for type_id in batch.types(first)) for first in batch.number_sentences()]
        rows_by_encoder: dict[tuple[int, int], Sequence[Any]] = {}
        for planned in encoders:
            matcher = planned.matcher
            assert isinstance(matcher, ContextualMatcher)
            indexes = [index for index, words in enumerate(sentences) if len(words) <= matcher.longest_sentence]
            # Several matchers with different bounds may share the memory of one encoder.
            encoder = id(matcher.memory), matcher.longest_sentence
            if encoder not in rows_by_encoder:
                with guarded(f"matcher {matcher.name!r}"):
                    rows_by_encoder[encoder] = matcher.sentence_rows([sentences[index] for index in indexes])
            for index, rows in zip(indexes, rows_by_encoder[encoder], strict=True):
                batch.give_rows(planned.column, index, rows)

    def propose(
        self, proposers: Sequence[tuple[int, PlannedMatcher]], batch: Batch, reference_starts: Sequence[int]
    ) -> None:
        """Ask the matchers that work in Python for the matches of every pair of segments, in chain order.

        If both segments are equal, only the first matcher of the chain is asked.

        Args:
            proposers: the matchers, each with its index in the chain.
            batch: the paired segments.
            reference_starts: for each hypothesis the index of its first reference, and the number of references.
        """
        tokens = self._tokens
        hypothesis_count = len(reference_starts) - 1
        for hypothesis in range(hypothesis_count):
            if batch.original(hypothesis) != hypothesis:
                continue
            hypothesis_types = batch.types(hypothesis)
            hypothesis_tokens = [tokens[type_id] for type_id in hypothesis_types]
            for reference in range(reference_starts[hypothesis], reference_starts[hypothesis + 1]):
                reference_types = batch.types(hypothesis_count + reference)
                reference_tokens = [tokens[type_id] for type_id in reference_types]
                for index, planned in proposers:
                    if index and hypothesis_types == reference_types:
                        break
                    with guarded(f"matcher {planned.matcher.name!r}"):
                        proposals = islice(
                            planned.matcher.match(hypothesis_tokens, reference_tokens), candidates.MAX_CANDIDATES + 1
                        )
                        # Unpacked as in the Python engine, so that both report the same error for a wrong item.
                        matches = [Match(j, i, length, width, p) for j, i, length, width, p in proposals]
                        batch.propose(reference, planned.column, matches)
