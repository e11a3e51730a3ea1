"""From raw text to what vectors are trained on: one sentence per line, words as METEOR splits them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from meteor_e import InputError, Meteor
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments


def write_corpus(output: TextIO, meteor: Meteor, texts: Sequence[str], progress: Progress = silent) -> tuple[int, int]:
    """Write the corpus that vectors are trained on: words separated by spaces.

    Args:
        output: gets one sentence per line.
        meteor: splits and lowercases the words.
        texts: files, one sentence per line, plain or packed with gzip, bzip2 or xz.
        progress: told the number of sentences done.

    Returns:
        The number of sentences read, and of words written.

    Raises:
        InputError: if a file cannot be read or is not UTF-8, or there are no words.
    """
    sentences = words = 0
    for path in texts:
        for line in read_segments(path):
            # A trainer splits at any white space.
            units = [token.form for token in meteor.tokenize(line) if len(token.form.split()) == 1]
            if units:
                output.write(" ".join(units) + "\n")
            sentences += 1
            words += len(units)
            progress("splitting words", sentences, None)
    if not words:
        raise InputError(f"there are no words in {', '.join(texts)}")
    return sentences, words
