"""The neural networks of MaxSD (Ma et al., 2016), which encode sentences by a Bi-LSTM or a BiC-LSTM.

Each direction of a Bi-LSTM is implemented as a separate LSTM. The backward LSTM reads the words in reverse order.
Therefore, padding always follows the words, and a score does not depend on the other sentences of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meteor_e_papers.comparisons import Integers

DropoutFunction = Callable[[Tensor], Tensor]


def keep_all(values: Tensor) -> Tensor:
    """Return the values without dropout."""
    return values


def make_dropout(share: float, generator: np.random.Generator) -> DropoutFunction:
    """Return a function that sets a random share of values to 0.

    The function divides the remaining values by ``1 - share``, so the expected sum of all values does not change. The
    random numbers come from a NumPy generator, because checkpoints store only the state of NumPy generators.
    """
    if not share:
        return keep_all

    def drop_out(values: Tensor) -> Tensor:
        mask = generator.random(tuple(values.shape), np.float32) >= share
        return values * torch.from_numpy(mask / np.float32(1 - share)).to(values.device)

    return drop_out


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

    def initialize(self, generator: np.random.Generator, deviation: float) -> None:
        """Draw the weights from a normal distribution, and set the biases to 0. The word vectors do not change.

        Args:
            generator: the random number generator.
            deviation: the standard deviation of the weights.
        """
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "table":
                    continue
                values = torch.from_numpy(generator.normal(0, deviation, tuple(parameter.shape)))
                if "bias" in name:
                    values.zero_()  # Drawing these values anyway keeps the weights that belong to a seed.
                parameter.copy_(values)

    def encode(
        self, contexts: Sequence[Integers], sentences: Sequence[Integers], dropout: DropoutFunction = keep_all
    ) -> Tensor:
        """Encode each sentence as a vector, and return a tensor ``(sentences, 2 · hidden)``.

        The LSTMs read a context before each sentence. The vector of a sentence is the mean of the LSTM states at its
        words. The forward LSTM reads the words in order, and the backward LSTM in reverse order.

        Args:
            contexts: the words to read before each sentence; these are empty lists for a Bi-LSTM.
            sentences: the words of each sentence.
            dropout: the function that drops inputs and outputs of the LSTMs.
        """
        # Reversing the words of a sentence does not change its start and end, so both LSTMs use the same weights.
        weights = torch.from_numpy(_make_pooling_weights(contexts, sentences)).to(self.table.device)
        forward_words = _pad_words(contexts, sentences)
        forward_means = self._average_states(self.forwards, forward_words, weights, dropout)
        backward_words = _pad_words([words[::-1] for words in contexts], [words[::-1] for words in sentences])
        backward_means = self._average_states(self.backwards, backward_words, weights, dropout)
        return dropout(torch.cat([forward_means, backward_means], dim=1))

    def _average_states(self, lstm: nn.LSTM, words: Integers, weights: Tensor, dropout: DropoutFunction) -> Tensor:
        """Return the mean of an LSTM's states over the words of each sentence as a tensor ``(sentences, hidden)``.

        Args:
            lstm: the LSTM.
            words: the words of each context and its sentence, ``(sentences, positions)``.
            weights: the weights of the states in the mean, ``(sentences, 1, positions)``.
            dropout: the function that drops inputs of the LSTM.
        """
        word_vectors = self.table[torch.from_numpy(words).to(self.table.device)]  # (sentences, positions, dimension)
        states, _ = lstm(dropout(word_vectors))  # (sentences, positions, hidden)
        means: Tensor = weights @ states  # (sentences, 1, hidden)
        return means.squeeze(dim=1)

    def forward(
        self, hypotheses: Sequence[Integers], references: Sequence[Integers], dropout: DropoutFunction = keep_all
    ) -> Tensor:
        """Return the similarity of each hypothesis to its reference (equation 6) as a tensor ``(hypotheses,)``.

        Args:
            hypotheses: the words of each hypothesis.
            references: the words of the reference of each hypothesis.
            dropout: the function that drops inputs and outputs of the LSTMs.
        """
        if self.kind == "bic-lstm":
            encoded_pairs = self._encode_in_context(hypotheses, references, dropout)
        else:
            encoded_pairs = self._encode_alone(hypotheses, references, dropout)
        differences = torch.sigmoid(self.compare(encoded_pairs))  # (hypotheses, layer)
        similarities: Tensor = torch.sigmoid(self.similar(differences))  # (hypotheses, 1)
        return similarities.squeeze(dim=1)

    def _encode_in_context(
        self, hypotheses: Sequence[Integers], references: Sequence[Integers], dropout: DropoutFunction
    ) -> Tensor:
        """Encode pairs of a reference and a hypothesis as vectors, and return a tensor ``(pairs, 4 · hidden)``.

        To encode a reference, the LSTMs first read the hypothesis as context. To encode a hypothesis, the LSTMs first
        read the reference as context. See :meth:`forward` for a description of the arguments.
        """
        contexts = [*hypotheses, *references]
        sentences = [*references, *hypotheses]
        sentence_vectors = self.encode(contexts, sentences, dropout)
        encoded_references, encoded_hypotheses = sentence_vectors.chunk(2)
        return torch.cat([encoded_references, encoded_hypotheses], dim=1)

    def _encode_alone(
        self, hypotheses: Sequence[Integers], references: Sequence[Integers], dropout: DropoutFunction
    ) -> Tensor:
        """Encode pairs of a reference and a hypothesis as vectors, and return a tensor ``(pairs, 4 · hidden)``.

        Each text is encoded without context. Equal texts are encoded only once. The arguments are described in
        :meth:`forward`.
        """
        distinct_texts, indexes = find_distinct([*hypotheses, *references])
        empty_contexts = [np.empty(0, np.int64)] * len(distinct_texts)
        text_vectors = self.encode(empty_contexts, distinct_texts, dropout)
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


def _pad_words(contexts: Sequence[Integers], sentences: Sequence[Integers]) -> Integers:
    """Concatenate each context with its sentence, and pad with zeros to form an array ``(sentences, positions)``."""
    texts = [np.concatenate(texts) for texts in zip(contexts, sentences, strict=True)]
    n_positions = max(map(len, texts), default=0)
    padded_texts = np.zeros((len(texts), max(1, n_positions)), np.int64)
    for padded_text, text in zip(padded_texts, texts, strict=True):
        padded_text[: len(text)] = text
    return padded_texts


def _make_pooling_weights(contexts: Sequence[Integers], sentences: Sequence[Integers]) -> NDArray[np.float32]:
    """Return the weights by which LSTM states are averaged, ``(sentences, 1, positions)``.

    The words of a sentence have equal weights, which add up to 1. Context words and padding have the weight 0.
    """
    starts = np.array([len(words) for words in contexts])
    ends = starts + np.array([len(words) for words in sentences])
    positions = np.arange(max(1, ends.max(initial=0)))
    in_sentence = (positions >= starts[:, None]) & (positions < ends[:, None])
    sentence_lengths = np.maximum(in_sentence.sum(axis=1, keepdims=True), 1)
    weights: NDArray[np.float32] = (in_sentence / sentence_lengths).astype(np.float32)
    return weights[:, None]


def find_distinct(sentences: Sequence[Integers]) -> tuple[list[Integers], list[int]]:
    """Remove duplicate sentences. Return the distinct sentences, and the index of each sentence among them."""
    index_by_sentence: dict[bytes, int] = {}
    distinct_sentences: list[Integers] = []
    indexes = []
    for words in sentences:
        key = words.tobytes()
        if key not in index_by_sentence:
            index_by_sentence[key] = len(distinct_sentences)
            distinct_sentences.append(words)
        indexes.append(index_by_sentence[key])
    return distinct_sentences, indexes
