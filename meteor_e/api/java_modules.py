"""Matchers for ``meteor-e compat`` that correspond to the modules of METEOR-E's Java program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from meteor_e.api.component import Component
from meteor_e.api.languages import Language


class JavaSettings(NamedTuple):
    """Store the command-line settings of METEOR-E's Java program, which is an extension of METEOR 1.5.

    Attributes:
        language: the language.
        language_name: name of the language in the Java program, in lower case.
        vectors: file of word vectors (``-emb`` and similar options); ``None`` for the language's vectors.
        key: form by which vectors are looked up: ``word``, ``lemma``, ``word_POS``, ``lemma_POS`` or ``word_lemma``.
        threshold: minimum similarity of two words that match (``-embTh``).
        lemmas: table of lemmas (``-lemmas``); ``None`` without a table.
        synonyms: folder of synonyms (``-d``); ``None`` for the language's synonyms.
    """

    language: Language
    language_name: str
    vectors: str | None = None
    key: str = "word"
    threshold: float = 0.0
    lemmas: str | None = None
    synonyms: str | None = None


class JavaModule(Component):
    """Base class of modules. A module converts the options of METEOR-E's Java program to a matcher of a chain.

    The class attribute ``name`` is the module's name in the option ``-m``. The name must be unique among all installed
    plugins.
    """

    kind: ClassVar[str] = "java module"

    @abstractmethod
    def matcher(self, settings: JavaSettings) -> Mapping[str, Any]:
        """Return the module's matcher in the syntax of a YAML chain, such as ``{"use": "vector"}``."""

    def lemmatizer(self, settings: JavaSettings) -> str | Mapping[str, Any] | None:
        """Return the lemmatizer that the module needs by default, or ``None``. The option ``-lemmas`` overrides it."""
        return None
