"""Modules of the Java program that METEOR-E added, as ``meteor-e compat`` finds them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from meteor_e.api.component import Component
from meteor_e.api.languages import Language


class JavaSettings(NamedTuple):
    """What METEOR-E's options say.

    Attributes:
        language: the language.
        language_name: what the Java program calls it, in lower case.
        vectors: file of the word vectors (``-emb`` and its like); ``None`` for the language's.
        key: what vectors are looked up by: ``word``, ``lemma``, ``word_POS``, ``lemma_POS``, ``word_lemma``.
        threshold: lowest similarity of two words that match (``-embTh``).
        lemmas: table of lemmas (``-lemmas``); ``None`` if there is none.
        synonyms: folder of synonyms (``-d``); ``None`` for the language's.
    """

    language: Language
    language_name: str
    vectors: str | None = None
    key: str = "word"
    threshold: float = 0.0
    lemmas: str | None = None
    synonyms: str | None = None


class JavaModule(Component):
    """Base of METEOR-E's modules: from the Java program's options to an entry of a chain.

    Class attributes:
        name: what ``-m`` calls the module; unique among all installed plugins.
    """

    kind: ClassVar[str] = "java module"

    @abstractmethod
    def matcher(self, settings: JavaSettings) -> Mapping[str, Any]:
        """Return the entry of the chain that stands for the module: ``{"use": …}`` and its options."""

    def lemmatizer(self, settings: JavaSettings) -> str | Mapping[str, Any] | None:
        """Return the lemmatizer that the module takes where ``-lemmas`` names no table; by default none."""
        return None
