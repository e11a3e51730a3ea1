"""The networks of MaxSD (Ma et al., 2016): Bi-LSTM and BiC-LSTM, similarity, metric scores.

The two directions of a Bi-LSTM are two separate LSTMs. The second one reads each sentence backwards. So the padding of
a batch always follows the words, and a score does not depend on the other sentences of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Words = NDArray[np.int64]


class WordTable:
    """Words and the rows of their vectors. Row 0 contains zeros and belongs to all unknown words.

    Args:
        words: the known words.
        table: their vectors, ``(words, dimension)``.
    """

    def __init__(self, words: Sequence[str], table: NDArray[np.float32]) -> None:
        self.words = list(words)
        self.table = np.vstack([np.zeros((1, table.shape[1]), np.float32), np.asarray(table, np.float32)])
        self._rows = {word: row for row, word in enumerate(self.words, 1)}

    def rows(self, words: Sequence[str]) -> Words:
        """Return the row of each word."""
        return np.array([self._rows.get(word, 0) for word in words], np.int64)


class SimilarityNetwork(nn.Module):
    """Similarity of a hypothesis to its reference: eq. 6 and 7 of the paper, without the last sigmoid.

    Args:
        kind: ``bi-lstm`` or ``bic-lstm``.
        table: vectors of words, ``(words, dimension)``.
        features: number of metric scores of a hypothesis.
        hidden: size of an LSTM's state per direction.
        layer: size of the layer that compares the sentences (V and W of equation 2).
        trainable: whether training changes the vectors.
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
        """Initialize the weights from a normal distribution, and the biases with 0."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "table":
                    continue
                values = random.normal(0, deviation, tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(np.zeros_like(values) if "bias" in name else values))

    def encode(
        self,
        contexts: Sequence[Words],
        sentences: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Return representations of sentences, each read after its context, ``(sentences, 2 · hidden)``.

        Args:
            contexts: the words that are read before each sentence; empty for a Bi-LSTM.
            sentences: the sentences.
            dropout: the share of inputs and outputs to drop.
            random: the generator that selects them; without a generator, nothing is dropped.
        """
        starts = np.array([len(words) for words in contexts])
        ends = starts + np.array([len(words) for words in sentences])
        width = max(1, int(ends.max(initial=0)))
        forward_rows, backward_rows = np.zeros((2, len(sentences), width), np.int64)
        for row, (context, sentence) in enumerate(zip(contexts, sentences, strict=True)):
            forward_rows[row, : ends[row]] = np.concatenate([context, sentence])
            backward_rows[row, : ends[row]] = np.concatenate([context[::-1], sentence[::-1]])
        positions = np.arange(width)
        in_sentence = (positions >= starts[:, None]) & (positions < ends[:, None])
        weights = (in_sentence / np.maximum(in_sentence.sum(axis=1, keepdims=True), 1)).astype(np.float32)
        device = self.table.device
        mean_pooling = torch.from_numpy(weights).to(device)[:, None]
        directions = []
        for rows, lstm in ((forward_rows, self.forwards), (backward_rows, self.backwards)):
            vectors = self.table[torch.from_numpy(rows).to(device)]
            states, _ = lstm(drop_out(vectors, dropout, random))
            directions.append((mean_pooling @ states)[:, 0])
        return drop_out(torch.cat(directions, dim=1), dropout, random)

    def forward(
        self,
        hypotheses: Sequence[Words],
        references: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Return the similarity of each hypothesis to its reference (equation 6), ``(hypotheses,)``."""
        if self.kind == "bic-lstm":
            representations = self.encode([*hypotheses, *references], [*references, *hypotheses], dropout, random)
            reference, hypothesis = representations[: len(hypotheses)], representations[len(hypotheses) :]
        else:
            distinct, indices = find_distinct([*hypotheses, *references])
            no_context = distinct[0][:0]
            representations = self.encode([no_context] * len(distinct), distinct, dropout, random)
            hypothesis = representations[indices[: len(hypotheses)]]
            reference = representations[indices[len(hypotheses) :]]
        layer = torch.sigmoid(self.compare(torch.cat([reference, hypothesis], dim=1)))
        similarity: Tensor = torch.sigmoid(self.similar(layer))[:, 0]
        return similarity

    def combine(self, similarity: Tensor, features: Tensor) -> Tensor:
        """Return the log odds of the score (equation 7), from the similarity (equation 6) and the metric scores."""
        logits: Tensor = self.final(torch.cat([similarity[:, None], features], dim=1))[:, 0]
        return logits


def find_distinct(sentences: Sequence[Words]) -> tuple[list[Words], list[int]]:
    """Return the distinct sentences in the order of their first occurrence, and the index of each sentence in them."""
    index_by_words: dict[bytes, int] = {}
    distinct: list[Words] = []
    indices = []
    for words in sentences:
        index = index_by_words.setdefault(words.tobytes(), len(distinct))
        if index == len(distinct):
            distinct.append(words)
        indices.append(index)
    return distinct, indices


def drop_out(values: Tensor, share: float, random: np.random.Generator | None) -> Tensor:
    """Set a random share of the values to 0, and scale up the others.

    The generator is NumPy's, because checkpoints store its state.
    """
    if random is None or share <= 0:
        return values
    mask = random.random(tuple(values.shape), np.float32) >= share
    return values * torch.from_numpy(mask / np.float32(1 - share)).to(values.device)
