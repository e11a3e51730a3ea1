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
# Lines are split at spaces into pieces. The tokens of words that consist of letters do not depend on adjacent pieces.
_LETTER = f"[A-Za-z{LOWER}{UPPER}]"
_match_words = re.compile(
    f"[\"\u201c(\\[']*(?:(?:{_LETTER}+['\u2019-])*{_LETTER}+|(?:{_LETTER}+['\u2019-])*(?P<last>{_LETTER}+)\\.)[\"\u201d\u2019',;:!?)\\]]*"
).fullmatch
_match_word_and_mark = re.compile(f"({_LETTER}+)([,.;:!?]?)").fullmatch
# After numbers, punctuation and apostrophes, a token can extend beyond a space only if digits or periods follow.
_match_marks = re.compile(
    '(?P<digit>[.,:;%$()/?!"-]*[0-9(][0-9.,:;%$()/?!"-]*)|[.,:;%$)/?!"-]+|&apos;[A-Za-z]*|&(?:quot|amp|lt|gt);'
).fullmatch
_JOINING_MARKS = BLANKS | {"."}
_JOINING_DIGITS = _JOINING_MARKS | frozenset(f"0123456789{DIGIT}")
# This pattern finds a piece that may form a token together with the first character of the next piece.
_search_joinable = re.compile(
    f"""[0-9(][0-9.,:;%$()/?!"-]* [{"".join(_JOINING_DIGITS - {"."})}]|\\. [{"".join(_JOINING_MARKS)}]"""
).search
# This pattern matches a word that ends at a space or before punctuation that is never part of the same token.
_match_plain_word = re.compile(f'{_LETTER}+(?=[,;)\\]"\u201d]* )').match
_CONTRACTIONS = frozenset(first + second for first, second in TWO_WORDS)
_LONGEST_EXCEPTION = 6
"""The length of the longest abbreviation, and of the longest word that is split into two tokens."""
_CACHE_SIZE = 200_000
_LONGEST_CACHED_PIECE = 100
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")


