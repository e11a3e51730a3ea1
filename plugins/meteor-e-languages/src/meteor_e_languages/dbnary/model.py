"""Define the RDF properties and languages of DBnary, for the models OntoLex (current) and lemon (former)."""

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
"""The namespace of the pages, entries and senses of a language edition."""
LEMON = "http://lemon-model.net/lemon#"
ONTOLEX = "http://www.w3.org/ns/lemon/ontolex#"

SYNONYM = f"{DBNARY}synonym"
APPROXIMATE_SYNONYM = f"{DBNARY}approximateSynonym"
"""Both properties connect pages, entries and senses, in any combination."""

DESCRIBES = (f"{DBNARY}describes", f"{DBNARY}refersTo")
"""The properties from a page (a vocable in lemon) to the entries with its written form."""
SENSE = (f"{ONTOLEX}sense", f"{LEMON}sense")
"""The properties from an entry to its senses."""
CANONICAL_FORM = (f"{ONTOLEX}canonicalForm", f"{LEMON}canonicalForm")
"""The properties from an entry to its dictionary form."""
WRITTEN = (f"{ONTOLEX}writtenRep", f"{LEMON}writtenRep")
"""The properties from a form to its text."""
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
"""The property from an entry to its text, if the entry does not have a canonical form."""
LANGUAGE = ("http://www.w3.org/ns/lemon/lime#language", f"{LEMON}language", "http://purl.org/dc/terms/language")
"""The properties from an entry to its language, which is a code or a resource of lexvo.org."""

EDITIONS = {
    **{"bg": "bul", "ca": "cat", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin"},
    **{"fr": "fra", "ga": "gle", "id": "ind", "it": "ita", "ja": "jpn", "ku": "kur", "la": "lat", "lt": "lit"},
    **{"mg": "mlg", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ru": "rus", "sh": "shr", "sv": "swe"},
    **{"tr": "tur", "zh": "zho"},
}
"""The ISO 639-1 codes of the editions of Wiktionary that DBnary contains, and the codes in its IRIs."""

LICENCE = "DBnary, extracted from Wiktionary: CC BY-SA (http://kaiko.getalp.org/about-dbnary/)."


@dataclass(frozen=True)
class Edition:
    """The edition of a language in DBnary.

    Attributes:
        language: the language.
        code: the code of the language in DBnary, which is usually its ISO 639-3 code.
    """

    language: Language
    code: str

    @property
    def namespace(self) -> str:
        """The prefix of all IRIs of this Wiktionary edition, such as the IRIs of pages and dictionary entries."""
        return NAMESPACE.format(code=self.code)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes that DBnary uses for the language."""
        return tuple(dict.fromkeys((self.language.code, self.code)))

    @property
    def resources(self) -> tuple[str, ...]:
        """URIs that DBnary uses for the language."""
        return tuple(f"http://{host}/{path}/iso639-3/{self.code}" for host, path in _LEXVO)

    def speaks(self, language: str) -> bool:
        """Return whether a language code or a language IRI denotes the language of the edition."""
        return language in self.codes or language in self.resources


_LEXVO = (("lexvo.org", "id"), ("www.lexvo.org", "page"))


def find_edition(language: Language) -> Edition:
    """Return the DBnary edition of a language. Raise a :class:`ConfigError` if there is no such edition."""
    code = EDITIONS.get(language.code)
    if code is None:
        raise ConfigError(
            f"DBnary has no edition of {language.code!r}{near_miss(language.code, EDITIONS)}; "
            f"it has {', '.join(EDITIONS)}"
        )
    return Edition(language, code)


def make_normalizer(language: Language) -> Normalizer:
    """Return a normalizer that converts dictionary words to the same form as words in texts."""
    return Normalizer(language.normalization, language.apostrophes)


def normalize_word(text: str, normalizer: Normalizer) -> str:
    """Convert a dictionary word to its form in METEOR-E's synset files. The result may be an empty string.

    The normalizer converts a single word to a token. The words of a multiword expression are lowercased and joined by
    ``_``. A joined expression does not match any token of a text, but its synonyms belong to the same synset, and
    therefore match each other.
    """
    tokens: Sequence[str] = normalizer(text).split()
    if len(tokens) != 1:
        tokens = lowercase(text).split()
    return "_".join(tokens)
