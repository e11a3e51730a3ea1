"""The matcher ``dbnary``, which matches words that are synonyms in DBnary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from meteor_e.api import (
    ComponentOptions,
    ConfigError,
    FilePath,
    KeyMatcher,
    MatcherContext,
    Meta,
    ResourceError,
    Token,
)
from meteor_e.packs.store import PackStore
from meteor_e_languages.dbnary.synsets import (
    NO_SYNSETS,
    Synsets,
    load_pack,
    load_synsets,
    pack_name,
)


class DbnaryMatcher(KeyMatcher):
    """A matcher for words that belong to the same DBnary synset, as in METEOR-E.

    Synsets are looked up by the form of a token. If a lemmatizer is used, synsets are also looked up by the lemma.
    Exception lists and suffix rules are not used in any language (Servan et al. 2016, section 3.1).

    By default, the matcher uses the pack that ``meteor-e dbnary install`` builds for the language.

    Raises:
        ConfigError: if both a file and a pack are named.
        ResourceError: if the synsets are missing or damaged.
    """

    name: ClassVar[str] = "dbnary"
    default_weight: ClassVar[float] = 0.8
    requires: ClassVar[tuple[str, ...]] = ("a pack of synsets (meteor-e dbnary install)", "a lemmatizer in the chain")

    class Options(ComponentOptions):
        """The options in a chain."""

        file: Annotated[FilePath, Meta(description="A synset file of METEOR-E, plain or gzipped.")] | None = None
        pack: (
            Annotated[str, Meta(description="The name of a pack; by default dbnary- and the language's code.")] | None
        ) = None
        language: (
            Annotated[
                str,
                Meta(description="Code of the file's language; by default, a name such as french.synsets names it."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        _check_options(options)
        synsets = NO_SYNSETS
        if options.file is not None:
            synsets = load_synsets(options.file)
        elif options.pack is not None:
            synsets = _load_installed_pack(options.pack)
        self._index = synsets.index
        self._description = synsets.description
        self._languages = synsets.languages if options.language is None else (options.language,)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> DbnaryMatcher:
        """Create the matcher for a chain. By default, the matcher uses the DBnary pack of the language.

        Raises:
            ConfigError: if both a file and a pack are named, or the synsets are of another language.
            ResourceError: if the synsets are missing or damaged.
        """
        if options.file is None and options.pack is None:
            options = options.replaced(pack=_find_default_pack(context))
        matcher = cls(options)
        if options.file is not None:
            subject = f"matcher 'dbnary': the synsets {Path(options.file).name} are"
            context.check_language(matcher._languages, subject, is_stated=True)
        else:
            context.check_language(matcher._languages, f"matcher 'dbnary': the pack {options.pack!r} is")
        return matcher

    def keys(self, token: Token) -> set[int]:
        """Return the synsets that contain the token's form or lemma."""
        if self._index is None:
            return set()
        synsets = set(self._index.synsets(token.form))
        if token.lemma is not None and token.lemma != token.form:
            synsets.update(self._index.synsets(token.lemma))
        return synsets

    def describe(self) -> str:
        """Return the text that identifies the synsets in the metric's signature."""
        return self._description


def _check_options(options: DbnaryMatcher.Options) -> None:
    """Raise ConfigError if the options of the matcher contradict each other."""
    if options.file is not None and options.pack is not None:
        raise ConfigError("matcher 'dbnary': 2 sources of synsets; name either a file or a pack")
    if options.language is not None and options.file is None:
        raise ConfigError(
            "matcher 'dbnary': the option 'language' can only be used with 'file'; a pack names its language"
        )


def _find_default_pack(context: MatcherContext) -> str | None:
    """Return the name of the language's pack, or None if a default chain uses the matcher and the pack is missing.

    Without a pack, the matcher does not have synsets, so it does not match any words.
    """
    name = pack_name(context.language.code)
    is_needed = context.explicit or PackStore().find(name) is not None
    return name if is_needed else None


def _load_installed_pack(name: str) -> Synsets:
    """Return the synsets of a pack. Raise a :class:`ResourceError` if the pack is not installed."""
    synsets = load_pack(name)
    if synsets is None:
        raise ResourceError(
            f"matcher 'dbnary': there is no pack {name!r}; build it with `meteor-e dbnary install "
            f"{name.removeprefix('dbnary-')}` (with --dump FILE without a network), or name a synset "
            "file of METEOR-E with the option 'file'"
        )
    return synsets
