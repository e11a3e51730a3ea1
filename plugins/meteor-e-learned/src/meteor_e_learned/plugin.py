"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_features() -> dict[str, str]:
    """Return features by name; the module of each is imported when a recipe uses it."""
    return {
        "meteor": "meteor_e_learned.features.meteor:MeteorFeature",
        "bleu": "meteor_e_learned.features.metrics:BleuFeature",
        "bleu-components": "meteor_e_learned.features.metrics:BleuComponentsFeature",
        "chrf": "meteor_e_learned.features.metrics:ChrfFeature",
        "chrf-components": "meteor_e_learned.features.metrics:ChrfComponentsFeature",
        "ter": "meteor_e_learned.features.metrics:TerFeature",
        "nist": "meteor_e_learned.features.metrics:NistFeature",
        "lengths": "meteor_e_learned.features.surface:LengthsFeature",
        "characters": "meteor_e_learned.features.surface:CharactersFeature",
        "overlap": "meteor_e_learned.features.surface:OverlapFeature",
        "score-file": "meteor_e_learned.features.files:ScoreFileFeature",
        "vector-file": "meteor_e_learned.features.files:VectorFileFeature",
        "model-score": "meteor_e_learned.features.model_score:ModelScoreFeature",
        "vocabulary": "meteor_e_learned.features.vocabulary:VocabularyFeature",
        "language-model": "meteor_e_learned.features.language_model:LanguageModelFeature",
        "character-ngrams": "meteor_e_learned.features.character_ngrams:CharacterNgramsFeature",
        "difficulty": "meteor_e_learned.features.difficulty:DifficultyFeature",
        "errors": "meteor_e_learned.features.errors:ErrorsFeature",
        "situation": "meteor_e_learned.features.errors:SituationFeature",
        "fluency": "meteor_e_learned.features.fluency:FluencyFeature",
        "near-words": "meteor_e_learned.features.near_words:NearWordsFeature",
        "word-classes": "meteor_e_learned.features.word_classes:WordClassesFeature",
        "encoder-matching": "meteor_e_learned.features.encoder:EncoderMatchingFeature",
        "word-vectors": "meteor_e_learned.features.vectors:WordVectorsFeature",
        "vector-matching": "meteor_e_learned.features.vectors:VectorMatchingFeature",
        "document-cosine": "meteor_e_learned.features.document_cosine:DocumentCosineFeature",
        "tag-vectors": "meteor_e_learned.features.tags:TagVectorsFeature",
        "tag-overlap": "meteor_e_learned.features.tags:TagOverlapFeature",
    }


@hookimpl
def meteor_e_metrics() -> dict[str, str]:
    """Return trained models: ``model:FILE``, and those that come with the plugin by their names."""
    return {
        "model": "meteor_e_learned.prediction:ModelMetric",
        "en-light": "meteor_e_learned.ready_metrics:EnLight",
        "en-light-context": "meteor_e_learned.ready_metrics:EnLightContext",
        "en-ranker": "meteor_e_learned.ready_metrics:EnRanker",
    }


@hookimpl
def meteor_e_estimators() -> dict[str, str]:
    """Return estimators by name; their libraries are imported when a recipe uses one."""
    return {
        "joint-linear": "meteor_e_learned.models.joint_linear:JointLinear",
        "guarded-linear": "meteor_e_learned.models.guarded_linear:GuardedLinear",
        "pairwise-logistic": "meteor_e_learned.models.pairwise_logistic:PairwiseLogistic",
        "segment-regression": "meteor_e_learned.models.segment_regression:SegmentRegression",
    }


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return commands by name."""
    return {name: f"meteor_e_learned.cli:{name}" for name in ("train", "model")}
