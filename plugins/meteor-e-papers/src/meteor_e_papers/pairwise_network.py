"""The pairwise network of Guzmán et al. (2015)."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
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
    """Decides which of two hypotheses is better, by a small network on vectors and features (Guzmán et al., 2015).

    Three groups of tanh nodes read the vectors of (hypothesis 1, hypothesis 2), (hypothesis 1, reference) and
    (hypothesis 2, reference). Skip arcs bring the features of both hypotheses straight to the output (equation 3). A
    decision compares f(1, 2) with f(2, 1), so that the order of the hypotheses does not matter.
    """

    name: ClassVar[str] = "pairwise-network"
    requires: ClassVar[tuple[str, ...]] = ("torch", "scikit-learn")
    compares_only: ClassVar[bool] = True
    needs_vectors: ClassVar[bool] = True

    best_epoch_: int
    best_tau_: float

    class Options(ComponentOptions):
        """Size and training of the network; the recipe's features give the number of its inputs."""

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
        """Learn.

        Args:
            X: features of the first and of the second hypotheses, vectors of the first, of the second, and of the
                reference, side by side, ``(pairs, 2 · features + 3 · vector_size)``.
            y: 1 where the first is better, 0 where the second is.
            validation: pairs that choose the best epoch; by default the training pairs.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
            resume: the state of an interrupted training, which continues from it.
        """
        fit_seeds([self], X, y, validation=validation, report=report, checkpoint=checkpoint, resume=resume)
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from comparisons; the network has as many inputs as features and vectors. Validation stops it."""
        examples.check_comparisons(held)
        self.options = self.options.replaced(features=examples.features.shape[1], vector_size=examples.vectors.shape[1])
        validation = None if held is None else held.drawn_pairs(run.seed)
        self.fit(
            *examples.drawn_pairs(run.seed), validation=validation, report=run.report,
            checkpoint=run.checkpoint, resume=run.resume,
        )  # fmt: skip
        return {"best epoch": self.best_epoch_, "validation tau": self.best_tau_}

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        count: int = 2 * self.options.features + 3 * self.options.vector_size
        return count

    def swapped(self, X: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Return pairs with their hypotheses exchanged."""
        d, n = self.options.features, self.options.vector_size
        parts = [X[:, d : 2 * d], X[:, :d], X[:, 2 * d + n : 2 * d + 2 * n], X[:, 2 * d : 2 * d + n]]
        return np.hstack([*parts, X[:, 2 * d + 2 * n :]])

    def scaled(self, X: Floats) -> NDArray[np.float32]:  # noqa: N803
        """Return pairs mapped to [-1, 1] by the extremes of the training; values beyond them are clipped."""
        if X.ndim != 2 or X.shape[1] != self.inputs:
            raise ConfigError(f"{X.shape[-1]} numbers per pair; the network has {self.inputs} inputs")
        result: NDArray[np.float32] = ((np.clip(X, self.low_, self.high_) - self.low_) * self.factor_ - 1).astype(
            np.float32
        )
        return result

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return f(1, 2) - f(2, 1), as log odds: above 0, the first hypothesis is better."""
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
        """Return 1 where the first hypothesis is better, else 0."""
        result: NDArray[np.int64] = (self.decision_function(X) > 0).astype(np.int64)
        return result

    def score(self, X: Floats, y: NDArray[Any]) -> float:  # noqa: N803
        """Return the strict τ of the decisions."""
        return float(strict_tau(self.decision_function(X) * np.where(np.asarray(y) == 1, 1, -1)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scaler and the parameters."""
        return {"low": self.low_, "high": self.high_, "factor": self.factor_, "theta": self.theta_}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what was learned."""
        self.low_, self.high_, self.factor_ = (arrays[name].astype(float) for name in ("low", "high", "factor"))
        self.theta_ = arrays["theta"].astype(np.float32)
        if self.theta_.shape != (_layout(self)[1],) or self.low_.shape != (self.inputs,):
            raise ValueError("arrays do not have the shapes that the options ask for")


def _layout(network: PairwiseNetwork) -> tuple[dict[str, tuple[int, tuple[int, ...]]], int]:
    """Return where each block of parameters begins, its shape, and how many parameters there are."""
    return _places(
        network.options.features, network.options.vector_size, network.options.hidden, network.options.architecture
    )


@functools.lru_cache(maxsize=8)
def _places(d: int, n: int, h: int, architecture: str) -> tuple[dict[str, tuple[int, tuple[int, ...]]], int]:
    blocks: dict[str, tuple[int, ...]] = {"skip": (2 * d,), "bias": (1,)}
    if n and architecture == "multi-layer":
        blocks |= {"groups": (3, 2 * n, h), "group_bias": (3, 1, h), "output": (3 * h,)}
    elif n:
        blocks["vectors"] = (3 * n,)
    places, start = {}, 0
    for name, shape in blocks.items():
        places[name] = (start, shape)
        start += math.prod(shape)
    return places, start


def _start(network: PairwiseNetwork, generator: np.random.Generator, X: NDArray[np.float32], y: NDArray[Any]) -> Floats:  # noqa: N803
    """Return parameters to start from: Glorot and Bengio (2010); biases are 0."""
    places, count = _layout(network)
    theta = np.zeros(count)
    fans = {
        "skip": (network.inputs, 1),
        "vectors": (network.inputs, 1),
        "groups": (2 * network.options.vector_size, network.options.hidden),
        "output": (3 * network.options.hidden + 2 * network.options.features, 1),
    }
    for name, (start, shape) in places.items():
        if name in fans:
            limit = np.sqrt(6 / sum(fans[name]))
            size = math.prod(shape)
            theta[start : start + size] = generator.uniform(-limit, limit, size)
    if network.options.skip_start == "logistic" and network.options.features:
        from sklearn.linear_model import LogisticRegression

        d = network.options.features
        model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=2000)
        differences = X[:, :d] - X[:, d : 2 * d]
        model.fit(np.vstack([differences, -differences]), np.r_[y, 1 - y])
        start = places["skip"][0]
        theta[start : start + 2 * d] = np.r_[model.coef_[0], -model.coef_[0]]
    return theta


def forward(network: PairwiseNetwork, theta: torch.Tensor, X: torch.Tensor) -> torch.Tensor:  # noqa: N803
    """Return log odds ``(models, pairs)`` of several models with parameters ``theta`` on pairs of each."""
    return _forward(network, theta, X)[0]


def _block(network: PairwiseNetwork, theta: torch.Tensor, name: str) -> torch.Tensor:
    """Return a view of some of the parameters, ``(models, …)``."""
    start, shape = _layout(network)[0][name]
    return theta[:, start : start + math.prod(shape)].view(len(theta), *shape)


_GROUPS = ((0, 1), (0, 2), (1, 2))
"""Which two of first hypothesis, second hypothesis and reference a group of nodes sees."""


def _forward(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return log odds, and what the hidden nodes say, ``(models, pairs, 3 · hidden)``, if there are any."""
    import torch

    d, n, h = network.options.features, network.options.vector_size, network.options.hidden
    multi = bool(n) and network.options.architecture == "multi-layer"
    direct = torch.cat(
        [_block(network, theta, "skip"), *([_block(network, theta, "vectors")] if n and not multi else [])], 1
    )
    result = _block(network, theta, "bias") + (X[:, :, : direct.shape[1]] @ direct[:, :, None])[:, :, 0]
    if not multi:
        return result, None
    # One matrix for all groups, with zeros for the side that a group does not see.
    groups = _block(network, theta, "groups")
    whole = theta.new_zeros(len(theta), 3 * n, 3 * h)
    for place, sides in enumerate(_GROUPS):
        for half, side in enumerate(sides):
            whole[:, side * n : (side + 1) * n, place * h : (place + 1) * h] = groups[
                :, place, half * n : (half + 1) * n
            ]
    biases = _block(network, theta, "group_bias").reshape(len(theta), 1, 3 * h)
    hidden = torch.tanh(X[:, :, 2 * d :] @ whole + biases)
    return result + (hidden @ _block(network, theta, "output")[:, :, None])[:, :, 0], hidden


