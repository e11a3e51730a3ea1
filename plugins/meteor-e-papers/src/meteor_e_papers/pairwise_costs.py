"""The cost functions of the pairwise network (Guzmán et al., 2015), without the L2 penalty, and their gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from meteor_e_papers.pairwise_architectures import Architecture


class Cost(NamedTuple):
    """The cost of several models.

    Attributes:
        mean: the mean cost of each model, ``(models,)``.
        gradient: the gradient of the mean cost, ``(models, parameters)``.
    """

    mean: Tensor
    gradient: Tensor


CostFunction = Callable[[Architecture, Tensor, Tensor, Tensor], Cost]
"""A function that computes a cost. The arguments are described in :func:`compute_logistic_cost`."""


def compute_logistic_cost(architecture: Architecture, theta: Tensor, pairs: Tensor, labels: Tensor) -> Cost:
    """Compute the cross-entropy (equation 4) of several models.

    Args:
        architecture: the architecture of the models.
        theta: the parameters of each model, ``(models, parameters)``.
        pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
        labels: the labels of the pairs, ``(models, pairs)``.
    """
    outputs = architecture.forward(theta, pairs)
    costs = binary_cross_entropy_with_logits(outputs.logits, labels, reduction="none")
    slope = (torch.sigmoid(outputs.logits) - labels) / pairs.shape[1]
    return Cost(costs.mean(dim=1), architecture.backward(theta, pairs, outputs.hidden, slope))


def compute_kendall_cost(
    architecture: Architecture, theta: Tensor, pairs: Tensor, labels: Tensor, *, steepness: float
) -> Cost:
    """Compute a cost that approximates Kendall's τ with smooth functions (equation 6), for several models.

    The cost compares the outputs of a model for both orders of the two hypotheses. The other arguments are described in
    :func:`compute_logistic_cost`.

    Args:
        steepness: γ and β in the paper.
    """
    swapped_pairs = architecture.swap_hypotheses(pairs)
    logits, hidden = architecture.forward(theta, pairs)
    swapped_logits, swapped_hidden = architecture.forward(theta, swapped_pairs)
    output = torch.sigmoid(logits)
    swapped_output = torch.sigmoid(swapped_logits)
    costs, delta_slope = _compute_order_costs(output - swapped_output, labels, steepness)
    # Each slope is the derivative of the mean cost. The derivative of the sigmoid function s is s · (1 - s).
    output_slope = delta_slope / pairs.shape[1]
    logit_slope = output_slope * output * (1 - output)
    swapped_logit_slope = -output_slope * swapped_output * (1 - swapped_output)
    gradient = architecture.backward(theta, pairs, hidden, logit_slope)
    swapped_gradient = architecture.backward(theta, swapped_pairs, swapped_hidden, swapped_logit_slope)
    return Cost(costs.mean(dim=1), gradient + swapped_gradient)


def _compute_order_costs(delta: Tensor, labels: Tensor, steepness: float) -> tuple[Tensor, Tensor]:
    """Return the Kendall cost of each pair, and the derivative of the cost with respect to ``delta``.

    The cost is ``y · (1 - win) + (1 - y) · win + tie``, where ``y`` is the label, ``win`` is ``σ(γ · delta)``, and
    ``tie`` is ``exp(-β · delta² / 2)``.

    Args:
        delta: the output for each pair minus the output for the swapped pair, ``(models, pairs)``.
        labels: the labels of the pairs, ``(models, pairs)``.
        steepness: γ and β.
    """
    win = torch.sigmoid(steepness * delta)
    tie = torch.exp(-steepness * delta**2 / 2)
    costs = labels * (1 - win) + (1 - labels) * win + tie
    # The derivative of the cost is the derivative of the terms with ``win`` plus the derivative of ``tie``.
    win_slope = (1 - 2 * labels) * steepness * win * (1 - win)
    tie_slope = -steepness * delta * tie
    return costs, win_slope + tie_slope


def make_cost_function(name: str, steepness: float) -> CostFunction:
    """Return the cost function ``logistic`` or ``kendall``."""
    if name == "logistic":
        return compute_logistic_cost
    return functools.partial(compute_kendall_cost, steepness=steepness)
