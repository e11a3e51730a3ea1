"""The result of tuning as a chain file that says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from meteor_e import __version__
from meteor_e_evaluation.tuning.scorer import Point

if TYPE_CHECKING:
    from meteor_e import Meteor

GREEK = ("alpha", "beta", "gamma", "delta")


def tuned_chain(meteor: Meteor, point: Point, description: str) -> dict[str, Any]:
    """Return a chain with other parameters and weights."""
    chain = meteor.chain.effective()
    chain["parameters"] = dict(zip(GREEK, point[:4], strict=True))
    for entry, weight in zip(chain["matchers"], point[4:], strict=True):
        entry["weight"] = weight
    return {"description": description, **chain}


def chain_yaml(meteor: Meteor, point: Point, provenance: Mapping[str, str]) -> str:
    """Return a chain file.

    Args:
        meteor: the chain that was tuned.
        point: the parameters and weights.
        provenance: what was tuned on what, how, and what it brought; goes into comments and the description.
    """
    from meteor_e.toolkit import dump_yaml

    facts = {"made by": f"meteor-e tune {__version__}", **provenance}
    comments = "".join(f"# {name}: {' '.join(text.split())}\n" for name, text in facts.items())
    description = f"Tuned for {provenance['objective']} on {provenance['tuned on']}"
    return comments + dump_yaml(tuned_chain(meteor, point, description))