def _backward(
    network: PairwiseNetwork,
    theta: torch.Tensor,
    X: torch.Tensor,  # noqa: N803
    hidden: torch.Tensor | None,
    slope: torch.Tensor,
    gradient: torch.Tensor,
) -> None:
    """Add to the gradient of the parameters, given the cost's slope by the log odds, ``(models, pairs)``.

    Written out, because automatic differentiation takes most of the time of networks that are so small.
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
    whole = X[:, :, 2 * d :].transpose(1, 2) @ nodes
    groups = _block(network, gradient, "groups")
    for place, sides in enumerate(_GROUPS):
        for half, side in enumerate(sides):
            groups[:, place, half * n : (half + 1) * n] += whole[
                :, side * n : (side + 1) * n, place * h : (place + 1) * h
            ]


def _swap(network: PairwiseNetwork, X: torch.Tensor) -> torch.Tensor:  # noqa: N803
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
    """Return the mean cost of each model's pairs, ``(models,)``, without the penalty, and its gradient by ``theta``."""
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
    turned = _swap(network, X)
    other, other_hidden = _forward(network, theta, turned)
    second = torch.sigmoid(other)
    delta, steep = first - second, network.options.steepness
    won = torch.sigmoid(steep * delta)
    near = torch.exp(-steep * delta**2 / 2)
    value = (y * (1 - won) + (1 - y) * won + near).mean(dim=1)
    slope = ((1 - 2 * y) * steep * won * (1 - won) - steep * delta * near) / count
    _backward(network, theta, X, hidden, slope * first * (1 - first), gradient)
    _backward(network, theta, turned, other_hidden, -slope * second * (1 - second), gradient)
    return value, gradient


