"""The estimator ``maxsd``, which scores single hypotheses and is trained on comparisons (Ma et al., 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.texts import TextSamples
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Estimator, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_papers.comparisons import Comparisons, Integers, clean_comparisons, get_comparisons, get_texts
from meteor_e_papers.devices import choose_device
from meteor_e_papers.maxsd_batches import ComparisonData
from meteor_e_papers.maxsd_texts import FeatureScaler, PreparedTexts, WordTable, prepare_texts

if TYPE_CHECKING:
    import torch

    from meteor_e_papers.features.vectors import WordVectors
    from meteor_e_papers.maxsd_network import SimilarityNetwork
    from meteor_e_papers.maxsd_training import TrainingProgress


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
        run: TrainingRun,
        validation: tuple[TextSamples, Comparisons] | None = None,
    ) -> MaxSD:
        """Train the network on comparisons.

        Args:
            X: the hypotheses, with their references and features.
            y: the comparisons.
            run: the word vectors, the functions that report and store the state of the training, and the state to
                continue from.
            validation: the comparisons whose τ selects the best epoch; by default the training comparisons.

        Raises:
            ConfigError: if the word vectors are missing.
            InputError: if no comparison remains after cleaning.
        """
        self._words = self._make_word_table(run.vectors)
        self._scaler = FeatureScaler.fit(X.features, self.options.clip)
        training_texts = self._prepare_texts(X)
        training_comparisons = self._select_comparisons(X, y, training_texts.find_max_lengths())
        training_data = validation_data = ComparisonData(training_texts, training_comparisons)
        if validation is not None:
            validation_texts, validation_comparisons = validation
            validation_data = ComparisonData(self._prepare_texts(validation_texts), validation_comparisons)
        self.comparisons_ = len(training_comparisons)
        self._train(training_data, validation_data, run)
        return self

    def _prepare_texts(self, texts: TextSamples) -> PreparedTexts:
        """Convert texts and features to the input of the network."""
        return prepare_texts(texts, self._words, self._scaler)

    def _train(self, training: ComparisonData, validation: ComparisonData, run: TrainingRun) -> None:
        """Train a new network, and set the attributes that result from the training."""
        from meteor_e_papers.maxsd_scoring import single_thread
        from meteor_e_papers.maxsd_training import Trainer

        device = choose_device(self.options.device)
        with single_thread(device):
            progress = self._start_training(device)
            Trainer(self.options, progress, training, validation).train(run)
        self.best_tau_ = progress.best_tau
        self.best_epoch_ = progress.best_epoch
        self._network = progress.network.cpu()

    def _start_training(self, device: torch.device) -> TrainingProgress:
        """Create a network with random weights, and return the initial state of its training."""
        from meteor_e_papers.maxsd_training import TrainingProgress

        generator = np.random.default_rng(self.options.seed)
        network = self._make_network()
        network.initialize(generator, self.options.deviation)
        return TrainingProgress(network, device, self.options.learning_rate, generator)

    def _make_word_table(self, vectors: WordVectors | None) -> WordTable:
        """Return a table of the first words of a vector file. The option ``vocabulary`` limits their number.

        Raises:
            ConfigError: if there are no word vectors.
        """
        if vectors is None:
            raise ConfigError("maxsd: needs word vectors")
        words = list(vectors.rows)[: self.options.vocabulary]
        rows = [vectors.rows[word] for word in words]
        return WordTable(words, vectors.table[rows])

    def _select_comparisons(self, texts: TextSamples, comparisons: Comparisons, lengths: Integers) -> Comparisons:
        """Return the comparisons to train on.

        This method removes comparisons that contain a text with more words than the option ``longest`` allows. If the
        option ``clean`` is set, the method also removes duplicate and contradictory comparisons.

        Args:
            texts: the hypotheses with their references.
            comparisons: the comparisons to select from.
            lengths: for each hypothesis, the largest number of words in the hypothesis and its references.

        Raises:
            InputError: if no comparison remains.
        """
        selected = comparisons.select_short(lengths, self.options.longest)
        if self.options.clean:
            selected = clean_comparisons(texts, selected)
        if not len(selected):
            raise InputError("there are no comparisons to learn from")
        return selected

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on comparisons. This method is called by ``meteor-e train``.

        Args:
            examples: the training examples.
            validation: the validation examples, which select the best epoch; by default, the training examples.
            run: the word vectors, and the functions that report and store the state of the training.

        Returns:
            Figures for the card of the model: the best epoch, its τ, and the number of training comparisons.
        """
        examples.check_comparisons(validation)
        validation_data = None if validation is None else (get_texts(validation), get_comparisons(validation))
        self.fit(get_texts(examples), get_comparisons(examples), run=run, validation=validation_data)
        return {
            "best epoch": self.best_epoch_,
            "best tau": self.best_tau_,
            "comparisons after cleaning": self.comparisons_,
        }

    def decisions(self, examples: Examples) -> Floats:
        """Subtract the score of the worse hypothesis from the score of the better hypothesis for each comparison."""
        scores = self.score_texts(get_texts(examples))
        return scores[examples.better] - scores[examples.worse]

    def predict(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return the scores of hypotheses, which range from 0 to 1, as an array ``(hypotheses,)``."""
        from meteor_e_papers.maxsd_scoring import compute_scores, single_thread

        device = choose_device(self.options.device)
        with single_thread(device):
            logits = compute_scores(self._network.to(device), self._prepare_texts(X))
        self._network.cpu()
        return 1 / (1 + np.exp(-logits))

    def score_texts(self, X: TextSamples) -> Floats:  # noqa: N803
        """Return the score of each hypothesis, as :meth:`predict` does."""
        return self.predict(X)

    def score(self, X: TextSamples, y: Comparisons) -> float:  # noqa: N803
        """Return Kendall's τ between the scores and the human comparisons. Ties count as errors."""
        scores = self.predict(X)
        return float(strict_tau(scores[y.better] - scores[y.worse]))

    def importance(self) -> Floats:
        """Return the weight of each standardized feature."""
        return np.asarray(self._network.final.weight.detach().numpy()[0, 1:].astype(float))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parameters of the feature scaler, the words, the word vectors, and the weights of the network."""
        words = np.frombuffer("\n".join(self._words.words).encode(), np.uint8)
        weights = {f"network.{name}": value.detach().numpy() for name, value in self._network.named_parameters()}
        return {**vars(self._scaler), "words": words, **weights}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the feature scaler, the words, the word vectors, and the weights of the network.

        Raises:
            ValueError: if the shapes of the arrays do not match each other or the options.
        """
        self._scaler = FeatureScaler.restore(arrays)
        # The first row of the table is the vector of all unknown words.
        vectors = arrays["network.table"].astype(np.float32)
        words = arrays["words"].astype(np.uint8).tobytes().decode("utf-8").split("\n")
        if vectors.ndim != 2 or len(vectors) != len(words) + 1:
            raise ValueError("the numbers of words and vectors differ")
        self._check_weight_shapes(arrays, vectors.shape[1])
        self._words = WordTable(words, vectors[1:])
        self._network = self._make_network()
        _restore_weights(self._network, arrays)

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

    def _make_network(self) -> SimilarityNetwork:
        """Create a network that contains the word vectors. All other weights are not yet initialized."""
        import torch

        from meteor_e_papers.maxsd_network import SimilarityNetwork

        return SimilarityNetwork(
            kind=self.options.encoder,
            table=torch.from_numpy(self._words.table.copy()),
            features=len(self._scaler.low),
            hidden=self.options.hidden,
            layer=self.options.layer,
            trainable=self.options.train_vectors,
        )


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
