"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_lemmatizers() -> dict[str, str]:
    """Return the lemmatizers; what each stands on is imported when a chain uses it."""
    return {
        "auto": "meteor_e_lemmatizers.simplemma_tables:AutoLemmatizer",
        "hanta": "meteor_e_lemmatizers.hanta:HantaLemmatizer",
        "simplemma": "meteor_e_lemmatizers.simplemma_tables:SimplemmaLemmatizer",
        "treetagger": "meteor_e_lemmatizers.treetagger:TreeTaggerLemmatizer",
        "udpipe": "meteor_e_lemmatizers.udpipe:UdpipeLemmatizer",
    }
