"""``meteor_score`` in nltk's shape, with METEOR 1.5's numbers.

Code that says ``from nltk.translate.meteor_score import meteor_score`` changes this one import::

    from meteor_e.integrations.nltk import meteor_score

Tokens are taken as they are, in lower case, as nltk takes them. What nltk's function calls α, β and γ are
other parameters of an older METEOR, and its ``stemmer`` and ``wordnet`` are other resources, so these
arguments do not exist here; give a :class:`~meteor_e.meteor.Meteor` instead.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from meteor_e.base.errors import InputError

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor

__all__ = ["meteor_score", "single_meteor_score"]


@functools.cache
def _default() -> Meteor:
    from meteor_e.meteor import Meteor

    return Meteor("en", normalization="lower")


def _text(tokens: Iterable[str], side: str) -> str:
    if isinstance(tokens, str):
        raise InputError(f"a {side} must be a sequence of tokens, not a text; split it first")
    words = list(tokens)
    for word in words:
        if not word or any(char in " \t\n\r\f" for char in word):
            raise InputError(f"token {word!r} of a {side} is empty or holds white space")
    return " ".join(words)


def meteor_score(
    references: Iterable[Iterable[str]], hypothesis: Iterable[str], *, meteor: Meteor | None = None
) -> float:
    """Return METEOR of a tokenised hypothesis: the best score over its references.

    Args:
        references: the tokens of each reference.
        hypothesis: the tokens of the hypothesis.
        meteor: the metric; by default METEOR 1.5 for English.

    Raises:
        InputError: for texts in the place of tokens, or no references.
    """
    texts = [_text(reference, "reference") for reference in references]
    return (meteor or _default()).score(_text(hypothesis, "hypothesis"), texts).score


def single_meteor_score(reference: Iterable[str], hypothesis: Iterable[str], *, meteor: Meteor | None = None) -> float:
    """Return METEOR of a tokenised hypothesis and its only reference; see :func:`meteor_score`."""
    return meteor_score([reference], hypothesis, meteor=meteor)
