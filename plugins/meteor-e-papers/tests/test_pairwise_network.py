"""Tests of the pairwise network of Guzmán et al. (2015): costs, gradients, training and reproducibility."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from meteor_e_papers.pairwise_architectures import make_architecture
from meteor_e_papers.pairwise_costs import make_cost_function
from meteor_e_papers.pairwise_network import PairwiseNetwork, fit_seeds

from meteor_e.api.estimators import TrainingRun
from meteor_e.base.errors import ConfigError


@pytest.fixture
def pairs():
    """Return pairs in which the better hypothesis has the larger first feature, with noise and irrelevant features."""
    generator = np.random.default_rng(0)
    first_rows, second_rows = generator.normal(size=(2, 400, 3))
    y = (first_rows[:, 0] - second_rows[:, 0] + 0.3 * generator.normal(size=400) > 0).astype(int)
    return np.hstack([first_rows, second_rows]), y


def vector_pairs(count=300, seed=0):
    """Return pairs in which the vector of the better hypothesis is closer to the vector of the reference."""
    generator = np.random.default_rng(seed)
    reference = generator.normal(size=(count, 2))
    near, far = 0.2 * generator.normal(size=(count, 2)), 1.5 * generator.normal(size=(count, 2))
    y = generator.integers(2, size=count)
    first = reference + np.where(y[:, None] == 1, near, far)
    second = reference + np.where(y[:, None] == 1, far, near)
    features = generator.normal(size=(count, 2))
    return np.hstack([features, first, second, reference]), y


@pytest.mark.parametrize("cost", ["logistic", "kendall", "logistic-kendall"])
@pytest.mark.parametrize("architecture", ["multi-layer", "single-layer"])
def test_network_learns_from_features(pairs, cost, architecture):
    X, y = pairs  # noqa: N806
    # From a cold start, the gradient of the Kendall cost is almost zero at the paper's steepness of 100.
    is_cold_start = cost == "kendall"
    options = {"cost": cost, "architecture": architecture, "steepness": 5.0 if is_cold_start else 100.0}
    network = PairwiseNetwork.make(features=3, **options, batch=10, epochs=12, seed=3, learning_rate=0.1)
    network.fit(X[:300], y[:300], validation=(X[300:], y[300:]))
    assert network.score(X[300:], y[300:]) == pytest.approx(network.best_tau_)
    assert network.best_tau_ > (0.4 if is_cold_start else 0.6)


def test_hidden_layer_learns_what_a_single_layer_cannot():
    X, y = vector_pairs(1000)  # noqa: N806
    taus = {}
    for architecture in ("multi-layer", "single-layer"):
        network = PairwiseNetwork.make(
            features=1,
            vector_size=2,
            architecture=architecture,
            hidden=16,
            epochs=40,
            learning_rate=0.1,
            decay=0.0,
            patience=None,
            seed=1,
        )
        network.fit(X, y)
        taus[architecture] = network.score(X, y)
    assert taus["multi-layer"] > taus["single-layer"] + 0.2


def test_network_is_deterministic_and_resumes():
    X, y = vector_pairs()  # noqa: N806
    options = {"features": 1, "vector_size": 2, "cost": "logistic-kendall", "epochs": 4, "seed": 5}
    uninterrupted = PairwiseNetwork.make(**options).fit(X, y)
    assert (PairwiseNetwork.make(**options).fit(X, y).theta_ == uninterrupted.theta_).all()
    assert (PairwiseNetwork.make(**{**options, "seed": 6}).fit(X, y).theta_ != uninterrupted.theta_).any()
    states = []
    PairwiseNetwork.make(**options).fit(X, y, run=TrainingRun(checkpoint=states.append))
    assert [(state.phase, state.epoch) for state in states] == [(p, e) for p in (0, 1) for e in (1, 2, 3, 4)]
    for state in states:
        resumed = PairwiseNetwork.make(**options).fit(X, y, run=TrainingRun(resume=state))
        assert (resumed.theta_ == uninterrupted.theta_).all(), (state.phase, state.epoch)


def test_fit_seeds_equals_separate_training():
    X, y = vector_pairs()  # noqa: N806
    networks = [PairwiseNetwork.make(features=1, vector_size=2, epochs=3, seed=seed) for seed in (1, 2)]
    fit_seeds(networks, X, y)
    single_network = PairwiseNetwork.make(features=1, vector_size=2, epochs=3, seed=2).fit(X, y)
    assert networks[1].theta_ == pytest.approx(single_network.theta_, abs=1e-5)
    with pytest.raises(ValueError, match="seeds alone"):
        fit_seeds([networks[0], PairwiseNetwork.make(features=1, vector_size=2, hidden=5)], X, y)


def test_early_stopping_keeps_the_last_of_the_best_epochs():
    X, y = vector_pairs(60)  # noqa: N806
    lines = []
    network = PairwiseNetwork.make(features=1, vector_size=2, epochs=30, patience=5, seed=1).fit(
        X, y, run=TrainingRun(report=lines.append)
    )
    taus = [line["tau"][0] for line in lines]
    assert network.best_tau_ == max(taus)
    assert network.best_epoch_ == max(epoch for epoch, tau in enumerate(taus, 1) if tau == max(taus))
    assert len(taus) == min(30, network.best_epoch_ + 5)


def test_forward_and_costs_equal_the_equations_of_the_paper():
    X, y = vector_pairs(20)  # noqa: N806
    network = PairwiseNetwork.make(features=1, vector_size=2, hidden=3, epochs=1).fit(X, y)
    scaled = network.scale_pairs(X).astype(float)
    theta = network.theta_.astype(float)
    skip, bias = theta[:2], theta[2]
    groups, biases, output = theta[3:39].reshape(3, 4, 3), theta[39:48].reshape(3, 3), theta[48:]
    psi, t1, t2, r = scaled[:, :2], scaled[:, 2:4], scaled[:, 4:6], scaled[:, 6:]
    inputs = [np.hstack(pair) for pair in ((t1, t2), (t1, r), (t2, r))]
    hidden = np.hstack([np.tanh(x @ groups[index] + biases[index]) for index, x in enumerate(inputs)])
    logits = hidden @ output + psi @ skip + bias
    assert network.logit(X) == pytest.approx(logits, abs=1e-5)
    sigma, swapped = 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-network.logit(network.swap_pairs(X))))
    delta = sigma - swapped
    kendall = np.where(y == 1, 1 / (1 + np.exp(100 * delta)), 1 / (1 + np.exp(-100 * delta)))
    expected = (kendall + np.exp(-100 * delta**2 / 2)).mean()
    architecture = make_architecture(network.options)
    arrays = (network.theta_, network.scale_pairs(X), y.astype(np.float32))
    tensors = [torch.from_numpy(array)[None] for array in arrays]
    kendall_cost = make_cost_function("kendall", steepness=100.0)(architecture, *tensors)
    assert kendall_cost.mean.item() == pytest.approx(expected, abs=1e-4)
    likelihood = -np.mean(y * np.log(sigma) + (1 - y) * np.log(1 - sigma))
    logistic_cost = make_cost_function("logistic", steepness=100.0)(architecture, *tensors)
    assert logistic_cost.mean.item() == pytest.approx(likelihood, abs=1e-5)


@pytest.mark.parametrize("cost", ["logistic", "kendall"])
@pytest.mark.parametrize("vector_size", [0, 5])
@pytest.mark.parametrize("architecture", ["multi-layer", "single-layer"])
def test_gradients_equal_finite_differences_of_the_costs(cost, vector_size, architecture):
    network = PairwiseNetwork.make(features=3, vector_size=vector_size, architecture=architecture, hidden=2)
    layers = make_architecture(network.options)
    compute_cost = make_cost_function(cost, steepness=3.0)
    generator = np.random.default_rng(1)
    X = torch.from_numpy(generator.uniform(-1, 1, size=(2, 11, network.inputs)))  # noqa: N806
    y = torch.from_numpy(generator.integers(2, size=(2, 11)).astype(float))
    theta = torch.from_numpy(generator.normal(size=(2, layers.n_parameters)))
    gradient = compute_cost(layers, theta, X, y).gradient
    step = 1e-6
    for index in range(layers.n_parameters):
        shift = torch.zeros_like(theta)
        shift[:, index] = step
        upper_cost = compute_cost(layers, theta + shift, X, y).mean
        lower_cost = compute_cost(layers, theta - shift, X, y).mean
        difference_quotient = (upper_cost - lower_cost) / (2 * step)
        assert gradient[:, index].numpy() == pytest.approx(difference_quotient.numpy(), abs=1e-7)


def test_skip_arcs_start_from_logistic_regression(pairs):
    X, y = pairs  # noqa: N806
    lines = []
    PairwiseNetwork.make(features=3, skip_start="logistic", epochs=1).fit(X, y, run=TrainingRun(report=lines.append))
    assert lines[0]["tau"][0] > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": 3, "cost": "hinge"}, "cost: must be one of .*, not 'hinge'"),
        ({"features": 3, "architecture": "deep"}, "architecture: must be one of .*, not 'deep'"),
        ({"features": 3, "device": "abacus"}, "device 'abacus' cannot be used"),
        ({"features": 4}, "6 numbers per pair; the network has 8 inputs"),
        ({}, "neither features nor vectors"),
    ],
)
def test_network_rejects_invalid_options(pairs, options, message):
    with pytest.raises(ConfigError, match=message):
        PairwiseNetwork.make(**options).fit(*pairs)
