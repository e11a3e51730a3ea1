"""Computes the scores of hypotheses with a network of MaxSD (Ma et al., 2016)."""

from __future__ import annotations

import contextlib
import itertools
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
    """Return the log odds of selected hypotheses, which are their scores, as a tensor ``(rows,)``.

    Args:
        network: the network.
        texts: the texts and the features.
        rows: the indexes of the hypotheses.
        dropout: the function that drops inputs and outputs of the LSTMs.
    """
    # The network compares each hypothesis with each of its references.
    references_by_row = [texts.references[row] for row in rows]
    hypothesis_indexes = np.repeat(np.arange(len(rows)), [len(references) for references in references_by_row])
    paired_hypotheses = [texts.hypotheses[row] for row in rows[hypothesis_indexes]]
    paired_references = list(itertools.chain.from_iterable(references_by_row))
    pair_similarities = network(paired_hypotheses, paired_references, dropout)
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
        # All hypotheses in a batch are padded to the length of the last one, which is the longest.
        padded_words = (end + 1 - start) * lengths[order[end]]
        if padded_words > BATCH_WORDS:
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
