"""Replacements for nltk's METEOR functions that compute the scores of METEOR 1.5.

To use METEOR 1.5, replace ``from nltk.translate.meteor_score import meteor_score`` with this import::

    from meteor_e.integrations.nltk import meteor_score

The functions accept the same arguments as nltk's functions. By default, the parameters ``alpha``, ``beta`` and
``gamma`` have the values of METEOR 1.5. The arguments ``stemmer`` and ``wordnet`` are ignored with a warning, because
METEOR 1.5 has its own stemmer and synonyms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

from meteor_e.api.tokens import split_words
from meteor_e.base.errors import ConfigError, InputError, warn_user
from meteor_e.base.texts import check_list, check_text

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


@functools.lru_cache(maxsize=8)
def _make_metric(**parameters: float) -> Meteor:
    """Return METEOR 1.5 for English. The given parameters replace the default parameters."""
    from meteor_e.meteor import Meteor

    return Meteor("en", normalization="lower", parameters=parameters)


@functools.cache
def _warn_about_resources() -> None:
    """Warn that nltk's stemmer and WordNet are not used. The warning is shown only once per process."""
    warn_user("stemmer and wordnet of nltk's meteor_score are not used; METEOR 1.5 has its own stemmer and synonyms")


def _join_tokens(tokens: Iterable[str], role: str, preprocess: Callable[[str], str] | None) -> str:
    """Check and preprocess the tokens of a hypothesis or reference, and join them with spaces.

    Args:
        tokens: the tokens.
        role: ``hypothesis`` or ``reference``, for error messages.
        preprocess: a function that is applied to each token, or ``None``.

    Raises:
        InputError: if the tokens are a single string, or if a token is not a string, is empty or contains white space.
    """
    if isinstance(tokens, str):
        raise InputError(f"a {role} must be a sequence of tokens, not a text; split it first")
    original_tokens = check_list(tokens, f"tokens of a {role}", "token")
    return " ".join([_preprocess_token(token, role, preprocess) for token in original_tokens])


def _preprocess_token(token: str, role: str, preprocess: Callable[[str], str] | None) -> str:
    """Preprocess a token, and check that it is a single word. For the arguments, see :func:`_join_tokens`."""
    check_text(token, f"a token of a {role}")
    word = token if preprocess is None else preprocess(token)
    if word is not token:
        check_text(word, f"a token of a {role}")
    if split_words(word) != [word]:
        raise InputError(f"token {word!r} of a {role} is empty or holds white space")
    return word


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

    The score equals the score of METEOR 1.5 (Denkowski and Lavie, 2014).

    Args:
        references: the tokens of each reference. There must be at least one reference.
        hypothesis: the tokens of the hypothesis.
        preprocess: a function that is applied to each token. Tokens are always lowercased afterwards.
        stemmer, wordnet: these arguments are ignored with a warning.
        alpha, beta, gamma: these parameters of the formula replace those of METEOR 1.5.
        meteor: the metric that computes the score. By default, it is METEOR 1.5 for English.

    Returns:
        The segment score, from 0 to 1. A higher score is better.

    Raises:
        InputError: if the hypothesis or a reference is not a sequence of tokens, or if there are no references.
        ConfigError: if a parameter is out of range or not a number, if both parameters and ``meteor`` are given, or if
            ``preprocess`` is not callable.
    """
    metric = _select_metric(meteor, alpha=alpha, beta=beta, gamma=gamma)
    if preprocess is not None and not callable(preprocess):
        raise ConfigError(f"preprocess must be a function of a token, not {type(preprocess).__name__}")
    if stemmer is not None or wordnet is not None:
        _warn_about_resources()
    token_lists = check_list(references, "references", "reference")
    reference_texts = [_join_tokens(tokens, "reference", preprocess) for tokens in token_lists]
    hypothesis_text = _join_tokens(hypothesis, "hypothesis", preprocess)
    return metric.score(hypothesis_text, reference_texts).score


def _select_metric(meteor: Meteor | None, **arguments: Any) -> Meteor:
    """Return the given metric, or by default METEOR 1.5 for English with the given parameters.

    Raises:
        ConfigError: if a parameter is not valid, or if there are both a metric and parameters.
    """
    parameters = {name: value for name, value in arguments.items() if value is not None}
    for name, value in parameters.items():
        if not isinstance(value, Real):
            raise ConfigError(f"{name} must be a number, not {type(value).__name__}")
    if meteor is None:
        return _make_metric(**{name: float(value) for name, value in parameters.items()})
    if parameters:
        raise ConfigError(f"pass {', '.join(parameters)} to the Meteor object instead of this function")
    return meteor


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
    """Return the METEOR score of a tokenized hypothesis with one reference.

    Args:
        reference: the tokens of the reference.
        hypothesis: the tokens of the hypothesis.
        preprocess, stemmer, wordnet, alpha, beta, gamma, meteor: the function :func:`meteor_score` has the same
            arguments.

    Returns:
        The segment score, from 0 to 1. A higher score is better.

    Raises:
        InputError: if the hypothesis or the reference is not a sequence of tokens.
        ConfigError: if one of the other arguments is not valid.
    """
    return meteor_score(
        [reference],
        hypothesis,
        preprocess=preprocess,
        stemmer=stemmer,
        wordnet=wordnet,
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        meteor=meteor,
    )
