"""The pairwise network of Guzmán et al. (2015)."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

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
    """A small network that decides which of two hypotheses is better (Guzmán et al., 2015).

    Its inputs are sentence vectors and features. Three groups of tanh nodes read the vectors of (hypothesis 1,
    hypothesis 2), (hypothesis 1, reference) and (hypothesis 2, reference). Skip arcs connect the features of both
    hypotheses directly with the output (equation 3). A decision compares f(1, 2) with f(2, 1), so it does not depend
    on the order of the hypotheses.
    """

    name: ClassVar[str] = "pairwise-network"
    requires: ClassVar[tuple[str, ...]] = ("torch", "scikit-learn")
    compares_only: ClassVar[bool] = True
    needs_vectors: ClassVar[bool] = True

    best_epoch_: int
    best_tau_: float

    class Options(ComponentOptions):
        """Size and training of the network. Training sets ``features`` and ``vector_size`` from the recipe."""

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
        epochs: Annotated[int, Meta(ge=1, description="Largest number of epochs.")] = 10_000
        patience: Annotated[
            Annotated[int, Meta(ge=1)] | None,
            Meta(description="Number of epochs without improvement after which training stops; none as in the paper."),
        ] = 100
        seed: Annotated[int, Meta(description="Seed of the first weights and of the order of pairs.")] = 1
        device: Annotated[str, Meta(description="auto (a GPU if there is one), cpu or cuda.")] = "auto"

    # Training calls `learn`, which calls this method with the arguments that only a network needs.
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
            X: the features of the first and of the second hypothesis, and the vectors of the first hypothesis, the
                second hypothesis and the reference, ``(pairs, 2 · features + 3 · vector_size)``.
            y: 1 if the first hypothesis is better, 0 if the second is better.
            validation: the pairs that select the best epoch; by default the training pairs.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
            resume: the state of an interrupted training to continue from.
        """
        fit_seeds([self], X, y, validation=validation, report=report, checkpoint=checkpoint, resume=resume)
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on comparisons. The validation comparisons select the best epoch and stop the training."""
        examples.check_comparisons(held)
        self.options = self.options.replaced(features=examples.features.shape[1], vector_size=examples.vectors.shape[1])
        validation = None if held is None else held.draw_pairs(run.seed)
        self.fit(
            *examples.draw_pairs(run.seed), validation=validation, report=run.report,
            checkpoint=run.checkpoint, resume=run.resume,
        )  # fmt: skip
        return {"best epoch": self.best_epoch_, "validation tau": self.best_tau_}

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        count: int = 2 * self.options.features + 3 * self.options.vector_size
        return count

    def swapped(self, X: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Return the pairs with their hypotheses swapped."""
        d, n = self.options.features, self.options.vector_size
        parts = [X[:, d : 2 * d], X[:, :d], X[:, 2 * d + n : 2 * d + 2 * n], X[:, 2 * d : 2 * d + n]]
        return np.hstack([*parts, X[:, 2 * d + 2 * n :]])

    def scaled(self, X: Floats) -> NDArray[np.float32]:  # noqa: N803
        """Return the pairs, scaled so that training values are in [-1, 1]. Values outside are clipped."""
        if X.ndim != 2 or X.shape[1] != self.inputs:
            raise ConfigError(f"{X.shape[-1]} numbers per pair; the network has {self.inputs} inputs")
        result: NDArray[np.float32] = ((np.clip(X, self.low_, self.high_) - self.low_) * self.factor_ - 1).astype(
            np.float32
        )
        return result

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return f(1, 2) - f(2, 1) as log odds, which are positive if the first hypothesis is better."""
        return self.logit(X) - self.logit(self.swapped(X))

    def logit(self, X: Floats) -> Floats:  # noqa: N803
        """Return the log odds of f(1, 2) alone."""
        import torch

        with torch.no_grad():
            parts = [
                forward(self, torch.from_numpy(self.theta_)[None], torch.from_numpy(self.scaled(part))[None])[0].numpy()
                for part in np.array_split(np.asarray(X, float), max(1, len(X) // 10_000))
            ]
        return np.concatenate(parts).astype(float)

    def predict(self, X: Floats) -> NDArray[np.int64]:  # noqa: N803
        """Return 1 if the first hypothesis is better, otherwise 0."""
        result: NDArray[np.int64] = (self.decision_function(X) > 0).astype(np.int64)
        return result

    def score(self, X: Floats, y: NDArray[Any]) -> float:  # noqa: N803
        """Return the strict τ of the decisions."""
        return float(strict_tau(self.decision_function(X) * np.where(np.asarray(y) == 1, 1, -1)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scaler and the parameters."""
        return {"low": self.low_, "high": self.high_, "factor": self.factor_, "theta": self.theta_}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the scaler and the parameters."""
        self.low_, self.high_, self.factor_ = (arrays[name].astype(float) for name in ("low", "high", "factor"))
        self.theta_ = arrays["theta"].astype(np.float32)
        if self.theta_.shape != (_layout(self)[1],) or self.low_.shape != (self.inputs,):
            raise ValueError("the shapes of the arrays do not match the options")


Layout = dict[str, tuple[int, tuple[int, ...]]]
"""For each block of parameters: its offset in the parameter vector, and its shape."""


def _layout(network: PairwiseNetwork) -> tuple[Layout, int]:
    """Return the layout of a network's parameters, and their number."""
    options = network.options
    return _compute_layout(options.features, options.vector_size, options.hidden, options.architecture)


