"""Lemmatisers: from words to tokens with lemmas and tags.

A lemmatiser runs over the normalised words of a segment, before any matcher sees them. A minimal plugin::

    class Lowering(Lemmatizer):
        \"\"\"The lemma is the word in lower case.\"\"\"

        name = "lowering"

        def lemmatize(self, words):
            return [(word.lower(), None) for word in words]

Options are the keyword arguments of ``__init__``, as for matchers.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from meteor_e.errors import InputError, PluginError, ResourceError
from meteor_e.plugin_system.guard import guarded
from meteor_e.plugin_system.options import construct
from meteor_e.text.tokens import Token

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.matchers.base import MatcherContext

__all__ = ["Lemmatizer", "LookupLemmatizer", "NoLemmatizer"]

WORD_LIMIT = 1 << 17
"""Word types whose lemmas are remembered; the memory is emptied when it is full."""

SENTENCE_LIMIT = 1 << 13
"""Sentences whose lemmas are remembered, likewise: a reference comes back with every system's output."""


class Lemmatizer(ABC):
    """Base of all lemmatisers.

    Instances are used from several threads at once and are pickled with the chain that holds them.

    Class attributes:
        name: what a chain calls it; lower case, unique among all installed plugins.
        scope: ``word`` if a word's lemma is the same wherever it stands: :meth:`lemmatize` is then asked once
            for each word type; ``sentence`` if it depends on the words around it: :meth:`lemmatize` is then
            asked once for each sentence.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
        tags: whether words get tags; where they get none, a matcher that needs tags is an error. ``__init__`` may
            set it.
    """

    name: ClassVar[str] = ""
    scope: ClassVar[Literal["word", "sentence"]] = "word"
    requires: ClassVar[tuple[str, ...]] = ()
    tags: bool = True

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Make the lemmatiser for a chain.

        Args:
            context: language and resources.
            options: what the chain gives beside ``use``.

        Raises:
            ConfigError: for an option that the lemmatiser does not have, or a value that it refuses.
            ResourceError: if a resource that it needs is missing.
        """
        return construct(f"lemmatizer {cls.name!r}", cls, options)

    @abstractmethod
    def lemmatize(self, words: Sequence[str]) -> Sequence[tuple[str | None, str | None]]:
        """Return ``(lemma, tag)`` of each word; ``None`` for what is not known.

        Args:
            words: normalised words, never none: of scope ``word`` distinct ones in any order, of scope
                ``sentence`` those of a sentence.

        Returns:
            A pair a word, in their order. The tag is one of the universal tag set.
        """

    def analyze(self, words: Sequence[str]) -> list[Token]:
        """Return a token for each word, from memory where there is one.

        Raises:
            PluginError: if the lemmatiser fails, or does not return a pair a word.
        """
        if not words:
            return []
        if self.scope == "sentence":
            sentences: dict[tuple[str, ...], list[Token]] = self.__dict__.setdefault("_sentence_cache", {})
            key = tuple(words)
            known = sentences.get(key)
            if known is None:
                if len(sentences) >= SENTENCE_LIMIT:
                    sentences.clear()
                known = sentences[key] = self._tokens(words)
            return list(known)
        cache: dict[str, Token] = self.__dict__.setdefault("_word_cache", {})
        # Other threads may empty the cache at any time, so each token is taken from it once and kept.
        tokens = {word: token for word in words if (token := cache.get(word)) is not None}
        missing = [word for word in dict.fromkeys(words) if word not in tokens]
        if missing:
            fresh = dict(zip(missing, self._tokens(missing), strict=True))
            tokens.update(fresh)
            if len(cache) + len(fresh) > WORD_LIMIT:
                cache.clear()
            cache.update(fresh)
        return [tokens[word] for word in words]

    def _tokens(self, words: Sequence[str]) -> list[Token]:
        with guarded(f"lemmatizer {self.name!r}"):
            pairs = self.lemmatize(words)
            if len(pairs) != len(words):
                raise PluginError(
                    f"lemmatizer {self.name!r} returned {len(pairs)} lemmas for {len(words)} words; "
                    "it must return one pair (lemma, tag) a word"
                )
            return [Token(word, lemma, tag) for word, (lemma, tag) in zip(words, pairs, strict=True)]

    def describe(self) -> str:
        """Return what the signature says of this lemmatiser behind its name: what changes its result."""
        return ""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_word_cache", None)
        state.pop("_sentence_cache", None)
        return state


class NoLemmatizer(Lemmatizer):
    """Tokens carry their form and nothing else."""

    name: ClassVar[str] = "none"
    tags = False

    def lemmatize(self, words: Sequence[str]) -> list[tuple[None, None]]:
        """Return no lemmas."""
        return [(None, None)] * len(words)


class LookupLemmatizer(Lemmatizer):
    """Lemmas and tags from a file; a word that is not in it is its own lemma.

    The file has a line ``word⇥tag⇥lemma`` for each word, in UTF-8. Words are compared as they are after
    normalisation. If a word has several lines, the last counts.

    Args:
        file: path of the table, plain or (``.gz``) compressed.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: for a line that does not have three fields, with its number.
    """

    name: ClassVar[str] = "lookup"

    def __init__(self, file: str | os.PathLike[str]) -> None:
        path = Path(file)
        content = _read(path)
        self._file = path.name
        self._digest = hashlib.sha256(content).hexdigest()[:12]
        self._table = _parse(content, path)
        self.tags = any(tag is not None for _, tag in self._table.values())

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, str | None]]:
        """Look the words up."""
        return [self._table.get(word, (word, None)) for word in words]

    def describe(self) -> str:
        """Name the file and the beginning of its content's SHA-256."""
        return f"{self._file}@{self._digest}"


def _read(path: Path) -> bytes:
    import gzip
    import zlib

    try:
        if path.suffix == ".gz":
            with gzip.open(path) as stream:
                return stream.read()
        return path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"lemma table {str(path)!r} cannot be read: {reason}") from error


def _parse(content: bytes, path: Path) -> dict[str, tuple[str, str | None]]:
    """Read the table; a tag or a lemma that is empty is unknown, and the word is then its own lemma."""
    table = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            text = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError:
            raise InputError(f"{path}:{number}: not UTF-8") from None
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) != 3 or not fields[0]:
            raise InputError(f"{path}:{number}: {len(fields)} fields; a line is word, tag and lemma, joined by tabs")
        word, tag, lemma = fields
        table[word] = (lemma or word, tag or None)
    return table
