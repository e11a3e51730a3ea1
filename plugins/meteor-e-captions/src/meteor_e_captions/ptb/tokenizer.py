"""The scanner that applies the rules, and a memory of words that need none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from meteor_e.base.memory import Memory
from meteor_e_captions.ptb.characters import DIGIT, LOWER, UPPER, shadow
from meteor_e_captions.ptb.rules import ABBREVIATIONS, BLANKS, RULES, TWO_WORDS, Rule

#: What captioning drops after tokenization.  It was meant to drop brackets, but they come in lower case ("-lrb-").
PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)
# Pieces between blanks that are read the same in every context: words of letters, with marks around them.
_LETTER = f"[A-Za-z{LOWER}{UPPER}]"
_PLAIN = re.compile(
    f"[\"\u201c(\\[']*(?:(?:{_LETTER}+['\u2019-])*{_LETTER}+|(?:{_LETTER}+['\u2019-])*(?P<last>{_LETTER}+)\\.)[\"\u201d\u2019',;:!?)\\]]*"
).fullmatch
_SIMPLE = re.compile(f"({_LETTER}+)([,.;:!?]?)").fullmatch
# Numbers, marks and apostrophes. No rule looks beyond the blank after them, except for further digits (telephone
# numbers, fractions) and full stops (ellipses).
_MARKS = re.compile(
    '(?P<digit>[.,:;%$()/?!"-]*[0-9(][0-9.,:;%$()/?!"-]*)|[.,:;%$)/?!"-]+|&apos;[A-Za-z]*|&(?:quot|amp|lt|gt);'
).fullmatch
_JOINING = BLANKS | {"."}
_JOINING_DIGITS = _JOINING | frozenset(f"0123456789{DIGIT}")
_JOINED = re.compile(
    f"""[0-9(][0-9.,:;%$()/?!"-]* [{"".join(_JOINING_DIGITS - {"."})}]|\\. [{"".join(_JOINING)}]"""
).search
# Nothing but a word, and marks after it that no rule takes together with it.
_WORD = re.compile(f'{_LETTER}+(?=[,;)\\]"\u201d]* )').match
_SPLIT = frozenset(first + second for first, second in TWO_WORDS)
_SHORT = 6  # the longest abbreviation, and the longest word that is two
_MEMORY, _LONG = 200_000, 100
_WIDE = re.compile("[\U00010000-\U0010ffff]")


@cache
def _rules(char: str) -> list[tuple[int, Rule]]:
    """Return the rules whose tokens may begin with a character, and their numbers."""
    return [(key, rule) for key, rule in enumerate(RULES) if re.match(f"[{rule.first}]", char)]


def _units(char: str) -> str:
    code = ord(char) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Tokenizer:
    """Splits lines into the tokens of Stanford's PTB tokenizer (CoreNLP 3.4.1, ``-preserveLines``).

    Args:
        lowercase: write tokens in lower case.
        drop: tokens that are left out.
    """

    def __init__(self, *, lowercase: bool = False, drop: frozenset[str] = frozenset()) -> None:
        self._lowercase = lowercase
        self._drop = drop
        # Of pieces that are read the same everywhere, and of these and of marks that what follows does not join.
        self._memory = Memory[str, str](_MEMORY)
        self._pieces = Memory[str, str](_MEMORY)
        self._marks = Memory[str, tuple[str, frozenset[str]]](_MEMORY)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Return the tokens of each line, joined by blanks.

        The lines are a text: whether the full stop of an abbreviation at the end of a line is a token as well depends
        on how the next line begins, as for the Java program.
        """
        if not lines:
            return []
        text = "\n".join(lines)
        wide = _WIDE.search(text) is not None
        if wide:
            # The Java program sees two characters.
            text = _WIDE.sub(lambda found: _units(found[0]), text)
        kinds = shadow(text)
        result = []
        at = 0
        while at <= len(text):
            end = text.find("\n", at)
            if end < 0:
                end = len(text)
            if end == len(text) or text.find(". .", at, end) >= 0:
                # Some rules need a character after the token; the last word of all has none.  Ellipses go over blanks.
                result.append(" ".join(self._scan(text, kinds, at, end)))
            else:
                known = self._memory if _JOINED(kinds, at, end) else self._pieces
                tokens = self._known(text[at:end], known)
                result.append(self._line(text, kinds, at, end) if tokens is None else tokens)
            at = end + 1
        return [_whole(line) for line in result] if wide else result

    def _known(self, line: str, known: Memory[str, str]) -> str | None:
        """Return the tokens of a line if they are those of its pieces, joined by blanks; else ``None``."""
        pieces = line.split(" ")
        for _ in range(2):
            try:
                return " ".join(filter(None, map(known.__getitem__, pieces)))
            except KeyError:
                missing = [piece for piece in pieces if piece not in known]
                if not all(self._learn(piece, shadow(piece), known) for piece in missing):
                    break
        return None

    def _learn(self, piece: str, kinds: str, known: Memory[str, str]) -> bool:
        """Remember the tokens of a piece if no context changes them, or none that is on the line."""
        if len(piece) > _LONG:
            return False
        tokens = self._simple(piece, kinds)
        if tokens is None and (not piece or self._plain(kinds)):
            tokens = self._alone(piece, kinds)
        if tokens is not None:
            self._memory[piece] = self._pieces[piece] = tokens
            return True
        if known is self._memory or kinds.startswith("&apos"):
            return False
        marks = self._mark(piece, kinds)
        if marks is not None:
            self._pieces[piece] = marks[0]
        return marks is not None

    def _line(self, text: str, kinds: str, at: int, end: int) -> str:
        tokens: list[str] = []
        begin = at
        while at < end:
            stop = text.find(" ", at, end)
            if stop < 0:
                stop = end
            piece = text[at:stop]
            known = self._memory.get(piece)
            if known is None and self._learn(piece, kinds[at:stop], self._memory):
                known = self._memory.get(piece)
            if known is None:
                marks = self._marks.get(piece) or self._mark(piece, kinds[at:stop])
                if marks is not None and (stop == end or kinds[stop + 1] not in marks[1]):
                    known = marks[0]
            if known is None:
                # Blanks of other kinds go with the blank before them.
                if begin < at and kinds[at] in BLANKS:
                    at += 1
                    continue
                at = self._stretch(text, kinds, at, stop, end, tokens) + 1
                continue
            if known:
                tokens.append(known)
            at = stop + 1
        return " ".join(tokens)

    def _simple(self, piece: str, kinds: str) -> str | None:
        """Return word and mark of a piece that is a word with at most one mark after it; ``None`` for others."""
        found = _SIMPLE(kinds)
        if found is None:
            return None
        word, mark = found.span(1)[1], found[2]
        if word <= _SHORT and ((known := kinds[:word].lower()) in _SPLIT or (mark == "." and ABBREVIATIONS(known))):
            return None
        tokens: list[str] = []
        self._add(piece[:word], tokens)
        if mark:
            self._add(mark, tokens)
        return " ".join(tokens)

    def _alone(self, piece: str, kinds: str) -> str:
        """Return the tokens of a piece that no context changes."""
        return " ".join(self._scan(f"{piece} a", f"{kinds} a", 0, len(piece)))

    def _mark(self, piece: str, kinds: str) -> tuple[str, frozenset[str]] | None:
        """Return the tokens of numbers and marks, and what after the next blank may join them; or ``None``."""
        found = _MARKS(kinds)
        if found is None or len(piece) > _LONG:
            return None
        known = self._alone(piece, kinds), _JOINING if found["digit"] is None else _JOINING_DIGITS
        self._marks[piece] = known
        return known

    @staticmethod
    def _plain(kinds: str) -> bool:
        found = _PLAIN(kinds)
        return found is not None and not (found["last"] and ABBREVIATIONS(found["last"].lower()))

    def _stretch(self, text: str, kinds: str, at: int, stop: int, end: int, tokens: list[str]) -> int:
        """Scan from ``at`` until a token ends before a blank, at ``stop`` or later; return where."""
        failed: dict[int, int] = {}
        while at < stop:
            at = self._next(text, kinds, at, tokens, failed)
            if at > stop:
                stop = text.find(" ", at, end)
                if stop < 0:
                    stop = end
        return at

    def _scan(self, text: str, kinds: str, at: int, end: int) -> list[str]:
        tokens: list[str] = []
        failed: dict[int, int] = {}
        while at < end:
            at = self._next(text, kinds, at, tokens, failed)
        return tokens

    def _next(self, text: str, kinds: str, at: int, tokens: list[str], failed: dict[int, int]) -> int:
        """Add the token at ``at``, if there is one, and return where the next may begin."""
        plain = _WORD(kinds, at)
        if plain is not None and (len(plain[0]) > _SHORT or plain[0].lower() not in _SPLIT):
            self._add(text[at : plain.end()], tokens)
            return plain.end()
        longest = at
        best: re.Match[str] | None = None
        rewrite = None
        for key, rule in _rules(kinds[at]):
            if rule.run is not None and failed.get(key, 0) > at:
                continue
            found = rule.match(kinds, at)
            if found is not None:
                if found.end() > longest:
                    longest, best, rewrite = found.end(), found, rule.rewrite
            elif rule.run is not None and (run := rule.run(kinds, at)) is not None:
                failed[key] = run.end()
        if best is None:
            return at + 1
        end = best.end(best.lastgroup or 0)
        token = text[at:end]
        self._add(token if rewrite is None else rewrite(token), tokens)
        return end

    def _add(self, token: str, tokens: list[str]) -> None:
        if self._lowercase:
            token = token.lower()
        if token and token not in self._drop:
            tokens.append(token)