@functools.lru_cache(maxsize=8)
def _compute_layout(d: int, n: int, h: int, architecture: str) -> tuple[Layout, int]:
    """Return the layout for d features, vectors of size n, and h nodes per group."""
    blocks: dict[str, tuple[int, ...]] = {"skip": (2 * d,), "bias": (1,)}
    if n and architecture == "multi-layer":
        blocks |= {"groups": (3, 2 * n, h), "group_bias": (3, 1, h), "output": (3 * h,)}
    elif n:
        blocks["vectors"] = (3 * n,)
    layout, offset = {}, 0
    for name, shape in blocks.items():
        layout[name] = (offset, shape)
        offset += math.prod(shape)
    return layout, offset


def _initialize(
    network: PairwiseNetwork,
    generator: np.random.Generator,
    X: NDArray[np.float32],  # noqa: N803
    y: NDArray[Any],
) -> Floats:
    """Return initial parameters (Glorot and Bengio, 2010). Biases are 0."""
    layout, count = _layout(network)
    theta = np.zeros(count)
    fans = {
        "skip": (network.inputs, 1),
        "vectors": (network.inputs, 1),
        "groups": (2 * network.options.vector_size, network.options.hidden),
        "output": (3 * network.options.hidden + 2 * network.options.features, 1),
    }
    for name, (offset, shape) in layout.items():
        if name in fans:
            limit = np.sqrt(6 / sum(fans[name]))
            size = math.prod(shape)
            theta[offset : offset + size] = generator.uniform(-limit, limit, size)
    if network.options.skip_start == "logistic" and network.options.features:
        from sklearn.linear_model import LogisticRegression

        d = network.options.features
        model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=2000)
        differences = X[:, :d] - X[:, d : 2 * d]
        model.fit(np.vstack([differences, -differences]), np.r_[y, 1 - y])
        offset = layout["skip"][0]
        theta[offset : offset + 2 * d] = np.r_[model.coef_[0], -model.coef_[0]]
    return theta


def forward(network: PairwiseNetwork, theta: torch.Tensor, X: torch.Tensor) -> torch.Tensor:  # noqa: N803
    """Return the log odds of several models, ``(models, pairs)``.

    Args:
        network: the options of the models.
        theta: the parameters of each model, ``(models, parameters)``.
        X: the scaled pairs of each model, ``(models, pairs, inputs)``.
    """
    return _forward(network, theta, X)[0]


def _block(network: PairwiseNetwork, theta: torch.Tensor, name: str) -> torch.Tensor:
    """Return a view of a block of the parameters, ``(models, …)``."""
    offset, shape = _layout(network)[0][name]
    return theta[:, offset : offset + math.prod(shape)].view(len(theta), *shape)


_GROUPS = ((0, 1), (0, 2), (1, 2))
"""The two texts that each group of nodes reads: 0 is the first hypothesis, 1 the second, 2 the reference."""


