"""The estimator ``maxsd``, which scores single hypotheses and is trained on comparisons (Ma et al., 2016)."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.state import TrainingState
from meteor_e_learned.models.texts import TextSamples
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Estimator, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_papers.comparisons import Comparisons, clean_comparisons, get_comparisons, get_texts
from meteor_e_papers.devices import choose_device
from meteor_e_papers.splitting import split

if TYPE_CHECKING:
    import torch

    from meteor_e_papers.features.vectors import WordVectors
    from meteor_e_papers.maxsd_network import SimilarityNetwork

BATCH_WORDS = 20_000
"""Maximum number of words, including padding, in a batch of hypotheses to score."""
_BATCHES_PER_POOL = 50
"""Approximate number of batches that are formed from a pool of comparisons of similar length."""


@dataclass
class _PreparedTexts:
    """The input of the network.

    Attributes:
        hypotheses: the row indexes of the words of each hypothesis in the word table.
        references: the row indexes of the words of each reference of each hypothesis.
        features: the scaled features, ``(hypotheses, features)``.
    """

    hypotheses: list[NDArray[np.int64]]
    references: list[list[NDArray[np.int64]]]
    features: NDArray[np.float32]

    def find_max_lengths(self) -> NDArray[np.int64]:
        """Return the length of the longest text among each hypothesis and its references, in words."""
        lengths = []
        for hypothesis, references in zip(self.hypotheses, self.references, strict=True):
            lengths.append(max(len(text) for text in (hypothesis, *references)))
        return np.array(lengths, np.int64)


@dataclass
class _ComparisonData:
    """Comparisons of hypotheses, and the texts that are compared."""

    texts: _PreparedTexts
    comparisons: Comparisons

    def find_reference_length(self, group: NDArray[np.int64]) -> int:
        """Return the number of words in the longest reference of the first comparison in a group of comparisons."""
        first_hypothesis = self.comparisons.better[group[0]]
        return max(len(reference) for reference in self.texts.references[first_hypothesis])


class _TrainingProgress:
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
        import torch

        self.network = network.to(device)
        self.device = device
        self.parameters: list[Any] = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.Adadelta(self.parameters, lr=learning_rate)
        self.generator = generator
        self.epoch = 0
        self.best_theta = _flatten(self.parameters)
        self.best_tau = -np.inf
        self.best_epoch = 0

    def keep_best(self, tau: float) -> None:
        """Store the current parameters if no earlier epoch had a higher τ."""
        if tau >= self.best_tau:
            self.best_theta = _flatten(self.parameters)
            self.best_tau = tau
            self.best_epoch = self.epoch

    def has_converged(self, patience: int | None) -> bool:
        """Return whether τ has not improved for ``patience`` epochs. If ``patience`` is None, return False."""
        return patience is not None and self.epoch - self.best_epoch >= patience

    def to_checkpoint(self) -> TrainingState:
        """Return the state as a checkpoint. Its array ``squares`` contains both accumulators of Adadelta."""
        optimizer_states = [self.optimizer.state[parameter] for parameter in self.parameters]
        square_averages = _flatten([state["square_avg"] for state in optimizer_states])
        delta_averages = _flatten([state["acc_delta"] for state in optimizer_states])
        return TrainingState(
            phase=0,
            epoch=self.epoch,
            theta=_flatten(self.parameters)[None],
            squares=np.concatenate([square_averages, delta_averages])[None],
            best_theta=self.best_theta[None],
            best_tau=np.array([self.best_tau]),
            best_epoch=np.array([self.best_epoch]),
            order=[dict(self.generator.bit_generator.state)],
        )

    def restore(self, checkpoint: TrainingState) -> None:
        """Restore the state of a checkpoint."""
        _fill(self.parameters, checkpoint.theta[0])
        self._restore_optimizer(checkpoint.squares[0], checkpoint.epoch)
        self.generator.bit_generator.state = checkpoint.order[0]
        self.epoch = checkpoint.epoch
        self.best_theta = checkpoint.best_theta[0]
        self.best_tau = float(checkpoint.best_tau[0])
        self.best_epoch = int(checkpoint.best_epoch[0])

    def _restore_optimizer(self, squares: Floats, epoch: int) -> None:
        """Restore the accumulators of the optimizer Adadelta.

        Args:
            squares: the averages of squared gradients for all parameters, and then the averages of squared updates.
            epoch: the number of finished epochs.
        """
        import torch

        square_averages = [torch.zeros_like(parameter) for parameter in self.parameters]
        delta_averages = [torch.zeros_like(parameter) for parameter in self.parameters]
        _fill([*square_averages, *delta_averages], squares)
        averages_by_parameter = zip(self.parameters, square_averages, delta_averages, strict=True)
        for parameter, square_average, delta_average in averages_by_parameter:
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(epoch)),
                "square_avg": square_average,
                "acc_delta": delta_average,
            }


class MaxSD(Estimator):
    """A network that scores the similarity of a hypothesis to its reference.

    LSTMs encode both texts. The score (equation 4) combines the similarity of the encoded texts (equation 2) with the
    scores of other metrics. The training examples consist of a reference, a better hypothesis and a worse hypothesis.
    The training increases the distance between the scores of the two hypotheses. If a hypothesis has several
    references, its similarities are averaged.
    """

    name: ClassVar[str] = "maxsd"
    requires: ClassVar[tuple[str, ...]] = ("torch",)
    needs_texts: ClassVar[bool] = True

    class Options(ComponentOptions):
        """Options of the estimator ``maxsd``."""

        encoder: Annotated[
            Literal["bi-lstm", "bic-lstm"],
            Meta(
                description="bi-lstm (MaxSD-1) reads each text alone; bic-lstm (MaxSD-2) reads it after the other text."
            ),
        ] = "bi-lstm"
        loss: Annotated[
            Literal["hinge", "similarity-distance"],
            Meta(
                description="Loss of a comparison, where d is the score of the better hypothesis minus that of the "
                "worse one. hinge: max(0, margin - d). similarity-distance: -max(0, d), equation 1 of the paper, which "
                "does not learn from comparisons that the network gets wrong."
            ),
        ] = "hinge"
        margin: Annotated[float, Meta(description="Margin of the hinge loss.")] = 0.5
        hidden: Annotated[int, Meta(ge=1, description="Size of an LSTM's state per direction.")] = 50
        layer: Annotated[int, Meta(ge=1, description="Size of the layer that compares the sentences.")] = 50
        deviation: Annotated[float, Meta(ge=0, description="Standard deviation of the first weights.")] = 0.1
        dropout: Annotated[
            float, Meta(ge=0, lt=1, description="Share of the LSTMs' inputs and outputs that are dropped.")
        ] = 0.2
        batch: Annotated[int, Meta(ge=1, description="Comparisons per step.")] = 16
        batching: Annotated[
            Literal["comparisons", "segments"],
            Meta(
                description="comparisons: a batch has any comparisons, as in the paper. segments: a batch has all "
                "comparisons of some segments, so that each hypothesis is read once; ten times as fast on WMT13."
            ),
        ] = "comparisons"
        epochs: Annotated[int, Meta(ge=1, description="Maximum number of epochs.")] = 10
        patience: Annotated[
            Annotated[int, Meta(ge=1)] | None,
            Meta(description="Number of epochs without improvement after which training stops; none as in the paper."),
        ] = None
        learning_rate: Annotated[float, Meta(gt=0, description="Learning rate of Adadelta.")] = 1.0
        clean: Annotated[bool, Meta(description="Remove duplicates and contradictions, as in the paper.")] = True
        longest: Annotated[int, Meta(ge=1, description="Longer segments, in words, are not used for training.")] = 100
        vocabulary: Annotated[int, Meta(ge=1, description="Number of words of the vector file that are used.")] = 50_000
        train_vectors: Annotated[bool, Meta(description="Train the word vectors, too.")] = False
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Values beyond this quantile of the training features are clipped."),
        ] = 0.001
        seed: Annotated[int, Meta(description="Seed of the weights, the order and the dropout.")] = 1
        device: Annotated[str, Meta(description="auto (a GPU if there is one), cpu or cuda.")] = "auto"

    # The parameters differ from those of `Estimator.fit`, because a neural network needs other arguments.
    def fit(  # type: ignore[override]
        self,
        X: TextSamples,  # noqa: N803
        y: Comparisons,
        *,
        vectors: WordVectors | None = None,
        validation: tuple[TextSamples, Comparisons] | None = None,
        report: Callable[[Mapping[str, Any]], object] | None = None,
        checkpoint: Callable[[TrainingState], object] | None = None,
        resume: TrainingState | None = None,
    ) -> MaxSD:
        """Train the network on comparisons.

        Args:
            X: the hypotheses, with their references and features.
            y: the comparisons.
            vectors: the word vectors.
            validation: the comparisons whose τ selects the best epoch; by default the training comparisons.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
            resume: the state of an interrupted training to continue from.

        Raises:
            ConfigError: if the word vectors are missing.
            InputError: if no comparison remains after cleaning.
        """
        self._set_word_table(vectors)
        self._fit_scaler(X.features)
        texts = self._prepare(X)
        training_data = validation_data = _ComparisonData(texts, self._select_comparisons(X, y, texts))
        if validation is not None:
            validation_texts, validation_comparisons = validation
            validation_data = _ComparisonData(self._prepare(validation_texts), validation_comparisons)
        device = choose_device(self.options.device)
        with _single_thread(device):
            progress = self._start_training(X.features.shape[1], device)
            if resume is not None:
                progress.restore(resume)
            self._run_epochs(progress, training_data, validation_data, report, checkpoint)
            _fill(progress.parameters, progress.best_theta)
        self.best_tau_, self.best_epoch_ = progress.best_tau, progress.best_epoch
        self.comparisons_ = len(training_data.comparisons)
        self._network = progress.network.cpu()
        return self

    def _start_training(self, n_features: int, device: torch.device) -> _TrainingProgress:
        """Create a network with random weights, and return the initial state of its training.

        Args:
            n_features: the number of features of a hypothesis.
            device: the device of the training.
        """
        generator = np.random.default_rng(self.options.seed)
        network = self._make_network(n_features)
        network.start(generator, self.options.deviation)
        return _TrainingProgress(network, device, self.options.learning_rate, generator)

    def _set_word_table(self, vectors: WordVectors | None) -> None:
        """Fill the word table with the first words of a vector file. The option ``vocabulary`` limits their number.

        Raises:
            ConfigError: if there are no word vectors.
        """
        from meteor_e_papers.maxsd_network import WordTable

        if vectors is None:
            raise ConfigError("maxsd: needs word vectors")
        words = list(vectors.rows)[: self.options.vocabulary]
        rows = [vectors.rows[word] for word in words]
        self._table = WordTable(words, vectors.table[rows])

    def _run_epochs(
        self,
        progress: _TrainingProgress,
        training_data: _ComparisonData,
        validation_data: _ComparisonData,
        report: Callable[[Mapping[str, Any]], object] | None,
        checkpoint: Callable[[TrainingState], object] | None,
    ) -> None:
        """Train for the maximum number of epochs, or until τ no longer improves.

        Args:
            progress: the state of the training, which is updated.
            training_data: the comparisons to train on.
            validation_data: the comparisons whose τ selects the best epoch.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
        """
        while progress.epoch < self.options.epochs and not progress.has_converged(self.options.patience):
            start_time = time.perf_counter()
            progress.epoch += 1
            loss = self._train_epoch(progress, training_data)
            tau = self._compute_tau(progress.network, validation_data)
            progress.keep_best(tau)
            figures = {
                "cost": self.options.loss,
                "epoch": progress.epoch,
                "loss": [loss],
                "tau": [tau],
                "best": [progress.best_tau],
                "seconds": round(time.perf_counter() - start_time, 3),
                "device": str(progress.device),
            }
            if report is not None:
                report(figures)
            if checkpoint is not None:
                checkpoint(progress.to_checkpoint())

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on comparisons. This method is called by ``meteor-e train``.

        Args:
            examples: the training examples.
            held: the validation examples, which select the best epoch; by default, the training examples.
            run: the word vectors, and the functions that report and store the state of the training.

        Returns:
            Figures for the card of the model: the best epoch, its τ, and the number of training comparisons.
        """
        examples.check_comparisons(held)
        validation = None if held is None else (get_texts(held), get_comparisons(held))
        self.fit(
            get_texts(examples),
            get_comparisons(examples),
            vectors=run.vectors,
            validation=validation,
            report=run.report,
            checkpoint=run.checkpoint,
            resume=run.resume,
        )
        return {
            "best epoch": self.best_epoch_,
            "best tau": self.best_tau_,
            "comparisons after cleaning": self.comparisons_,
        }

    def decisions(self, examples: Examples) -> Floats:
        """Subtract the score of the worse hypothesis from the score of the better hypothesis for each comparison."""
        scores = self.score_texts(get_texts(examples))
        result: Floats = scores[examples.better] - scores[examples.worse]
        return result

    def predict(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return the scores of hypotheses, which range from 0 to 1, as an array ``(hypotheses,)``."""
        device = choose_device(self.options.device)
        with _single_thread(device):
            logits = self._compute_scores(self._network.to(device), self._prepare(X))
        self._network.cpu()
        result: Floats = 1 / (1 + np.exp(-logits))
        return result

    def score_texts(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return the score of each hypothesis, as :meth:`predict` does."""
        return self.predict(X)

    def score(self, X: TextSamples, y: Comparisons) -> float:  # noqa: N803
        """Return Kendall's τ between the scores and the human comparisons. Ties count as errors."""
        scores = self.predict(X)
        return float(strict_tau(scores[y.better] - scores[y.worse]))

    def importance(self) -> Floats:
        """Return the weight of each standardized feature."""
        weights: Floats = self._network.final.weight.detach().numpy()[0, 1:].astype(float)
        return weights

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parameters of the feature scaler, the words, the word vectors, and the weights of the network."""
        weights = {f"network.{name}": value.detach().numpy() for name, value in self._network.named_parameters()}
        words = np.frombuffer("\n".join(self._table.words).encode(), np.uint8)
        scaler = {"low": self.low_, "high": self.high_, "mean": self.mean_, "scale": self.scale_}
        return {**scaler, "words": words, **weights}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the feature scaler, the words, the word vectors, and the weights of the network.

        Raises:
            ValueError: if the shapes of the arrays do not match each other or the options.
        """
        from meteor_e_papers.maxsd_network import WordTable

        self._restore_scaler(arrays)
        # The first row of the table is the vector of all unknown words.
        vectors = arrays["network.table"].astype(np.float32)
        words = arrays["words"].astype(np.uint8).tobytes().decode("utf-8").split("\n")
        if vectors.ndim != 2 or len(vectors) != len(words) + 1:
            raise ValueError("the numbers of words and vectors differ")
        self._check_weight_shapes(arrays, vectors.shape[1])
        self._table = WordTable(words, vectors[1:])
        self._network = self._make_network(len(self.low_))
        _restore_weights(self._network, arrays)

    def _restore_scaler(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the bounds, the mean and the standard deviation of each feature.

        Raises:
            ValueError: if the arrays differ in shape.
        """
        scaler = [arrays[name].astype(float) for name in ("low", "high", "mean", "scale")]
        shapes = {array.shape for array in scaler}
        if len(shapes) > 1 or scaler[0].ndim != 1:
            raise ValueError("the arrays of the features' scale differ in shape")
        self.low_, self.high_, self.mean_, self.scale_ = scaler

    def _check_weight_shapes(self, arrays: Mapping[str, NDArray[Any]], dimension: int) -> None:
        """Check the shapes of the largest arrays before memory is allocated for the network.

        Raises:
            ValueError: if the shape of an array does not match the options.
        """
        hidden = self.options.hidden
        expected_shapes = {
            "compare.weight": (self.options.layer, 4 * hidden),
            "forwards.weight_hh_l0": (4 * hidden, hidden),
            "forwards.weight_ih_l0": (4 * hidden, dimension),
        }
        for name, shape in expected_shapes.items():
            if arrays[f"network.{name}"].shape != shape:
                raise ValueError("the shapes of the arrays do not match the options")

    def _make_network(self, n_features: int) -> SimilarityNetwork:
        """Create a network that contains the word vectors. All other weights are not yet initialized.

        Args:
            n_features: the number of features of a hypothesis.
        """
        import torch

        from meteor_e_papers.maxsd_network import SimilarityNetwork

        return SimilarityNetwork(
            kind=self.options.encoder,
            table=torch.from_numpy(self._table.table.copy()),
            features=n_features,
            hidden=self.options.hidden,
            layer=self.options.layer,
            trainable=self.options.train_vectors,
        )

    def _fit_scaler(self, features: Floats) -> None:
        """Compute the bounds for clipping features, and the mean and standard deviation of the clipped features."""
        self.low_, self.high_ = np.quantile(features, [self.options.clip, 1 - self.options.clip], axis=0)
        clipped = features.clip(self.low_, self.high_)
        self.mean_ = clipped.mean(axis=0)
        deviation = clipped.std(axis=0)
        self.scale_ = np.where(deviation > 1e-9, deviation, np.inf)

    def _prepare(self, texts: TextSamples) -> _PreparedTexts:
        """Replace the words of all texts by their row indexes in the word table, and scale the features."""
        if texts.features.shape[1] != len(self.low_):
            raise ConfigError(f"{texts.features.shape[1]} features; the model has {len(self.low_)}")
        # Many segments have the same reference, so the rows of each distinct text are cached.
        find_rows = functools.cache(lambda text: self._table.rows(split(text)))
        hypotheses = [find_rows(hypothesis) for hypothesis in texts.hypotheses]
        references = [list(map(find_rows, segment_references)) for segment_references in texts.references]
        scaled_features = (texts.features.clip(self.low_, self.high_) - self.mean_) / self.scale_
        return _PreparedTexts(hypotheses, references, scaled_features.astype(np.float32))

    def _select_comparisons(
        self, texts: TextSamples, comparisons: Comparisons, prepared_texts: _PreparedTexts
    ) -> Comparisons:
        """Return the comparisons to train on.

        Comparisons of long texts are removed. Duplicates and contradictions are removed if the option ``clean`` is set.

        Raises:
            InputError: if no comparison remains.
        """
        lengths = prepared_texts.find_max_lengths()
        if self.options.clean:
            selected = clean_comparisons(texts, comparisons, lengths.tolist(), self.options.longest)
        else:
            is_short_hypothesis = lengths <= self.options.longest
            is_short = is_short_hypothesis[comparisons.better] & is_short_hypothesis[comparisons.worse]
            selected = comparisons.select(np.flatnonzero(is_short))
        if not len(selected):
            raise InputError("there are no comparisons to learn from")
        return selected

    def _make_batches(self, data: _ComparisonData, random: np.random.Generator) -> list[NDArray[np.int64]]:
        """Divide the comparisons into batches for one epoch, and return the batches in random order.

        A group contains the comparisons that must be in the same batch. The groups are shuffled and divided into pools
        of about fifty batches. The groups in a pool are sorted by length, so that little padding is needed.
        """
        n_comparisons = len(data.comparisons)
        groups = _shuffle(self._group_comparisons(data.comparisons), random)
        pool_size = max(1, round(_BATCHES_PER_POOL * self.options.batch * len(groups) / n_comparisons))
        batches: list[NDArray[np.int64]] = []
        for start in range(0, len(groups), pool_size):
            pool = sorted(groups[start : start + pool_size], key=data.find_reference_length)
            batches += self._divide_into_batches(pool)
        return _shuffle(batches, random)

    def _group_comparisons(self, comparisons: Comparisons) -> list[NDArray[np.int64]]:
        """Group the comparisons that must be in the same batch, and return their indexes."""
        if self.options.batching == "segments" and comparisons.group is not None:
            group_ids = comparisons.group
        else:
            group_ids = np.arange(len(comparisons))
        order = np.argsort(group_ids, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(group_ids[order])) + 1)

    def _divide_into_batches(self, groups: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        """Combine consecutive groups into batches that contain at least as many comparisons as the option ``batch``."""
        batches = []
        batch_groups: list[NDArray[np.int64]] = []
        for group in groups:
            batch_groups.append(group)
            if sum(map(len, batch_groups)) >= self.options.batch:
                batches.append(np.concatenate(batch_groups))
                batch_groups = []
        if batch_groups:
            batches.append(np.concatenate(batch_groups))
        return batches

    def _train_epoch(self, progress: _TrainingProgress, data: _ComparisonData) -> float:
        """Train on all comparisons once, and return the mean loss."""
        import torch

        comparisons = data.comparisons
        weights = np.ones(len(comparisons)) if comparisons.weight is None else comparisons.weight
        total_loss = 0.0
        for batch in self._make_batches(data, progress.generator):
            better, worse = comparisons.better[batch], comparisons.worse[batch]
            # A hypothesis that occurs several times in the batch is scored only once.
            hypotheses, indexes = np.unique(np.concatenate([better, worse]), return_inverse=True)
            better_indexes, worse_indexes = np.split(indexes, 2)
            scores = torch.sigmoid(self._compute_logits(progress.network, data.texts, hypotheses, progress.generator))
            distances = scores[better_indexes] - scores[worse_indexes]
            batch_weights = torch.from_numpy(weights[batch].astype(np.float32)).to(progress.device)
            loss = (self._loss(distances) * batch_weights).mean()
            progress.optimizer.zero_grad()
            torch.autograd.backward(loss)
            progress.optimizer.step()
            total_loss += float(loss.detach()) * len(batch)
        return total_loss / len(comparisons)

    def _compute_tau(self, network: SimilarityNetwork, data: _ComparisonData) -> float:
        """Return Kendall's τ between the network's scores and the human comparisons. Ties count as errors."""
        scores = self._compute_scores(network, data.texts)
        return float(strict_tau(scores[data.comparisons.better] - scores[data.comparisons.worse]))

    def _loss(self, distance: torch.Tensor) -> torch.Tensor:
        """Return the loss of each comparison.

        Args:
            distance: the score of the better hypothesis minus the score of the worse one, ``(comparisons,)``.
        """
        import torch

        if self.options.loss == "similarity-distance":
            return -torch.relu(distance)
        return torch.relu(self.options.margin - distance)

    def _compute_logits(
        self,
        network: SimilarityNetwork,
        texts: _PreparedTexts,
        rows: NDArray[np.int64],
        random: np.random.Generator | None,
    ) -> torch.Tensor:
        """Compute the scores of the selected hypotheses as log odds, ``(rows,)``.

        Args:
            network: the network.
            texts: the texts and the features.
            rows: the indexes of the hypotheses.
            random: the random number generator of the dropout, or None to disable dropout.
        """
        import torch

        # The network compares each hypothesis with each of its references.
        hypotheses, references, hypothesis_indexes = [], [], []
        for index, row in enumerate(rows.tolist()):
            for reference in texts.references[row]:
                hypotheses.append(texts.hypotheses[row])
                references.append(reference)
                hypothesis_indexes.append(index)
        pair_similarities = network(hypotheses, references, self.options.dropout, random)
        similarities = _average_by_hypothesis(pair_similarities, hypothesis_indexes, len(rows))
        features = torch.from_numpy(texts.features[rows]).to(similarities.device)
        return network.combine(similarities, features)

    def _compute_scores(self, network: SimilarityNetwork, texts: _PreparedTexts) -> Floats:
        """Compute the scores of all hypotheses as log odds."""
        import torch

        n_references = np.array([len(references) for references in texts.references], np.int64)
        lengths = texts.find_max_lengths() * n_references
        scores = np.empty(len(lengths))
        with torch.no_grad():
            for rows in _divide_by_length(lengths):
                scores[rows] = self._compute_logits(network, texts, rows, None).cpu().numpy()
        return scores


def _divide_by_length(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
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
def _single_thread(device: torch.device) -> Iterator[None]:
    """Limit PyTorch to one thread on a CPU, so that the training is reproducible."""
    import torch

    previous_count = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(previous_count)


def _shuffle(groups: Sequence[NDArray[np.int64]], random: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return groups of row indexes in random order."""
    return [groups[index] for index in random.permutation(len(groups))]


def _average_by_hypothesis(
    similarities: torch.Tensor, hypothesis_indexes: Sequence[int], n_hypotheses: int
) -> torch.Tensor:
    """Return the mean similarity of each hypothesis to its references as a tensor ``(hypotheses,)``.

    Args:
        similarities: the similarity of each pair of a hypothesis and a reference, ``(pairs,)``.
        hypothesis_indexes: the index of the hypothesis in each pair, in ascending order.
        n_hypotheses: the number of hypotheses.
    """
    import torch

    if len(hypothesis_indexes) == n_hypotheses:
        return similarities
    device = similarities.device
    indexes = torch.tensor(hypothesis_indexes, device=device)
    reference_counts = torch.bincount(indexes, minlength=n_hypotheses)
    sums = torch.zeros(n_hypotheses, device=device).index_add(0, indexes, similarities)
    return sums / reference_counts


def _restore_weights(network: SimilarityNetwork, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Copy the arrays of a model file to the weights of a network.

    Raises:
        ValueError: if an array and its weights differ in shape.
    """
    import torch

    with torch.no_grad():
        for name, parameter in network.named_parameters():
            weights = arrays[f"network.{name}"].astype(np.float32)
            if weights.shape != tuple(parameter.shape):
                raise ValueError("the shapes of the arrays do not match the options")
            parameter.copy_(torch.from_numpy(weights))


def _flatten(tensors: list[Any]) -> Floats:
    """Concatenate the values of all tensors into a single vector."""
    return np.concatenate([tensor.detach().cpu().numpy().ravel() for tensor in tensors]).astype(float)


def _fill(tensors: list[Any], values: Floats) -> None:
    """Copy the values of a flat vector to tensors. This function is the inverse of :func:`_flatten`."""
    import torch

    offset = 0
    with torch.no_grad():
        for tensor in tensors:
            block = values[offset : offset + tensor.numel()].astype(np.float32).reshape(tuple(tensor.shape))
            tensor.copy_(torch.from_numpy(block))
            offset += tensor.numel()
