"""XML entities that tools of machine translation leave in texts."""

from __future__ import annotations

import html
import re
from itertools import chain

from meteor_e.api import FeatureBatch

_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);")
_APART = re.compile(r"& (apos|quot|lt|gt|amp) ;(?P<suffix> (?=(?:s|t|re|ve|m|d|ll)\b))?")


def unescaped(batch: FeatureBatch) -> FeatureBatch:
    """Return a batch with the characters that entities of XML stand for.

    Tools of machine translation leave ``&apos;``, and set ``&amp; apos ;`` apart what was escaped twice.
    """

    def apart(found: re.Match[str]) -> str:
        return html.unescape(f"&{found[1]};") + ("" if found[1] == "apos" else found["suffix"] or "")

    def plain(text: str) -> str:
        if "&" not in text:
            return text
        for _ in range(2):  # Some texts were escaped twice.
            text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
        return _APART.sub(apart, text)

    if not any("&" in text for text in chain(batch.hypotheses, *batch.references)):
        return batch
    hypotheses = [plain(text) for text in batch.hypotheses]
    references = [[plain(text) for text in each] for each in batch.references]
    return FeatureBatch(hypotheses, references, batch.sources, batch.systems, batch.segments)
