"""The neural networks of MaxSD (Ma et al., 2016), which encode sentences by a Bi-LSTM or a BiC-LSTM.

Each direction of a Bi-LSTM is implemented as a separate LSTM. The backward LSTM reads the words in reverse order.
Therefore, padding always follows the words, and a score does not depend on the other sentences of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Words = NDArray[np.int64]


class WordTable:
    """A vocabulary with word vectors. Row 0 of the table is a zero vector for all unknown words.

    Args:
        words: the words of the vocabulary.
        table: the vectors of the words, ``(words, dimension)``.
    """

    def __init__(self, words: Sequence[str], table: NDArray[np.float32]) -> None:
        self.words = list(words)
        self.table = np.vstack([np.zeros((1, table.shape[1]), np.float32), np.asarray(table, np.float32)])
        self._rows = {word: row for row, word in enumerate(self.words, 1)}

    def rows(self, words: Sequence[str]) -> Words:
        """Return the row of each word in the table. The row of an unknown word is 0."""
        return np.array([self._rows.get(word, 0) for word in words], np.int64)


class SimilarityNetwork(nn.Module):
    """A network that computes the similarity of hypotheses to their references.

    The network implements equations 6 and 7 of the paper, except for the last sigmoid function of equation 7.

    Args:
        kind: the encoder, ``bi-lstm`` or ``bic-lstm``.
        table: the word vectors, ``(words, dimension)``.
        features: the number of metric scores of a hypothesis.
        hidden: the size of the state of each LSTM.
        layer: the size of the layer that compares two sentences (V and W in equation 2).
        trainable: whether the word vectors are trained, too.
    """

    def __init__(
        self, kind: str, table: Tensor, features: int, hidden: int, layer: int, *, trainable: bool = False
    ) -> None:
        super().__init__()
        self.kind = kind
        self.table = nn.Parameter(table, requires_grad=trainable)
        dimension = table.shape[1]
        self.forwards = nn.LSTM(dimension, hidden, batch_first=True)
        self.backwards = nn.LSTM(dimension, hidden, batch_first=True)
        self.compare = nn.Linear(4 * hidden, layer)
        self.similar = nn.Linear(layer, 1, bias=False)
        self.final = nn.Linear(1 + features, 1)

    def start(self, random: np.random.Generator, deviation: float) -> None:
        """Initialize the weights from a normal distribution, and set the biases to 0.

        Args:
            random: the random number generator.
            deviation: the standard deviation of the weights.
        """
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "table":
                    continue
                # Values are also drawn for biases.
                values = random.normal(0, deviation, tuple(parameter.shape))
                if "bias" in name:
                    values = np.zeros_like(values)
                parameter.copy_(torch.from_numpy(values))

    def encode(
        self,
        contexts: Sequence[Words],
        sentences: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Encode each sentence as a vector, and return a tensor ``(sentences, 2 · hidden)``.

        The LSTMs read a context before each sentence. The vector of a sentence is the mean of the LSTM states at its
        words. A forward LSTM reads the words in order, and a backward LSTM in reverse order.

        Args:
            contexts: the words to read before each sentence; these are empty lists for a Bi-LSTM.
            sentences: the words of each sentence.
            dropout: the share of the inputs and outputs to drop.
            random: the random number generator of the dropout, or None to disable dropout.
        """
        starts = np.array([len(words) for words in contexts])
        ends = starts + np.array([len(words) for words in sentences])
        width = max(1, int(ends.max(initial=0)))
        reversed_contexts = [words[::-1] for words in contexts]
        reversed_sentences = [words[::-1] for words in sentences]
        forward_inputs = drop_out(self._look_up_vectors(contexts, sentences, width), dropout, random)
        backward_inputs = drop_out(self._look_up_vectors(reversed_contexts, reversed_sentences, width), dropout, random)
        forward_states, _ = self.forwards(forward_inputs)  # (sentences, width, hidden)
        backward_states, _ = self.backwards(backward_inputs)
        weights = torch.from_numpy(_mean_pooling_weights(starts, ends, width)).to(self.table.device)
        weight_rows = weights[:, None]  # (sentences, 1, width)
        means = torch.cat([weight_rows @ forward_states, weight_rows @ backward_states], dim=2)
        return drop_out(means[:, 0], dropout, random)

    def _look_up_vectors(self, contexts: Sequence[Words], sentences: Sequence[Words], width: int) -> Tensor:
        """Look up the word vectors of contexts and sentences as a tensor ``(sentences, width, dimension)``."""
        rows = _pad_rows(contexts, sentences, width)
        return self.table[torch.from_numpy(rows).to(self.table.device)]

    def forward(
        self,
        hypotheses: Sequence[Words],
        references: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Return the similarity of each hypothesis to its reference (equation 6) as a tensor ``(hypotheses,)``.

        Args:
            hypotheses: the words of each hypothesis.
            references: the words of the reference of each hypothesis.
            dropout: the share of the inputs and outputs of the LSTMs to drop.
            random: the random number generator of the dropout, or None to disable dropout.
        """
        if self.kind == "bic-lstm":
            encoded_pairs = self._encode_in_context(hypotheses, references, dropout, random)
        else:
            encoded_pairs = self._encode_alone(hypotheses, references, dropout, random)
        layer = torch.sigmoid(self.compare(encoded_pairs))
        similarity: Tensor = torch.sigmoid(self.similar(layer))[:, 0]
        return similarity

    def _encode_in_context(
        self,
        hypotheses: Sequence[Words],
        references: Sequence[Words],
        dropout: float,
        random: np.random.Generator | None,
    ) -> Tensor:
        """Encode pairs of a reference and a hypothesis as vectors, and return a tensor ``(pairs, 4 · hidden)``.

        The LSTMs read the hypothesis before the reference, and the reference before the hypothesis. The arguments are
        described in :meth:`forward`.
        """
        contexts = [*hypotheses, *references]
        sentences = [*references, *hypotheses]
        sentence_vectors = self.encode(contexts, sentences, dropout, random)
        encoded_references = sentence_vectors[: len(references)]
        encoded_hypotheses = sentence_vectors[len(references) :]
        return torch.cat([encoded_references, encoded_hypotheses], dim=1)

    def _encode_alone(
        self,
        hypotheses: Sequence[Words],
        references: Sequence[Words],
        dropout: float,
        random: np.random.Generator | None,
    ) -> Tensor:
        """Encode pairs of a reference and a hypothesis as vectors, and return a tensor ``(pairs, 4 · hidden)``.

        Each text is encoded without context. Equal texts are encoded only once. The arguments are described in
        :meth:`forward`.
        """
        distinct_texts, indexes = find_distinct([*hypotheses, *references])
        empty_contexts = [np.empty(0, np.int64)] * len(distinct_texts)
        text_vectors = self.encode(empty_contexts, distinct_texts, dropout, random)
        encoded_hypotheses = text_vectors[indexes[: len(hypotheses)]]
        encoded_references = text_vectors[indexes[len(hypotheses) :]]
        return torch.cat([encoded_references, encoded_hypotheses], dim=1)

    def combine(self, similarity: Tensor, features: Tensor) -> Tensor:
        """Compute the score of each hypothesis (equation 7) as log odds, and return a tensor ``(hypotheses,)``.

        Args:
            similarity: the similarity of each hypothesis to its reference, ``(hypotheses,)``.
            features: the scaled metric scores, ``(hypotheses, features)``.
        """
        logits: Tensor = self.final(torch.cat([similarity[:, None], features], dim=1))[:, 0]
        return logits


def _pad_rows(contexts: Sequence[Words], sentences: Sequence[Words], width: int) -> NDArray[np.int64]:
    """Concatenate each context and its sentence, and pad the rows with 0 to an array ``(sentences, width)``."""
    padded_rows = np.zeros((len(sentences), width), np.int64)
    for row, context, sentence in zip(padded_rows, contexts, sentences, strict=True):
        row[: len(context) + len(sentence)] = np.concatenate([context, sentence])
    return padded_rows


def _mean_pooling_weights(starts: Words, ends: Words, width: int) -> NDArray[np.float32]:
    """Return the weights by which the LSTM states of a sentence are averaged.

    Args:
        starts: the position of the first word of each sentence.
        ends: the position after the last word of each sentence.
        width: the number of positions in a row, including padding.
    """
    positions = np.arange(width)
    in_sentence = (positions >= starts[:, None]) & (positions < ends[:, None])
    sentence_lengths = np.maximum(in_sentence.sum(axis=1, keepdims=True), 1)
    weights: NDArray[np.float32] = (in_sentence / sentence_lengths).astype(np.float32)
    return weights


def find_distinct(sentences: Sequence[Words]) -> tuple[list[Words], list[int]]:
    """Remove duplicate sentences. Return the distinct sentences, and the index of each sentence among them."""
    index_by_sentence: dict[bytes, int] = {}
    distinct_sentences: list[Words] = []
    indexes = []
    for words in sentences:
        key = words.tobytes()
        if key not in index_by_sentence:
            index_by_sentence[key] = len(distinct_sentences)
            distinct_sentences.append(words)
        indexes.append(index_by_sentence[key])
    return distinct_sentences, indexes


def drop_out(values: Tensor, share: float, random: np.random.Generator | None) -> Tensor:
    """Set a random share of the values to 0, and scale the other values so that the expected sum does not change.

    NumPy's random number generator is used, because checkpoints store only the state of NumPy's generators.
    """
    if random is None or share <= 0:
        return values
    mask = random.random(tuple(values.shape), np.float32) >= share
    return values * torch.from_numpy(mask / np.float32(1 - share)).to(values.device)
