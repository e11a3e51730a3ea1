"""METEOR-E's module ``embeddings``, for ``meteor-e compat``."""

from __future__ import annotations

from typing import Any, ClassVar

from meteor_e.api.java_modules import JavaModule, JavaSettings


class EmbeddingsModule(JavaModule):
    """Words whose vectors are similar match."""

    name: ClassVar[str] = "embeddings"

    def matcher(self, settings: JavaSettings) -> dict[str, Any]:
        """Return the matcher ``vector``."""
        file = {} if settings.vectors is None else {"file": settings.vectors}
        return {"use": "vector", **file, "key": settings.key, "threshold": settings.threshold}

    def lemmatizer(self, settings: JavaSettings) -> str | None:
        """Return simplemma's tables where vectors are looked up by lemma."""
        return None if settings.key == "word" else "simplemma"
