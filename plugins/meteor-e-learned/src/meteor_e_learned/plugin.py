"""Hooks that register the features, metrics, estimators and commands of this plugin."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_features() -> dict[str, str]:
    """Return the import path of each feature. Features are imported only when they are used."""
    return {
        "meteor": "meteor_e_learned.features.meteor:MeteorFeature",
        "text": "meteor_e_learned.features.text:TextFeature",
        "model-score": "meteor_e_learned.features.model_score:ModelScoreFeature",
        "encoder": "meteor_e_learned.features.encoder:EncoderFeature",
        "answer": "meteor_e_learned.features.answer:AnswerFeature",
    }


@hookimpl
def meteor_e_metrics() -> dict[str, str]:
    """Return the import path of each metric. The metric ``model`` loads any model file."""
    return {
        "model": "meteor_e_learned.prediction:ModelMetric",
        "answer-light": "meteor_e_learned.ready_metrics:AnswerLight",
        "en-light": "meteor_e_learned.ready_metrics:EnLight",
        "en-light-context": "meteor_e_learned.ready_metrics:EnLightContext",
    }


@hookimpl
def meteor_e_estimators() -> dict[str, str]:
    """Return the import path of each estimator. Estimators are imported only when they are used."""
    return {
        "guarded-linear": "meteor_e_learned.models.guarded_linear:GuardedLinear",
        "logistic-regression": "meteor_e_learned.models.logistic_regression:LogisticRegression",
        "pairwise-logistic": "meteor_e_learned.models.pairwise_logistic:PairwiseLogistic",
        "segment-regression": "meteor_e_learned.models.segment_regression:SegmentRegression",
    }


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the import path of each command."""
    return {name: f"meteor_e_learned.cli:{name}" for name in ("train", "model")}
