"""The estimator ``pairwise-network``, which decides which of two hypotheses is better (Guzmán et al., 2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from meteor_e_learned.models.base import strict_tau
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Estimator, Examples, Meta
from meteor_e.api.component import options_by_name
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats

if TYPE_CHECKING:
    from meteor_e_papers.pairwise_training import LabeledPairs


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

        Training sets the options ``features`` and ``vector_size`` to match the features and vectors of the recipe.
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
        run: TrainingRun | None = None,
    ) -> PairwiseNetwork:
        """Train the network.

        Args:
            X: the pairs, ``(pairs, 2 · features + 3 · vector_size)``. A row contains the features of the first and of
                the second hypothesis, and then the vectors of the first hypothesis, the second hypothesis and the
                reference.
            y: the labels of the pairs. A label is 1 if the first hypothesis is better, and 0 if the second is better.
            validation: the pairs and labels that select the best epoch; by default, the training data.
            run: the functions that report and store the state of the training, and the state to continue from.
        """
        fit_seeds([self], X, y, validation=validation, run=run)
        return self

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Train the network on comparisons. This method is called by ``meteor-e train``.

        Args:
            examples: the training examples.
            validation: the validation examples, which select the best epoch and stop the training; by default, the
                training examples.
            run: the seed, and the functions that report and store the state of the training.

        Returns:
            Figures for the card of the model: the best epoch and its τ.
        """
        examples.check_comparisons(validation)
        self.options = self.options.replaced(features=examples.features.shape[1], vector_size=examples.vectors.shape[1])
        pairs, labels = examples.draw_pairs(run.seed)
        validation_pairs = None if validation is None else validation.draw_pairs(run.seed)
        self.fit(pairs, labels, validation=validation_pairs, run=run)
        return {"best epoch": self.best_epoch_, "validation tau": self.best_tau_}

    @property
    def inputs(self) -> int:
        """The number of inputs of the network."""
        count: int = 2 * self.options.features + 3 * self.options.vector_size
        return count

    def swap_pairs(self, X: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Swap the first and the second hypothesis of each pair."""
        import torch

        from meteor_e_papers.pairwise_architectures import make_architecture

        return np.asarray(make_architecture(self.options).swap_hypotheses(torch.tensor(X)).numpy())

    def scale_pairs(self, X: Floats) -> NDArray[np.float32]:  # noqa: N803
        """Scale the inputs to the range from -1 to 1. Values outside the range of the training data are clipped."""
        self._check_inputs(X)
        scaled = (np.clip(X, self.low_, self.high_) - self.low_) * self.factor_ - 1
        return scaled.astype(np.float32)

    def scale_data(self, X: Floats, y: NDArray[Any]) -> LabeledPairs:  # noqa: N803
        """Scale the inputs, and return the data for training or validation."""
        from meteor_e_papers.pairwise_training import LabeledPairs

        return LabeledPairs(self.scale_pairs(np.asarray(X, float)), np.asarray(y))

    def fit_scaler(self, X: Floats) -> None:  # noqa: N803
        """Determine the range of each input in the training pairs, and the factor that scales the input.

        Each feature has a single range for both hypotheses. Each vector dimension has a single range for the hypotheses
        and the reference. Therefore, swapping the hypotheses does not change how the values are scaled.
        """
        self._check_inputs(X)
        n_features, vector_size = self.options.features, self.options.vector_size
        # Each row contains the features of two hypotheses, then the vectors of both hypotheses and the reference.
        pair_features, pair_vectors = np.split(X, [2 * n_features], axis=1)
        features = pair_features.reshape(2 * len(X), n_features)
        vectors = pair_vectors.reshape(3 * len(X), vector_size)
        self.low_ = _repeat_for_texts(features.min(axis=0), vectors.min(axis=0))
        self.high_ = _repeat_for_texts(features.max(axis=0), vectors.max(axis=0))
        ranges = self.high_ - self.low_
        # The scaled inputs range from -1 to 1. The factor of a constant input is 0, because its range is empty.
        self.factor_ = np.divide(2, ranges, out=np.zeros_like(ranges), where=ranges > 0)

    def _check_inputs(self, pairs: Floats) -> None:
        """Check that the pairs have as many columns as the network has inputs.

        Raises:
            ConfigError: if the number of columns is wrong.
        """
        if pairs.ndim != 2 or pairs.shape[1] != self.inputs:
            raise ConfigError(f"{pairs.shape[-1]} numbers per pair; the network has {self.inputs} inputs")

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return f(1, 2) - f(2, 1) for each pair of hypotheses 1 and 2, where f is the output of the network.

        The outputs of the network are log odds. The difference is positive if the first hypothesis is better.
        """
        return self.logit(X) - self.logit(self.swap_pairs(X))

    def logit(self, X: Floats) -> Floats:  # noqa: N803
        """Return the output of the network for each pair as log odds."""
        from meteor_e_papers.pairwise_architectures import make_architecture
        from meteor_e_papers.pairwise_training import compute_pair_logits

        pairs = self.scale_pairs(np.asarray(X, float))
        return compute_pair_logits(make_architecture(self.options), self.theta_, pairs)

    def predict(self, X: Floats) -> NDArray[np.int64]:  # noqa: N803
        """Predict the label of each pair: 1 if the first hypothesis is better, and 0 otherwise."""
        return (self.decision_function(X) > 0).astype(np.int64)

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
        from meteor_e_papers.pairwise_architectures import make_architecture

        self.low_ = arrays["low"].astype(float)
        self.high_ = arrays["high"].astype(float)
        self.factor_ = arrays["factor"].astype(float)
        self.theta_ = arrays["theta"].astype(np.float32)
        n_parameters = make_architecture(self.options).n_parameters
        if self.theta_.shape != (n_parameters,) or self.low_.shape != (self.inputs,):
            raise ValueError("the shapes of the arrays do not match the options")


def _repeat_for_texts(features: Floats, vector: Floats) -> Floats:
    """Return a value for each input of the network, given a value for each feature and each vector dimension.

    The inputs are the features of two hypotheses, followed by the sentence vectors of both hypotheses and of the
    reference. Therefore, the result contains the feature values twice and the vector values three times.

    Args:
        features: the value for each feature, ``(features,)``.
        vector: the value for each dimension of the vectors, ``(vector_size,)``.
    """
    return np.concatenate([features, features, vector, vector, vector])


def fit_seeds(
    networks: Sequence[PairwiseNetwork],
    X: Floats,  # noqa: N803
    y: NDArray[Any],
    *,
    validation: tuple[Floats, NDArray[Any]] | None = None,
    run: TrainingRun | None = None,
) -> None:
    """Train several networks at the same time. The networks must have the same options except for the seed.

    Training several networks together takes little more time than training a single network. The arguments are
    described in :meth:`PairwiseNetwork.fit`.
    """
    from meteor_e_papers.pairwise_training import train_models

    _check_networks(networks)
    for network in networks:
        network.fit_scaler(np.asarray(X, float))
    # All networks have the same scaler, and the same options except for the seed.
    first_network = networks[0]
    training = first_network.scale_data(X, y)
    validation_data = training if validation is None else first_network.scale_data(*validation)
    seeds = [network.options.seed for network in networks]
    state = train_models(first_network.options, seeds, training, validation_data, run or TrainingRun())
    for index, network in enumerate(networks):
        network.theta_ = state.best_theta[index].astype(np.float32)
        network.best_tau_ = float(state.best_tau[index])
        network.best_epoch_ = int(state.best_epoch[index])


def _check_networks(networks: Sequence[PairwiseNetwork]) -> None:
    """Check that each network has at least one input, and that all options except for the seed are equal.

    Raises:
        ConfigError: if the networks do not have inputs.
        ValueError: if the networks differ in an option other than the seed.
    """
    if not networks[0].inputs:
        raise ConfigError("pairwise-network: neither features nor vectors")
    options = [{**options_by_name(network.options), "seed": 0} for network in networks]
    if any(network_options != options[0] for network_options in options):
        raise ValueError("networks that are trained together must differ in their seeds alone")
