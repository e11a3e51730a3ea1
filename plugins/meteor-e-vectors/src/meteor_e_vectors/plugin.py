"""Register the components of meteor-e-vectors.

NumPy, gensim and onnxruntime are not imported here, because they slow down the start of every command.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from meteor_e import hookimpl

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matchers."""
    return {
        "vector": "meteor_e_vectors.matcher:VectorMatcher",
        "contextual": "meteor_e_vectors.contextual.matcher:EncoderMatcher",
    }


@hookimpl
def meteor_e_chains() -> list[Traversable]:
    """Return the chains with the matcher ``contextual``. Chains with ``vector`` are included in meteor_e itself."""
    folder = files("meteor_e_vectors") / "contextual" / "chains"
    return [folder / f"{name}.yaml" for name in ("contextual", "contextual-cosine", "baseline-contextual")]


@hookimpl
def meteor_e_java_modules() -> dict[str, str]:
    """Return the class that ``meteor-e compat`` uses to emulate METEOR-E's Java module ``embeddings``."""
    return {"embeddings": "meteor_e_vectors.java_module:EmbeddingsModule"}


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the commands."""
    return {"vectors": "meteor_e_vectors.cli:vectors", "encoder": "meteor_e_vectors.contextual.command:encoder"}
