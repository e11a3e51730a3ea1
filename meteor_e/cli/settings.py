"""``--set MATCHER.OPTION=VALUE``: options of a chain's matchers and lemmatizer from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meteor_e.base.errors import ConfigError
from meteor_e.base.yamlfile import plain_value


def parse_settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read ``vector.threshold=0.75`` entries.

    Raises:
        ConfigError: for an entry of another form, or given twice.
    """
    settings: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, _, value = text.partition("=")
        matcher, dot, option = name.rpartition(".")
        if not value or not dot or not matcher or not option:
            raise ConfigError(f"--set {text!r} is not of the form MATCHER.OPTION=VALUE")
        options = settings.setdefault(matcher, {})
        if option in options:
            raise ConfigError(f"--set {name} is given twice")
        options[option] = plain_value(value)
    return settings
