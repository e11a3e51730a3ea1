"""Trains the MaxSD network (Ma et al., 2016) with Adadelta."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.state import TrainingState
from torch import Tensor

from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_papers.comparisons import Integers
from meteor_e_papers.maxsd_batches import ComparisonData, make_batches
from meteor_e_papers.maxsd_network import SimilarityNetwork, make_dropout
from meteor_e_papers.maxsd_scoring import compute_logits, compute_scores


class TrainingProgress:
    """The state of a training run: the current parameters, the optimizer, and the best parameters so far.

    Args:
        network: the network to train.
        device: the device of the training.
        learning_rate: the learning rate of Adadelta.
        generator: the random number generator of the training.
    """

    def __init__(
        self, network: SimilarityNetwork, device: torch.device, learning_rate: float, generator: np.random.Generator
    ) -> None:
        self.network = network.to(device)
        self.device = device
        self.parameters: list[Any] = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.Adadelta(self.parameters, lr=learning_rate)
        self.generator = generator
        self.epoch = 0
        self.best_parameters = _flatten(self.parameters)
        self.best_tau = -np.inf
        self.best_epoch = 0

    def keep_best(self, tau: float) -> None:
        """Store the current parameters if ``tau`` is greater than or equal to the best τ so far."""
        if tau >= self.best_tau:
            self.best_parameters = _flatten(self.parameters)
            self.best_tau = tau
            self.best_epoch = self.epoch

    def has_converged(self, patience: int | None) -> bool:
        """Return whether τ has not improved for ``patience`` epochs. If ``patience`` is None, return False."""
        return patience is not None and self.epoch - self.best_epoch >= patience

    def to_checkpoint(self) -> TrainingState:
        """Return the state as a checkpoint. Its array ``squares`` contains both accumulators of Adadelta."""
        optimizer_states = [self.optimizer.state[parameter] for parameter in self.parameters]
        square_averages = [state["square_avg"] for state in optimizer_states]
        delta_averages = [state["acc_delta"] for state in optimizer_states]
        # A checkpoint array has one row per model. MaxSD trains only one model, so each array here has a single row.
        return TrainingState(
            phase=0,
            epoch=self.epoch,
            theta=np.stack([_flatten(self.parameters)]),
            squares=np.stack([_flatten(square_averages + delta_averages)]),
            best_theta=np.stack([self.best_parameters]),
            best_tau=np.array([self.best_tau]),
            best_epoch=np.array([self.best_epoch]),
            order=[dict(self.generator.bit_generator.state)],
        )

    def restore(self, checkpoint: TrainingState) -> None:
        """Restore the state of a checkpoint."""
        _copy_values(self.parameters, checkpoint.theta[0])
        self._restore_optimizer(checkpoint.squares[0], checkpoint.epoch)
        self.generator.bit_generator.state = checkpoint.order[0]
        self.epoch = checkpoint.epoch
        self.best_parameters = checkpoint.best_theta[0]
        self.best_tau = float(checkpoint.best_tau[0])
        self.best_epoch = int(checkpoint.best_epoch[0])

    def _restore_optimizer(self, squares: Floats, epoch: int) -> None:
        """Restore the accumulators of the optimizer Adadelta.

        Args:
            squares: the averages of squared gradients for all parameters, and then the averages of squared updates.
            epoch: the number of finished epochs.
        """
        square_averages = [torch.zeros_like(parameter) for parameter in self.parameters]
        delta_averages = [torch.zeros_like(parameter) for parameter in self.parameters]
        _copy_values([*square_averages, *delta_averages], squares)
        averages_by_parameter = zip(self.parameters, square_averages, delta_averages, strict=True)
        for parameter, square_average, delta_average in averages_by_parameter:
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(epoch)),
                "square_avg": square_average,
                "acc_delta": delta_average,
            }


class Trainer:
    """Trains a network on comparisons.

    Args:
        options: the options of the estimator.
        progress: the state of the training, which is updated.
        training: the comparisons to train on.
        validation: the comparisons whose τ selects the best epoch.
    """

    def __init__(
        self, options: Any, progress: TrainingProgress, training: ComparisonData, validation: ComparisonData
    ) -> None:
        self.options = options
        self.progress = progress
        self.training = training
        self.validation = validation
        self.dropout = make_dropout(options.dropout, progress.generator)

    def train(self, run: TrainingRun) -> None:
        """Train for the maximum number of epochs, or until τ no longer improves. Then restore the best parameters.

        Args:
            run: the functions that report and store the state of the training, and the state to continue from.
        """
        progress = self.progress
        if run.resume is not None:
            progress.restore(run.resume)
        while progress.epoch < self.options.epochs and not progress.has_converged(self.options.patience):
            epoch_results = self.run_epoch()
            if run.report is not None:
                run.report(epoch_results)
            if run.checkpoint is not None:
                run.checkpoint(progress.to_checkpoint())
        _copy_values(progress.parameters, progress.best_parameters)

    def run_epoch(self) -> Mapping[str, Any]:
        """Train for one epoch, validate the network, and return the results, such as τ, for the training log."""
        start_time = time.perf_counter()
        self.progress.epoch += 1
        loss = self.update_parameters()
        tau = self.validate()
        self.progress.keep_best(tau)
        return {
            "cost": self.options.loss,
            "epoch": self.progress.epoch,
            "loss": [loss],
            "tau": [tau],
            "best": [self.progress.best_tau],
            "seconds": round(time.perf_counter() - start_time, 3),
            "device": str(self.progress.device),
        }

    def update_parameters(self) -> float:
        """Update the parameters after each batch of comparisons, and return the mean loss."""
        by_segment = self.options.batching == "segments"
        batches = make_batches(self.training, self.options.batch, self.progress.generator, by_segment=by_segment)
        total_loss = 0.0
        for batch in batches:
            loss = self.compute_loss(batch)
            self.progress.optimizer.zero_grad()
            torch.autograd.backward(loss)
            self.progress.optimizer.step()
            total_loss += float(loss.detach()) * len(batch)
        return total_loss / len(self.training.comparisons)

    def compute_loss(self, batch: Integers) -> Tensor:
        """Return the mean loss of a batch, which contains indexes of comparisons."""
        comparisons = self.training.comparisons.select(batch)
        # A hypothesis that occurs several times in the batch is scored only once.
        compared_hypotheses = np.concatenate([comparisons.better, comparisons.worse])
        hypotheses, indexes = np.unique(compared_hypotheses, return_inverse=True)
        better_indexes, worse_indexes = np.split(indexes, 2)
        logits = compute_logits(self.progress.network, self.training.texts, hypotheses, self.dropout)
        scores = torch.sigmoid(logits)
        losses = compute_losses(scores[better_indexes] - scores[worse_indexes], self.options.loss, self.options.margin)
        if comparisons.weight is None:
            return losses.mean()
        weights = torch.from_numpy(comparisons.weight.astype(np.float32)).to(self.progress.device)
        return (losses * weights).mean()

    def validate(self) -> float:
        """Return Kendall's τ between the network's scores and the human comparisons. Ties count as errors."""
        scores = compute_scores(self.progress.network, self.validation.texts)
        comparisons = self.validation.comparisons
        return float(strict_tau(scores[comparisons.better] - scores[comparisons.worse]))


def compute_losses(distances: Tensor, loss: str, margin: float) -> Tensor:
    """Return the loss of each comparison.

    Args:
        distances: the score of the better hypothesis minus the score of the worse one, ``(comparisons,)``.
        loss: ``hinge`` or ``similarity-distance``.
        margin: the margin of the hinge loss.
    """
    if loss == "similarity-distance":
        return -torch.relu(distances)
    return torch.relu(margin - distances)


def _flatten(tensors: list[Any]) -> Floats:
    """Concatenate the values of all tensors into a single vector."""
    return np.concatenate([tensor.detach().cpu().numpy().ravel() for tensor in tensors]).astype(float)


def _copy_values(tensors: list[Any], values: Floats) -> None:
    """Copy the values of a flat vector to tensors. This function is the inverse of :func:`_flatten`."""
    offset = 0
    with torch.no_grad():
        for tensor in tensors:
            block = values[offset : offset + tensor.numel()].astype(np.float32).reshape(tuple(tensor.shape))
            tensor.copy_(torch.from_numpy(block))
            offset += tensor.numel()
