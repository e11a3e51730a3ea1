"""What a vector is looked up by: the word, its lemma, or either with something joined on."""

from __future__ import annotations

from typing import Literal, get_args

from meteor_e import ConfigError, Token
from meteor_e.base.errors import near_miss

Key = Literal["word", "lemma", "word_POS", "lemma_POS", "word_lemma"]
"""The keys of METEOR-E; ``POS`` is the universal tag."""

KEYS: tuple[str, ...] = get_args(Key)


def checked_key(key: str, where: str) -> str:
    """Return the key; ConfigError, which begins with ``where``, if it is none."""
    if key not in KEYS:
        raise ConfigError(f"{where} is {key!r}{near_miss(key, KEYS)}; it must be one of {', '.join(KEYS)}")
    return key


def needed(key: str) -> set[str]:
    """Return what tokens need for this key beside their form: ``lemma``, ``tag`` or both."""
    return {name for name, part in (("lemma", "lemma"), ("tag", "POS")) if part in key.split("_")}


def key_of(token: Token, key: str) -> str:
    """Return what the token is looked up by.

    A token without a lemma is its own lemma; one without a tag has the universal tag ``X`` (other).
    """
    if key == "word":
        return token.form
    lemma = token.lemma if token.lemma is not None else token.form
    if key == "lemma":
        return lemma
    if key == "word_lemma":
        return f"{token.form}_{lemma}"
    return f"{token.form if key == 'word_POS' else lemma}_{token.tag if token.tag is not None else 'X'}"
