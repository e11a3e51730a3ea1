"""Computes the scores of hypotheses with a network of MaxSD (Ma et al., 2016)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from meteor_e.base.array_cache import Floats
from meteor_e_papers.comparisons import Integers
from meteor_e_papers.maxsd_network import DropoutFunction, SimilarityNetwork, keep_all
from meteor_e_papers.maxsd_texts import PreparedTexts

BATCH_WORDS = 20_000
"""Maximum number of words, including padding, in a batch of hypotheses to score."""


def compute_logits(
    network: SimilarityNetwork, texts: PreparedTexts, rows: Integers, dropout: DropoutFunction = keep_all
) -> Tensor:
    """Return the scores of the selected hypotheses as log odds, in a tensor ``(rows,)``.

    Args:
        network: the network.
        texts: the texts and the features.
        rows: the indexes of the hypotheses.
        dropout: the function that drops inputs and outputs of the LSTMs.
    """
    # The network compares each hypothesis with each of its references.
    pairs = [(index, reference) for index, row in enumerate(rows) for reference in texts.references[row]]
    paired_hypotheses = [texts.hypotheses[rows[index]] for index, _ in pairs]
    paired_references = [reference for _, reference in pairs]
    pair_similarities = network(paired_hypotheses, paired_references, dropout)
    hypothesis_indexes = np.array([index for index, _ in pairs], np.int64)
    similarities = _average_by_hypothesis(pair_similarities, hypothesis_indexes, len(rows))
    features = torch.from_numpy(texts.features[rows]).to(similarities.device)
    return network.combine(similarities, features)


def _average_by_hypothesis(similarities: Tensor, hypothesis_indexes: Integers, n_hypotheses: int) -> Tensor:
    """Return the mean similarity of each hypothesis to its references as a tensor ``(hypotheses,)``.

    Args:
        similarities: the similarity of each pair of a hypothesis and a reference, ``(pairs,)``.
        hypothesis_indexes: the index of the hypothesis in each pair, in ascending order, ``(pairs,)``.
        n_hypotheses: the number of hypotheses.
    """
    if len(hypothesis_indexes) == n_hypotheses:
        return similarities
    device = similarities.device
    indexes = torch.from_numpy(hypothesis_indexes).to(device)
    reference_counts = torch.bincount(indexes, minlength=n_hypotheses)
    sums = torch.zeros(n_hypotheses, device=device).index_add(0, indexes, similarities)
    return sums / reference_counts


def compute_scores(network: SimilarityNetwork, texts: PreparedTexts) -> Floats:
    """Compute the scores of all hypotheses as log odds."""
    n_references = np.array([len(references) for references in texts.references], np.int64)
    lengths = texts.find_max_lengths() * n_references
    scores = np.empty(len(lengths))
    with torch.no_grad():
        for rows in _divide_by_length(lengths):
            scores[rows] = compute_logits(network, texts, rows).cpu().numpy()
    return scores


def _divide_by_length(lengths: Integers) -> Iterator[Integers]:
    """Divide hypotheses into batches of similar length, and yield the indexes of each batch.

    A batch of several hypotheses contains at most ``BATCH_WORDS`` words, including padding.

    Args:
        lengths: the number of words of each hypothesis.
    """
    order = np.argsort(lengths, kind="stable")
    start = 0
    for end in range(1, len(order)):
        # If the batch also contained the next hypothesis, all hypotheses would be padded to its length.
        n_padded_words = len(order[start : end + 1]) * lengths[order[end]]
        if n_padded_words > BATCH_WORDS:
            yield order[start:end]
            start = end
    if len(order):
        yield order[start:]


@contextlib.contextmanager
def single_thread(device: torch.device) -> Iterator[None]:
    """Limit PyTorch to one thread on a CPU, so that the training is reproducible."""
    previous_count = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(previous_count)
