"""The PTB tokenizer as a segmenter: the tokens that captioning toolkits score."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.api import Segmenter
from meteor_e_captions.ptb import PUNCTUATION, Tokenizer


class PTBSegmenter(Segmenter):
    """Tokens of the Penn Treebank as pycocoevalcap scores them: in lower case and without punctuation."""

    name = "ptb"

    def __init__(self) -> None:
        super().__init__()
        self._tokenizer = Tokenizer(lowercase=True, drop=PUNCTUATION)

    def segment(self, text: str) -> Sequence[str]:
        """Return the tokens of one text."""
        tokens = self.join_lines([text])[0]
        return tokens.split(" ") if tokens else []

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the tokens of each line, joined by spaces. The last token of a line can depend on the next line."""
        return self._tokenizer.lines([line.replace("\n", " ") for line in lines])

    def captions(self, texts: Sequence[str]) -> list[str]:
        """Return the tokens of captions as in pycocoevalcap, joined by spaces."""
        return [line.rstrip() for line in self.join_lines(texts)]

    def describe(self) -> str:
        """Return the version of the Java program that produces the same tokens."""
        return "corenlp-3.4.1"

    def __reduce__(self) -> tuple[type[PTBSegmenter], tuple[()]]:
        """Create a new segmenter when unpickled, because the rules contain functions, which cannot be pickled."""
        return type(self), ()
