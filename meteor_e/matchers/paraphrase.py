"""Phrases that a table pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import PhraseMatcher
from meteor_e.base.errors import ResourceError

if TYPE_CHECKING:
    from meteor_e.api.context import PhraseTable


class ParaphraseMatcher(PhraseMatcher):
    """Phrases match if the paraphrase table pairs them.

    Args:
        paraphrases: the table; ``None`` matches nothing, and the signature says so.
    """

    name: ClassVar[str] = "paraphrase"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("paraphrases of a resource pack",)

    def __init__(self, paraphrases: PhraseTable | None) -> None:
        self._paraphrases = paraphrases

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> ParaphraseMatcher:
        """Take the paraphrases of the language's pack.

        Raises:
            ResourceError: if a chain asks for the matcher and there is no table. A language's default chain
                goes without.
        """
        paraphrases = context.resources.paraphrases
        if paraphrases is None and context.explicit:
            raise ResourceError(
                f"matcher 'paraphrase': no paraphrase table is installed for language {context.language.code!r}; "
                "install a pack that has one (meteor-e pack install --from a METEOR 1.5 tarball), "
                "or leave the matcher out"
            )
        return cls(paraphrases)

    @property
    def table(self) -> PhraseTable | None:
        """The paraphrase table."""
        return self._paraphrases

    def describe(self) -> str:
        """Say so if there is no table."""
        return "no table" if self._paraphrases is None else ""
