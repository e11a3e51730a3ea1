"""MaxSD (Ma et al., 2016): a score of a single hypothesis, learned from comparisons of two hypotheses."""

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
"""Number of words in a batch that is scored, including padding."""


@dataclass
class _PreparedTexts:
    """The rows of the words of each text, and scaled features."""

    hypotheses: list[NDArray[np.int64]]
    references: list[list[NDArray[np.int64]]]
    features: NDArray[np.float32]


class MaxSD(Estimator):
    """Similarity of a hypothesis to its reference, trained so that better hypotheses get higher scores than worse ones.

    LSTMs read the words. Their similarity (equation 2) and the features, which are scores of metrics, give the score
    (equation 4). Training reads triples of a reference, a better and a worse hypothesis, and increases the distance
    between their scores. With several references, the similarities are averaged.
    """

    name: ClassVar[str] = "maxsd"
    requires: ClassVar[tuple[str, ...]] = ("torch",)
    needs_texts: ClassVar[bool] = True

    class Options(ComponentOptions):
        """The paper's options, and our own."""

        encoder: Annotated[
            Literal["bi-lstm", "bic-lstm"],
            Meta(
                description="bi-lstm (MaxSD-1) reads a sentence alone; bic-lstm (MaxSD-2) reads it after the other one."
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
        """Learn from comparisons.

        Args:
            X: hypotheses with references and features.
            y: the comparisons.
            vectors: the word vectors.
            validation: comparisons whose τ chooses the best epoch; by default the training comparisons.
            report: called with the figures of each epoch.
            checkpoint: called with the state after each epoch.
            resume: the state of an interrupted training, which continues from it.

        Raises:
            ConfigError: if there are no word vectors.
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
        cleaned = self._clean(X, y, data)
        validation_texts, validation_comparisons = (X, cleaned) if validation is None else validation
        validation_data = data if validation is None else self._prepare(validation_texts)
        device = choose_device(self.options.device)
        random = np.random.default_rng(self.options.seed)
        with _one_thread(device):
            network = self._make(X.features.shape[1])
            network.start(random, self.options.deviation)
            network.to(device)
            learned = [parameter for parameter in network.parameters() if parameter.requires_grad]
            optimizer = torch.optim.Adadelta(learned, lr=self.options.learning_rate)
            best_theta, best_tau, best_epoch, first = _flat(learned), -np.inf, 0, 0
            if resume is not None:
                _restore_state(resume, learned, optimizer, random)
                best_theta, best_tau = resume.best_theta[0], float(resume.best_tau[0])
                best_epoch, first = int(resume.best_epoch[0]), resume.epoch
            for epoch in range(first + 1, self.options.epochs + 1):
                if self.options.patience is not None and epoch - 1 - best_epoch >= self.options.patience:
                    break
                started = time.perf_counter()
                loss = self._epoch(network, optimizer, data, cleaned, random, device)
                scores = self._score(network, validation_data, device)
                tau = strict_tau(scores[validation_comparisons.better] - scores[validation_comparisons.worse])
                if tau >= best_tau:
                    best_theta, best_tau, best_epoch = _flat(learned), tau, epoch
                if report is not None:
                    report({
                        "cost": self.options.loss, "epoch": epoch, "loss": [loss], "tau": [tau], "best": [best_tau],
                        "seconds": round(time.perf_counter() - started, 3), "device": str(device),
                    })  # fmt: skip
                if checkpoint is not None:
                    state = dict(random.bit_generator.state)
                    checkpoint(_state(epoch, learned, optimizer, best_theta, best_tau, best_epoch, state))
            _fill(learned, best_theta)
        self.best_tau_, self.best_epoch_, self.comparisons_ = best_tau, best_epoch, len(cleaned)
        self._network = network.cpu()
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from comparisons of texts."""
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
        """Return how much better the better hypotheses are."""
        scores = self.score_texts(texts_of(examples))
        result: Floats = scores[examples.better] - scores[examples.worse]
        return result

    def predict(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return scores between 0 and 1, ``(hypotheses,)``."""
        device = choose_device(self.options.device)
        with _one_thread(device):
            logits = self._score(self._network.to(device), self._prepare(X), device)
        self._network.cpu()
        result: Floats = 1 / (1 + np.exp(-logits))
        return result

    def score_texts(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return scores; the same as :meth:`predict`."""
        return self.predict(X)

    def score(self, X: TextSamples, y: Comparisons) -> float:  # noqa: N803
        """Return the strict τ of comparisons."""
        scores = self.predict(X)
        return float(strict_tau(scores[y.better] - scores[y.worse]))

    def importance(self) -> Floats:
        """Return the weight of each metric score, for standardized ones."""
        weights: Floats = self._network.final.weight.detach().numpy()[0, 1:].astype(float)
        return weights

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scaler, the words, their vectors and all weights."""
        found = {f"network.{name}": value.detach().numpy() for name, value in self._network.named_parameters()}
        words = np.frombuffer("\n".join(self._table.words).encode(), np.uint8)
        return {"low": self.low_, "high": self.high_, "mean": self.mean_, "scale": self.scale_, "words": words, **found}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what was learned."""
        import torch

        from meteor_e_papers.maxsd_network import WordTable

        self.low_, self.high_, self.mean_, self.scale_ = (
            arrays[name].astype(float) for name in ("low", "high", "mean", "scale")
        )
        vectors = arrays["network.table"].astype(np.float32)
        words = arrays["words"].astype(np.uint8).tobytes().decode("utf-8").split("\n")
        if vectors.ndim != 2 or len(vectors) != len(words) + 1:
            raise ValueError("the numbers of words and vectors differ")
        if self.low_.ndim != 1 or len({each.shape for each in (self.low_, self.high_, self.mean_, self.scale_)}) > 1:
            raise ValueError("the arrays of the features' scale differ in shape")
        # The shapes are compared before memory of the size that the options name is allocated.
        for name, shape in (
            ("compare.weight", (self.options.layer, 4 * self.options.hidden)),
            ("forwards.weight_hh_l0", (4 * self.options.hidden, self.options.hidden)),
            ("forwards.weight_ih_l0", (4 * self.options.hidden, vectors.shape[1])),
        ):
            if arrays[f"network.{name}"].shape != shape:
                raise ValueError("arrays do not have the shapes that the options ask for")
        self._table = WordTable(words, vectors[1:])
        self._network = self._make(len(self.low_))
        with torch.no_grad():
            for name, parameter in self._network.named_parameters():
                value = arrays[f"network.{name}"].astype(np.float32)
                if value.shape != tuple(parameter.shape):
                    raise ValueError("arrays do not have the shapes that the options ask for")
                parameter.copy_(torch.from_numpy(value))

    def _make(self, features: int) -> SimilarityNetwork:
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
        if texts.features.shape[1] != len(self.low_):
            raise ConfigError(f"{texts.features.shape[1]} features; the model has {len(self.low_)}")
        known: dict[str, NDArray[np.int64]] = {}

        def words(segment: str) -> NDArray[np.int64]:
            if segment not in known:
                known[segment] = self._table.rows(split(segment))
            return known[segment]

        scaled = (texts.features.clip(self.low_, self.high_) - self.mean_) / self.scale_
        return _PreparedTexts(
            [words(segment) for segment in texts.hypotheses],
            [[words(segment) for segment in references] for references in texts.references],
            scaled.astype(np.float32),
        )

    def _clean(self, texts: TextSamples, comparisons: Comparisons, data: _PreparedTexts) -> Comparisons:
        lengths = [
            max(len(hypothesis), *(len(one) for one in references))
            for hypothesis, references in zip(data.hypotheses, data.references, strict=True)
        ]
        if self.options.clean:
            found = clean_comparisons(texts, comparisons, lengths, self.options.longest)
        else:
            fits = np.array(lengths) <= self.options.longest
            found = comparisons.select(np.flatnonzero(fits[comparisons.better] & fits[comparisons.worse]))
        if not len(found):
            raise InputError("there are no comparisons to learn from")
        return found

    def _batches(
        self, comparisons: Comparisons, data: _PreparedTexts, random: np.random.Generator
    ) -> list[NDArray[np.int64]]:
        """Return the rows of the comparisons of each batch of an epoch.

        A batch has segments of similar lengths, so that little is padded: shuffled segments are collected for fifty
        batches, sorted by length and cut into batches. Then all batches are shuffled.
        """
        count = len(comparisons)
        single = self.options.batching == "comparisons" or comparisons.group is None
        group = np.arange(count) if single else comparisons.group
        assert group is not None
        order = np.argsort(group, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
        size = np.array([max(map(len, data.references[row])) for row in comparisons.better])
        batches: list[NDArray[np.int64]] = []
        shuffled = [parts[at] for at in random.permutation(len(parts))]
        in_pool = max(1, round(50 * self.options.batch * len(parts) / count))
        for begin in range(0, len(shuffled), in_pool):
            pool = sorted(shuffled[begin : begin + in_pool], key=lambda rows: int(size[rows[0]]))
            step: list[NDArray[np.int64]] = []
            for rows in pool:
                step.append(rows)
                if sum(map(len, step)) >= self.options.batch:
                    batches.append(np.concatenate(step))
                    step = []
            if step:
                batches.append(np.concatenate(step))
        return [batches[at] for at in random.permutation(len(batches))]

    def _epoch(
        self,
        network: SimilarityNetwork,
        optimizer: torch.optim.Optimizer,
        data: _PreparedTexts,
        comparisons: Comparisons,
        random: np.random.Generator,
        device: torch.device,
    ) -> float:
        """Go over all comparisons once; return the mean loss."""
        import torch

        weight = np.ones(len(comparisons)) if comparisons.weight is None else comparisons.weight
        total = 0.0
        for rows in self._batches(comparisons, data, random):
            better, worse = comparisons.better[rows], comparisons.worse[rows]
            used, places = np.unique(np.r_[better, worse], return_inverse=True)
            similarity = torch.sigmoid(self._logits(network, data, used, device, random))
            distance = similarity[places[: len(rows)]] - similarity[places[len(rows) :]]
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

    def _logits(
        self,
        network: SimilarityNetwork,
        data: _PreparedTexts,
        rows: NDArray[np.int64],
        device: torch.device,
        random: np.random.Generator | None,
    ) -> torch.Tensor:
        """Return log odds of the scores of some hypotheses."""
        import torch

        hypotheses, references, owner = [], [], []
        for place, row in enumerate(rows.tolist()):
            for reference in data.references[row]:
                hypotheses.append(data.hypotheses[row])
                references.append(reference)
                owner.append(place)
        found = network(hypotheses, references, self.options.dropout, random)
        if len(owner) > len(rows):
            each = torch.tensor(owner, device=device)
            counts = torch.bincount(each, minlength=len(rows))
            found = torch.zeros(len(rows), device=device).index_add(0, each, found) / counts
        return network.combine(found, torch.from_numpy(data.features[rows]).to(device))

    def _score(self, network: SimilarityNetwork, data: _PreparedTexts, device: torch.device) -> Floats:
        """Return log odds of the scores of all hypotheses."""
        import torch

        lengths = np.array(
            [
                max(len(hypothesis), *(len(one) for one in references)) * len(references)
                for hypothesis, references in zip(data.hypotheses, data.references, strict=True)
            ],
            np.int64,
        )
        result = np.empty(len(lengths))
        order = np.argsort(lengths, kind="stable")
        begin = 0
        with torch.no_grad():
            while begin < len(order):
                end = begin + 1
                while end < len(order) and (end + 1 - begin) * lengths[order[end]] <= BATCH_WORDS:
                    end += 1
                rows = order[begin:end]
                result[rows] = self._logits(network, data, rows, device, None).cpu().numpy()
                begin = end
        return result


@contextlib.contextmanager
def _one_thread(device: torch.device) -> Iterator[None]:
    """Use one thread on a processor: small matrices are multiplied faster, and always in the same order."""
    import torch

    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _flat(tensors: list[Any]) -> Floats:
    return np.concatenate([tensor.detach().cpu().numpy().ravel() for tensor in tensors]).astype(float)


def _fill(tensors: list[Any], values: Floats) -> None:
    import torch

    begin = 0
    with torch.no_grad():
        for tensor in tensors:
            part = values[begin : begin + tensor.numel()].astype(np.float32).reshape(tuple(tensor.shape))
            tensor.copy_(torch.from_numpy(part))
            begin += tensor.numel()


def _state(
    epoch: int,
    learned: list[Any],
    optimizer: torch.optim.Optimizer,
    best_theta: Floats,
    best_tau: float,
    best_epoch: int,
    random: dict[str, Any],
) -> TrainingState:
    """Return the state of a training; ``squares`` has both accumulators of Adadelta, one after the other."""
    memories = [optimizer.state[parameter] for parameter in learned]
    squares = _flat([memory[name] for name in ("square_avg", "acc_delta") for memory in memories])
    return TrainingState(
        0, epoch, _flat(learned)[None], squares[None], best_theta[None], np.array([best_tau]), np.array([best_epoch]),
        [random],
    )  # fmt: skip


def _restore_state(
    state: TrainingState, learned: list[Any], optimizer: torch.optim.Optimizer, random: np.random.Generator
) -> None:
    import torch

    _fill(learned, state.theta[0])
    half = len(state.squares[0]) // 2
    step = torch.tensor(float(state.epoch))
    memories: list[dict[str, torch.Tensor]] = [
        {"step": step.clone(), "square_avg": torch.zeros_like(one), "acc_delta": torch.zeros_like(one)}
        for one in learned
    ]
    _fill([memory["square_avg"] for memory in memories], state.squares[0][:half])
    _fill([memory["acc_delta"] for memory in memories], state.squares[0][half:])
    for parameter, memory in zip(learned, memories, strict=True):
        optimizer.state[parameter] = memory
    random.bit_generator.state = state.order[0]
