"""The estimator ``pairwise-network``, which decides which of two hypotheses is better (Guzmán et al., 2015)."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.state import TrainingState
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Estimator, Examples, Meta
from meteor_e.api.component import options_by_name
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_papers.devices import choose_device

if TYPE_CHECKING:
    import torch


class PairwiseNetwork(Estimator):
    """A small neural network that decides which of two hypotheses is better (Guzmán et al., 2015).

    The inputs of the network are sentence vectors and features. The hidden layer consists of three groups of tanh
    nodes. The first group reads the vectors of both hypotheses. The other two groups read the vectors of the reference
    and of one hypothesis. Skip arcs connect the features of both hypotheses to the output (equation 3). A decision
    compares the outputs for both orders of the hypotheses, f(1, 2) and f(2, 1), so that it does not depend on the
    order.
    """

    name: ClassVar[str] = "pairwise-network"
    requires: ClassVar[tuple[str, ...]] = ("torch", "scikit-learn")
    compares_only: ClassVar[bool] = True
    needs_vectors: ClassVar[bool] = True

    best_epoch_: int
    best_tau_: float

    class Options(ComponentOptions):
        """Options of the estimator ``pairwise-network``.

        The training determines the options ``features`` and ``vector_size`` from the recipe.
        """

        features: Annotated[
            int, Meta(ge=0, description="Number of features of a hypothesis, which skip the hidden layer.")
        ] = 0
        vector_size: Annotated[int, Meta(ge=0, description="Size of a sentence vector; 0 for features only.")] = 0
        architecture: Annotated[
            Literal["multi-layer", "single-layer"],
            Meta(description="single-layer connects all inputs directly with the output."),
        ] = "multi-layer"
        hidden: Annotated[int, Meta(ge=1, description="Number of nodes per group.")] = 4
        cost: Annotated[
            Literal["logistic", "kendall", "logistic-kendall"],
            Meta(description="Cost: equation 4, equation 6, or first one and then the other."),
        ] = "logistic"
        learning_rate: Annotated[float, Meta(gt=0, description="Learning rate of AdaGrad.")] = 0.01
        batch: Annotated[int, Meta(ge=1, description="Pairs per batch.")] = 30
        decay: Annotated[float, Meta(ge=0, description="Strength λ of the L2 penalty.")] = 1e-4
        decay_skip: Annotated[bool, Meta(description="Apply the penalty to the skip arcs, too.")] = True
        skip_start: Annotated[
            Literal["glorot", "logistic"],
            Meta(description="glorot, as in the paper; logistic: skip arcs start from a logistic regression."),
        ] = "glorot"
        steepness: Annotated[float, Meta(gt=0, description="γ and β of the Kendall cost.")] = 100.0
        epochs: Annotated[int, Meta(ge=1, description="Maximum number of epochs.")] = 10_000
        patience: Annotated[
            Annotated[int, Meta(ge=1)] | None,
            Meta(description="Number of epochs without improvement after which training stops; none as in the paper."),
        ] = 100
        seed: Annotated[int, Meta(description="Seed of the first weights and of the order of pairs.")] = 1
        device: Annotated[str, Meta(description="auto (a GPU if there is one), cpu or cuda.")] = "auto"

    # The parameters differ from those of `Estimator.fit`, because a neural network needs other arguments.
    def fit(  # type: ignore[override]
        self,
        X: Floats,  # noqa: N803
        y: NDArray[Any],
        *,
        validation: tuple[Floats, NDArray[Any]] | None = None,
        report: Callable[[Mapping[str, Any]], object] | None = None,
        checkpoint: Callable[[TrainingState], object] | None = None,
        resume: TrainingState | None = None,
    ) -> PairwiseNetwork:
        """Train the network.

        Args:
            X: the pairs, ``(pairs, 2 · features + 3 · vector_size)``. A row contains the features of the first and of
                the second hypothesis, and then the vectors of the first hypothesis, the second hypothesis and the
                reference.
            y: the labels of the pairs. A label is 1 if the first hypothesis is better, and 0 if the second is better.
            validation: the pairs and labels that select the best epoch; by default, the training data.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
            resume: the state of an interrupted training to continue from.
        """
        fit_seeds([self], X, y, validation=validation, report=report, checkpoint=checkpoint, resume=resume)
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on comparisons. This method is called by ``meteor-e train``.

        Args:
            examples: the training examples.
            held: the validation examples, which select the best epoch and stop the training; by default, the training
                examples.
            run: the seed, and the functions that report and store the state of the training.

        Returns:
            Figures for the card of the model: the best epoch and its τ.
        """
        examples.check_comparisons(held)
        self.options = self.options.replaced(features=examples.features.shape[1], vector_size=examples.vectors.shape[1])
        validation = None if held is None else held.draw_pairs(run.seed)
        pairs, labels = examples.draw_pairs(run.seed)
        self.fit(
            pairs,
            labels,
            validation=validation,
            report=run.report,
            checkpoint=run.checkpoint,
            resume=run.resume,
        )
        return {"best epoch": self.best_epoch_, "validation tau": self.best_tau_}

    @property
    def inputs(self) -> int:
        """The number of inputs of the network."""
        count: int = 2 * self.options.features + 3 * self.options.vector_size
        return count

    def swap_pairs(self, X: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Swap the first and the second hypothesis of each pair."""
        return np.hstack([X[:, columns] for columns in _swap_columns(self)])

    def scale_pairs(self, X: Floats) -> NDArray[np.float32]:  # noqa: N803
        """Scale the inputs to the range from -1 to 1. Values outside the range of the training data are clipped."""
        _check_inputs(self, X)
        scaled = (np.clip(X, self.low_, self.high_) - self.low_) * self.factor_ - 1
        result: NDArray[np.float32] = scaled.astype(np.float32)
        return result

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return f(1, 2) - f(2, 1) for each pair of hypotheses 1 and 2, where f is the output of the network.

        The outputs of the network are log odds. The difference is positive if the first hypothesis is better.
        """
        return self.logit(X) - self.logit(self.swap_pairs(X))

    def logit(self, X: Floats) -> Floats:  # noqa: N803
        """Return the output of the network for each pair as log odds."""
        import torch

        theta = torch.from_numpy(self.theta_)[None]
        logits = []
        with torch.no_grad():
            for batch in np.array_split(np.asarray(X, float), max(1, len(X) // VALIDATION_BATCH)):
                pairs = torch.from_numpy(self.scale_pairs(batch))[None]
                logits.append(forward(self, theta, pairs)[0].numpy())
        return np.concatenate(logits).astype(float)

    def predict(self, X: Floats) -> NDArray[np.int64]:  # noqa: N803
        """Predict the label of each pair: 1 if the first hypothesis is better, and 0 otherwise."""
        result: NDArray[np.int64] = (self.decision_function(X) > 0).astype(np.int64)
        return result

    def score(self, X: Floats, y: NDArray[Any]) -> float:  # noqa: N803
        """Return Kendall's τ between the decisions of the network and the labels. Ties count as errors."""
        return float(strict_tau(self.decision_function(X) * np.where(np.asarray(y) == 1, 1, -1)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parameters of the feature scaler and of the network."""
        return {"low": self.low_, "high": self.high_, "factor": self.factor_, "theta": self.theta_}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the parameters of the feature scaler and of the network.

        Raises:
            ValueError: if the shapes of the arrays do not match the options.
        """
        self.low_ = arrays["low"].astype(float)
        self.high_ = arrays["high"].astype(float)
        self.factor_ = arrays["factor"].astype(float)
        self.theta_ = arrays["theta"].astype(np.float32)
        _, n_parameters = _layout(self)
        if self.theta_.shape != (n_parameters,) or self.low_.shape != (self.inputs,):
            raise ValueError("the shapes of the arrays do not match the options")


VALIDATION_BATCH = 10_000
"""Approximate number of pairs that are processed at once outside of the training."""


class _Block(NamedTuple):
    """An array of weights that is stored as a part of a parameter vector.

    Attributes:
        positions: the positions of the block in the parameter vector.
        shape: the shape of the block.
    """

    positions: slice
    shape: tuple[int, ...]


def _layout(network: PairwiseNetwork) -> tuple[dict[str, _Block], int]:
    """Return where each array of weights is stored, and the total number of parameters."""
    options = network.options
    return _compute_layout(options.features, options.vector_size, options.hidden, options.architecture)


@functools.lru_cache(maxsize=8)
def _compute_layout(
    n_features: int, vector_size: int, n_nodes: int, architecture: str
) -> tuple[dict[str, _Block], int]:
    """Compute where each array of weights is stored in the parameter vector, and the number of parameters.

    Args:
        n_features: the number of features of a hypothesis.
        vector_size: the size of a sentence vector, or 0 for a network without vectors.
        n_nodes: the number of nodes per group.
        architecture: ``multi-layer`` or ``single-layer``.
    """
    shapes: dict[str, tuple[int, ...]] = {"skip": (2 * n_features,), "bias": (1,)}
    if vector_size and architecture == "multi-layer":
        shapes["groups"] = (3, 2 * vector_size, n_nodes)
        shapes["group_bias"] = (3, 1, n_nodes)
        shapes["output"] = (3 * n_nodes,)
    elif vector_size:
        shapes["vectors"] = (3 * vector_size,)
    blocks = {}
    n_parameters = 0
    for name, shape in shapes.items():
        start = n_parameters
        n_parameters += math.prod(shape)
        blocks[name] = _Block(slice(start, n_parameters), shape)
    return blocks, n_parameters


def _initialize(
    network: PairwiseNetwork, generator: np.random.Generator, pairs: NDArray[np.float32], labels: NDArray[Any]
) -> Floats:
    """Return random initial parameters (Glorot and Bengio, 2010) as one vector. The biases are 0.

    Args:
        network: the options of the network.
        generator: the random number generator.
        pairs: the scaled training pairs, ``(pairs, inputs)``. A row begins with the features of both hypotheses.
        labels: the labels of the pairs.
    """
    options = network.options
    blocks, n_parameters = _layout(network)
    theta = np.zeros(n_parameters)
    # Glorot initialization requires the number of inputs plus the number of outputs of each layer.
    input_output_sums = {
        "skip": network.inputs + 1,
        "vectors": network.inputs + 1,
        "groups": 2 * options.vector_size + options.hidden,
        "output": 3 * options.hidden + 2 * options.features + 1,
    }
    for name, block in blocks.items():
        if name in input_output_sums:
            limit = np.sqrt(6 / input_output_sums[name])
            theta[block.positions] = generator.uniform(-limit, limit, math.prod(block.shape))
    if options.skip_start == "logistic" and options.features:
        first_features = pairs[:, : options.features]
        second_features = pairs[:, options.features : 2 * options.features]
        weights = _fit_logistic_regression(first_features - second_features, labels)
        theta[blocks["skip"].positions] = np.concatenate([weights, -weights])
    return theta


def _fit_logistic_regression(differences: NDArray[np.float32], labels: NDArray[Any]) -> Floats:
    """Fit a logistic regression that predicts labels from feature differences, and return its weights."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=2000)
    model.fit(np.vstack([differences, -differences]), np.r_[labels, 1 - labels])
    weights: Floats = model.coef_[0]
    return weights


def forward(network: PairwiseNetwork, theta: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
    """Compute the outputs of several models as log odds, and return a tensor ``(models, pairs)``.

    Args:
        network: the options of the models.
        theta: the parameters of each model, ``(models, parameters)``.
        pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
    """
    logits, _ = _forward(network, theta, pairs)
    return logits


def _block(network: PairwiseNetwork, theta: torch.Tensor, name: str) -> torch.Tensor:
    """Return a view of one array of weights, such as ``skip``, in the parameters of several models."""
    blocks, _ = _layout(network)
    block = blocks[name]
    return theta[:, block.positions].view(len(theta), *block.shape)


_GROUPS = ((0, 1), (0, 2), (1, 2))
"""The two texts that each group of hidden nodes reads. 0 and 1 are the hypotheses, and 2 is the reference."""


def _forward(
    network: PairwiseNetwork, theta: torch.Tensor, pairs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the outputs of the models as log odds, and the activations of the hidden nodes.

    The arguments are described in :func:`forward`.

    Returns:
        The log odds, ``(models, pairs)``, and the activations, ``(models, pairs, 3 · hidden)``. The activations are
        None if the network does not have a hidden layer.
    """
    import torch

    options = network.options
    blocks, _ = _layout(network)
    # The weights of the inputs that are connected directly to the output, (models, direct inputs).
    direct_weights = _block(network, theta, "skip")
    if "vectors" in blocks:
        direct_weights = torch.cat([direct_weights, _block(network, theta, "vectors")], dim=1)
    direct_inputs = pairs[:, :, : direct_weights.shape[1]]
    direct_logits = _block(network, theta, "bias") + (direct_inputs @ direct_weights[:, :, None])[:, :, 0]
    if "groups" not in blocks:
        return direct_logits, None
    vectors = pairs[:, :, 2 * options.features :]
    biases = _block(network, theta, "group_bias").reshape(len(theta), 1, 3 * options.hidden)
    hidden = torch.tanh(vectors @ _join_groups(network, theta) + biases)
    output_weights = _block(network, theta, "output")
    hidden_logits = (hidden @ output_weights[:, :, None])[:, :, 0]
    return direct_logits + hidden_logits, hidden


def _join_groups(network: PairwiseNetwork, theta: torch.Tensor) -> torch.Tensor:
    """Combine the weights of all groups of hidden nodes into one matrix per model.

    The result is a tensor ``(models, 3 · vector_size, 3 · hidden)``. A weight is 0 if it belongs to a text that the
    group does not read.
    """
    vector_size, n_nodes = network.options.vector_size, network.options.hidden
    groups = _block(network, theta, "groups")
    matrix = theta.new_zeros(len(theta), 3 * vector_size, 3 * n_nodes)
    for group, group_rows, rows, columns in _group_blocks(vector_size, n_nodes):
        matrix[:, rows, columns] = groups[:, group, group_rows]
    return matrix


def _group_blocks(vector_size: int, n_nodes: int) -> Iterator[tuple[int, slice, slice, slice]]:
    """Yield the positions of each group's weights in the matrix of :func:`_join_groups`.

    Each group of hidden nodes reads two texts, and has one block of weights for each of them.

    Yields:
        The index of the group, the rows of a block in the weights of the group, and the rows and the columns of the
        block in the matrix.
    """
    for group, texts in enumerate(_GROUPS):
        columns = slice(group * n_nodes, (group + 1) * n_nodes)
        for text_position, text in enumerate(texts):
            group_rows = slice(text_position * vector_size, (text_position + 1) * vector_size)
            matrix_rows = slice(text * vector_size, (text + 1) * vector_size)
            yield group, group_rows, matrix_rows, columns


def _backward(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    pairs: torch.Tensor,
    hidden: torch.Tensor | None,
    slope: torch.Tensor,
) -> torch.Tensor:
    """Return the gradient of a cost function as a tensor ``(models, parameters)``.

    The gradient is computed explicitly, because automatic differentiation has a large overhead for small networks.

    Args:
        network: the options of the models.
        theta: the parameters of each model, ``(models, parameters)``.
        pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
        hidden: the activations of the hidden nodes that :func:`_forward` returned.
        slope: the derivative of the cost with respect to the log odds, ``(models, pairs)``.
    """
    gradient = theta.new_zeros(theta.shape)
    n_feature_inputs = 2 * network.options.features
    n_direct_inputs = pairs.shape[2] if hidden is None else n_feature_inputs
    direct_gradient = (slope[:, None, :] @ pairs[:, :, :n_direct_inputs])[:, 0]
    _block(network, gradient, "bias").add_(slope.sum(dim=1, keepdim=True))
    _block(network, gradient, "skip").add_(direct_gradient[:, :n_feature_inputs])
    if hidden is not None:
        vectors = pairs[:, :, n_feature_inputs:]
        _block(network, gradient, "output").add_((slope[:, None, :] @ hidden)[:, 0])
        # The derivative of tanh is 1 - tanh², and ``hidden`` contains the values of tanh.
        hidden_slope = slope[:, :, None] * _block(network, theta, "output")[:, None, :] * (1 - hidden * hidden)
        _add_group_gradient(network, vectors, hidden_slope, gradient)
    elif network.options.vector_size:
        _block(network, gradient, "vectors").add_(direct_gradient[:, n_feature_inputs:])
    return gradient


def _add_group_gradient(
    network: PairwiseNetwork, vectors: torch.Tensor, hidden_slope: torch.Tensor, gradient: torch.Tensor
) -> None:
    """Add the gradient of the weights between the sentence vectors and the hidden nodes.

    Args:
        network: the options of the models.
        vectors: the sentence vectors of each model, ``(models, pairs, 3 · vector_size)``.
        hidden_slope: the derivative of the cost with respect to the inputs of the hidden nodes, ``(models, pairs,
            3 · hidden)``.
        gradient: the gradient to update, ``(models, parameters)``.
    """
    vector_size, n_nodes = network.options.vector_size, network.options.hidden
    _block(network, gradient, "group_bias").add_(hidden_slope.sum(dim=1).view(len(gradient), 3, 1, n_nodes))
    matrix_gradient = vectors.transpose(1, 2) @ hidden_slope
    groups_gradient = _block(network, gradient, "groups")
    for group, group_rows, rows, columns in _group_blocks(vector_size, n_nodes):
        groups_gradient[:, group, group_rows] += matrix_gradient[:, rows, columns]


def _column_blocks(network: PairwiseNetwork) -> tuple[list[slice], list[slice]]:
    """Return the columns of a pair.

    Returns:
        The columns of the features of both hypotheses, and the columns of the vectors of both hypotheses and the
        reference.
    """
    n_features, vector_size = network.options.features, network.options.vector_size
    feature_columns = [slice(0, n_features), slice(n_features, 2 * n_features)]
    vector_columns = []
    for index in range(3):
        start = 2 * n_features + index * vector_size
        vector_columns.append(slice(start, start + vector_size))
    return feature_columns, vector_columns


def _swap_columns(network: PairwiseNetwork) -> list[slice]:
    """Return the columns of a pair in an order that swaps the two hypotheses."""
    (first_features, second_features), (first_vector, second_vector, reference_vector) = _column_blocks(network)
    return [second_features, first_features, second_vector, first_vector, reference_vector]


def _swap(network: PairwiseNetwork, pairs: torch.Tensor) -> torch.Tensor:
    """Swap the first and the second hypothesis of each pair in a tensor ``(models, pairs, inputs)``."""
    import torch

    return torch.cat([pairs[..., columns] for columns in _swap_columns(network)], dim=-1)


def cost_and_gradient(
    network: PairwiseNetwork, cost: str, theta: torch.Tensor, pairs: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute the cost of several models without the L2 penalty, and the gradient of the cost.

    Args:
        network: the options of the models.
        cost: the cost function, ``logistic`` (equation 4) or ``kendall`` (equation 6).
        theta: the parameters of each model, ``(models, parameters)``.
        pairs: the scaled pairs of each model, ``(models, pairs, inputs)``.
        labels: the labels of the pairs, ``(models, pairs)``.

    Returns:
        The mean cost of each model, ``(models,)``, and the gradient, ``(models, parameters)``.
    """
    if cost == "logistic":
        return _logistic_cost_and_gradient(network, theta, pairs, labels)
    return _kendall_cost_and_gradient(network, theta, pairs, labels)


def _logistic_cost_and_gradient(
    network: PairwiseNetwork, theta: torch.Tensor, pairs: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy and its gradient. The arguments are described in :func:`cost_and_gradient`."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    logits, hidden = _forward(network, theta, pairs)
    mean_cost = binary_cross_entropy_with_logits(logits, labels, reduction="none").mean(dim=1)
    n_pairs = pairs.shape[1]
    slope = (torch.sigmoid(logits) - labels) / n_pairs
    return mean_cost, _backward(network, theta, pairs, hidden, slope)


def _kendall_cost_and_gradient(
    network: PairwiseNetwork, theta: torch.Tensor, pairs: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute a cost that approximates Kendall's τ by smooth functions, and the gradient of the cost.

    The cost compares the outputs of the network for both orders of the two hypotheses. The arguments are described in
    :func:`cost_and_gradient`.
    """
    import torch

    swapped_pairs = _swap(network, pairs)
    logits, hidden = _forward(network, theta, pairs)
    swapped_logits, swapped_hidden = _forward(network, theta, swapped_pairs)
    output, swapped_output = torch.sigmoid(logits), torch.sigmoid(swapped_logits)
    steepness = network.options.steepness
    delta = output - swapped_output
    win = torch.sigmoid(steepness * delta)
    tie = torch.exp(-steepness * delta**2 / 2)
    mean_cost = (labels * (1 - win) + (1 - labels) * win + tie).mean(dim=1)
    # The slopes are derivatives of the mean cost with respect to delta, and then to the log odds.
    n_pairs = pairs.shape[1]
    slope = ((1 - 2 * labels) * steepness * win * (1 - win) - steepness * delta * tie) / n_pairs
    logit_slope = slope * output * (1 - output)
    swapped_logit_slope = -slope * swapped_output * (1 - swapped_output)
    gradient = _backward(network, theta, pairs, hidden, logit_slope)
    swapped_gradient = _backward(network, theta, swapped_pairs, swapped_hidden, swapped_logit_slope)
    return mean_cost, gradient + swapped_gradient


def _weight_decay(network: PairwiseNetwork) -> torch.Tensor:
    """Return the strength of the L2 penalty for each parameter as a tensor ``(parameters,)``.

    The strength is 0 for biases. It is also 0 for skip arcs if the option ``decay_skip`` is False.
    """
    import torch

    blocks, n_parameters = _layout(network)
    decay = torch.full((n_parameters,), network.options.decay)
    excluded_blocks = ["bias", "group_bias"]
    if not network.options.decay_skip:
        excluded_blocks.append("skip")
    for name in excluded_blocks:
        if name in blocks:
            decay[blocks[name].positions] = 0
    return decay


def fit_seeds(
    networks: Sequence[PairwiseNetwork],
    X: Floats,  # noqa: N803
    y: NDArray[Any],
    *,
    validation: tuple[Floats, NDArray[Any]] | None = None,
    report: Callable[[Mapping[str, Any]], object] | None = None,
    checkpoint: Callable[[TrainingState], object] | None = None,
    resume: TrainingState | None = None,
) -> None:
    """Train several networks at the same time. The networks must have the same options except for the seed.

    Training several networks together takes little more time than training a single network. The arguments are
    described in :meth:`PairwiseNetwork.fit`.
    """
    network = networks[0]
    pairs, labels = np.asarray(X, float), np.asarray(y)
    _check_networks(networks)
    _check_inputs(network, pairs)
    for seed_network in networks:
        _fit_scaler(seed_network, pairs)
    device = choose_device(network.options.device)
    data = _load_data(network, (pairs, labels), validation or (pairs, labels), device)
    generators = [np.random.default_rng(seed_network.options.seed) for seed_network in networks]
    if resume is None:
        state = _start_training(network, generators, pairs, labels, device)
    else:
        state = _resume_training(resume, generators, device)
    _run_epochs(network, data, state, generators, report, checkpoint)
    for index, seed_network in enumerate(networks):
        seed_network.theta_ = state.best_theta[index].cpu().numpy()
        seed_network.best_tau_ = float(state.best_tau[index])
        seed_network.best_epoch_ = int(state.best_epoch[index])


@dataclass
class _TrainingData:
    """The training data and the validation data of a network, as tensors on a device.

    Attributes:
        pairs: the scaled training pairs, ``(pairs, inputs)``.
        targets: the labels of the training pairs, ``(pairs,)``.
        validation_pairs: the scaled validation pairs, ``(validation pairs, inputs)``.
        validation_signs: 1 for each validation pair if the first hypothesis is better, and -1 otherwise.
    """

    pairs: torch.Tensor
    targets: torch.Tensor
    validation_pairs: torch.Tensor
    validation_signs: torch.Tensor


def _load_data(
    network: PairwiseNetwork,
    training: tuple[Floats, NDArray[Any]],
    validation: tuple[Floats, NDArray[Any]],
    device: torch.device,
) -> _TrainingData:
    """Scale the pairs, and copy pairs and labels to a device such as a GPU.

    Args:
        network: the network, whose scaler has been fitted.
        training: the training pairs and their labels.
        validation: the validation pairs and their labels.
        device: the device.
    """
    import torch

    pairs, labels = training
    validation_pairs, validation_labels = validation
    validation_signs = np.where(np.asarray(validation_labels) == 1, 1.0, -1.0).astype(np.float32)
    return _TrainingData(
        pairs=torch.from_numpy(network.scale_pairs(pairs)).to(device),
        targets=torch.from_numpy(labels.astype(np.float32)).to(device),
        validation_pairs=torch.from_numpy(network.scale_pairs(np.asarray(validation_pairs, float))).to(device),
        validation_signs=torch.from_numpy(validation_signs).to(device),
    )


def _run_epochs(
    network: PairwiseNetwork,
    data: _TrainingData,
    state: _DeviceState,
    generators: Sequence[np.random.Generator],
    report: Callable[[Mapping[str, Any]], object] | None,
    checkpoint: Callable[[TrainingState], object] | None,
) -> None:
    """Minimize each cost function for the maximum number of epochs, or until no network improves any more."""
    options = network.options
    costs = ["logistic", "kendall"] if options.cost == "logistic-kendall" else [options.cost]
    penalty = _weight_decay(network).to(data.pairs.device)
    for phase in range(state.phase, len(costs)):
        if phase > state.phase:
            state.start_phase(phase)
        while state.epoch < options.epochs and not state.has_converged(options.patience):
            start_time = time.perf_counter()
            state.epoch += 1
            orders = _draw_orders(generators, data)
            loss = _train_epoch(network, costs[phase], state, data, orders, penalty)
            tau = _validate(network, state.theta, data)
            state.keep_best(tau)
            if report is not None:
                seconds = time.perf_counter() - start_time
                report(_describe_epoch(state, costs[phase], loss, tau, seconds))
            if checkpoint is not None:
                checkpoint(state.to_checkpoint(generators))


def _describe_epoch(
    state: _DeviceState, cost: str, loss: torch.Tensor, tau: Floats, seconds: float
) -> Mapping[str, Any]:
    """Return the results of an epoch, such as τ, for the training log."""
    return {
        "cost": cost,
        "epoch": state.epoch,
        "loss": loss.tolist(),
        "tau": tau.tolist(),
        "best": state.best_tau.tolist(),
        "seconds": round(seconds, 3),
        "device": str(state.theta.device),
    }


def _draw_orders(generators: Sequence[np.random.Generator], data: _TrainingData) -> torch.Tensor:
    """Draw a random order of the training pairs for each network as a tensor ``(networks, pairs)``."""
    import torch

    orders = np.stack([generator.permutation(len(data.pairs)) for generator in generators])
    return torch.from_numpy(orders).to(data.pairs.device)


@dataclass
class _DeviceState:
    """The state of a training run on a device such as a GPU. The attributes are described in :class:`TrainingState`."""

    phase: int
    epoch: int
    theta: torch.Tensor
    squares: torch.Tensor
    best_theta: torch.Tensor
    best_tau: Floats
    best_epoch: NDArray[np.int64]

    def start_phase(self, phase: int) -> None:
        """Continue with the next cost function, starting from the best parameters of the previous cost function."""
        self.phase, self.epoch = phase, 0
        self.theta = self.best_theta.clone()
        self.squares = self.theta.new_zeros(self.theta.shape)
        self.best_epoch = np.zeros_like(self.best_epoch)

    def has_converged(self, patience: int | None) -> bool:
        """Return whether no network has improved for ``patience`` epochs. If ``patience`` is None, return False."""
        return patience is not None and bool(self.epoch - self.best_epoch.max() >= patience)

    def keep_best(self, tau: Floats) -> None:
        """Store the current parameters of each network if no earlier epoch had a higher τ."""
        for index in np.flatnonzero(tau >= self.best_tau):
            self.best_tau[index] = tau[index]
            self.best_epoch[index] = self.epoch
            self.best_theta[index] = self.theta[index]

    def to_checkpoint(self, generators: Sequence[np.random.Generator]) -> TrainingState:
        """Copy the state of the training and of the random number generators to main memory."""
        return TrainingState(
            phase=self.phase,
            epoch=self.epoch,
            theta=self.theta.cpu().numpy().astype(float),
            squares=self.squares.cpu().numpy().astype(float),
            best_theta=self.best_theta.cpu().numpy().astype(float),
            best_tau=self.best_tau.copy(),
            best_epoch=self.best_epoch.copy(),
            order=[dict(generator.bit_generator.state) for generator in generators],
        )


def _start_training(
    network: PairwiseNetwork,
    generators: Sequence[np.random.Generator],
    pairs: Floats,
    labels: NDArray[Any],
    device: torch.device,
) -> _DeviceState:
    """Initialize each network with random parameters, and return the initial state of the training.

    Args:
        network: the options of the networks.
        generators: the random number generator of each network.
        pairs: the training pairs, ``(pairs, inputs)``.
        labels: the labels of the pairs.
        device: the device of the training.
    """
    import torch

    scaled_pairs = network.scale_pairs(pairs)
    parameters = np.stack([_initialize(network, generator, scaled_pairs, labels) for generator in generators])
    theta = torch.tensor(parameters, dtype=torch.float32).to(device)
    return _DeviceState(
        phase=0,
        epoch=0,
        theta=theta,
        squares=theta.new_zeros(theta.shape),
        best_theta=theta.clone(),
        best_tau=np.full(len(generators), -np.inf),
        best_epoch=np.zeros(len(generators), np.int64),
    )


def _resume_training(
    checkpoint: TrainingState, generators: Sequence[np.random.Generator], device: torch.device
) -> _DeviceState:
    """Copy the state of a checkpoint to a device, and restore the random number generators."""
    import torch

    for generator, generator_state in zip(generators, checkpoint.order, strict=True):
        generator.bit_generator.state = generator_state
    return _DeviceState(
        phase=checkpoint.phase,
        epoch=checkpoint.epoch,
        theta=torch.tensor(checkpoint.theta, dtype=torch.float32).to(device),
        squares=torch.tensor(checkpoint.squares, dtype=torch.float32).to(device),
        best_theta=torch.tensor(checkpoint.best_theta, dtype=torch.float32).to(device),
        best_tau=checkpoint.best_tau.copy(),
        best_epoch=checkpoint.best_epoch.copy(),
    )


def _train_epoch(
    network: PairwiseNetwork,
    cost_name: str,
    state: _DeviceState,
    data: _TrainingData,
    orders: torch.Tensor,
    penalty: torch.Tensor,
) -> torch.Tensor:
    """Update the parameters with AdaGrad after each batch, and return the mean cost of each network.

    Args:
        network: the options of the networks.
        cost_name: the cost function.
        state: the parameters of the networks.
        data: the training data.
        orders: the order of the pairs for each network, ``(networks, pairs)``.
        penalty: the strength of the L2 penalty for each parameter.
    """
    import torch

    total_cost = torch.zeros(len(orders), device=orders.device)
    for start in range(0, len(data.pairs), network.options.batch):
        indexes = orders[:, start : start + network.options.batch]  # (networks, pairs of the batch)
        cost, gradient = cost_and_gradient(network, cost_name, state.theta, data.pairs[indexes], data.targets[indexes])
        total_cost += cost * indexes.shape[1]
        gradient += penalty * state.theta
        # AdaGrad divides each step by the root of the sum of squared gradients.
        state.squares.addcmul_(gradient, gradient)
        state.theta.addcdiv_(gradient, state.squares.sqrt().add_(1e-8), value=-network.options.learning_rate)
    return total_cost / len(data.pairs)


def _validate(network: PairwiseNetwork, theta: torch.Tensor, data: _TrainingData) -> Floats:
    """Return Kendall's τ of each network's decisions on the validation data. Ties count as errors."""
    import torch

    n_pairs = len(data.validation_pairs)
    n_correct = torch.zeros(len(theta), device=theta.device)
    with torch.no_grad():
        for start in range(0, n_pairs, VALIDATION_BATCH):
            end = start + VALIDATION_BATCH
            pairs = data.validation_pairs[start:end].expand(len(theta), -1, -1)
            differences = forward(network, theta, pairs) - forward(network, theta, _swap(network, pairs))
            n_correct += (differences * data.validation_signs[start:end] > 0).sum(dim=1)
    taus: Floats = (2 * n_correct / max(1, n_pairs) - 1).cpu().numpy().astype(float)
    return taus


def _fit_scaler(network: PairwiseNetwork, pairs: Floats) -> None:
    """Determine the range of each input in the training pairs, and the factor that scales the input.

    Both hypotheses share the range of each feature, and all three texts share the range of each vector dimension.
    Therefore, swapping the hypotheses does not change the scaled values.
    """
    low, high = pairs.min(axis=0), pairs.max(axis=0)
    for blocks in _column_blocks(network):
        shared_low = np.min([low[columns] for columns in blocks], axis=0)
        shared_high = np.max([high[columns] for columns in blocks], axis=0)
        for columns in blocks:
            low[columns] = shared_low
            high[columns] = shared_high
    # The factor of a constant input is 0, which also avoids a division by 0.
    has_range = high > low
    ranges = np.where(has_range, high - low, 1)
    network.low_, network.high_ = low, high
    network.factor_ = np.where(has_range, 2 / ranges, 0.0)


def _check_networks(networks: Sequence[PairwiseNetwork]) -> None:
    """Check that the networks have inputs, and that their options differ only in the seed.

    Raises:
        ConfigError: if the networks do not have inputs.
        ValueError: if the networks differ in an option other than the seed.
    """
    if not networks[0].inputs:
        raise ConfigError("pairwise-network: neither features nor vectors")
    options = [{**options_by_name(network.options), "seed": 0} for network in networks]
    if any(network_options != options[0] for network_options in options):
        raise ValueError("networks that are trained together must differ in their seeds alone")


def _check_inputs(network: PairwiseNetwork, pairs: Floats) -> None:
    """Check that the pairs have as many columns as the network has inputs.

    Raises:
        ConfigError: if the number of columns is wrong.
    """
    if pairs.ndim != 2 or pairs.shape[1] != network.inputs:
        raise ConfigError(f"{pairs.shape[-1]} numbers per pair; the network has {network.inputs} inputs")
