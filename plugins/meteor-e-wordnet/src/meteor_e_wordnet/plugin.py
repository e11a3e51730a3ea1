"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matcher; nltk is imported when it reads WordNet for the first time."""
    return {"wordnet": "meteor_e_wordnet.matcher:WordnetMatcher"}
