"""Trains the pairwise network (Guzmán et al., 2015) with AdaGrad.

Models with different random seeds are trained together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from meteor_e_learned.models.state import TrainingState
from numpy.typing import NDArray
from torch import Tensor

from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_papers.devices import choose_device
from meteor_e_papers.pairwise_architectures import Architecture, make_architecture
from meteor_e_papers.pairwise_costs import make_cost_function

VALIDATION_BATCH = 10_000
"""Approximate number of pairs that are processed at once outside of the training."""
ADAGRAD_EPSILON = 1e-8
"""A small number that prevents a division by 0."""


class LabeledPairs(NamedTuple):
    """Pairs of hypotheses with their labels.

    Attributes:
        pairs: the scaled inputs of the network, ``(pairs, inputs)``.
        labels: 1 for each pair if the first hypothesis is better, and 0 otherwise.
    """

    pairs: NDArray[np.float32]
    labels: NDArray[Any]


def train_models(
    options: Any, seeds: Sequence[int], training: LabeledPairs, validation: LabeledPairs, run: TrainingRun
) -> TrainingState:
    """Train a model for each seed, and return the final state, which contains the best parameters of each model.

    Args:
        options: the options of the estimator, except for the seed.
        seeds: the seeds of the initial parameters and of the order of pairs.
        training: the training data.
        validation: the data that select the best epoch.
        run: the functions that report and store the state of the training, and the state to continue from.
    """
    device = choose_device(options.device)
    first_state = _make_initial_state(options, seeds, training) if run.resume is None else run.resume
    data = _copy_to_device(training, validation, device)
    trainer = _Trainer(options, data, _DeviceState.from_checkpoint(first_state, device))
    trainer.train(run)
    return trainer.state.to_checkpoint()


def compute_pair_logits(architecture: Architecture, theta: NDArray[np.float32], pairs: NDArray[np.float32]) -> Floats:
    """Return the output of a model for each pair as log odds.

    Args:
        architecture: the architecture of the model.
        theta: the parameters of the model, ``(parameters,)``.
        pairs: the scaled pairs, ``(pairs, inputs)``.
    """
    parameters = torch.from_numpy(theta)
    n_batches = max(1, len(pairs) // VALIDATION_BATCH)
    batch_logits = []
    with torch.no_grad():
        for batch in torch.from_numpy(pairs).tensor_split(n_batches):
            # An architecture processes several models at once, so a model axis is added to the arrays of one model.
            outputs = architecture.forward(parameters[None], batch[None])
            batch_logits.append(outputs.logits[0])
    return np.asarray(torch.cat(batch_logits).numpy(), float)


class _DeviceData(NamedTuple):
    """The training data and the validation data as tensors on a device.

    Attributes:
        pairs: the scaled training pairs, ``(pairs, inputs)``.
        labels: the labels of the training pairs, ``(pairs,)``.
        validation_pairs: the scaled validation pairs, ``(validation pairs, inputs)``.
        validation_signs: 1 for each validation pair if the first hypothesis is better, and -1 otherwise.
    """

    pairs: Tensor
    labels: Tensor
    validation_pairs: Tensor
    validation_signs: Tensor


def _copy_to_device(training: LabeledPairs, validation: LabeledPairs, device: torch.device) -> _DeviceData:
    """Copy the pairs and the labels to a device such as a GPU."""
    validation_signs = np.where(validation.labels == 1, 1.0, -1.0).astype(np.float32)
    return _DeviceData(
        pairs=torch.from_numpy(training.pairs).to(device),
        labels=torch.from_numpy(training.labels.astype(np.float32)).to(device),
        validation_pairs=torch.from_numpy(validation.pairs).to(device),
        validation_signs=torch.from_numpy(validation_signs).to(device),
    )


def _make_initial_state(options: Any, seeds: Sequence[int], training: LabeledPairs) -> TrainingState:
    """Draw the initial parameters of each model, and return the state before the first epoch."""
    architecture = make_architecture(options)
    generators = [np.random.default_rng(seed) for seed in seeds]
    parameters = np.stack([architecture.draw_parameters(generator) for generator in generators])
    if options.skip_start == "logistic" and options.features:
        # The first parameters of each model are the weights that connect the features directly to the output.
        n_skip_arcs = 2 * options.features
        parameters[:, :n_skip_arcs] = _fit_skip_weights(training, options.features)
    return TrainingState(
        phase=0,
        epoch=0,
        theta=parameters,
        squares=np.zeros_like(parameters),
        best_theta=parameters,
        best_tau=np.full(len(seeds), -np.inf),
        best_epoch=np.zeros(len(seeds), np.int64),
        order=[dict(generator.bit_generator.state) for generator in generators],
    )


def _fit_skip_weights(training: LabeledPairs, n_features: int) -> Floats:
    """Fit the weights of the skip arcs, which connect features to the output, by a logistic regression.

    The regression predicts labels from feature differences. Each pair is also used with swapped hypotheses.

    Returns:
        The weights of the features of the first hypothesis and of the second hypothesis, ``(2 · features,)``.
    """
    from sklearn.linear_model import LogisticRegression

    first_features = training.pairs[:, :n_features]
    second_features = training.pairs[:, n_features : 2 * n_features]
    differences = first_features - second_features
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=2000)
    model.fit(np.vstack([differences, -differences]), np.concatenate([training.labels, 1 - training.labels]))
    weights = model.coef_[0]
    return np.concatenate([weights, -weights])


def _restore_generator(state: Mapping[str, Any]) -> np.random.Generator:
    """Return a random number generator with the given state."""
    generator = np.random.default_rng()
    generator.bit_generator.state = state
    return generator


@dataclass
class _DeviceState:
    """The state of a training run on a device such as a GPU.

    Attributes:
        generators: the random number generator of each model.
        phase, epoch, theta, squares, best_theta, best_tau, best_epoch: see :class:`TrainingState`.
    """

    generators: list[np.random.Generator]
    phase: int
    epoch: int
    theta: Tensor
    squares: Tensor
    best_theta: Tensor
    best_tau: Floats
    best_epoch: NDArray[np.int64]

    @classmethod
    def from_checkpoint(cls, checkpoint: TrainingState, device: torch.device) -> _DeviceState:
        """Copy the state of a checkpoint to a device, and restore the random number generators."""
        return cls(
            generators=list(map(_restore_generator, checkpoint.order)),
            phase=checkpoint.phase,
            epoch=checkpoint.epoch,
            theta=torch.tensor(checkpoint.theta, dtype=torch.float32, device=device),
            squares=torch.tensor(checkpoint.squares, dtype=torch.float32, device=device),
            best_theta=torch.tensor(checkpoint.best_theta, dtype=torch.float32, device=device),
            best_tau=checkpoint.best_tau.copy(),
            best_epoch=checkpoint.best_epoch.copy(),
        )

    def to_checkpoint(self) -> TrainingState:
        """Copy the state of the training and of the random number generators to main memory."""
        return TrainingState(
            phase=self.phase,
            epoch=self.epoch,
            theta=self.theta.cpu().numpy().astype(float),
            squares=self.squares.cpu().numpy().astype(float),
            best_theta=self.best_theta.cpu().numpy().astype(float),
            best_tau=self.best_tau.copy(),
            best_epoch=self.best_epoch.copy(),
            order=[dict(generator.bit_generator.state) for generator in self.generators],
        )

    def start_phase(self, phase: int) -> None:
        """Continue with the next cost function, starting from the best parameters of the previous cost function."""
        self.phase = phase
        self.epoch = 0
        self.theta = self.best_theta.clone()
        self.squares = torch.zeros_like(self.theta)
        self.best_epoch = np.zeros_like(self.best_epoch)

    def apply_gradient(self, gradient: Tensor, learning_rate: float) -> None:
        """Update the parameters with AdaGrad, which divides each step by the root of the sum of squared gradients."""
        self.squares.addcmul_(gradient, gradient)
        root = self.squares.sqrt().add_(ADAGRAD_EPSILON)
        self.theta.addcdiv_(gradient, root, value=-learning_rate)

    def has_converged(self, patience: int | None) -> bool:
        """Return whether no model has improved for ``patience`` epochs. If ``patience`` is None, return False."""
        return patience is not None and bool(self.epoch - self.best_epoch.max() >= patience)

    def keep_best(self, tau: Floats) -> None:
        """Store the current parameters of each model if no earlier epoch had a higher τ."""
        for index in np.flatnonzero(tau >= self.best_tau):
            self.best_tau[index] = tau[index]
            self.best_epoch[index] = self.epoch
            self.best_theta[index] = self.theta[index]


class _Trainer:
    """Trains several models that differ only in their seeds.

    Args:
        options: the options of the estimator.
        data: the training data and the validation data.
        state: the state of the training, which is updated.
    """

    def __init__(self, options: Any, data: _DeviceData, state: _DeviceState) -> None:
        self.options = options
        self.architecture = make_architecture(options)
        self.data = data
        self.state = state
        penalty = self.architecture.make_penalty(options.decay, decay_skip=options.decay_skip)
        self.penalty = penalty.to(data.pairs.device)

    def train(self, run: TrainingRun) -> None:
        """Minimize each cost function for the maximum number of epochs, or until no model improves any more."""
        # The option contains one cost function, or two cost functions that are separated by a hyphen.
        cost_names = self.options.cost.split("-")
        first_phase = self.state.phase
        for phase in range(first_phase, len(cost_names)):
            if phase > first_phase:
                self.state.start_phase(phase)
            while not self.is_phase_complete():
                epoch_results = self.run_epoch(cost_names[phase])
                if run.report is not None:
                    run.report(epoch_results)
                if run.checkpoint is not None:
                    run.checkpoint(self.state.to_checkpoint())

    def is_phase_complete(self) -> bool:
        """Return whether the training with the current cost function is complete."""
        return self.state.epoch >= self.options.epochs or self.state.has_converged(self.options.patience)

    def run_epoch(self, cost_name: str) -> Mapping[str, Any]:
        """Train for one epoch, validate the models, and return the results, such as τ, for the training log."""
        start_time = time.perf_counter()
        self.state.epoch += 1
        loss = self.update_parameters(cost_name)
        tau = self.validate()
        self.state.keep_best(tau)
        return {
            "cost": cost_name,
            "epoch": self.state.epoch,
            "loss": loss.tolist(),
            "tau": tau.tolist(),
            "best": self.state.best_tau.tolist(),
            "seconds": round(time.perf_counter() - start_time, 3),
            "device": str(self.state.theta.device),
        }

    def update_parameters(self, cost_name: str) -> Tensor:
        """Update the parameters with AdaGrad after each batch, and return the mean cost of each model."""
        compute_cost = make_cost_function(cost_name, self.options.steepness)
        state = self.state
        total_cost = torch.zeros(len(state.theta), device=state.theta.device)
        for indexes in torch.split(self.draw_orders(), self.options.batch, dim=1):  # (models, pairs of the batch)
            pairs, labels = self.data.pairs[indexes], self.data.labels[indexes]
            cost = compute_cost(self.architecture, state.theta, pairs, labels)
            total_cost += cost.mean * indexes.shape[1]
            state.apply_gradient(cost.gradient + self.penalty * state.theta, self.options.learning_rate)
        return total_cost / len(self.data.pairs)

    def draw_orders(self) -> Tensor:
        """Draw a random permutation of the pair indexes for each model, and return a tensor ``(models, pairs)``."""
        orders = np.stack([generator.permutation(len(self.data.pairs)) for generator in self.state.generators])
        return torch.from_numpy(orders).to(self.data.pairs.device)

    def validate(self) -> Floats:
        """Return Kendall's τ of each model's decisions on the validation data. Ties count as errors."""
        n_correct = torch.zeros(len(self.state.theta), device=self.state.theta.device)
        pair_batches = torch.split(self.data.validation_pairs, VALIDATION_BATCH)
        sign_batches = torch.split(self.data.validation_signs, VALIDATION_BATCH)
        for pairs, signs in zip(pair_batches, sign_batches, strict=True):
            # A prediction is correct if the output difference has the same sign as the human judgment.
            n_correct += (self.compute_differences(pairs) * signs > 0).sum(dim=1)
        n_pairs = max(1, len(self.data.validation_pairs))
        tau = 2 * n_correct / n_pairs - 1
        return np.asarray(tau.cpu().numpy().astype(float))

    def compute_differences(self, pairs: Tensor) -> Tensor:
        """Return f(1, 2) - f(2, 1) for each model f and pair of hypotheses 1 and 2 as a tensor ``(models, pairs)``.

        Args:
            pairs: the scaled pairs, ``(pairs, inputs)``.
        """
        theta = self.state.theta
        model_pairs = pairs.expand(len(theta), -1, -1)  # (models, pairs, inputs)
        swapped_pairs = self.architecture.swap_hypotheses(model_pairs)
        logits = self.architecture.forward(theta, model_pairs).logits
        return logits - self.architecture.forward(theta, swapped_pairs).logits
