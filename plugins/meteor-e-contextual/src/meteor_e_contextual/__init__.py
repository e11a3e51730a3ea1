"""Words compared in their sentence: the matcher ``contextual``, and the encoders that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base import lazy_names

if TYPE_CHECKING:
    from meteor_e_contextual.encoder import Encoder
    from meteor_e_contextual.store import encoder_paths, open_encoder

__all__ = ["Encoder", "encoder_paths", "open_encoder"]

__getattr__, __dir__ = lazy_names(__name__, {"encoder": ["Encoder"], "store": ["encoder_paths", "open_encoder"]})