def _weight_decay(network: PairwiseNetwork, width: int) -> torch.Tensor:
    """Return the decay of each parameter: none for biases, nor for the skip connection where the options say so."""
    import torch

    decay = torch.full((width,), network.options.decay)
    places, _ = _layout(network)
    for name in ("bias", "group_bias", *(() if network.options.decay_skip else ("skip",))):
        if name in places:
            start, shape = places[name]
            decay[start : start + math.prod(shape)] = 0
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
    """Train networks that only differ in their seeds at once, in little more time than one network needs.

    Arguments are those of :meth:`PairwiseNetwork.fit`.
    """
    import torch

    network = networks[0]
    _check(networks)
    X, labels = np.asarray(X, float), np.asarray(y)  # noqa: N806
    if X.ndim != 2 or X.shape[1] != network.inputs:
        raise ConfigError(f"{X.shape[-1]} numbers per pair; the network has {network.inputs} inputs")
    for each in networks:
        _fit_scaler(each, X)
    device = choose_device(network.options.device)
    scaled = network.scaled(X)
    pairs = torch.from_numpy(scaled).to(device)
    target = torch.from_numpy(labels.astype(np.float32)).to(device)
    held, held_labels = (X, labels) if validation is None else validation
    held_pairs = torch.from_numpy(network.scaled(np.asarray(held, float))).to(device)
    held_sign = torch.from_numpy(np.where(np.asarray(held_labels) == 1, 1.0, -1.0).astype(np.float32)).to(device)
    generators = [np.random.default_rng(each.options.seed) for each in networks]
    costs = {"logistic-kendall": ["logistic", "kendall"]}.get(network.options.cost, [network.options.cost])
    first_phase = first_epoch = 0
    if resume is None:
        theta = torch.tensor(
            np.stack([_start(network, generator, scaled, labels) for generator in generators]), dtype=torch.float32
        ).to(device)
        squares = torch.zeros_like(theta)
        best_theta, best_tau = theta.clone(), np.full(len(networks), -np.inf)
        best_epoch = np.zeros(len(networks), np.int64)
    else:
        for generator, state in zip(generators, resume.order, strict=True):
            generator.bit_generator.state = state
        theta, squares, best_theta = (
            torch.tensor(values, dtype=torch.float32).to(device)
            for values in (resume.theta, resume.squares, resume.best_theta)
        )
        best_tau, best_epoch = resume.best_tau.copy(), resume.best_epoch.copy()
        first_phase, first_epoch = resume.phase, resume.epoch
    penalty = _weight_decay(network, theta.shape[1]).to(device)
    for phase in range(first_phase, len(costs)):
        if phase > first_phase or (resume is None and phase > 0):
            # The second cost starts from the best of the first, with AdaGrad's memory empty.
            theta, squares, first_epoch = best_theta.clone(), torch.zeros_like(theta), 0
            best_epoch = np.zeros_like(best_epoch)
        for epoch in range(first_epoch + 1, network.options.epochs + 1):
            if network.options.patience is not None and epoch - 1 - best_epoch.max() >= network.options.patience:
                break
            started = time.perf_counter()
            order = np.stack([generator.permutation(len(pairs)) for generator in generators])
            orders = torch.from_numpy(order).to(device)
            total = torch.zeros(len(networks), device=device)
            for begin in range(0, len(pairs), network.options.batch):
                at = orders[:, begin : begin + network.options.batch]
                cost, gradient = cost_and_gradient(network, costs[phase], theta, pairs[at], target[at])
                total += cost * at.shape[1]
                gradient += penalty * theta
                squares.addcmul_(gradient, gradient)
                theta.addcdiv_(gradient, squares.sqrt().add_(1e-8), value=-network.options.learning_rate)
            tau = _validate(network, theta, held_pairs, held_sign)
            for place in np.flatnonzero(tau >= best_tau):
                best_tau[place], best_epoch[place], best_theta[place] = tau[place], epoch, theta[place]
            if report is not None:
                report(
                    {
                        "cost": costs[phase],
                        "epoch": epoch,
                        "loss": (total / len(pairs)).tolist(),
                        "tau": tau.tolist(),
                        "best": best_tau.tolist(),
                        "seconds": round(time.perf_counter() - started, 3),
                        "device": str(device),
                    }
                )
            if checkpoint is not None:
                now, sums, best = (tensor.cpu().numpy().astype(float) for tensor in (theta, squares, best_theta))
                states = [dict(generator.bit_generator.state) for generator in generators]
                checkpoint(TrainingState(phase, epoch, now, sums, best, best_tau.copy(), best_epoch.copy(), states))
    for index, each in enumerate(networks):
        each.theta_ = best_theta[index].cpu().numpy()
        each.best_tau_, each.best_epoch_ = float(best_tau[index]), int(best_epoch[index])


