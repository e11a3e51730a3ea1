"""The hook."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_estimators() -> dict[str, str]:
    """Return estimators by name; their libraries are imported when a recipe uses one."""
    return {
        "pairwise-network": "meteor_e_papers.pairwise_network:PairwiseNetwork",
        "maxsd": "meteor_e_papers.maxsd:MaxSD",
        "usaar-cosine": "meteor_e_papers.usaar:Cosine",
        "usaar-zwickel": "meteor_e_papers.usaar:Zwickel",
        "usaar-comet": "meteor_e_papers.usaar:Comet",
    }