def _forward(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the log odds, and the activations of the hidden nodes, ``(models, pairs, 3 · hidden)``, if they exist."""
    import torch

    d, n, h = network.options.features, network.options.vector_size, network.options.hidden
    has_hidden_layer = bool(n) and network.options.architecture == "multi-layer"
    direct_weights = [_block(network, theta, "skip")]
    if n and not has_hidden_layer:
        direct_weights.append(_block(network, theta, "vectors"))
    direct = torch.cat(direct_weights, 1)
    result = _block(network, theta, "bias") + (X[:, :, : direct.shape[1]] @ direct[:, :, None])[:, :, 0]
    if not has_hidden_layer:
        return result, None
    # One matrix holds the weights of all groups, with zeros for the text that a group does not read.
    groups = _block(network, theta, "groups")
    matrix = theta.new_zeros(len(theta), 3 * n, 3 * h)
    for group, half, rows, columns in _group_blocks(n, h):
        matrix[:, rows, columns] = groups[:, group, half]
    biases = _block(network, theta, "group_bias").reshape(len(theta), 1, 3 * h)
    hidden = torch.tanh(X[:, :, 2 * d :] @ matrix + biases)
    return result + (hidden @ _block(network, theta, "output")[:, :, None])[:, :, 0], hidden


def _group_blocks(n: int, h: int) -> Iterator[tuple[int, slice, slice, slice]]:
    """Yield the blocks of the matrix that holds the weights of all groups.

    Yields:
        The group, the rows of its weights, and the rows and columns of the matrix.
    """
    for group, texts in enumerate(_GROUPS):
        for half, text in enumerate(texts):
            yield (
                group,
                slice(half * n, (half + 1) * n),
                slice(text * n, (text + 1) * n),
                slice(group * h, (group + 1) * h),
            )


def _backward(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
    hidden: torch.Tensor | None,
    slope: torch.Tensor,
    gradient: torch.Tensor,
) -> None:
    """Add the gradient of a cost to ``gradient``.

    The gradient is computed by hand, because automatic differentiation would take most of the time for such small
    networks.

    Args:
        network: the options of the models.
        theta: the parameters of each model, ``(models, parameters)``.
        X: the scaled pairs of each model, ``(models, pairs, inputs)``.
        hidden: the activations of the hidden nodes, as :func:`_forward` returns them.
        slope: the derivative of the cost with respect to the log odds, ``(models, pairs)``.
        gradient: the sum to add to, ``(models, parameters)``.
    """
    d, n, h = network.options.features, network.options.vector_size, network.options.hidden
    row = slope[:, None, :]
    direct = 2 * d if hidden is not None else X.shape[2]
    _block(network, gradient, "bias").add_(slope.sum(dim=1, keepdim=True))
    sums = (row @ X[:, :, :direct])[:, 0]
    _block(network, gradient, "skip").add_(sums[:, : 2 * d])
    if hidden is None:
        if n:
            _block(network, gradient, "vectors").add_(sums[:, 2 * d :])
        return
    _block(network, gradient, "output").add_((row @ hidden)[:, 0])
    nodes = slope[:, :, None] * _block(network, theta, "output")[:, None, :] * (1 - hidden * hidden)
    _block(network, gradient, "group_bias").add_(nodes.sum(dim=1).view(len(theta), 3, 1, h))
    matrix = X[:, :, 2 * d :].transpose(1, 2) @ nodes
    groups = _block(network, gradient, "groups")
    for group, half, rows, columns in _group_blocks(n, h):
        groups[:, group, half] += matrix[:, rows, columns]


def _swap(network: PairwiseNetwork, X: torch.Tensor) -> torch.Tensor:  # noqa: N803
    """Return the pairs with their hypotheses swapped."""
    import torch

    d, n = network.options.features, network.options.vector_size
    parts = [X[..., d : 2 * d], X[..., :d], X[..., 2 * d + n : 2 * d + 2 * n], X[..., 2 * d : 2 * d + n]]
    return torch.cat([*parts, X[..., 2 * d + 2 * n :]], dim=-1)


def cost_and_gradient(
    network: PairwiseNetwork,
    cost: str,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
    y: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return each model's mean cost without the penalty, ``(models,)``, and its gradient, ``(models, parameters)``."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    gradient = torch.zeros_like(theta)
    logits, hidden = _forward(network, theta, X)
    count = X.shape[1]
    first = torch.sigmoid(logits)
    if cost == "logistic":
        value = binary_cross_entropy_with_logits(logits, y, reduction="none").mean(dim=1)
        _backward(network, theta, X, hidden, (first - y) / count, gradient)
        return value, gradient
    swapped = _swap(network, X)
    swapped_logits, swapped_hidden = _forward(network, theta, swapped)
    second = torch.sigmoid(swapped_logits)
    delta, steep = first - second, network.options.steepness
    win = torch.sigmoid(steep * delta)
    tie = torch.exp(-steep * delta**2 / 2)
    value = (y * (1 - win) + (1 - y) * win + tie).mean(dim=1)
    slope = ((1 - 2 * y) * steep * win * (1 - win) - steep * delta * tie) / count
    _backward(network, theta, X, hidden, slope * first * (1 - first), gradient)
    _backward(network, theta, swapped, swapped_hidden, -slope * second * (1 - second), gradient)
    return value, gradient


def _weight_decay(network: PairwiseNetwork, width: int) -> torch.Tensor:
    """Return the decay of each parameter. It is 0 for biases, and for skip arcs unless ``decay_skip`` is set."""
    import torch

    decay = torch.full((width,), network.options.decay)
    layout, _ = _layout(network)
    for name in ("bias", "group_bias", *(() if network.options.decay_skip else ("skip",))):
        if name in layout:
            offset, shape = layout[name]
            decay[offset : offset + math.prod(shape)] = 0
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
    """Train several networks that differ in their seeds only, in little more time than one network needs.

    Arguments are those of :meth:`PairwiseNetwork.fit`.
    """
    import torch

    network, options = networks[0], networks[0].options
    _check_networks(networks)
    X, labels = np.asarray(X, float), np.asarray(y)  # noqa: N806
    if X.ndim != 2 or X.shape[1] != network.inputs:
        raise ConfigError(f"{X.shape[-1]} numbers per pair; the network has {network.inputs} inputs")
    for seed_network in networks:
        _fit_scaler(seed_network, X)
    device = choose_device(options.device)
    scaled = network.scaled(X)
    pairs = torch.from_numpy(scaled).to(device)
    targets = torch.from_numpy(labels.astype(np.float32)).to(device)
    validation_X, validation_y = (X, labels) if validation is None else validation  # noqa: N806
    validation_pairs = torch.from_numpy(network.scaled(np.asarray(validation_X, float))).to(device)
    validation_signs = np.where(np.asarray(validation_y) == 1, 1.0, -1.0).astype(np.float32)
    validation_signs_on_device = torch.from_numpy(validation_signs).to(device)
    generators = [np.random.default_rng(seed_network.options.seed) for seed_network in networks]
    costs = {"logistic-kendall": ["logistic", "kendall"]}.get(options.cost, [options.cost])
    if resume is None:
        parameters = [_initialize(network, generator, scaled, labels) for generator in generators]
        state = _start_training(torch.tensor(np.stack(parameters), dtype=torch.float32).to(device))
    else:
        state = _resume_training(resume, generators, device)
    penalty = _weight_decay(network, state.theta.shape[1]).to(device)
    first_phase, first_epoch = state.phase, state.epoch
    for phase in range(first_phase, len(costs)):
        state.phase = phase
        if phase > first_phase:
            # The second cost starts from the best parameters of the first, with an empty AdaGrad history.
            state.theta, state.squares, first_epoch = state.best_theta.clone(), torch.zeros_like(state.theta), 0
            state.best_epoch = np.zeros_like(state.best_epoch)
        for epoch in range(first_epoch + 1, options.epochs + 1):
            if options.patience is not None and epoch - 1 - state.best_epoch.max() >= options.patience:
                break
            start_time = time.perf_counter()
            state.epoch = epoch
            order = torch.from_numpy(np.stack([generator.permutation(len(pairs)) for generator in generators]))
            total_cost = _train_epoch(network, costs[phase], state, pairs, targets, order.to(device), penalty)
            tau = _validate(network, state.theta, validation_pairs, validation_signs_on_device)
            state.keep_best(tau)
            if report is not None:
                report(
                    {
                        "cost": costs[phase],
                        "epoch": epoch,
                        "loss": (total_cost / len(pairs)).tolist(),
                        "tau": tau.tolist(),
                        "best": state.best_tau.tolist(),
                        "seconds": round(time.perf_counter() - start_time, 3),
                        "device": str(device),
                    }
                )
            if checkpoint is not None:
                checkpoint(state.to_checkpoint(generators))
    for index, seed_network in enumerate(networks):
        seed_network.theta_ = state.best_theta[index].cpu().numpy()
        seed_network.best_tau_, seed_network.best_epoch_ = float(state.best_tau[index]), int(state.best_epoch[index])


@dataclass
class _DeviceState:
    """The state of a training on its device; see :class:`TrainingState` for the attributes."""

    phase: int
    epoch: int
    theta: torch.Tensor
    squares: torch.Tensor
    best_theta: torch.Tensor
    best_tau: Floats
    best_epoch: NDArray[np.int64]

    def keep_best(self, tau: Floats) -> None:
        """Keep the current parameters of the networks whose τ is at least as high as in all earlier epochs."""
        for index in np.flatnonzero(tau >= self.best_tau):
            self.best_tau[index], self.best_epoch[index] = tau[index], self.epoch
            self.best_theta[index] = self.theta[index]

    def to_checkpoint(self, generators: Sequence[np.random.Generator]) -> TrainingState:
        """Return a copy of the state in main memory, with the states of the random number generators."""
        theta, squares, best_theta = (
            tensor.cpu().numpy().astype(float) for tensor in (self.theta, self.squares, self.best_theta)
        )
        generator_states = [dict(generator.bit_generator.state) for generator in generators]
        return TrainingState(
            self.phase, self.epoch, theta, squares, best_theta, self.best_tau.copy(), self.best_epoch.copy(),
            generator_states,
        )  # fmt: skip


def _start_training(theta: torch.Tensor) -> _DeviceState:
    """Return the state before the first epoch."""
    n_networks = len(theta)
    best_tau, best_epoch = np.full(n_networks, -np.inf), np.zeros(n_networks, np.int64)
    return _DeviceState(0, 0, theta, theta.new_zeros(theta.shape), theta.clone(), best_tau, best_epoch)


def _resume_training(
    checkpoint: TrainingState, generators: Sequence[np.random.Generator], device: torch.device
) -> _DeviceState:
    """Restore the random number generators, and return the state of a checkpoint."""
    import torch

    for generator, generator_state in zip(generators, checkpoint.order, strict=True):
        generator.bit_generator.state = generator_state
    theta, squares, best_theta = (
        torch.tensor(values, dtype=torch.float32).to(device)
        for values in (checkpoint.theta, checkpoint.squares, checkpoint.best_theta)
    )
    return _DeviceState(
        checkpoint.phase, checkpoint.epoch, theta, squares, best_theta, checkpoint.best_tau.copy(),
        checkpoint.best_epoch.copy(),
    )  # fmt: skip


def _train_epoch(
    network: PairwiseNetwork,
    cost_name: str,
    state: _DeviceState,
    pairs: torch.Tensor,
    targets: torch.Tensor,
    order: torch.Tensor,
    penalty: torch.Tensor,
) -> torch.Tensor:
    """Update the parameters with AdaGrad, batch by batch, and return each network's total cost."""
    import torch

    total_cost = torch.zeros(len(order), device=order.device)
    for start in range(0, len(pairs), network.options.batch):
        indexes = order[:, start : start + network.options.batch]
        cost, gradient = cost_and_gradient(network, cost_name, state.theta, pairs[indexes], targets[indexes])
        total_cost += cost * indexes.shape[1]
        gradient += penalty * state.theta
        state.squares.addcmul_(gradient, gradient)
        state.theta.addcdiv_(gradient, state.squares.sqrt().add_(1e-8), value=-network.options.learning_rate)
    return total_cost


def _validate(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
    signs: torch.Tensor,
) -> Floats:
    """Return the strict τ of each model's decisions; signs are 1 if the first hypothesis is better, otherwise -1."""
    import torch

    with torch.no_grad():
        correct = torch.zeros(len(theta), device=theta.device)
        for start in range(0, len(X), 10_000):
            block = X[start : start + 10_000].expand(len(theta), -1, -1)
            delta = forward(network, theta, block) - forward(network, theta, _swap(network, block))
            correct += (delta * signs[start : start + 10_000] > 0).sum(dim=1)
        taus: Floats = (2 * correct / max(1, len(X)) - 1).cpu().numpy().astype(float)
        return taus


def _fit_scaler(network: PairwiseNetwork, X: Floats) -> None:  # noqa: N803
    """Set the minimum and maximum of each input.

    They are shared by the two hypotheses of a pair, and by all three vectors, so that swapping does not change the
    scale.
    """
    d, n = network.options.features, network.options.vector_size
    low, high = X.min(axis=0), X.max(axis=0)
    feature_slices = [slice(0, d), slice(d, 2 * d)]
    vector_slices = [slice(2 * d + n * index, 2 * d + n * (index + 1)) for index in range(3)]
    for slices in (feature_slices, vector_slices):
        shared_low = np.min(np.stack([low[part] for part in slices]), axis=0)
        shared_high = np.max(np.stack([high[part] for part in slices]), axis=0)
        for part in slices:
            low[part], high[part] = shared_low, shared_high
    network.low_, network.high_ = low, high
    network.factor_ = np.where(high > low, 2 / np.where(high > low, high - low, 1), 0.0)


def _check_networks(networks: Sequence[PairwiseNetwork]) -> None:
    """Check that the networks have inputs, and differ in their seeds only."""
    if not networks[0].inputs:
        raise ConfigError("pairwise-network: neither features nor vectors")
    options = [{**options_by_name(network.options), "seed": 0} for network in networks]
    if any(network_options != options[0] for network_options in options):
        raise ValueError("networks that are trained together must differ in their seeds alone")
