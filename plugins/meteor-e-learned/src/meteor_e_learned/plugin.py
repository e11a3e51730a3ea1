"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_features() -> dict[str, str]:
    """Return features by name; the module of each is imported when a recipe uses it."""
    return {
        "language-model": "meteor_e_learned.features.language_model:LanguageModelFeature",
        "vocabulary": "meteor_e_learned.features.vocabulary:VocabularyFeature",
        "word-vectors": "meteor_e_learned.features.vectors:WordVectorsFeature",
        "vector-matching": "meteor_e_learned.features.vectors:VectorMatchingFeature",
        "tag-vectors": "meteor_e_learned.features.tags:TagVectorsFeature",
        "tag-overlap": "meteor_e_learned.features.tags:TagOverlapFeature",
    }