def _validate(network: PairwiseNetwork, theta: torch.Tensor, X: torch.Tensor, sign: torch.Tensor) -> Floats:  # noqa: N803
    import torch

    with torch.no_grad():
        right = torch.zeros(len(theta), device=theta.device)
        for begin in range(0, len(X), 10_000):
            part = X[begin : begin + 10_000].expand(len(theta), -1, -1)
            delta = forward(network, theta, part) - forward(network, theta, _swap(network, part))
            right += (delta * sign[begin : begin + 10_000] > 0).sum(dim=1)
        result: Floats = (2 * right / max(1, len(X)) - 1).cpu().numpy().astype(float)
        return result


def _fit_scaler(network: PairwiseNetwork, X: Floats) -> None:  # noqa: N803
    """Find the extremes of each number over all its places in a pair, so that swapping changes nothing."""
    d, n = network.options.features, network.options.vector_size
    low, high = X.min(axis=0), X.max(axis=0)

    def over(parts: Sequence[slice], find: Any, values: Floats) -> Floats:
        found: Floats = find(np.stack([values[part] for part in parts]), axis=0)
        return found

    skips = [slice(0, d), slice(d, 2 * d)]
    sides = [slice(2 * d + n * place, 2 * d + n * (place + 1)) for place in range(3)]
    for parts in (skips, sides):
        small, large = over(parts, np.min, low), over(parts, np.max, high)
        for part in parts:
            low[part], high[part] = small, large
    network.low_, network.high_ = low, high
    network.factor_ = np.where(high > low, 2 / np.where(high > low, high - low, 1), 0.0)


def _check(networks: Sequence[PairwiseNetwork]) -> None:
    network = networks[0]
    if not network.inputs:
        raise ConfigError("pairwise-network: neither features nor vectors")
    others = [{**options_by_name(each.options), "seed": 0} for each in networks]
    if any(other != others[0] for other in others):
        raise ValueError("networks that are trained together must differ in their seeds alone")
