"""Convert the options of a metric specification, such as ``meteor:task=adq``, to keys of a chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from meteor_e.api.component import options_by_name
from meteor_e.api.languages import GREEK, Normalization

if TYPE_CHECKING:
    from meteor_e.api.metrics import MetricContext


def computation_arguments(context: MetricContext | None) -> dict[str, Any]:
    """Return the arguments of :class:`Meteor` that do not change the scores."""
    return {} if context is None else {"offline": context.offline, "threads": context.threads}


def select_set_options(options: Any) -> dict[str, Any]:
    """Return a dictionary of all options that are not ``None``."""
    values = {}
    for name, value in options_by_name(options).items():
        if value is not None:
            values[name] = value.value if isinstance(value, Normalization) else value
    return values


def make_chain_keys(options: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the options of a metric specification to the keys of a chain.

    A specification has one option for each parameter of the formula. In a chain, the key ``parameters`` contains all
    parameters.
    """
    parameters = {name: options[name] for name in GREEK if name in options}
    keys = {name: value for name, value in options.items() if name not in parameters}
    if isinstance(keys.get("matchers"), str):
        keys["matchers"] = keys["matchers"].replace("+", " ").split()
    if parameters:
        keys["parameters"] = {**keys.get("parameters", {}), **parameters}
    return keys
