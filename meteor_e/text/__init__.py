"""Text: normalization, tokens, stemming."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.text.capitals import lowercase
    from meteor_e.text.normalization import Normalizer

__all__ = [
    "Normalizer",
    "lowercase",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "capitals": ["lowercase"],
        "normalization": ["Normalizer"],
    },
)
