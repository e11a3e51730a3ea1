"""Split sentences into word pieces for a sentence encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from meteor_e import ResourceError
from meteor_e.base.extras import require
from meteor_e_vectors.contextual.store import TOKENIZER, EncoderFiles

if TYPE_CHECKING:
    import tokenizers
else:
    tokenizers = require("tokenizers", "a sentence encoder", "encoder", "meteor-e-vectors")

Part = list[list[int]]
"""Consecutive words of a sentence that the network can take at once, as ids of their word pieces."""


class PieceTokenizer:
    """Split sentences into the word pieces of an encoder.

    Args:
        files: the files of the encoder.
        folder: the folder of the encoder, for error messages.

    Attributes:
        unknown_id: the id of the word piece for unknown text, or None if there is no such piece.
        opening_ids, closing_ids: the ids of the special word pieces at the beginning and at the end of a sentence.
        max_pieces: the number of word pieces, without the special ones, that the network takes at once.

    Raises:
        ResourceError: if the files are not an encoder.
    """

    def __init__(self, files: EncoderFiles, folder: Path) -> None:
        self._tokenizer = make_tokenizer(files.tokenizer, folder / TOKENIZER)
        self.unknown_id = _find_unknown_id(files.tokenizer, self._tokenizer)
        self.opening_ids, self.closing_ids = _find_special_ids(self._tokenizer)
        self.max_pieces = files.description.pieces - len(self.opening_ids) - len(self.closing_ids)
        if self.max_pieces < 1:
            raise ResourceError(
                f"{folder} takes {files.description.pieces} pieces at once, which leaves none for words"
            )

    @property
    def vocabulary_size(self) -> int:
        """The number of word pieces."""
        return int(self._tokenizer.get_vocab_size())

    def add_special_ids(self, part: Part) -> list[int]:
        """Return the ids of all word pieces of a part, with the special pieces at both ends."""
        return [*self.opening_ids, *chain.from_iterable(part), *self.closing_ids]

    def split(self, sentence: Sequence[str]) -> list[Part]:
        """Split a long sentence at word boundaries into parts that the network can process."""
        parts: list[Part] = []
        piece_count = 0
        for word in self._tokenize(sentence):
            if not parts or piece_count + len(word) > self.max_pieces:
                parts.append([])
                piece_count = 0
            parts[-1].append(word)
            piece_count += len(word)
        return parts

    def _tokenize(self, sentence: Sequence[str]) -> list[list[int]]:
        """Return the ids of the word pieces of each word."""
        words = [_replace_surrogates(word) for word in sentence]
        encoding = self._tokenizer.encode(words, is_pretokenized=True, add_special_tokens=False)
        pieces: list[list[int]] = [[] for _ in sentence]
        for piece_id, word_index in zip(encoding.ids, encoding.word_ids, strict=True):
            if word_index is not None and len(pieces[word_index]) < self.max_pieces:
                pieces[word_index].append(piece_id)
        return pieces


def make_tokenizer(text: str, path: Path) -> tokenizers.Tokenizer:
    """Load a tokenizer, and disable its padding and truncation.

    Args:
        text: the content of ``tokenizer.json``.
        path: the path of the file, for error messages.

    Raises:
        ResourceError: if the text is not a tokenizer.
    """
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # The library raises instances of Exception.
        raise ResourceError(f"{path} is not a tokenizer: {shorten_error(error)}") from error
    return tokenizer


def _find_unknown_id(text: str, tokenizer: tokenizers.Tokenizer) -> int | None:
    """Return the id of the word piece for unknown text. Return None if the tokenizer does not have such a piece."""
    model = json.loads(text)["model"]
    name = model.get("unk_token") if isinstance(model, dict) else None
    return tokenizer.token_to_id(name) if isinstance(name, str) else None


def _find_special_ids(tokenizer: tokenizers.Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids of the special word pieces at the beginning and at the end of a sentence."""
    encoding = tokenizer.encode(["a"], is_pretokenized=True)
    word_positions = [position for position, word_id in enumerate(encoding.word_ids) if word_id is not None]
    if not word_positions:
        return tokenizer.encode([], is_pretokenized=True).ids, []
    return encoding.ids[: word_positions[0]], encoding.ids[word_positions[-1] + 1 :]


def _replace_surrogates(word: str) -> str:
    """Replace lone surrogates by U+FFFD, because the tokenizer does not accept them."""
    return word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shorten_error(error: Exception) -> str:
    """Shorten the error message of another library to a single line."""
    return " ".join(str(error).split())[:300]