@cache
def _rules_for(char: str) -> list[tuple[int, Rule]]:
    """Return all rules whose tokens can start with the given character, together with the indexes of the rules."""
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

    The rules match a copy of the text in which the representative of a class replaces each character. In all methods,
    ``classes`` denotes this copy. A token consists of the characters at the same positions in the text.

    Args:
        lowercase: whether to convert tokens to lower case.
        drop: the tokens to remove.
    """

    def __init__(self, *, lowercase: bool = False, drop: frozenset[str] = frozenset()) -> None:
        self._lowercase = lowercase
        self._drop = drop
        # This cache contains the tokens of pieces that do not depend on their context.
        self._context_free_pieces = BoundedCache[str, str](_CACHE_SIZE)
        # This cache is valid only for lines in which no token extends over several pieces.
        self._separate_pieces = BoundedCache[str, str](_CACHE_SIZE)
        self._marks = BoundedCache[str, _Marks](_CACHE_SIZE)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Return one string per line that contains the line's tokens, separated by spaces.

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
        """Return for each line of a string the tokens, separated by spaces."""
        classes = replace_by_class(text)
        tokenized_lines = []
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            tokenized_lines.append(self._tokenize_line(text, classes, start, end))
            start = end + 1
        return tokenized_lines

    def _tokenize_line(self, text: str, classes: str, start: int, end: int) -> str:
        """Return the tokens of the line between two positions, separated by spaces."""
        # Cached tokens cannot be used at the end of the text, because rules that require a context do not match there.
        # Cached tokens cannot be used for ellipses with spaces either, because such an ellipsis is a single token.
        if end == len(text) or text.find(". .", start, end) >= 0:
            return " ".join(self._scan(text, classes, start, end))
        piece_cache = self._context_free_pieces if _search_joinable(classes, start, end) else self._separate_pieces
        tokens = self._look_up_line(text[start:end], piece_cache)
        return self._tokenize_pieces(text, classes, start, end) if tokens is None else tokens

    def _look_up_line(self, line: str, piece_cache: BoundedCache[str, str]) -> str | None:
        """Return the tokens of a line, or None if the tokens of a piece depend on its context.

        Args:
            line: the line.
            piece_cache: the cache in which the tokens of pieces are looked up.
        """
        pieces = line.split(" ")
        tokens = [piece_cache.get(piece) for piece in pieces]
        if None in tokens:
            for piece in pieces:
                is_cached = piece in piece_cache or self._add_to_cache(piece, replace_by_class(piece), piece_cache)
                if not is_cached:
                    return None
            tokens = [piece_cache.get(piece) for piece in pieces]
            # A full cache removes pieces to add others.
            if None in tokens:
                return None
        return " ".join(filter(None, tokens))

    def _add_to_cache(self, piece: str, classes: str, piece_cache: BoundedCache[str, str]) -> bool:
        """Add the tokens of a piece to a cache if they do not depend on the context of the piece.

        Args:
            piece: the piece.
            classes: the piece in representatives of character classes.
            piece_cache: the cache.

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
        if piece_cache is self._context_free_pieces or classes.startswith("&apos"):
            return False
        marks = self._tokenize_marks(piece, classes)
        if marks is None:
            return False
        self._separate_pieces[piece] = marks.tokens
        return True

    def _tokenize_context_free(self, piece: str, classes: str) -> str | None:
        """Return the tokens of a piece, or None if they depend on the context of the piece."""
        tokens = self._split_word_and_mark(piece, classes)
        if tokens is None and (not piece or self._is_context_free(classes)):
            tokens = self._tokenize_separately(piece, classes)
        return tokens

    def _tokenize_pieces(self, text: str, classes: str, start: int, end: int) -> str:
        """Tokenize the pieces of a line one by one. The rules are applied only to pieces that depend on their context.

        Args:
            text: the text.
            classes: the text in representatives of character classes.
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
                # Other white space after a space does not produce a token.
                position += 1
            else:
                scanned_tokens, scanned_end = self._scan_to_space(text, classes, position, end)
                line_tokens += scanned_tokens
                position = scanned_end + 1
        return " ".join(filter(None, line_tokens))

    def _tokenize_piece(self, text: str, classes: str, start: int, end: int, line_end: int) -> str | None:
        """Return the tokens of the piece between two positions, or None if they depend on the context of the piece."""
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
        """Return the tokens of a word and an optional punctuation mark, or None if the piece contains anything else."""
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
        """Apply the rules to one or more pieces until the end of a token is also the end of a piece.

        Args:
            text: the text.
            classes: the text in representatives of character classes.
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
            if position > piece_end:
                piece_end = _find_space(text, position, line_end)
        return tokens, position

    def _scan(self, text: str, classes: str, position: int, end: int) -> list[str]:
        """Return the tokens between two positions by applying the rules, without using the caches."""
        tokens: list[str] = []
        dead_ends: dict[int, int] = {}
        while position < end:
            position = self._scan_token(text, classes, position, tokens, dead_ends)
        return tokens

    def _scan_token(self, text: str, classes: str, position: int, tokens: list[str], dead_ends: dict[int, int]) -> int:
        """Append the token that starts at a position to a list, unless no token starts there.

        Args:
            text: the text.
            classes: the text in representatives of character classes.
            position: the position at which the token may start.
            tokens: the list to which the token is appended.
            dead_ends: for the index of each rule, the position before which the rule cannot match. The dictionary is
                updated.

        Returns:
            The position at which the next token may start.
        """
        word = _match_plain_word(classes, position)
        if word is not None and (len(word[0]) > _LONGEST_EXCEPTION or word[0].lower() not in _CONTRACTIONS):
            self._append_token(text[position : word.end()], tokens)
            return word.end()
        match, rewrite = _find_longest_match(classes, position, dead_ends)
        if match is None:
            return position + 1
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
    """Return the longest match of a rule at a position, and the function that converts the token to the output.

    Args:
        classes: the text in representatives of character classes.
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
            longest_end, longest_match, rewrite = match.end(), match, rule.rewrite
        if match is None and rule.run is not None:
            run = rule.run(classes, position)
            if run is not None:
                dead_ends[index] = run.end()
    return longest_match, rewrite
