"""Replacements for nltk's METEOR functions, with the scores of METEOR 1.5.

To use them, replace ``from nltk.translate.meteor_score import meteor_score`` with this import::

    from meteor_e.integrations.nltk import meteor_score

The functions accept all of nltk's arguments, by keyword or by position. ``alpha``, ``beta`` and ``gamma`` are METEOR's
parameters; by default, they have the values of METEOR 1.5. ``stemmer`` and ``wordnet``, which are resources of nltk's
implementation, are ignored with a warning.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import ConfigError, InputError, warn_user
from meteor_e.base.texts import check_list, check_text

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


@functools.lru_cache(maxsize=8)
def _make_metric(**parameters: float) -> Meteor:
    """Return METEOR 1.5 for English with some parameters replaced."""
    from meteor_e.meteor import Meteor

    return Meteor("en", normalization="lower", parameters=parameters)


@functools.cache
def _warn_about_resources() -> None:
    """Warn, once per process, that nltk's resources are not used."""
    warn_user("stemmer and wordnet of nltk's meteor_score are not used; METEOR 1.5 has its own stemmer and synonyms")


def _join_tokens(tokens: Iterable[str], role: str, preprocess: Callable[[str], str] | None) -> str:
    """Check, preprocess and join the tokens of a hypothesis or reference."""
    if isinstance(tokens, str):
        raise InputError(f"a {role} must be a sequence of tokens, not a text; split it first")
    original_tokens = list(check_list(tokens, f"tokens of a {role}", "token"))
    for token in original_tokens:
        check_text(token, f"a token of a {role}")
    processed_tokens = original_tokens if preprocess is None else [preprocess(token) for token in original_tokens]
    for token in processed_tokens:
        check_text(token, f"a token of a {role}")
        if not token or any(char in " \t\n\r\f" for char in token):
            raise InputError(f"token {token!r} of a {role} is empty or holds white space")
    return " ".join(processed_tokens)


def meteor_score(
    references: Iterable[Iterable[str]],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] | None = None,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    *,
    meteor: Meteor | None = None,
) -> float:
    """Return the METEOR score of a tokenized hypothesis with its best reference.

    Args:
        references: the tokens of each reference.
        hypothesis: the tokens of the hypothesis.
        preprocess: a function that is applied to each token. Tokens are always lowercased afterwards.
        stemmer, wordnet: not used; they cause a warning, once per process.
        alpha, beta, gamma: parameters of METEOR that replace those of METEOR 1.5.
        meteor: the metric; by default METEOR 1.5 for English.

    Raises:
        InputError: if there are texts instead of tokens, or no references.
        ConfigError: if a parameter is out of range or not a number, if there are parameters in addition to ``meteor``,
            or if ``preprocess`` is not callable.
    """
    parameters = _check_parameters(alpha=alpha, beta=beta, gamma=gamma)
    if preprocess is not None and not callable(preprocess):
        raise ConfigError(f"preprocess must be a function of a token, not {type(preprocess).__name__}")
    if meteor is not None and parameters:
        raise ConfigError(f"pass {', '.join(parameters)} to the Meteor object instead of this function")
    if stemmer is not None or wordnet is not None:
        _warn_about_resources()
    metric = _make_metric(**parameters) if meteor is None else meteor
    reference_texts = []
    for reference in check_list(references, "references", "reference"):
        reference_texts.append(_join_tokens(reference, "reference", preprocess))
    hypothesis_text = _join_tokens(hypothesis, "hypothesis", preprocess)
    return metric.score(hypothesis_text, reference_texts).score


def _check_parameters(**arguments: Any) -> dict[str, float]:
    """Return the parameters that are not ``None``. Raise ConfigError if one of them is not a number."""
    parameters = {}
    for name, value in arguments.items():
        if value is None:
            continue
        if not isinstance(value, Real):
            raise ConfigError(f"{name} must be a number, not {type(value).__name__}")
        parameters[name] = float(value)
    return parameters


def single_meteor_score(
    reference: Iterable[str],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] | None = None,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    *,
    meteor: Meteor | None = None,
) -> float:
    """Return the METEOR score of a tokenized hypothesis with one reference; see :func:`meteor_score`."""
    return meteor_score([reference], hypothesis, preprocess, stemmer, wordnet, alpha, beta, gamma, meteor=meteor)
