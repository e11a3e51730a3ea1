"""The networks of MaxSD (Ma et al., 2016): Bi-LSTM and BiC-LSTM, similarity, metric scores.

Both directions of a Bi-LSTM are two LSTMs here, the second of which reads each sentence backwards; so what pads a
batch always comes last and changes nothing, and a score does not depend on what else is in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Words = NDArray[np.int64]


class WordTable:
    """Words and the rows of their vectors; row 0, of zeros, is that of all unknown ones.

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
        features: how many metric scores a hypothesis comes with.
        hidden: size of an LSTM's state, a direction.
        layer: nodes of the layer that compares (V and W of eq. 2).
        trainable: whether the vectors are learned on.
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
        """Draw weights from a normal distribution; biases are 0."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "table":
                    continue
                drawn = random.normal(0, deviation, tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(np.zeros_like(drawn) if "bias" in name else drawn))

    def encode(
        self,
        first: Sequence[Words],
        second: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Return representations of the second sentences, each read after a first one, ``(sentences, 2 · hidden)``.

        Args:
            first: what is read before; empty for a Bi-LSTM.
            second: the sentences.
            dropout: share of inputs and of outputs that are left out.
            random: draws them; without, nothing is left out.
        """
        before = np.array([len(words) for words in first])
        total = before + np.array([len(words) for words in second])
        width = max(1, int(total.max(initial=0)))
        ahead, back = np.zeros((2, len(second), width), np.int64)
        for row, (one, other) in enumerate(zip(first, second, strict=True)):
            ahead[row, : total[row]] = np.concatenate([one, other])
            back[row, : total[row]] = np.concatenate([one[::-1], other[::-1]])
        places = np.arange(width)
        inside = (places >= before[:, None]) & (places < total[:, None])
        weights = (inside / np.maximum(inside.sum(axis=1, keepdims=True), 1)).astype(np.float32)
        device = self.table.device
        pooling = torch.from_numpy(weights).to(device)[:, None]
        halves = []
        for rows, lstm in ((ahead, self.forwards), (back, self.backwards)):
            vectors = self.table[torch.from_numpy(rows).to(device)]
            states, _ = lstm(_dropped(vectors, dropout, random))
            halves.append((pooling @ states)[:, 0])
        return _dropped(torch.cat(halves, dim=1), dropout, random)

    def forward(
        self,
        hypotheses: Sequence[Words],
        references: Sequence[Words],
        dropout: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> Tensor:
        """Return the similarity of each hypothesis to its reference by words alone (eq. 6), ``(hypotheses,)``."""
        if self.kind == "bic-lstm":
            both = self.encode([*hypotheses, *references], [*references, *hypotheses], dropout, random)
            reference, hypothesis = both[: len(hypotheses)], both[len(hypotheses) :]
        else:
            numbers: dict[bytes, int] = {}
            distinct: list[Words] = []

            def number(words: Words) -> int:
                at = numbers.setdefault(words.tobytes(), len(distinct))
                if at == len(distinct):
                    distinct.append(words)
                return at

            left, right = [number(words) for words in hypotheses], [number(words) for words in references]
            found = self.encode([distinct[0][:0]] * len(distinct), distinct, dropout, random)
            reference, hypothesis = found[right], found[left]
        layer = torch.sigmoid(self.compare(torch.cat([reference, hypothesis], dim=1)))
        result: Tensor = torch.sigmoid(self.similar(layer))[:, 0]
        return result

    def combine(self, similarity: Tensor, features: Tensor) -> Tensor:
        """Return log odds of the final similarity (eq. 7), from that by words and the metric scores."""
        result: Tensor = self.final(torch.cat([similarity[:, None], features], dim=1))[:, 0]
        return result


def _dropped(values: Tensor, share: float, random: np.random.Generator | None) -> Tensor:
    """Leave out a share of the values and enlarge the others; drawn by numpy, whose state a checkpoint keeps."""
    if random is None or share <= 0:
        return values
    kept = random.random(tuple(values.shape), np.float32) >= share
    return values * torch.from_numpy(kept / np.float32(1 - share)).to(values.device)
