"""Implements a tokenizer that applies the rules of Stanford's PTB tokenizer and caches the tokens of frequent words."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
# The tokenizer splits each line into pieces, which are separated by spaces.
# Pieces that consist of letters are tokenized independently of adjacent pieces.
_LETTER = f"[A-Za-z{LOWER}{UPPER}]"
_match_words = re.compile(
    f"[\"\u201c(\\[']*(?:(?:{_LETTER}+['\u2019-])*{_LETTER}+|(?:{_LETTER}+['\u2019-])*(?P<last>{_LETTER}+)\\.)[\"\u201d\u2019',;:!?)\\]]*"
).fullmatch
_match_word_and_mark = re.compile(f"({_LETTER}+)[,.;:!?]?").fullmatch
# A number or a punctuation token can contain a space only before a digit, a period or another space.
_match_marks = re.compile(
    '(?P<digit>[.,:;%$()/?!"-]*[0-9(][0-9.,:;%$()/?!"-]*)|[.,:;%$)/?!"-]+|&apos;[A-Za-z]*|&(?:quot|amp|lt|gt);'
).fullmatch
_JOINING_MARKS = BLANKS | {"."}
_JOINING_DIGITS = _JOINING_MARKS | frozenset(f"0123456789{DIGIT}")
# This pattern finds a space that may be part of a token, such as a space between digits.
# The pattern also finds the XML entity &apos, because the text after the next space can affect its tokenization.
_search_joinable = re.compile(
    f"""[0-9(][0-9.,:;%$()/?!"-]* [{"".join(_JOINING_DIGITS - {"."})}]|\\. [{"".join(_JOINING_MARKS)}]|&apos"""
).search
# This pattern matches a word before a space or before punctuation that is always a separate token.
_match_plain_word = re.compile(f'{_LETTER}+(?=[,;)\\]"\u201d]* )').match
_CONTRACTIONS = frozenset(first + second for first, second in TWO_WORDS)
_CACHE_SIZE = 200_000
_LONGEST_CACHED_PIECE = 100
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")


@cache
def _rules_for(char: str) -> list[tuple[int, Rule]]:
    """Return the rules for tokens that start with a character, and the index of each rule."""
    return [(index, rule) for index, rule in enumerate(RULES) if re.match(f"[{rule.first_characters}]", char)]


def _find_space(text: str, start: int, end: int) -> int:
    """Return the position of the first space between ``start`` and ``end``, or ``end`` if no space is found."""
    position = text.find(" ", start, end)
    return end if position < 0 else position


def _to_surrogates(char: str) -> str:
    """Return the two surrogates that represent a supplementary character in UTF-16."""
    code = ord(char) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _join_surrogates(text: str) -> str:
    """Decode each surrogate pair into one character, and replace each lone surrogate with U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_context_free(classes: str) -> bool:
    """Return whether a piece of text consists only of words that are tokenized the same way in any context."""
    match = _match_words(classes)
    return match is not None and not (match["last"] and ABBREVIATIONS(match["last"].lower()))


def _split_word_and_mark(piece: str, classes: str) -> list[str]:
    """Split a word from the punctuation mark after it. Return an empty list for contractions and for other texts.

    The rules produce the same tokens, but they are slower.
    """
    match = _match_word_and_mark(classes)
    if match is None or match[1].lower() in _CONTRACTIONS:
        return []
    word_end = match.end(1)
    return [piece[:word_end], piece[word_end:]]


def _may_extend(classes: str, next_class: str) -> bool:
    """Return whether the last token of a piece of text could continue after the next space, as in "1 1/2".

    Args:
        classes: the classes of the characters in the piece.
        next_class: the class of the character after the space, or an empty string at the end of the line.
    """
    marks = _match_marks(classes)
    if marks is None:
        return False
    return next_class in (_JOINING_MARKS if marks["digit"] is None else _JOINING_DIGITS)


class _Token(NamedTuple):
    """A token of a text.

    Attributes:
        text: the token. It is empty for white space and for characters that do not belong to any token.
        end: the position in the text at which the token ends.
    """

    text: str
    end: int


class _RuleMatch(NamedTuple):
    """A rule and its match. The match contains a token and any text that the rule requires after the token."""

    rule: Rule
    match: re.Match[str]

    @property
    def token_end(self) -> int:
        """The position at which the token ends."""
        # If the pattern also matches text after the token, a named group captures the token.
        return self.match.end(self.match.lastgroup or 0)


class _Scanner:
    """Finds the tokens of a text by applying the rules.

    The rules match character classes, such as letters or digits, instead of individual characters. For this purpose,
    each character of the text is replaced by a representative of its class before the rules are applied.

    Args:
        text: the text.

    Attributes:
        text: the text.
        classes: a copy of the text, in which each character is replaced by a representative of its class.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.classes = replace_by_class(text)
        # This dictionary maps the index of a failed rule to the next position at which the rule could match.
        self._dead_ends: dict[int, int] = {}

    def scan(self, start: int, end: int) -> list[str]:
        """Return the tokens between two positions."""
        tokens = []
        position = start
        while position < end:
            token = self._find_token(position)
            tokens.append(token.text)
            position = token.end
        return tokens

    def scan_to_space(self, start: int, line_end: int) -> tuple[list[str], int]:
        """Return the tokens from a position to the next space that is not part of a token, or to the end of the line.

        A token can contain a space, for example in a telephone number.

        Returns:
            The tokens, and the position at which the last token ends.
        """
        tokens = []
        position = start
        while position < line_end and self.text[position] != " ":
            token = self._find_token(position)
            tokens.append(token.text)
            position = token.end
        return tokens, position

    def _find_token(self, position: int) -> _Token:
        """Return the token that starts at a position."""
        word = _match_plain_word(self.classes, position)
        if word is not None and word[0].lower() not in _CONTRACTIONS:
            return _Token(self.text[position : word.end()], word.end())
        longest_match = max(self._match_rules(position), key=lambda match: match.match.end(), default=None)
        if longest_match is None:
            return _Token("", position + 1)
        end = longest_match.token_end
        return _Token(longest_match.rule.rewrite(self.text[position:end]), end)

    def _match_rules(self, position: int) -> list[_RuleMatch]:
        """Return the matches of all rules at a position."""
        matches = []
        for index, rule in _rules_for(self.classes[position]):
            if position < self._dead_ends.get(index, 0):
                continue
            match = rule.match(self.classes, position)
            if match is not None:
                matches.append(_RuleMatch(rule, match))
            elif rule.match_dead_range is not None:
                self._update_dead_end(index, rule.match_dead_range(self.classes, position))
        return matches

    def _update_dead_end(self, rule_index: int, dead_range: re.Match[str] | None) -> None:
        """If a range is given, record that a rule cannot match at any position in this range of the text."""
        if dead_range is not None:
            self._dead_ends[rule_index] = dead_range.end()


class Tokenizer:
    """Splits lines into the same tokens as Stanford's PTB tokenizer (CoreNLP 3.4.1, ``-preserveLines``).

    Args:
        lowercase: whether to convert tokens to lower case.
        drop: the tokens to remove.
    """

    def __init__(self, *, lowercase: bool = False, drop: frozenset[str] = frozenset()) -> None:
        self._lowercase = lowercase
        self._drop = drop
        # This cache maps a piece of text without spaces to its tokens, joined by spaces.
        self._pieces = BoundedCache[str, str](_CACHE_SIZE)

    def tokenize(self, lines: Sequence[str]) -> list[str]:
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
        scanner = _Scanner(text)
        tokenized_lines = []
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            tokenized_lines.append(self._tokenize_line(scanner, start, end))
            start = end + 1
        return tokenized_lines

    def _tokenize_line(self, scanner: _Scanner, start: int, end: int) -> str:
        """Tokenize the line that is between two positions of a text. Return the tokens, separated by spaces."""
        # At the end of the text, cached tokens cannot be used, because some rules require that more text follows.
        # The cache does not support ellipses with spaces such as ". . .", because such an ellipsis is a single token.
        if end == len(scanner.text) or scanner.text.find(". .", start, end) >= 0:
            return self._join_tokens(scanner.scan(start, end))
        if _search_joinable(scanner.classes, start, end) is None:
            pieces = scanner.text[start:end].split(" ")
            tokens = [self._tokenize_piece(piece) for piece in pieces]
            if None not in tokens:
                return " ".join(filter(None, tokens))
        return self._tokenize_pieces(scanner, start, end)

    def _tokenize_pieces(self, scanner: _Scanner, start: int, end: int) -> str:
        """Tokenize the pieces of a line one by one. The slow rules are applied only where the context matters.

        Args:
            scanner: the scanner of the text.
            start, end: the positions of the line in the text.

        Returns:
            The tokens, separated by spaces.
        """
        line_tokens = []
        position = start
        while position < end:
            tokens, tokens_end = self._tokenize_next_piece(scanner, position, end)
            line_tokens.append(tokens)
            position = tokens_end + 1  # the position after the space
        return " ".join(filter(None, line_tokens))

    def _tokenize_next_piece(self, scanner: _Scanner, start: int, line_end: int) -> tuple[str, int]:
        """Tokenize a line from ``start`` to the next space. Return the tokens and the position at which they end."""
        piece_end = _find_space(scanner.text, start, line_end)
        next_class = scanner.classes[piece_end + 1] if piece_end < line_end else ""
        tokens = self._tokenize_piece(scanner.text[start:piece_end])
        if tokens is not None and not _may_extend(scanner.classes[start:piece_end], next_class):
            return tokens, piece_end
        scanned_tokens, tokens_end = scanner.scan_to_space(start, line_end)
        return self._join_tokens(scanned_tokens), tokens_end

    def _tokenize_piece(self, piece: str) -> str | None:
        """Tokenize a piece of text that does not contain spaces, and join the tokens by spaces.

        The result is None if the piece is very long, or if the text before or after the piece might affect the tokens.
        For digits and punctuation, the caller must check whether the last token extends beyond the next space.
        """
        tokens = self._pieces.get(piece)
        if tokens is None and len(piece) <= _LONGEST_CACHED_PIECE:
            classes = replace_by_class(piece)
            if not piece or _is_context_free(classes) or _match_marks(classes):
                piece_tokens = _split_word_and_mark(piece, classes) or _Scanner(f"{piece} a").scan(0, len(piece))
                tokens = self._pieces[piece] = self._join_tokens(piece_tokens)
        return tokens

    def _join_tokens(self, tokens: Sequence[str]) -> str:
        """Separate tokens by spaces. Empty tokens and tokens that must be removed are omitted."""
        if self._lowercase:
            tokens = [token.lower() for token in tokens]
        return " ".join(token for token in tokens if token and token not in self._drop)
