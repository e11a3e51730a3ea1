"""The options of the matcher ``stem``, in a module of their own: chains that give none go without."""

from __future__ import annotations

from typing import Annotated

from meteor_e.api.options import ComponentOptions, Meta


class StemOptions(ComponentOptions):
    """Options of :class:`~meteor_e.matchers.stem.StemMatcher`."""

    stemmer: (
        Annotated[str, Meta(description="Name of a Snowball stemmer, such as english; by default the language's.")]
        | None
    ) = None
