"""The architectures of the pairwise network (Guzmán et al., 2015). Each one computes outputs and gradients.

All functions process several models with the same architecture at once. The parameters of the models are the rows of a
tensor ``theta``. Gradients are computed explicitly, because automatic differentiation has a large overhead for small
networks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from meteor_e.base.array_cache import Floats

GROUP_TEXTS = ((0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2))
"""The index of a group of hidden nodes and of a text that the group reads, for each block of weights.

Texts 0 and 1 are the hypotheses, and text 2 is the reference.
"""


N_TEXTS = 3
N_GROUPS = 3
N_OUTPUTS = 1


class Outputs(NamedTuple):
    """The outputs of several models.

    Attributes:
        logits: the outputs as log odds, ``(models, pairs)``.
        hidden: the activations of the hidden nodes, ``(models, pairs, nodes)``.
    """

    logits: Tensor
    hidden: Tensor


class Architecture(ABC):
    """An architecture of the network.

    Args:
        n_features: the number of features of a hypothesis.
        vector_size: the size of a sentence vector, or 0 for a network without vectors.

    Attributes:
        n_inputs: the number of inputs of the network.
        sizes: the number of parameters in each part of a parameter vector, in order.
        fan_sums: the number of inputs (fan-in) plus the number of outputs (fan-out) of the layer to which a part
            belongs. Biases are left out.
    """

    biases: ClassVar[tuple[str, ...]] = ("bias",)
    n_inputs: int
    sizes: Mapping[str, int]
    fan_sums: Mapping[str, int]

    def __init__(self, n_features: int, vector_size: int) -> None:
        self.n_features = n_features
        self.vector_size = vector_size
        self.n_inputs = 2 * n_features + 3 * vector_size

    @property
    def n_parameters(self) -> int:
        """The number of parameters of a model."""
        return sum(self.sizes.values())

    def split(self, theta: Tensor) -> dict[str, Tensor]:
        """Split a tensor of model parameters into named parts, such as ``bias``.

        Args:
            theta: the parameters of several models, ``(models, parameters)``.

        Returns:
            A dictionary that maps the name of each part to a view of the tensor with the parameters in the part.
        """
        parts = torch.split(theta, list(self.sizes.values()), dim=1)
        return dict(zip(self.sizes, parts, strict=True))

    def draw_parameters(self, generator: np.random.Generator) -> Floats:
        """Draw the initial parameters of a model (Glorot and Bengio, 2010). The biases are 0."""
        parts = []
        for name, size in self.sizes.items():
            if name in self.biases:
                parts.append(np.zeros(size))
            else:
                limit = np.sqrt(6 / self.fan_sums[name])
                parts.append(generator.uniform(-limit, limit, size))
        return np.concatenate(parts)

    def make_penalty(self, decay: float, *, decay_skip: bool) -> Tensor:
        """Return the strength of the L2 penalty for each parameter as a tensor ``(1, parameters)``.

        Args:
            decay: the strength for weights. The strength for biases is 0.
            decay_skip: whether the penalty also applies to the skip arcs.
        """
        penalty = torch.full((1, self.n_parameters), decay)
        views = self.split(penalty)
        for name in self.biases:
            views[name].zero_()
        if not decay_skip:
            views["skip"].zero_()
        return penalty

    def swap_hypotheses(self, pairs: Tensor) -> Tensor:
        """Swap the first and the second hypothesis of each pair in a tensor ``(..., inputs)``."""
        widths = [self.n_features] * 2 + [self.vector_size] * 3
        first_features, second_features, first_vectors, second_vectors, references = torch.split(pairs, widths, dim=-1)
        return torch.cat([second_features, first_features, second_vectors, first_vectors, references], dim=-1)

    @abstractmethod
    def forward(self, theta: Tensor, pairs: Tensor) -> Outputs:
        """Compute the outputs of several models.

        Args:
            theta: the parameters of each model, ``(models, parameters)``.
            pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
        """

    @abstractmethod
    def backward(self, theta: Tensor, pairs: Tensor, hidden: Tensor, slope: Tensor) -> Tensor:
        """Return the gradient of a cost function as a tensor ``(models, parameters)``.

        Args:
            theta: the parameters of each model, ``(models, parameters)``.
            pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
            hidden: the activations of the hidden nodes that :meth:`forward` returned.
            slope: the derivative of the cost with respect to the log odds, ``(models, pairs)``.
        """


class SingleLayer(Architecture):
    """A network that connects all inputs directly to the output."""

    def __init__(self, n_features: int, vector_size: int) -> None:
        super().__init__(n_features, vector_size)
        self.sizes = {"skip": 2 * n_features, "bias": 1, "vectors": 3 * vector_size}
        self.fan_sums = {"skip": self.n_inputs + N_OUTPUTS, "vectors": self.n_inputs + N_OUTPUTS}

    def forward(self, theta: Tensor, pairs: Tensor) -> Outputs:
        """Compute the outputs of several models without hidden nodes."""
        parameters = self.split(theta)
        weights = torch.cat([parameters["skip"], parameters["vectors"]], dim=1)
        logits = parameters["bias"] + _sum_inputs(pairs, weights)
        return Outputs(logits, hidden=pairs.new_empty(*logits.shape, 0))

    def backward(self, theta: Tensor, pairs: Tensor, hidden: Tensor, slope: Tensor) -> Tensor:
        """Return the gradient of a cost function. The arguments ``theta`` and ``hidden`` are ignored."""
        weight_gradient = _sum_pairs(pairs, slope)
        n_skip = self.sizes["skip"]
        bias_gradient = slope.sum(dim=1, keepdim=True)
        return torch.cat([weight_gradient[:, :n_skip], bias_gradient, weight_gradient[:, n_skip:]], dim=1)


class MultiLayer(Architecture):
    """A network with three groups of hidden tanh nodes. Skip arcs connect the features directly to the output.

    Args:
        n_features: the number of features of a hypothesis.
        vector_size: the size of a sentence vector.
        group_size: the number of hidden nodes in a group.
    """

    biases: ClassVar[tuple[str, ...]] = ("bias", "group_bias")

    def __init__(self, n_features: int, vector_size: int, group_size: int) -> None:
        super().__init__(n_features, vector_size)
        self.group_size = group_size
        n_skip_arcs = 2 * n_features  # The features of both hypotheses
        n_hidden_nodes = N_GROUPS * group_size
        self.sizes = {
            "skip": n_skip_arcs,  # from the features to the output
            "bias": N_OUTPUTS,
            "groups": len(GROUP_TEXTS) * vector_size * group_size,  # from the vectors to the hidden nodes
            "group_bias": n_hidden_nodes,
            "output": n_hidden_nodes,  # from the hidden nodes to the output
        }
        self.fan_sums = {
            "skip": self.n_inputs + N_OUTPUTS,
            "groups": 2 * vector_size + group_size,  # A group reads the vectors of two texts.
            "output": n_hidden_nodes + n_skip_arcs + N_OUTPUTS,
        }

    def forward(self, theta: Tensor, pairs: Tensor) -> Outputs:
        """Compute each model's output for each pair of hypotheses (Guzmán et al., 2015, equation 3)."""
        parameters = self.split(theta)
        features, vectors = torch.split(pairs, [2 * self.n_features, 3 * self.vector_size], dim=2)
        matrix = self._join_groups(parameters["groups"])
        hidden = torch.tanh(vectors @ matrix + parameters["group_bias"][:, None])
        skip_logits = parameters["bias"] + _sum_inputs(features, parameters["skip"])
        return Outputs(skip_logits + _sum_inputs(hidden, parameters["output"]), hidden)

    def backward(self, theta: Tensor, pairs: Tensor, hidden: Tensor, slope: Tensor) -> Tensor:
        """Return the gradient of a cost function. The slopes of the hidden nodes are computed by the chain rule."""
        features, vectors = torch.split(pairs, [2 * self.n_features, 3 * self.vector_size], dim=2)
        output_weights = self.split(theta)["output"]  # (models, nodes)
        # The derivative of tanh is 1 - tanh², and ``hidden`` contains the values of tanh.
        tanh_slope = 1 - hidden * hidden  # (models, pairs, nodes)
        node_slope = slope[:, :, None] * output_weights[:, None, :] * tanh_slope  # (models, pairs, nodes)
        matrix_gradient = vectors.transpose(1, 2) @ node_slope  # (models, 3 · vector_size, nodes)
        gradients = {
            "skip": _sum_pairs(features, slope),
            "bias": slope.sum(dim=1, keepdim=True),
            "groups": self._split_groups(matrix_gradient),
            "group_bias": node_slope.sum(dim=1),
            "output": _sum_pairs(hidden, slope),
        }
        return torch.cat([gradients[name] for name in self.sizes], dim=1)

    def _join_groups(self, groups: Tensor) -> Tensor:
        """Combine the weights of all hidden nodes into a tensor ``(models, 3 · vector_size, 3 · group_size)``.

        Each group of hidden nodes reads the vectors of two of the three texts. The weights for the third text are 0.
        """
        blocks = groups.view(-1, len(GROUP_TEXTS), self.vector_size, self.group_size)
        matrix = groups.new_zeros(len(groups), N_TEXTS, self.vector_size, N_GROUPS, self.group_size)
        for index, (group, text) in enumerate(GROUP_TEXTS):
            matrix[:, text, :, group] = blocks[:, index]
        return matrix.view(-1, N_TEXTS * self.vector_size, N_GROUPS * self.group_size)

    def _split_groups(self, matrix: Tensor) -> Tensor:
        """Extract the weights of all groups from a matrix. This method is the inverse of :meth:`_join_groups`."""
        blocks = matrix.view(-1, N_TEXTS, self.vector_size, N_GROUPS, self.group_size)
        return torch.stack([blocks[:, text, :, group] for group, text in GROUP_TEXTS], dim=1).flatten(1)


def _sum_inputs(inputs: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted sum of the inputs for each model and each pair of hypotheses.

    Args:
        inputs: the inputs, ``(models, pairs, inputs)``.
        weights: the weights of the inputs, ``(models, inputs)``.
    """
    return (inputs @ weights[:, :, None])[:, :, 0]


def _sum_pairs(inputs: Tensor, slope: Tensor) -> Tensor:
    """Return the gradient with respect to the input weights: the sum of ``slope * inputs`` over all pairs.

    Args:
        inputs: the inputs, ``(models, pairs, inputs)``.
        slope: the derivative of the cost with respect to the log odds, ``(models, pairs)``.
    """
    return (slope[:, None, :] @ inputs)[:, 0]


def make_architecture(options: Any) -> Architecture:
    """Return the architecture for the options of an estimator. A network without vectors has a single layer."""
    if options.vector_size and options.architecture == "multi-layer":
        return MultiLayer(options.features, options.vector_size, options.hidden)
    return SingleLayer(options.features, options.vector_size)
