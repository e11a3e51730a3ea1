"""The hooks. Nothing here imports numpy or onnxruntime."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from meteor_e import hookimpl

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matcher."""
    return {"contextual": "meteor_e_contextual.matcher:EncoderMatcher"}


@hookimpl
def meteor_e_chains() -> list[Traversable]:
    """Return the chains."""
    folder = files("meteor_e_contextual") / "chains"
    return [folder / f"{name}.yaml" for name in ("contextual", "contextual-cosine", "baseline-contextual")]


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command."""
    return {"encoder": "meteor_e_contextual.command:encoder"}
