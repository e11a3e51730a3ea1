"""Compute the keys of word vectors. A key is a word, its lemma, or a combination such as word and tag."""

from __future__ import annotations

from typing import Literal, get_args

from meteor_e import ConfigError, Token
from meteor_e.base.errors import near_miss

Key = Literal["word", "lemma", "word_POS", "lemma_POS", "word_lemma"]
"""The keys of METEOR-E. ``POS`` is the universal part-of-speech tag."""

KEYS: tuple[str, ...] = get_args(Key)


def check_key(key: str, location: str) -> str:
    """Return a key if it is valid. Otherwise, raise ConfigError with a message that starts with ``location``."""
    if key not in KEYS:
        raise ConfigError(f"{location} is {key!r}{near_miss(key, KEYS)}; it must be one of {', '.join(KEYS)}")
    return key


def make_lookup_key(token: Token, key_type: str) -> str:
    """Return the key under which a file of word vectors stores the vector of a token.

    If a token does not have a lemma, its form is used. If a token does not have a tag, the universal tag ``X`` is used.

    Args:
        token: the token.
        key_type: one of :data:`KEYS`, such as ``lemma_POS``.
    """
    if key_type == "word":
        return token.form
    lemma = token.form if token.lemma is None else token.lemma
    tag = "X" if token.tag is None else token.tag
    keys = {
        "lemma": lemma,
        "word_POS": f"{token.form}_{tag}",
        "lemma_POS": f"{lemma}_{tag}",
        "word_lemma": f"{token.form}_{lemma}",
    }
    return keys[key_type]
