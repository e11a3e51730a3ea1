"""The hooks that register the features, the estimators and the command of meteor-e-papers."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_features() -> dict[str, str]:
    """Return the features by name. Their modules are imported on first use."""
    return {
        "bleu": "meteor_e_papers.features.metrics:BleuFeature",
        "bleu-components": "meteor_e_papers.features.metrics:BleuComponentsFeature",
        "chrf": "meteor_e_papers.features.metrics:ChrfFeature",
        "ter": "meteor_e_papers.features.metrics:TerFeature",
        "nist": "meteor_e_papers.features.metrics:NistFeature",
        "word-vectors": "meteor_e_papers.features.vectors:WordVectorsFeature",
        "document-cosine": "meteor_e_papers.features.document_cosine:DocumentCosineFeature",
        "tag-vectors": "meteor_e_papers.features.tags:TagVectorsFeature",
        "vector-file": "meteor_e_papers.features.files:VectorFileFeature",
        "score-file": "meteor_e_papers.features.files:ScoreFileFeature",
    }


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command ``papers``."""
    return {"papers": "meteor_e_papers.cli:papers"}


@hookimpl
def meteor_e_estimators() -> dict[str, str]:
    """Return the estimators by name. Their modules are imported on first use."""
    return {
        "pairwise-network": "meteor_e_papers.pairwise_network:PairwiseNetwork",
        "maxsd": "meteor_e_papers.maxsd:MaxSD",
        "usaar-cosine": "meteor_e_papers.usaar:Cosine",
        "usaar-zwickel": "meteor_e_papers.usaar:Zwickel",
        "usaar-comet": "meteor_e_papers.usaar:Comet",
    }
