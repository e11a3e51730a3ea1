"""DBnary's vocabulary, in the OntoLex model of today and in the lemon model before it, and its languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meteor_e import ConfigError
from meteor_e.api import Language
from meteor_e.base.errors import near_miss
from meteor_e.base.lowercase import lowercase
from meteor_e.text.normalization import Normalizer

DBNARY = "http://kaiko.getalp.org/dbnary#"
NAMESPACE = "http://kaiko.getalp.org/dbnary/{code}/"
"""Where the pages, entries and senses of a language edition are."""
LEMON = "http://lemon-model.net/lemon#"
ONTOLEX = "http://www.w3.org/ns/lemon/ontolex#"

SYNONYM = f"{DBNARY}synonym"
APPROXIMATE_SYNONYM = f"{DBNARY}approximateSynonym"
"""Both hold between pages, entries and senses, in any mixture."""

DESCRIBES = (f"{DBNARY}describes", f"{DBNARY}refersTo")
"""From a page (lemon: a vocable) to the entries with its written form."""
SENSE = (f"{ONTOLEX}sense", f"{LEMON}sense")
"""From an entry to its senses."""
CANONICAL_FORM = (f"{ONTOLEX}canonicalForm", f"{LEMON}canonicalForm")
"""From an entry to the form that a dictionary lists it under."""
WRITTEN = (f"{ONTOLEX}writtenRep", f"{LEMON}writtenRep")
"""From a form to its text."""
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
"""From an entry to its text, where it has no canonical form."""
LANGUAGE = ("http://www.w3.org/ns/lemon/lime#language", f"{LEMON}language", "http://purl.org/dc/terms/language")
"""From an entry to its language: a code, or a resource of lexvo.org."""

EDITIONS = {
    **{"bg": "bul", "ca": "cat", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin"},
    **{"fr": "fra", "ga": "gle", "id": "ind", "it": "ita", "ja": "jpn", "ku": "kur", "la": "lat", "lt": "lit"},
    **{"mg": "mlg", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ru": "rus", "sh": "shr", "sv": "swe"},
    **{"tr": "tur", "zh": "zho"},
}
"""ISO 639-1 codes of the editions of Wiktionary that DBnary extracts, and the codes in its addresses."""

LICENCE = "DBnary, extracted from Wiktionary: CC BY-SA (http://kaiko.getalp.org/about-dbnary/)."


@dataclass(frozen=True)
class Edition:
    """What to look for in DBnary for a language.

    Attributes:
        language: the language.
        code: what DBnary calls it, ISO 639-3 as a rule.
    """

    language: Language
    code: str

    @property
    def namespace(self) -> str:
        """The beginning of the addresses of this edition's pages, entries and senses."""
        return NAMESPACE.format(code=self.code)

    @property
    def codes(self) -> tuple[str, ...]:
        """The language codes that entries carry as texts."""
        return tuple(dict.fromkeys((self.language.code, self.code)))

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources that entries carry as their language."""
        return tuple(f"http://{host}/{path}/iso639-3/{self.code}" for host, path in _LEXVO)

    def speaks(self, language: str) -> bool:
        """Return whether an entry with this language, a code or the address of a resource, is of the edition's."""
        return language in self.codes or language in self.resources


_LEXVO = (("lexvo.org", "id"), ("www.lexvo.org", "page"))


def find_edition(language: Language) -> Edition:
    """Return what DBnary has of a language; ConfigError if DBnary is not known to have it."""
    found = EDITIONS.get(language.code)
    if found is None:
        raise ConfigError(
            f"DBnary has no edition of {language.code!r}{near_miss(language.code, EDITIONS)} as far as is known here; "
            f"it has {', '.join(EDITIONS)}"
        )
    return Edition(language, found)


def word_maker(language: Language) -> Normalizer:
    """Return what brings a dictionary's words into the form that words of texts have."""
    return Normalizer(language.normalization, language.apostrophes)


def synset_word(text: str, normalizer: Normalizer) -> str:
    """Return a word of the dictionary as METEOR-E's synset files have it; empty if there is nothing to it.

    What is one token in a text is that token. Anything else is lower case, its parts joined by ``_``: it matches
    nothing, since matchers look at single tokens, but it links the words that have it for a synonym.
    """
    tokens: Sequence[str] = normalizer(text).split()
    if len(tokens) != 1:
        tokens = lowercase(text).split()
    return "_".join(tokens)
