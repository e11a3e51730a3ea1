"""MaxSD (Ma et al., 2016): a model that scores single hypotheses and learns from comparisons."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
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
from meteor_e_papers.comparisons import Comparisons, clean_comparisons, comparisons_of, texts_of
from meteor_e_papers.devices import choose_device
from meteor_e_papers.splitting import split

if TYPE_CHECKING:
    import torch

    from meteor_e_papers.features.vectors import WordVectors
    from meteor_e_papers.maxsd_network import SimilarityNetwork

BATCH_WORDS = 20_000
"""Maximum number of words in a batch of hypotheses to score, including padding."""


@dataclass
class _PreparedTexts:
    """Texts as row indexes of the word table, and scaled features."""

    hypotheses: list[NDArray[np.int64]]
    references: list[list[NDArray[np.int64]]]
    features: NDArray[np.float32]


class MaxSD(Estimator):
    """The similarity of a hypothesis to its reference, trained so that better hypotheses get higher scores.

    LSTMs read the words of both texts. The score (equation 4) combines the similarity of their representations
    (equation 2) with the features, which are scores of metrics. Training reads triples of a reference, a better
    hypothesis and a worse hypothesis, and increases the distance between the scores of the two hypotheses. With several
    references, the similarities are averaged.
    """

    name: ClassVar[str] = "maxsd"
    requires: ClassVar[tuple[str, ...]] = ("torch",)
    needs_texts: ClassVar[bool] = True

    class Options(ComponentOptions):
        """The options of the paper, and additional options."""

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
        epochs: Annotated[int, Meta(ge=1, description="Largest number of epochs.")] = 10
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

    # Training calls `learn`, which calls this method with the arguments that only a network needs.
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
            ConfigError: if ``vectors`` is ``None``.
            InputError: if there are no comparisons after cleaning.
        """
        import torch

        from meteor_e_papers.maxsd_network import WordTable

        if vectors is None:
            raise ConfigError("maxsd: needs word vectors")
        words = list(vectors.rows)[: self.options.vocabulary]
        self._table = WordTable(words, vectors.table[[vectors.rows[word] for word in words]])
        self._fit_scaler(X.features)
        data = self._prepare(X)
        training_comparisons = self._select_comparisons(X, y, data)
        validation_texts, validation_comparisons = (X, training_comparisons) if validation is None else validation
        validation_data = data if validation is None else self._prepare(validation_texts)
        device = choose_device(self.options.device)
        generator = np.random.default_rng(self.options.seed)
        with _single_thread(device):
            network = self._make_network(X.features.shape[1])
            network.start(generator, self.options.deviation)
            network.to(device)
            parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
            optimizer = torch.optim.Adadelta(parameters, lr=self.options.learning_rate)
            best_theta, best_tau, best_epoch, first_epoch = _flatten(parameters), -np.inf, 0, 0
            if resume is not None:
                _restore_state(resume, parameters, optimizer, generator)
                best_theta, best_tau = resume.best_theta[0], float(resume.best_tau[0])
                best_epoch, first_epoch = int(resume.best_epoch[0]), resume.epoch
            for epoch in range(first_epoch + 1, self.options.epochs + 1):
                if self.options.patience is not None and epoch - 1 - best_epoch >= self.options.patience:
                    break
                start_time = time.perf_counter()
                loss = self._train_epoch(network, optimizer, data, training_comparisons, generator, device)
                scores = self._compute_scores(network, validation_data, device)
                tau = strict_tau(scores[validation_comparisons.better] - scores[validation_comparisons.worse])
                if tau >= best_tau:
                    best_theta, best_tau, best_epoch = _flatten(parameters), tau, epoch
                if report is not None:
                    report({
                        "cost": self.options.loss, "epoch": epoch, "loss": [loss], "tau": [tau], "best": [best_tau],
                        "seconds": round(time.perf_counter() - start_time, 3), "device": str(device),
                    })  # fmt: skip
                if checkpoint is not None:
                    checkpoint(
                        _make_checkpoint(epoch, parameters, optimizer, best_theta, best_tau, best_epoch, generator)
                    )
            _fill(parameters, best_theta)
        self.best_tau_, self.best_epoch_, self.comparisons_ = best_tau, best_epoch, len(training_comparisons)
        self._network = network.cpu()
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on the comparisons of the examples."""
        examples.check_comparisons(held)
        validation = None if held is None else (texts_of(held), comparisons_of(held))
        self.fit(
            texts_of(examples), comparisons_of(examples), vectors=run.vectors, validation=validation,
            report=run.report, checkpoint=run.checkpoint, resume=run.resume,
        )  # fmt: skip
        return {
            "best epoch": self.best_epoch_,
            "best tau": self.best_tau_,
            "comparisons after cleaning": self.comparisons_,
        }

    def decisions(self, examples: Examples) -> Floats:
        """Return the score of the better hypothesis of each comparison minus that of the worse."""
        scores = self.score_texts(texts_of(examples))
        result: Floats = scores[examples.better] - scores[examples.worse]
        return result

    def predict(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return scores between 0 and 1, ``(hypotheses,)``."""
        device = choose_device(self.options.device)
        with _single_thread(device):
            logits = self._compute_scores(self._network.to(device), self._prepare(X), device)
        self._network.cpu()
        result: Floats = 1 / (1 + np.exp(-logits))
        return result

    def score_texts(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return scores between 0 and 1, like :meth:`predict`."""
        return self.predict(X)

    def score(self, X: TextSamples, y: Comparisons) -> float:  # noqa: N803
        """Return the strict τ of the scores on comparisons."""
        scores = self.predict(X)
        return float(strict_tau(scores[y.better] - scores[y.worse]))

    def importance(self) -> Floats:
        """Return the weight of each standardized feature."""
        weights: Floats = self._network.final.weight.detach().numpy()[0, 1:].astype(float)
        return weights

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scaler, the words, their vectors and all weights."""
        weights = {f"network.{name}": value.detach().numpy() for name, value in self._network.named_parameters()}
        words = np.frombuffer("\n".join(self._table.words).encode(), np.uint8)
        scaler = {"low": self.low_, "high": self.high_, "mean": self.mean_, "scale": self.scale_}
        return {**scaler, "words": words, **weights}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the scaler, the words, their vectors and all weights."""
        import torch

        from meteor_e_papers.maxsd_network import WordTable

        self.low_, self.high_, self.mean_, self.scale_ = (
            arrays[name].astype(float) for name in ("low", "high", "mean", "scale")
        )
        vectors = arrays["network.table"].astype(np.float32)
        words = arrays["words"].astype(np.uint8).tobytes().decode("utf-8").split("\n")
        if vectors.ndim != 2 or len(vectors) != len(words) + 1:
            raise ValueError("the numbers of words and vectors differ")
        if self.low_.ndim != 1 or len({array.shape for array in (self.low_, self.high_, self.mean_, self.scale_)}) > 1:
            raise ValueError("the arrays of the features' scale differ in shape")
        # The shapes are checked before the network allocates memory according to the options.
        for name, shape in (
            ("compare.weight", (self.options.layer, 4 * self.options.hidden)),
            ("forwards.weight_hh_l0", (4 * self.options.hidden, self.options.hidden)),
            ("forwards.weight_ih_l0", (4 * self.options.hidden, vectors.shape[1])),
        ):
            if arrays[f"network.{name}"].shape != shape:
                raise ValueError("the shapes of the arrays do not match the options")
        self._table = WordTable(words, vectors[1:])
        self._network = self._make_network(len(self.low_))
        with torch.no_grad():
            for name, parameter in self._network.named_parameters():
                value = arrays[f"network.{name}"].astype(np.float32)
                if value.shape != tuple(parameter.shape):
                    raise ValueError("the shapes of the arrays do not match the options")
                parameter.copy_(torch.from_numpy(value))

    def _make_network(self, features: int) -> SimilarityNetwork:
        import torch

        from meteor_e_papers.maxsd_network import SimilarityNetwork

        table = torch.from_numpy(self._table.table.copy())
        return SimilarityNetwork(
            self.options.encoder,
            table,
            features,
            self.options.hidden,
            self.options.layer,
            trainable=self.options.train_vectors,
        )

    def _fit_scaler(self, features: Floats) -> None:
        self.low_, self.high_ = np.quantile(features, [self.options.clip, 1 - self.options.clip], axis=0)
        clipped = features.clip(self.low_, self.high_)
        self.mean_ = clipped.mean(axis=0)
        deviation = clipped.std(axis=0)
        self.scale_ = np.where(deviation > 1e-9, deviation, np.inf)

    def _prepare(self, texts: TextSamples) -> _PreparedTexts:
        """Look up the words of the texts, and scale the features."""
        if texts.features.shape[1] != len(self.low_):
            raise ConfigError(f"{texts.features.shape[1]} features; the model has {len(self.low_)}")
        rows_by_text: dict[str, NDArray[np.int64]] = {}

        def word_rows(text: str) -> NDArray[np.int64]:
            if text not in rows_by_text:
                rows_by_text[text] = self._table.rows(split(text))
            return rows_by_text[text]

        scaled = (texts.features.clip(self.low_, self.high_) - self.mean_) / self.scale_
        return _PreparedTexts(
            [word_rows(hypothesis) for hypothesis in texts.hypotheses],
            [[word_rows(reference) for reference in references] for references in texts.references],
            scaled.astype(np.float32),
        )

    def _select_comparisons(self, texts: TextSamples, comparisons: Comparisons, data: _PreparedTexts) -> Comparisons:
        """Return the comparisons to train on: cleaned if the options say so, and without long texts."""
        lengths = [
            max(len(hypothesis), *(len(reference) for reference in references))
            for hypothesis, references in zip(data.hypotheses, data.references, strict=True)
        ]
        if self.options.clean:
            selected = clean_comparisons(texts, comparisons, lengths, self.options.longest)
        else:
            is_short = np.array(lengths) <= self.options.longest
            selected = comparisons.select(np.flatnonzero(is_short[comparisons.better] & is_short[comparisons.worse]))
        if not len(selected):
            raise InputError("there are no comparisons to learn from")
        return selected

    def _make_batches(
        self, comparisons: Comparisons, data: _PreparedTexts, random: np.random.Generator
    ) -> list[NDArray[np.int64]]:
        """Return the row indexes of the comparisons in each batch of an epoch.

        The comparisons of a batch have similar lengths, which limits padding. Shuffled groups of comparisons are
        collected for fifty batches, sorted by length, and divided into batches. Then all batches are shuffled.
        """
        count = len(comparisons)
        is_grouped = self.options.batching == "segments" and comparisons.group is not None
        group_ids = comparisons.group if is_grouped else np.arange(count)
        assert group_ids is not None
        order = np.argsort(group_ids, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(group_ids[order])) + 1)
        lengths = np.array([max(map(len, data.references[row])) for row in comparisons.better])
        batches: list[NDArray[np.int64]] = []
        shuffled = [groups[index] for index in random.permutation(len(groups))]
        pool_size = max(1, round(50 * self.options.batch * len(groups) / count))
        for start in range(0, len(shuffled), pool_size):
            pool = sorted(shuffled[start : start + pool_size], key=lambda rows: int(lengths[rows[0]]))
            batch: list[NDArray[np.int64]] = []
            for rows in pool:
                batch.append(rows)
                if sum(map(len, batch)) >= self.options.batch:
                    batches.append(np.concatenate(batch))
                    batch = []
            if batch:
                batches.append(np.concatenate(batch))
        return [batches[index] for index in random.permutation(len(batches))]

    def _train_epoch(
        self,
        network: SimilarityNetwork,
        optimizer: torch.optim.Optimizer,
        data: _PreparedTexts,
        comparisons: Comparisons,
        random: np.random.Generator,
        device: torch.device,
    ) -> float:
        """Train on all comparisons once, and return the mean loss."""
        import torch

        weight = np.ones(len(comparisons)) if comparisons.weight is None else comparisons.weight
        total = 0.0
        for rows in self._make_batches(comparisons, data, random):
            better, worse = comparisons.better[rows], comparisons.worse[rows]
            hypotheses, indexes = np.unique(np.r_[better, worse], return_inverse=True)
            similarity = torch.sigmoid(self._compute_logits(network, data, hypotheses, device, random))
            distance = similarity[indexes[: len(rows)]] - similarity[indexes[len(rows) :]]
            loss = self._loss(distance)
            cost = (loss * torch.from_numpy(weight[rows].astype(np.float32)).to(device)).mean()
            optimizer.zero_grad()
            torch.autograd.backward(cost)
            optimizer.step()
            total += float(cost.detach()) * len(rows)
        return total / len(comparisons)

    def _loss(self, distance: torch.Tensor) -> torch.Tensor:
        """Return the loss of each comparison from the distance between the scores of its two hypotheses."""
        import torch

        if self.options.loss == "similarity-distance":
            return -torch.relu(distance)
        return torch.relu(self.options.margin - distance)

    def _compute_logits(
        self,
        network: SimilarityNetwork,
        data: _PreparedTexts,
        rows: NDArray[np.int64],
        device: torch.device,
        random: np.random.Generator | None,
    ) -> torch.Tensor:
        """Return the log odds of the scores of the hypotheses in the rows."""
        import torch

        hypotheses, references, hypothesis_indexes = [], [], []
        for index, row in enumerate(rows.tolist()):
            for reference in data.references[row]:
                hypotheses.append(data.hypotheses[row])
                references.append(reference)
                hypothesis_indexes.append(index)
        similarity = network(hypotheses, references, self.options.dropout, random)
        if len(hypothesis_indexes) > len(rows):
            indexes = torch.tensor(hypothesis_indexes, device=device)
            counts = torch.bincount(indexes, minlength=len(rows))
            similarity = torch.zeros(len(rows), device=device).index_add(0, indexes, similarity) / counts
        return network.combine(similarity, torch.from_numpy(data.features[rows]).to(device))

    def _compute_scores(self, network: SimilarityNetwork, data: _PreparedTexts, device: torch.device) -> Floats:
        """Return the log odds of the scores of all hypotheses."""
        import torch

        lengths = np.array(
            [
                max(len(hypothesis), *(len(reference) for reference in references)) * len(references)
                for hypothesis, references in zip(data.hypotheses, data.references, strict=True)
            ],
            np.int64,
        )
        result = np.empty(len(lengths))
        order = np.argsort(lengths, kind="stable")
        start = 0
        with torch.no_grad():
            while start < len(order):
                end = start + 1
                while end < len(order) and (end + 1 - start) * lengths[order[end]] <= BATCH_WORDS:
                    end += 1
                rows = order[start:end]
                result[rows] = self._compute_logits(network, data, rows, device, None).cpu().numpy()
                start = end
        return result


@contextlib.contextmanager
def _single_thread(device: torch.device) -> Iterator[None]:
    """Limit PyTorch to one thread on a CPU, where small products are faster and deterministic with one thread."""
    import torch

    previous_count = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(previous_count)


def _flatten(tensors: list[Any]) -> Floats:
    """Return the values of tensors as one vector."""
    return np.concatenate([tensor.detach().cpu().numpy().ravel() for tensor in tensors]).astype(float)


def _fill(tensors: list[Any], values: Floats) -> None:
    """Copy a vector, as :func:`_flatten` returns it, to tensors."""
    import torch

    offset = 0
    with torch.no_grad():
        for tensor in tensors:
            block = values[offset : offset + tensor.numel()].astype(np.float32).reshape(tuple(tensor.shape))
            tensor.copy_(torch.from_numpy(block))
            offset += tensor.numel()


def _make_checkpoint(
    epoch: int,
    parameters: list[Any],
    optimizer: torch.optim.Optimizer,
    best_theta: Floats,
    best_tau: float,
    best_epoch: int,
    generator: np.random.Generator,
) -> TrainingState:
    """Return the state of a training. ``squares`` contains the two accumulators of Adadelta, one after the other."""
    optimizer_states = [optimizer.state[parameter] for parameter in parameters]
    squares = _flatten([state[name] for name in ("square_avg", "acc_delta") for state in optimizer_states])
    return TrainingState(
        0, epoch, _flatten(parameters)[None], squares[None], best_theta[None], np.array([best_tau]),
        np.array([best_epoch]), [dict(generator.bit_generator.state)],
    )  # fmt: skip


def _restore_state(
    checkpoint: TrainingState, parameters: list[Any], optimizer: torch.optim.Optimizer, generator: np.random.Generator
) -> None:
    """Restore the parameters, the optimizer and the random number generator from a checkpoint."""
    import torch

    _fill(parameters, checkpoint.theta[0])
    half = len(checkpoint.squares[0]) // 2
    step = torch.tensor(float(checkpoint.epoch))
    optimizer_states: list[dict[str, torch.Tensor]] = [
        {
            "step": step.clone(),
            "square_avg": torch.zeros_like(parameter),
            "acc_delta": torch.zeros_like(parameter),
        }
        for parameter in parameters
    ]
    _fill([state["square_avg"] for state in optimizer_states], checkpoint.squares[0][:half])
    _fill([state["acc_delta"] for state in optimizer_states], checkpoint.squares[0][half:])
    for parameter, state in zip(parameters, optimizer_states, strict=True):
        optimizer.state[parameter] = state
    generator.bit_generator.state = checkpoint.order[0]
