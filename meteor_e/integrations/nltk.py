"""``meteor_score`` in nltk's shape, with METEOR 1.5's numbers.

Code that says ``from nltk.translate.meteor_score import meteor_score`` changes this one import::

    from meteor_e.integrations.nltk import meteor_score

The functions take all of nltk's arguments, by keyword or by position. ``alpha``, ``beta`` and ``gamma`` are METEOR's
parameters of these names; where they are left out, they are those of METEOR 1.5. ``stemmer`` and ``wordnet`` are
resources of nltk's own metric: they have no part here, which a warning says once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import ConfigError, InputError, warn_user
from meteor_e.base.texts import check_text, listed

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


@functools.lru_cache(maxsize=8)
def _metric(**parameters: float) -> Meteor:
    from meteor_e.meteor import Meteor

    return Meteor("en", normalization="lower", parameters=parameters)


@functools.cache
def _warn_once() -> None:
    warn_user("stemmer and wordnet of nltk's meteor_score are not used; METEOR 1.5 has its own stemmer and synonyms")


def _text(tokens: Iterable[str], side: str, preprocess: Callable[[str], str] | None) -> str:
    if isinstance(tokens, str):
        raise InputError(f"a {side} must be a sequence of tokens, not a text; split it first")
    given = list(listed(tokens, f"tokens of a {side}", "token"))
    for word in given:
        check_text(word, f"a token of a {side}")
    words = given if preprocess is None else [preprocess(word) for word in given]
    for word in words:
        check_text(word, f"a token of a {side}")
        if not word or any(char in " \t\n\r\f" for char in word):
            raise InputError(f"token {word!r} of a {side} is empty or holds white space")
    return " ".join(words)


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
    """Return METEOR of a tokenized hypothesis: the best score over its references.

    Args:
        references: the tokens of each reference.
        hypothesis: the tokens of the hypothesis.
        preprocess: called with each token. Tokens are lowercased afterwards in any case.
        stemmer, wordnet: not used; a warning says so once.
        alpha, beta, gamma: parameters of METEOR that replace those of METEOR 1.5.
        meteor: the metric; by default METEOR 1.5 for English.

    Raises:
        InputError: for texts instead of tokens, or no references.
        ConfigError: for a parameter that is out of its range or not a number, for parameters beside ``meteor``, and for
            a ``preprocess`` that cannot be called.
    """
    given = {"alpha": alpha, "beta": beta, "gamma": gamma}
    parameters = {name: value for name, value in given.items() if value is not None}
    for name, value in parameters.items():
        if not isinstance(value, Real):
            raise ConfigError(f"{name} must be a number, not {type(value).__name__}")
    if preprocess is not None and not callable(preprocess):
        raise ConfigError(f"preprocess must be a function of a token, not {type(preprocess).__name__}")
    if meteor is not None and parameters:
        raise ConfigError(f"give {', '.join(parameters)} to the Meteor that you pass, not beside it")
    if stemmer is not None or wordnet is not None:
        _warn_once()
    metric = meteor if meteor is not None else _metric(**{name: float(value) for name, value in parameters.items()})
    texts = [_text(reference, "reference", preprocess) for reference in listed(references, "references", "reference")]
    return metric.score(_text(hypothesis, "hypothesis", preprocess), texts).score


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
    """Return METEOR of a tokenized hypothesis and its only reference; see :func:`meteor_score`."""
    return meteor_score([reference], hypothesis, preprocess, stemmer, wordnet, alpha, beta, gamma, meteor=meteor)
