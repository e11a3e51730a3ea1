"""Words with one stem."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError
from meteor_e.text.stemming import STEMMERS, stemmer

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.matchers.stem_options import StemOptions


class StemMatcher(KeyMatcher):
    """Different words match if their Snowball stems are equal.

    Args:
        stemmer: name of a Snowball stemmer, such as ``english``; in a chain, by default the language's.
    """

    name: ClassVar[str] = "stem"
    core_family: ClassVar[str] = "strings"
    default_weight: ClassVar[float] = 0.5

    Options: ClassVar[type[Any] | str | None] = "meteor_e.matchers.stem_options:StemOptions"

    def __init__(self, stemmer: str) -> None:
        self.stemmer_name = stemmer
        self._stem = _find(stemmer)

    @classmethod
    def make(cls, context: Any = None, /, **options: Any) -> Self:
        """Make the matcher; of a chain that gives no option, without the time that looking at options takes."""
        return super().make(context, **options) if options else cls.from_options(context, None)

    @classmethod
    def from_options(cls, context: MatcherContext, options: StemOptions | None) -> Self:
        """Take the language's stemmer where the chain names none."""
        stemmer = context.language.stemmer if options is None or options.stemmer is None else options.stemmer
        if stemmer is None:
            raise ConfigError(
                f"matcher 'stem': language {context.language.code!r} has no stemmer; "
                "leave the matcher out or name one with the option 'stemmer'"
            )
        return cls(stemmer)

    def stem(self, token: Token) -> str:
        """Return the word's stem."""
        return self._stem(token.form)

    def keys(self, token: Token) -> tuple[Hashable]:
        """Return the identity of the word's stem."""
        return (self.identity(self._stem(token.form)),)

    def describe(self) -> str:
        """Name the stemmer, and where its stems are not METEOR's the release that has them."""
        version = getattr(self._stem, "version", None)
        return self.stemmer_name if version is None else f"{self.stemmer_name}, {version}"


def _find(name: str) -> Callable[[str], str]:
    # Not by any_stemmer alone: METEOR's languages do without its module, which takes time to import.
    if name in STEMMERS:
        return stemmer(name)
    from meteor_e.text.stemming import any_stemmer

    return any_stemmer(name)
