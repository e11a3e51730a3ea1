"""Words compared in their sentence: the matcher ``contextual``, and the encoders that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base import lazy_names

if TYPE_CHECKING:
    from meteor_e_contextual.encoder import Encoder
    from meteor_e_contextual.store import open_encoder

__all__ = ["Encoder", "open_encoder"]

__getattr__, __dir__ = lazy_names(__name__, {"encoder": ["Encoder"], "store": ["open_encoder"]})
