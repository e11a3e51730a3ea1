"""A segmenter that tokenizes captions like pycocoevalcap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from meteor_e.api import Segmenter
from meteor_e_captions.ptb import PUNCTUATION, Tokenizer


class PTBSegmenter(Segmenter):
    """Splits text into Penn Treebank tokens as pycocoevalcap does: in lower case and without punctuation."""

    name = "ptb"

    def __init__(self) -> None:
        super().__init__()
        self._tokenizer = Tokenizer(lowercase=True, drop=PUNCTUATION)

    def segment(self, text: str) -> Sequence[str]:
        """Return the tokens of a string."""
        tokens = self.join_lines([text])[0]
        return tokens.split(" ") if tokens else []

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Tokenize lines, and join the tokens of each line by spaces.

        The last token of a line can depend on the next line.
        """
        return self._tokenizer.tokenize([line.replace("\n", " ") for line in lines])

    def captions(self, texts: Sequence[str]) -> list[str]:
        """Tokenize captions as pycocoevalcap does, and join the tokens of each caption with spaces."""
        return [line.rstrip() for line in self.join_lines(texts)]

    def describe(self) -> str:
        """Return the name and version of the Java library whose tokenizer produces the same tokens."""
        return "corenlp-3.4.1"

    def __reduce__(self) -> tuple[type[PTBSegmenter], tuple[()]]:
        """Pickle only the class, because the tokenizer's rules contain functions that cannot be pickled."""
        return type(self), ()


def split_by_lengths(items: Sequence[str], lengths: Iterable[int]) -> list[list[str]]:
    """Split a list into consecutive lists of the given lengths."""
    iterator = iter(items)
    return [list(islice(iterator, length)) for length in lengths]
