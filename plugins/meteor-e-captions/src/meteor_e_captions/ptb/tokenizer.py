"""The scanner that applies the rules of the PTB tokenizer, and caches for words that do not depend on context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e_captions.ptb.characters import DIGIT, LOWER, UPPER, replace_by_class
from meteor_e_captions.ptb.rules import ABBREVIATIONS, BLANKS, RULES, TWO_WORDS, Rule

#: Tokens that pycocoevalcap removes. The list contains brackets, but tokens have them in lower case ("-lrb-"), so that
#: pycocoevalcap never removes them.
PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)
# Pieces are what spaces separate. Words of letters with surrounding punctuation do not depend on their context.
_LETTER = f"[A-Za-z{LOWER}{UPPER}]"
_match_words = re.compile(
    f"[\"\u201c(\\[']*(?:(?:{_LETTER}+['\u2019-])*{_LETTER}+|(?:{_LETTER}+['\u2019-])*(?P<last>{_LETTER}+)\\.)[\"\u201d\u2019',;:!?)\\]]*"
).fullmatch
_match_word_and_mark = re.compile(f"({_LETTER}+)([,.;:!?]?)").fullmatch
# Numbers, punctuation and apostrophes. Rules look beyond the next space only for further digits (telephone numbers,
# fractions) and periods (ellipses).
_match_marks = re.compile(
    '(?P<digit>[.,:;%$()/?!"-]*[0-9(][0-9.,:;%$()/?!"-]*)|[.,:;%$)/?!"-]+|&apos;[A-Za-z]*|&(?:quot|amp|lt|gt);'
).fullmatch
_JOINING_MARKS = BLANKS | {"."}
_JOINING_DIGITS = _JOINING_MARKS | frozenset(f"0123456789{DIGIT}")
# A piece and the first character of the next piece, if a token may contain both.
_search_joinable = re.compile(
    f"""[0-9(][0-9.,:;%$()/?!"-]* [{"".join(_JOINING_DIGITS - {"."})}]|\\. [{"".join(_JOINING_MARKS)}]"""
).search
# A word that ends at a space, or before punctuation that is never part of the word's token.
_match_plain_word = re.compile(f'{_LETTER}+(?=[,;)\\]"\u201d]* )').match
_CONTRACTIONS = frozenset(first + second for first, second in TWO_WORDS)
_LONGEST_EXCEPTION = 6
"""Length of the longest abbreviation, and of the longest word that is split in two."""
_CACHE_SIZE = 200_000
_LONGEST_CACHED_PIECE = 100
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")


@cache
def _rules_for(char: str) -> list[tuple[int, Rule]]:
    """Return the rules whose tokens may start with a character, with their indexes."""
    return [(index, rule) for index, rule in enumerate(RULES) if re.match(f"[{rule.first}]", char)]


def _to_surrogates(char: str) -> str:
    code = ord(char) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Tokenizer:
    """Splits lines into the tokens of Stanford's PTB tokenizer (CoreNLP 3.4.1, ``-preserveLines``).

    In the methods, ``classes`` is ``text`` or ``piece`` with every character replaced by the representative of its
    class. The rules match ``classes``; tokens are cut from the text at the same positions.

    Args:
        lowercase: whether to convert tokens to lower case.
        drop: the tokens to remove.
    """

    def __init__(self, *, lowercase: bool = False, drop: frozenset[str] = frozenset()) -> None:
        self._lowercase = lowercase
        self._drop = drop
        # The tokens of pieces that do not depend on their context.
        self._context_free_pieces = BoundedCache[str, str](_CACHE_SIZE)
        # The same pieces, and marks. Valid for lines in which no token spans several pieces.
        self._separate_pieces = BoundedCache[str, str](_CACHE_SIZE)
        # The tokens of marks, and the characters in the next piece that may join them.
        self._marks = BoundedCache[str, tuple[str, frozenset[str]]](_CACHE_SIZE)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Return the tokens of each line, joined by spaces.

        The lines are one text: as in the Java program, the beginning of the next line decides whether the period of an
        abbreviation at the end of a line is also a token.
        """
        if not lines:
            return []
        text = "\n".join(lines)
        has_supplementary = _SUPPLEMENTARY.search(text) is not None
        if has_supplementary:
            # The Java program processes UTF-16 code units.
            text = _SUPPLEMENTARY.sub(lambda match: _to_surrogates(match[0]), text)
        classes = replace_by_class(text)
        tokenized_lines = []
        start = 0
        while start <= len(text):
            end = text.find("\n", start)
            if end < 0:
                end = len(text)
            tokenized_lines.append(self._tokenize_line(text, classes, start, end))
            start = end + 1
        return [_join_surrogates(line) for line in tokenized_lines] if has_supplementary else tokenized_lines

    def _tokenize_line(self, text: str, classes: str, start: int, end: int) -> str:
        """Return the tokens of the line from ``start`` to ``end``, joined by spaces."""
        # Some rules need a character after the token, which the last line does not have. Ellipses may contain spaces.
        if end == len(text) or text.find(". .", start, end) >= 0:
            return " ".join(self._scan(text, classes, start, end))
        piece_cache = self._context_free_pieces if _search_joinable(classes, start, end) else self._separate_pieces
        tokens = self._look_up_line(text[start:end], piece_cache)
        return self._tokenize_pieces(text, classes, start, end) if tokens is None else tokens

    def _look_up_line(self, line: str, piece_cache: BoundedCache[str, str]) -> str | None:
        """Return the tokens of a line, or ``None`` if a piece depends on its context."""
        pieces = line.split(" ")
        for _ in range(2):
            try:
                return " ".join(filter(None, map(piece_cache.__getitem__, pieces)))
            except KeyError:
                missing = [piece for piece in pieces if piece not in piece_cache]
                if not all(self._add_to_cache(piece, replace_by_class(piece), piece_cache) for piece in missing):
                    break
        return None

    def _add_to_cache(self, piece: str, classes: str, piece_cache: BoundedCache[str, str]) -> bool:
        """Add the tokens of a piece to a cache, and return whether that was possible."""
        if len(piece) > _LONGEST_CACHED_PIECE:
            return False
        tokens = self._split_word_and_mark(piece, classes)
        if tokens is None and (not piece or self._is_context_free(classes)):
            tokens = self._tokenize_separately(piece, classes)
        if tokens is not None:
            self._context_free_pieces[piece] = self._separate_pieces[piece] = tokens
            return True
        if piece_cache is self._context_free_pieces or classes.startswith("&apos"):
            return False
        marks = self._tokenize_marks(piece, classes)
        if marks is not None:
            self._separate_pieces[piece] = marks[0]
        return marks is not None

    def _tokenize_pieces(self, text: str, classes: str, start: int, end: int) -> str:
        """Return the tokens of a line; only pieces that depend on their context are scanned."""
        line_tokens: list[str] = []
        position = start
        while position < end:
            piece_end = text.find(" ", position, end)
            if piece_end < 0:
                piece_end = end
            piece = text[position:piece_end]
            tokens = self._context_free_pieces.get(piece)
            if tokens is None and self._add_to_cache(piece, classes[position:piece_end], self._context_free_pieces):
                tokens = self._context_free_pieces.get(piece)
            if tokens is None:
                marks = self._marks.get(piece) or self._tokenize_marks(piece, classes[position:piece_end])
                if marks is not None and (piece_end == end or classes[piece_end + 1] not in marks[1]):
                    tokens = marks[0]
            if tokens is not None:
                if tokens:
                    line_tokens.append(tokens)
                position = piece_end + 1
            elif start < position and classes[position] in BLANKS:
                # Other white space belongs to the space before it.
                position += 1
            else:
                position = self._scan_to_space(text, classes, position, piece_end, end, line_tokens) + 1
        return " ".join(line_tokens)

    def _split_word_and_mark(self, piece: str, classes: str) -> str | None:
        """Return the tokens of a word with at most one punctuation mark after it, or ``None`` for other pieces."""
        match = _match_word_and_mark(classes)
        if match is None:
            return None
        word_length, mark = match.end(1), match[2]
        if word_length <= _LONGEST_EXCEPTION:
            word = classes[:word_length].lower()
            if word in _CONTRACTIONS or (mark == "." and ABBREVIATIONS(word)):
                return None
        tokens: list[str] = []
        self._append_token(piece[:word_length], tokens)
        if mark:
            self._append_token(mark, tokens)
        return " ".join(tokens)

    def _tokenize_separately(self, piece: str, classes: str) -> str:
        """Return the tokens of a piece that does not depend on its context."""
        return " ".join(self._scan(f"{piece} a", f"{classes} a", 0, len(piece)))

    def _tokenize_marks(self, piece: str, classes: str) -> tuple[str, frozenset[str]] | None:
        """Return the tokens of numbers and marks, and the characters that may join them; ``None`` for other pieces."""
        match = _match_marks(classes)
        if match is None or len(piece) > _LONGEST_CACHED_PIECE:
            return None
        joining = _JOINING_MARKS if match["digit"] is None else _JOINING_DIGITS
        marks = self._tokenize_separately(piece, classes), joining
        self._marks[piece] = marks
        return marks

    @staticmethod
    def _is_context_free(classes: str) -> bool:
        match = _match_words(classes)
        return match is not None and not (match["last"] and ABBREVIATIONS(match["last"].lower()))

    def _scan_to_space(
        self, text: str, classes: str, position: int, piece_end: int, line_end: int, tokens: list[str]
    ) -> int:
        """Scan until a token ends before a space, at ``piece_end`` or later, and return the position of that space."""
        dead_ends: dict[int, int] = {}
        while position < piece_end:
            position = self._scan_token(text, classes, position, tokens, dead_ends)
            if position > piece_end:
                piece_end = text.find(" ", position, line_end)
                if piece_end < 0:
                    piece_end = line_end
        return position

    def _scan(self, text: str, classes: str, position: int, end: int) -> list[str]:
        """Return the tokens from ``position`` to ``end``."""
        tokens: list[str] = []
        dead_ends: dict[int, int] = {}
        while position < end:
            position = self._scan_token(text, classes, position, tokens, dead_ends)
        return tokens

    def _scan_token(self, text: str, classes: str, position: int, tokens: list[str], dead_ends: dict[int, int]) -> int:
        """Append the token that starts at a position, if there is one.

        Args:
            text: the text.
            classes: the text in representatives of character classes.
            position: the position at which the token may start.
            tokens: the list to which the token is appended.
            dead_ends: for the index of each rule, the position before which it cannot match; updated.

        Returns:
            The position at which the next token may start.
        """
        word = _match_plain_word(classes, position)
        if word is not None and (len(word[0]) > _LONGEST_EXCEPTION or word[0].lower() not in _CONTRACTIONS):
            self._append_token(text[position : word.end()], tokens)
            return word.end()
        longest = position
        best: re.Match[str] | None = None
        rewrite = None
        for index, rule in _rules_for(classes[position]):
            if rule.run is not None and dead_ends.get(index, 0) > position:
                continue
            match = rule.match(classes, position)
            if match is not None:
                if match.end() > longest:
                    longest, best, rewrite = match.end(), match, rule.rewrite
            elif rule.run is not None and (run := rule.run(classes, position)) is not None:
                dead_ends[index] = run.end()
        if best is None:
            return position + 1
        end = best.end(best.lastgroup or 0)
        token = text[position:end]
        self._append_token(token if rewrite is None else rewrite(token), tokens)
        return end

    def _append_token(self, token: str, tokens: list[str]) -> None:
        """Append a token to a list, unless it is empty or dropped."""
        if self._lowercase:
            token = token.lower()
        if token and token not in self._drop:
            tokens.append(token)
