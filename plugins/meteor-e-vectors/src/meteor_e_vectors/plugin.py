"""The hooks. Nothing here imports numpy or gensim."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matchers."""
    return {
        "vector": "meteor_e_vectors.matcher:VectorMatcher",
        "phrase-vector": "meteor_e_vectors.phrases:PhraseVectorMatcher",
    }


@hookimpl
def meteor_e_java_modules() -> dict[str, str]:
    """Return what METEOR-E added to the Java program."""
    return {"embeddings": "meteor_e_vectors.java_module:EmbeddingsModule"}


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command."""
    return {"vectors": "meteor_e_vectors.cli:vectors"}
