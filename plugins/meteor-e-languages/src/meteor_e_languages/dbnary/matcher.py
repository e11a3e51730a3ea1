"""Words that are synonyms in DBnary."""

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
from meteor_e_languages.dbnary.synsets import (
    NO_SYNSETS,
    load_pack,
    load_synsets,
    pack_name,
)


class DbnaryMatcher(KeyMatcher):
    """Different words match if synsets of them or of their lemmas meet (METEOR-E).

    The synsets of a token are those of its form and, in a chain with a lemmatizer, those of its lemma; no list of
    exceptions and no suffix rules, in any language (Servan et al. 2016, section 3.1).

    In a chain, the synsets are by default those of the pack that ``meteor-e dbnary install`` makes for the language.

    Raises:
        ConfigError: unless exactly one source is given.
        ResourceError: if the synsets are missing or damaged.
    """

    name: ClassVar[str] = "dbnary"
    default_weight: ClassVar[float] = 0.8
    requires: ClassVar[tuple[str, ...]] = ("a pack of synsets (meteor-e dbnary install)", "a lemmatizer in the chain")

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        file: Annotated[FilePath, Meta(description="A synset file of METEOR-E, plain or gzipped.")] | None = None
        pack: (
            Annotated[str, Meta(description="The name of a pack; by default dbnary- and the language's code.")] | None
        ) = None
        language: (
            Annotated[
                str,
                Meta(description="Code of the file's language; by default what its name says, as in french.synsets."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        file, pack, language = options.file, options.pack, options.language
        if file is not None and pack is not None:
            raise ConfigError("matcher 'dbnary': 2 sources of synsets; give either a file or a pack")
        if language is not None and file is None:
            raise ConfigError("matcher 'dbnary': the option 'language' goes with 'file'; a pack says its language")
        synsets = NO_SYNSETS
        if file is not None:
            synsets = load_synsets(file)
        elif pack is not None:
            found = load_pack(pack)
            if found is None:
                raise ResourceError(
                    f"matcher 'dbnary': there is no pack {pack!r}; make it with `meteor-e dbnary install "
                    f"{pack.removeprefix('dbnary-')}` (with --dump FILE where there is no network), or name a synset "
                    "file of METEOR-E with the option 'file'"
                )
            synsets = found
        self._index, self._description = synsets.index, synsets.description
        self._languages = synsets.languages if language is None else (language,)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> DbnaryMatcher:
        """Load the synsets that the options name, or those of the language's pack.

        Raises:
            ConfigError: for several sources, or synsets of another language.
            ResourceError: if the synsets are missing or damaged.
        """
        if options.file is None and options.pack is None:
            pack = pack_name(context.language.code)
            if not context.explicit and load_pack(pack) is None:
                return cls(options)
            options = options.replaced(pack=pack)
        made = super().from_options(context, options)
        what = f"pack {options.pack!r} is" if options.file is None else f"synsets {Path(options.file).name} are"
        context.check_language(made._languages, f"matcher 'dbnary': the {what}", claimed=options.file is not None)
        return made

    def keys(self, token: Token) -> set[int]:
        """Return the synsets of the token's form and of its lemma."""
        if self._index is None:
            return set()
        found = set(self._index.synsets(token.form))
        if token.lemma is not None and token.lemma != token.form:
            found.update(self._index.synsets(token.lemma))
        return found

    def describe(self) -> str:
        """Name the synsets and the beginning of their digest."""
        return self._description
