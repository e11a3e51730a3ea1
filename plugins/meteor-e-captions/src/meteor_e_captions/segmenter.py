"""The PTB tokenizer as a segmenter: the tokens that captioning toolkits score."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.api import Segmenter
from meteor_e_captions.ptb import PUNCTUATION, Tokenizer


class PTBSegmenter(Segmenter):
    """Tokens of the Penn Treebank as pycocoevalcap scores them: in lower case, without punctuation."""

    name = "ptb"

    def __init__(self) -> None:
        super().__init__()
        self._tokenizer = Tokenizer(lowercase=True, drop=PUNCTUATION)

    def segment(self, text: str) -> Sequence[str]:
        """Return the tokens of one text."""
        tokens = self.join_lines([text])[0]
        return tokens.split(" ") if tokens else []

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the tokens of each line, separated by blanks; the next line decides on the end of a line."""
        return self._tokenizer.lines([line.replace("\n", " ") for line in lines])

    def captions(self, texts: Sequence[str]) -> list[str]:
        """Return the tokens of captions as pycocoevalcap has them, separated by blanks."""
        return [line.rstrip() for line in self.join_lines(texts)]

    def describe(self) -> str:
        """Return the version of the Java program whose tokens these are."""
        return "corenlp-3.4.1"

    def __reduce__(self) -> tuple[type[PTBSegmenter], tuple[()]]:
        """Make another in the other process; the rules hold functions, which cannot be pickled."""
        return type(self), ()
