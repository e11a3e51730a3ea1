"""Support METEOR-E's module ``embeddings`` in the command ``meteor-e compat``."""

from __future__ import annotations

from typing import Any, ClassVar

from meteor_e.api.java_modules import JavaModule, JavaSettings


class EmbeddingsModule(JavaModule):
    """METEOR-E's module ``embeddings``, which matches words with similar vectors."""

    name: ClassVar[str] = "embeddings"

    def matcher(self, settings: JavaSettings) -> dict[str, Any]:
        """Convert the options of METEOR-E to options of the matcher ``vector``."""
        file = {} if settings.vectors is None else {"file": settings.vectors}
        return {"use": "vector", **file, "key": settings.key, "threshold": settings.threshold}

    def lemmatizer(self, settings: JavaSettings) -> str | None:
        """Return the lemmatizer ``simplemma`` if vectors are looked up by lemma."""
        return None if settings.key == "word" else "simplemma"
