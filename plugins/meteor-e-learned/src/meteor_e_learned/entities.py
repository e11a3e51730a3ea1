"""Decodes XML entities, which some machine translation tools leave in their output."""

from __future__ import annotations

import html
import re
from itertools import chain

from meteor_e.api import FeatureBatch

_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);")
_TOKENIZED_ENTITY = re.compile(r"& (apos|quot|lt|gt|amp) ;(?P<suffix> (?=(?:s|t|re|ve|m|d|ll)\b))?")


def _decode_entity(match: re.Match[str]) -> str:
    return html.unescape(match[0])


def _decode_tokenized_entity(match: re.Match[str]) -> str:
    """Return the character for an entity that a tokenizer has split, such as ``& quot ;``.

    The space in ``& apos ; s`` is removed, so the result is ``'s``.
    """
    space = "" if match[1] == "apos" else match["suffix"] or ""
    return html.unescape(f"&{match[1]};") + space


def decode_entities(text: str) -> str:
    """Replace the XML entities in a text by the corresponding characters.

    Entities are decoded twice, because some tools escape ``&`` twice. Entities that a tokenizer has split are decoded,
    too, such as ``& apos ; s``.
    """
    if "&" not in text:
        return text
    for _ in range(2):
        text = _ENTITY.sub(_decode_entity, text)
    return _TOKENIZED_ENTITY.sub(_decode_tokenized_entity, text)


def decode_batch(batch: FeatureBatch) -> FeatureBatch:
    """Decode the XML entities in all hypotheses and references of a batch."""
    if not any("&" in text for text in chain(batch.hypotheses, *batch.references)):
        return batch
    hypotheses = [decode_entities(text) for text in batch.hypotheses]
    reference_lists = [[decode_entities(text) for text in references] for references in batch.references]
    return FeatureBatch(hypotheses, reference_lists, batch.sources, batch.systems, batch.segments)
