"""Implements a tokenizer that applies the rules of Stanford's PTB tokenizer and caches the tokens of frequent words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e_captions.ptb.characters import DIGIT, LOWER, UPPER, replace_by_class
from meteor_e_captions.ptb.rules import ABBREVIATIONS, BLANKS, RULES, TWO_WORDS, Rule

PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)
"""The tokens that pycocoevalcap removes.

pycocoevalcap never removes brackets, because it compares these names with tokens in lower case such as "-lrb-".
"""
# The tokenizer splits lines at spaces into pieces.
# Pieces that consist of letters are tokenized independently of adjacent pieces.
_LETTER = f"[A-Za-z{LOWER}{UPPER}]"
_match_words = re.compile(
    f"[\"\u201c(\\[']*(?:(?:{_LETTER}+['\u2019-])*{_LETTER}+|(?:{_LETTER}+['\u2019-])*(?P<last>{_LETTER}+)\\.)[\"\u201d\u2019',;:!?)\\]]*"
).fullmatch
_match_word_and_mark = re.compile(f"({_LETTER}+)([,.;:!?]?)").fullmatch
# Tokens of numbers and punctuation extend beyond a space only if the space precedes digits or periods.
_match_marks = re.compile(
    '(?P<digit>[.,:;%$()/?!"-]*[0-9(][0-9.,:;%$()/?!"-]*)|[.,:;%$)/?!"-]+|&apos;[A-Za-z]*|&(?:quot|amp|lt|gt);'
).fullmatch
_JOINING_MARKS = BLANKS | {"."}
_JOINING_DIGITS = _JOINING_MARKS | frozenset(f"0123456789{DIGIT}")
# This pattern finds a space that may be part of a token, such as a space between digits.
_search_joinable = re.compile(
    f"""[0-9(][0-9.,:;%$()/?!"-]* [{"".join(_JOINING_DIGITS - {"."})}]|\\. [{"".join(_JOINING_MARKS)}]"""
).search
# This pattern matches a word before a space or before punctuation that is always a separate token.
_match_plain_word = re.compile(f'{_LETTER}+(?=[,;)\\]"\u201d]* )').match
_CONTRACTIONS = frozenset(first + second for first, second in TWO_WORDS)
_LONGEST_EXCEPTION = 6
"""The length of the longest abbreviation, and of the longest word that is split into two tokens."""
_CACHE_SIZE = 200_000
_LONGEST_CACHED_PIECE = 100
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")


@cache
def _rules_for(char: str) -> list[tuple[int, Rule]]:
    """Return the rules for tokens that start with a character, and the index of each rule."""
    return [(index, rule) for index, rule in enumerate(RULES) if re.match(f"[{rule.first}]", char)]


def _find_space(text: str, start: int, end: int) -> int:
    """Return the position of the first space between ``start`` and ``end``, or ``end`` if no space is found."""
    position = text.find(" ", start, end)
    return end if position < 0 else position


def _to_surrogates(char: str) -> str:
    """Return the two surrogates that represent a supplementary character in UTF-16."""
    code = ord(char) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _join_surrogates(text: str) -> str:
    """Replace pairs of surrogates by characters. Lone surrogates become replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Marks(NamedTuple):
    """A piece of text that consists of digits and punctuation.

    Attributes:
        tokens: the tokens, separated by spaces.
        joining: the classes of characters that may form a token with the piece if they follow after a space.
    """

    tokens: str
    joining: frozenset[str]


class Tokenizer:
    """Splits lines into the same tokens as Stanford's PTB tokenizer (CoreNLP 3.4.1, ``-preserveLines``).

    The rules do not match the text itself, but a copy in which each character is replaced by a representative of its
    class. In all methods, the argument ``classes`` is this copy. If a rule matches a range of the copy, the token is
    the same range of the text.

    Args:
        lowercase: whether to convert tokens to lower case.
        drop: the tokens to remove.
    """

    def __init__(self, *, lowercase: bool = False, drop: frozenset[str] = frozenset()) -> None:
        self._lowercase = lowercase
        self._drop = drop
        # This cache contains pieces of text whose tokenization does not depend on their context.
        self._context_free_pieces = BoundedCache[str, str](_CACHE_SIZE)
        # This cache is used only for lines in which no token contains a space.
        self._separate_pieces = BoundedCache[str, str](_CACHE_SIZE)
        self._marks = BoundedCache[str, _Marks](_CACHE_SIZE)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Tokenize lines, and return the tokens of each line as a string, separated by spaces.

        The tokens at the end of a line can depend on the next line. If a line ends with an abbreviation, the beginning
        of the next line determines whether the period of the abbreviation is also a separate token.
        """
        if not lines:
            return []
        text = "\n".join(lines)
        if _SUPPLEMENTARY.search(text) is None:
            return self._tokenize_text(text)
        # The Java program processes UTF-16 code units instead of characters.
        utf16_text = _SUPPLEMENTARY.sub(lambda match: _to_surrogates(match[0]), text)
        return [_join_surrogates(line) for line in self._tokenize_text(utf16_text)]

    def _tokenize_text(self, text: str) -> list[str]:
        """Tokenize each line of a string, and separate the tokens of a line by spaces."""
        classes = replace_by_class(text)
        tokenized_lines = []
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            tokenized_lines.append(self._tokenize_line(text, classes, start, end))
            start = end + 1
        return tokenized_lines

    def _tokenize_line(self, text: str, classes: str, start: int, end: int) -> str:
        """Tokenize the line between two positions of the text, and separate the tokens by spaces."""
        # At the end of the text, cached tokens cannot be used, because some rules require that more text follows.
        # The caches do not support ellipses with spaces such as ". . .", because such an ellipsis is a single token.
        if end == len(text) or text.find(". .", start, end) >= 0:
            return " ".join(self._scan(text, classes, start, end))
        piece_cache = self._context_free_pieces if _search_joinable(classes, start, end) else self._separate_pieces
        tokens = self._look_up_line(text[start:end], piece_cache)
        return self._tokenize_pieces(text, classes, start, end) if tokens is None else tokens

    def _look_up_line(self, line: str, piece_cache: BoundedCache[str, str]) -> str | None:
        """Tokenize a line with the help of a cache. Return None if the tokens of a piece depend on its context.

        Args:
            line: the line.
            piece_cache: the cache that contains the tokens of each piece. New pieces are added.
        """
        pieces = line.split(" ")
        tokens = [piece_cache.get(piece) for piece in pieces]
        if None in tokens:
            for piece in pieces:
                if piece in piece_cache:
                    continue
                if not self._add_to_cache(piece, replace_by_class(piece), piece_cache):
                    return None
            tokens = [piece_cache.get(piece) for piece in pieces]
            # A full cache may already have removed a piece of this line.
            if None in tokens:
                return None
        # Pieces without tokens, such as removed punctuation, are omitted.
        return " ".join(filter(None, tokens))

    def _add_to_cache(self, piece: str, classes: str, piece_cache: BoundedCache[str, str]) -> bool:
        """Tokenize a piece of text, and add its tokens to the caches unless they depend on the context of the piece.

        Args:
            piece: the text between two spaces.
            classes: the piece, in which each character is replaced by a representative of its class.
            piece_cache: the cache that must contain the tokens afterwards.

        Returns:
            Whether the tokens were added.
        """
        if len(piece) > _LONGEST_CACHED_PIECE:
            return False
        tokens = self._tokenize_context_free(piece, classes)
        if tokens is not None:
            self._context_free_pieces[piece] = tokens
            self._separate_pieces[piece] = tokens
            return True
        # Digits and punctuation depend on the next piece unless no token of the line contains a space.
        if piece_cache is self._context_free_pieces or classes.startswith("&apos"):
            return False
        marks = self._tokenize_marks(piece, classes)
        if marks is None:
            return False
        self._separate_pieces[piece] = marks.tokens
        return True

    def _tokenize_context_free(self, piece: str, classes: str) -> str | None:
        """Return the tokens of a piece of text, or None if the tokenization depends on the context."""
        tokens = self._split_word_and_mark(piece, classes)
        if tokens is None and (not piece or self._is_context_free(classes)):
            tokens = self._tokenize_separately(piece, classes)
        return tokens

    def _tokenize_pieces(self, text: str, classes: str, start: int, end: int) -> str:
        """Tokenize the pieces of a line one by one. The slow rules are applied only where the context matters.

        Args:
            text: the text.
            classes: the text, in which each character is replaced by a representative of its class.
            start, end: the positions of the line in the text.

        Returns:
            The tokens, separated by spaces.
        """
        line_tokens: list[str] = []
        position = start
        while position < end:
            piece_end = _find_space(text, position, end)
            tokens = self._tokenize_piece(text, classes, position, piece_end, end)
            if tokens is not None:
                line_tokens.append(tokens)
                position = piece_end + 1
            elif start < position and classes[position] in BLANKS:
                # Further white space after a space does not produce a token.
                position += 1
            else:
                scanned_tokens, scanned_end = self._scan_to_space(text, classes, position, end)
                line_tokens += scanned_tokens
                position = scanned_end + 1
        return " ".join(filter(None, line_tokens))

    def _tokenize_piece(self, text: str, classes: str, start: int, end: int, line_end: int) -> str | None:
        """Tokenize the piece between two positions. Return None if the tokenization depends on the context."""
        piece, piece_classes = text[start:end], classes[start:end]
        tokens = self._context_free_pieces.get(piece)
        if tokens is None and self._add_to_cache(piece, piece_classes, self._context_free_pieces):
            tokens = self._context_free_pieces.get(piece)
        if tokens is not None:
            return tokens
        marks = self._marks.get(piece) or self._tokenize_marks(piece, piece_classes)
        if marks is not None and (end == line_end or classes[end + 1] not in marks.joining):
            return marks.tokens
        return None

    def _split_word_and_mark(self, piece: str, classes: str) -> str | None:
        """Tokenize a plain word and an optional punctuation mark. Return None for any other piece of text."""
        match = _match_word_and_mark(classes)
        if match is None:
            return None
        word, mark = match.groups()
        if len(word) <= _LONGEST_EXCEPTION:
            is_abbreviation = mark == "." and ABBREVIATIONS(word.lower())
            if is_abbreviation or word.lower() in _CONTRACTIONS:
                return None
        tokens: list[str] = []
        self._append_token(piece[: len(word)], tokens)
        if mark:
            self._append_token(mark, tokens)
        return " ".join(tokens)

    def _tokenize_separately(self, piece: str, classes: str) -> str:
        """Tokenize a piece of text whose tokens do not depend on the text around it."""
        return " ".join(self._scan(f"{piece} a", f"{classes} a", 0, len(piece)))

    def _tokenize_marks(self, piece: str, classes: str) -> _Marks | None:
        """Tokenize a piece of digits and punctuation. Return None if the piece contains other characters."""
        match = _match_marks(classes)
        if match is None or len(piece) > _LONGEST_CACHED_PIECE:
            return None
        joining = _JOINING_MARKS if match["digit"] is None else _JOINING_DIGITS
        marks = _Marks(self._tokenize_separately(piece, classes), joining)
        self._marks[piece] = marks
        return marks

    @staticmethod
    def _is_context_free(classes: str) -> bool:
        """Return whether a piece of text can be tokenized without the text around it."""
        match = _match_words(classes)
        return match is not None and not (match["last"] and ABBREVIATIONS(match["last"].lower()))

    def _scan_to_space(self, text: str, classes: str, start: int, line_end: int) -> tuple[list[str], int]:
        """Apply the rules until a token ends before a space or at the end of the line.

        Args:
            text: the text.
            classes: the text, in which each character is replaced by a representative of its class.
            start: the position of the first piece.
            line_end: the end of the line.

        Returns:
            The tokens, and the position of the space after the last token, or the end of the line.
        """
        tokens: list[str] = []
        dead_ends: dict[int, int] = {}
        position = start
        piece_end = _find_space(text, start, line_end)
        while position < piece_end:
            position = self._scan_token(text, classes, position, tokens, dead_ends)
            # A token that contains a space, such as a telephone number, extends into the next piece.
            if position > piece_end:
                piece_end = _find_space(text, position, line_end)
        return tokens, position

    def _scan(self, text: str, classes: str, position: int, end: int) -> list[str]:
        """Tokenize the text between two positions by applying the rules, without using the caches."""
        tokens: list[str] = []
        dead_ends: dict[int, int] = {}
        while position < end:
            position = self._scan_token(text, classes, position, tokens, dead_ends)
        return tokens

    def _scan_token(self, text: str, classes: str, position: int, tokens: list[str], dead_ends: dict[int, int]) -> int:
        """Find the token that starts at a position, and append it to a list.

        Args:
            text: the text.
            classes: the text, in which each character is replaced by a representative of its class.
            position: the position at which the token may start.
            tokens: the list to which the token is appended.
            dead_ends: for the index of each rule, the position before which the rule cannot match. The dictionary is
                updated.

        Returns:
            The position at which the next token may start.
        """
        word = _match_plain_word(classes, position)
        if word is not None and word[0].lower() not in _CONTRACTIONS:
            self._append_token(text[position : word.end()], tokens)
            return word.end()
        match, rewrite = _find_longest_match(classes, position, dead_ends)
        # A character that does not belong to any token is skipped.
        if match is None:
            return position + 1
        # If the pattern also matches the context of the token, a named group contains the token.
        token_group = 0 if match.lastgroup is None else match.lastgroup
        end = match.end(token_group)
        token = text[position:end]
        if rewrite is not None:
            token = rewrite(token)
        self._append_token(token, tokens)
        return end

    def _append_token(self, token: str, tokens: list[str]) -> None:
        """Append a token to a list unless the token is empty or must be removed."""
        if self._lowercase:
            token = token.lower()
        if token and token not in self._drop:
            tokens.append(token)


def _find_longest_match(
    classes: str, position: int, dead_ends: dict[int, int]
) -> tuple[re.Match[str] | None, Callable[[str], str] | None]:
    """Return the longest match of any rule at a position, and the function that rewrites the matched token.

    If several rules have the longest match, the first of them wins. Both values are None if no rule matches.

    Args:
        classes: the text, in which each character is replaced by a representative of its class.
        position: the position at which the rules must match.
        dead_ends: for the index of each rule, the position before which the rule cannot match. The dictionary is
            updated.
    """
    longest_end = position
    longest_match, rewrite = None, None
    for index, rule in _rules_for(classes[position]):
        if dead_ends.get(index, 0) > position:
            continue
        match = rule.match(classes, position)
        if match is not None and match.end() > longest_end:
            longest_end = match.end()
            longest_match = match
            rewrite = rule.rewrite
        if match is None and rule.run is not None:
            run = rule.run(classes, position)
            if run is not None:
                dead_ends[index] = run.end()
    return longest_match, rewrite
