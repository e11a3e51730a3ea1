"""The languages whose frequent words wordfreq has."""

from __future__ import annotations

from meteor_e.api import ResourceError

_SHARED_LISTS = {"bs": "sh", "hr": "sh", "no": "nb", "tl": "fil"}
"""Languages whose words wordfreq lists under another code."""


def frequency_lists() -> dict[str, str]:
    """Return the codes of languages that wordfreq knows, with its own code for each.

    Raises:
        ResourceError: if it is not installed.
    """
    try:
        import wordfreq
    except ImportError as error:
        raise ResourceError(
            "frequent words need the library wordfreq; run: pip install 'meteor-e-languages[wordfreq]'"
        ) from error
    lists: dict[str, str] = wordfreq.available_languages("best")
    shared = {code: name for code, name in _SHARED_LISTS.items() if name in lists}
    return {code: code for code in lists if code not in shared.values()} | shared
