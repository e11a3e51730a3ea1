"""Defines the rules by which the PTB tokenizer splits text into tokens.

The rules were derived from the output of the Java program for millions of test inputs.

At each position, the rule with the longest match determines the token. If several matches have the same length, the
first rule is applied. A match includes the context that some rules require after the token.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import NamedTuple

from meteor_e_captions.ptb.characters import DIGIT, LOWER, MARK, OTHER_UPPER, SYMBOL, SYMBOL_UPPER, UPPER


class Rule(NamedTuple):
    """A rule for one kind of token.

    Attributes:
        first_characters: the characters with which the token can start, in the syntax of a character class without
            brackets.
        match: matches the token and its context. The token is the group ``t`` if the pattern contains this group, and
            the complete match otherwise.
        rewrite: converts the token to the output.
        match_dead_range: matches the range in which the rule cannot match after it has failed once. The tokenizer skips
            the rule in this range, so that its time is linear in the length of the text.
    """

    first_characters: str
    match: Callable[[str, int], re.Match[str] | None]
    rewrite: Callable[[str], str]
    match_dead_range: Callable[[str, int], re.Match[str] | None] | None


# The following strings are used inside square brackets of regular expressions.
L = f"A-Za-z{LOWER}{UPPER}\u0130\u0131\u017f\u212a"
X = MARK
D = f"0-9{DIGIT}"
U = f"A-Z{UPPER}\u0130\u212a{SYMBOL_UPPER}{OTHER_UPPER}"
SIGN = (
    re.escape(string.punctuation)
    + SYMBOL
    + SYMBOL_UPPER
    + "\u0080\u0085\u0091-\u0094\u0096\u0097\u00a2-\u00a4\u00ab\u00b2\u00b3\u00b9\u00bb-\u00be"
    + "\u2013-\u2015\u2018-\u201f\u2026\u2039\u203a\u2044\u2070\u2074-\u2079\u2080-\u2089\u20a0\u20ac\u2153\u2154\u3001"
)
SOFT = "\u00ad"
BREAK = "\n\r\u000b\u000c\u2028\u2029"
# Only a space or a non-breaking space can occur inside a telephone number, a fraction or an ellipsis.
SPACE = " \u00a0\t\u2000-\u200a\u3000"
BLANKS = frozenset(" \u00a0\t\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000")
# URLs do not contain these characters.
NO_URL = f' \t{BREAK}"<>|(){{}}'

APOS = "(?:['\u0092\u2019]|&[aA][pP][oO][sS];)"
# Apostrophes that can occur inside words.
INSIDE = "(?:['`\u0091\u0092\u2018\u2019\u201b]|&[aA][pP][oO][sS];)"
WORD = f"[{L}{X}{SOFT}][{L}{X}{D}{SOFT}]*"
PART = f"(?:[dDlLoO]{INSIDE}(?=[{L}{D}]{{2}}))?[{L}{D}]+"
THING = f"{PART}(?:[-_\u058a\u2010\u2011]{PART})*"
SUFFIX = f"{APOS}(?:[sSdDmM]|[lL][lL]|[rR][eE]|[vV][eE])"
NEGATION = f"[nN]{INSIDE}[tT]"
POINT = f"[.:,{SOFT}\u066b\u066c]"
DOTTED = f"{WORD}(?:[.!?]{WORD})+"
NUMBER = f"(?:[{D}]+(?:{POINT}[{D}]+)*|{POINT}[{D}]+(?:{POINT}[{D}]+)*)"
FRACTION = f"[{D}]{{1,4}}(?:\\\\?/|\u2044)[{D}]{{1,4}}"
ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+"
NAME = "[A-Za-z][A-Za-z0-9:._-]*"
VALUE = f"(?:\"[^\"{BREAK}]*\"|'[^'{BREAK}]*')"


def words(text: str) -> list[str]:
    """Split a string into words."""
    return text.split()


# If one of the following abbreviations ends a sentence, its period also becomes a separate token.
ENDING = words(
    "al ala apr ariz assn aug bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext feb fla fri "
    "ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla penn plc rd rt "
    "sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo ph\\.d ed\\.d"
)
CAPITALIZED = words("ark az del ill la mass miss ore pa tex wash")
# The following abbreviations precede names, so a period after one of them does not end a sentence.
INNER = words(
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft gen "
    "gov govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph pres prof profs pvt rep "
    "reps rev sen sens sfc sgt spc st ste supt supts treas vs wm"
)
TWO_WORDS = (("can", "not"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("wan", "na"))
NUMBERED = words("art ca figs? nos? op pp prop")
# The following words start a new sentence if they follow an acronym or an initial.
STARTERS = words(
    "A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More Now Once "
    "One Other Our She Since So Some Such That The Their Then There These They This We What When While Yet You Mr\\. "
    "Ms\\."
)
EXTENSIONS = words(
    "bat bmp c cgi class cpp dll docx? exe gif gz h html? jar java jpe?g mov mp3 pdf php pl png ppt ps py sql tar txt "
    "wav x xml zip"
)


# The Java program accepts the following non-ASCII characters as variants of ASCII letters.
CASE_VARIANTS = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}


def match_any_case(literals: list[str]) -> str:
    """Return a regular expression that matches the given words or patterns in upper, lower or mixed case."""

    def match_letter(letter: re.Match[str]) -> str:
        return f"[{letter[0]}{letter[0].upper()}{CASE_VARIANTS.get(letter[0], '')}]"

    return "(?:" + "|".join(re.sub("[a-z]", match_letter, literal) for literal in literals) + ")"


def match_capitalized(literals: list[str]) -> str:
    """Return a regular expression that matches the given words if their first letters are capital letters."""
    return "(?:" + "|".join(word[0].upper() + match_any_case([word[1:]]) for word in literals) + ")"


# The text after a word and its period affects their tokenization only if the word is one of these abbreviations.
ABBREVIATIONS = re.compile(
    "|".join([*ENDING, *CAPITALIZED, *INNER, *NUMBERED, "m[tf]g", "p?pt[ye]s?", "[a-z]"])
).fullmatch
ENDINGS = f"(?:{match_any_case(ENDING)}|[pP]?[pP][tT][ye][sS]?|{match_capitalized(CAPITALIZED)})"
INNERS = f"(?:{match_any_case(INNER)}|M[TtFf][Gg]|[mM][tf][gG])"
GAP = f"[{SPACE}{BREAK}\u0085]"


def make_rule(
    first_characters: str, pattern: str, rewrite: Callable[[str], str] = str, dead_range: str | None = None
) -> Rule:
    """Create a rule by which the tokenizer recognizes one kind of token.

    Args:
        first_characters: the characters with which the token can start.
        pattern: a regular expression for the token and its context.
        rewrite: a function that converts the token to the output. By default, the token is not changed.
        dead_range: a regular expression for the range in which the rule cannot match after it has failed once.
    """
    match_dead_range = None if dead_range is None else re.compile(dead_range).match
    return Rule(first_characters, re.compile(pattern).match, rewrite, match_dead_range)


def replace_by(output: str) -> Callable[[str], str]:
    """Return a function that replaces any token by the given output."""
    return lambda token: output


def remove_soft_hyphens(token: str) -> str:
    """Remove soft hyphens from a token. A token that consists only of soft hyphens becomes a hyphen."""
    return token.replace(SOFT, "") or "-"


def protect_spaces(token: str) -> str:
    """Replace the spaces in a token by non-breaking spaces."""
    return token.replace(" ", "\u00a0")


def add_period(token: str) -> str:
    """Add a period to an abbreviation that ends a sentence. For example, the tokens of "etc." are "etc." and "."."""
    return token + "."


def escape_brackets(token: str) -> str:
    """Replace parentheses by the tokens ``-LRB-`` and ``-RRB-`` of the Penn Treebank."""
    return token.replace("(", "-LRB-").replace(")", "-RRB-")


def normalize_apostrophes(token: str) -> str:
    """Replace apostrophes and the XML entity ``&apos;`` by ASCII apostrophes."""
    token = re.sub("(?i)&apos;", "'", token)
    return re.sub("[\u0092\u2019]", "'", token)


def normalize_negation(token: str) -> str:
    """Replace the apostrophe in a contraction such as "n't".

    Opening quotation marks are replaced by grave accents, and all other apostrophes by ASCII apostrophes.
    """
    return normalize_apostrophes(re.sub("[\u0091\u2018\u201b]", "`", token))


# Compounds such as "non-U.S.", "Mr.-x" and "1,000-mile" contain periods or commas.
COMPOUND = f"[A-Za-z0-9][A-Za-z0-9.,{SOFT}]*(?:-(?:{ACRONYM}\\.|[A-Za-z0-9{SOFT}]+))+"
COUNTRIES = (
    f"{match_any_case(['canada', 'sino', 'korean', 'eu', 'japan', 'non'])}-[uU]\\.[sS]"
    "|[uU]\\.[sS]\\.-(?:[uU]\\.[kK]|[uU]\\.[sS]\\.[sS]\\.[rR])"
)
ELEMENT = f"</{NAME} *>|<{NAME}(?: +{NAME}(?: *= *{VALUE})?)* */? *>"
# These patterns match an SGML declaration such as <!DOCTYPE html>. The first one omits the closing bracket.
OPEN_DECLARATION = f"<[!?][A-Za-z-][^>{BREAK}]*"
DECLARATION = f"{OPEN_DECLARATION}>"
START = f"{GAP}+(?:{match_capitalized([word.lower() for word in STARTERS])}|{ELEMENT}){GAP}"
SCHEME = f"{match_any_case(['https?'])}://"
LOCAL = f"[^{NO_URL}\u00a0]"
LABEL = f"[^{NO_URL}\u00a0.]+"
WWW_LABEL = f"[^{NO_URL}.!?,]+"
HOST = f"[^ \t{BREAK}!\"$'(),\\-./0-9:;<=>?@A-Z\\[\\\\\\]^_`{{|}}]+"
PATH = f'/[^ \t{BREAK}"<>|()]+[^ \t{BREAK}"<>|.!?(){{}},-]'
LETTER = f"{L}{X}{SOFT}"
QUOTED = "`\u0091-\u0094\u2018-\u201f\u00ab\u00bb\u2039\u203a"
QUOTES = {
    **dict.fromkeys("\u0091\u2018\u201b\u2039", "`"),
    **dict.fromkeys("\u0093\u201c\u00ab", "``"),
    **dict.fromkeys("\u0092\u2019\u203a", "'"),
    **dict.fromkeys("\u0094\u201d\u00bb", "''"),
}


def normalize_quotes(token: str) -> str:
    """Replace quotation marks by the tokens that represent them in the Penn Treebank."""
    return "".join(QUOTES.get(char, char) for char in token)


def make_rule_before_declaration(
    first_characters: str, pattern: str, rewrite: Callable[[str], str], suffix: str = ""
) -> Rule:
    """Create a rule for an abbreviation that precedes an SGML declaration.

    Args:
        first_characters: the characters with which the abbreviation can start.
        pattern: a regular expression for the abbreviation and the gap before the declaration.
        rewrite: a function that converts the abbreviation to the output.
        suffix: a regular expression for the context after the declaration.
    """
    return make_rule(
        first_characters,
        pattern + DECLARATION + suffix,
        rewrite,
        # The rule fails if the closing bracket is missing.
        dead_range=pattern + OPEN_DECLARATION,
    )


RULES = (
    make_rule(SPACE, f"[{SPACE}]+", replace_by("")),
    # Markup and addresses.
    make_rule("<", ELEMENT, protect_spaces),
    make_rule("<", DECLARATION, protect_spaces, dead_range=OPEN_DECLARATION),
    make_rule(
        "hH",
        f"{SCHEME}[^{NO_URL}]+[^{NO_URL}.!?,-]",
        dead_range=f"{SCHEME}[^{NO_URL}]*",
    ),
    *(
        make_rule(
            first,
            f"{prefix}[A-Za-z0-9]{LOCAL}*@{LABEL}(?:\\.{LABEL})*(?:>|&gt;)?",
            dead_range=f"{prefix}[A-Za-z0-9]{LOCAL}*",
        )
        for first, prefix in (("A-Za-z0-9", ""), ("<", "<"), ("&", "&lt;"))
    ),
    # Words that are split in two.
    *(
        make_rule(f"{first[0]}{first[0].upper()}", f"(?P<t>{match_any_case([first])}){match_any_case([second])}")
        for first, second in TWO_WORDS
    ),
    make_rule("'", f"(?P<t>'[tT])(?:{match_any_case(['is'])}|{match_any_case(['was'])})"),
    # Words.
    make_rule(f"A-Za-z{SOFT}", f"(?P<t>[A-Za-z{SOFT}]*[A-MO-Za-mo-z]){NEGATION}", remove_soft_hyphens),
    make_rule(LETTER, f"(?P<t>{WORD}(?:[.!?]{WORD})*){SUFFIX}", remove_soft_hyphens),
    make_rule(LETTER, WORD, remove_soft_hyphens),
    make_rule("nN", NEGATION, normalize_negation),
    make_rule("'\u0092\u2019&", f"(?P<t>{SUFFIX})[^A-Za-z]", normalize_apostrophes),
    make_rule("'\u0092\u2019&", f"{APOS}[nN]{APOS}?"),
    make_rule("'\u0092\u2019&", f"{APOS}{match_any_case(['em', 'till?', 'cause'])}|['\u0092\u2019][0-9]0s"),
    make_rule("'\u0092\u2019&", f"(?P<t>{APOS}[0-9]{{2}}){GAP}"),
    make_rule("'", f"(?P<t>')[A-Za-z][^ \t{BREAK}\u00a0]", replace_by("`")),
    make_rule("'\u0092\u2019&", SUFFIX, normalize_apostrophes),
    make_rule("dDjJlL", f"[dDjJlL]{APOS}"),
    make_rule("oO", f"{match_any_case(['ol'])}{APOS}|[oO]{APOS}{match_any_case(['clock'])}|[oO]{INSIDE}[oO]"),
    make_rule("yY", f"(?P<t>[yY]{APOS})[{L}]"),
    make_rule("sS", f"{match_any_case(['somethin'])}{APOS}"),
    make_rule("dD", f"{match_any_case(['dunkin'])}{APOS}"),
    make_rule("eE", match_any_case(["e'er", "ev'ry"])),
    make_rule("cC", f"[cC]{APOS}{match_any_case(['est'])}|{match_any_case(['cap'])}{APOS}[nN]"),
    make_rule("cC", match_any_case(["c'mon"])),
    make_rule("mM", f"{match_any_case(['ma'])}{INSIDE}{match_any_case(['am'])}"),
    make_rule("lL", f"{match_any_case(['li'])}'[lL]"),
    make_rule("A-HJ-XZn", f"[A-HJ-XZn]{INSIDE}[{L}]{{2,}}", remove_soft_hyphens),
    make_rule("aApP", f"{match_any_case(['anti', 'pro'])}-"),
    make_rule(L, f"[{L}]+[aeiouyAEIOUY]{INSIDE}[aeiouA-Z][{L}]*"),
    make_rule(f"{L}{D}{SOFT}", THING, remove_soft_hyphens),
    make_rule(LETTER, DOTTED, remove_soft_hyphens),
    *(
        make_rule(
            "wW",
            f"[wW]{{3}}\\.(?:{WWW_LABEL}\\.)+[a-zA-Z]{{2,4}}{path}",
            dead_range=f"[wW]{{3}}\\.{WWW_LABEL}(?:\\.{WWW_LABEL})*",
        )
        for path in ("", PATH)
    ),
    make_rule(
        "\u0000-\U0010ffff",
        f"(?:{HOST}\\.)+{match_any_case(['com', 'net', 'org', 'edu'])}(?:{PATH})?",
        dead_range=f"{HOST}(?:\\.{HOST})*",
    ),
    make_rule(f"{L}{X}{D}{SOFT}", f"(?P<t>(?:{THING}|{WORD}|{DOTTED})\\.)[,;:\u3001]", remove_soft_hyphens),
    make_rule("A-Za-z0-9", f"(?P<t>{COMPOUND}\\.)[,;:\u3001]", remove_soft_hyphens, dead_range=f"[A-Za-z0-9.,{SOFT}]*"),
    make_rule("cCfF", "[cCfF]#|[cC]\\+\\+"),
    make_rule("A-Z", "[A-Z]+(?:(?:&[aA][mM][pP];|[&+])[A-Z]+)+", lambda token: re.sub("(?i)&amp;", "&", token)),
    make_rule("sS", f"{match_any_case(['s'])}&(?:[aA][mM][pP];)?[pP]-500", lambda token: re.sub("(?i)amp;", "", token)),
    make_rule("A-Za-z0-9", "[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}"),
    # Abbreviations.
    make_rule("A-Za-z", f"(?P<t>{ENDINGS})\\.{GAP}(?:{GAP}|[{U}]|{ELEMENT})", add_period),
    make_rule_before_declaration("A-Za-z", f"(?P<t>{ENDINGS})\\.{GAP}", add_period),
    make_rule("A-Za-z", f"(?P<t>{ENDINGS}\\.)[\\s\\S]{{2}}"),
    # This rule applies only at the end of the text, because the previous rule requires that two characters follow.
    make_rule("A-Za-z", f"(?P<t>{ENDINGS})\\.", add_period),
    make_rule("A-Za-z", f"{INNERS}\\."),
    make_rule("A-Za-z", f"(?P<t>{match_any_case(NUMBERED)}\\.){GAP}?[{D}]"),
    make_rule("A-Za-z", f"(?P<t>{ACRONYM})\\.{START}", add_period),
    make_rule_before_declaration("A-Za-z", f"(?P<t>{ACRONYM})\\.{GAP}+", add_period, GAP),
    make_rule("A-Za-z", f"{ACRONYM}\\."),
    make_rule("A-Za-z", f"(?P<t>[A-Za-z])\\.{START}"),
    make_rule_before_declaration("A-Za-z", f"(?P<t>[A-Za-z])\\.{GAP}+", str, GAP),
    make_rule("A-Za-z", "[A-Za-z]\\."),
    make_rule("A-Za-z0-9", COMPOUND, remove_soft_hyphens, dead_range=f"[A-Za-z0-9.,{SOFT}]*"),
    make_rule("A-Za-z", f"(?P<t>{COUNTRIES}){GAP}"),
    make_rule("A-Za-z", f"(?P<t>{COUNTRIES})\\.{START}", add_period),
    make_rule_before_declaration("A-Za-z", f"(?P<t>{COUNTRIES})\\.{GAP}+", add_period, GAP),
    make_rule(
        f"{L}{X}{D}{SOFT}",
        f"(?P<t>[{L}{X}{D}{SOFT}]+(?:\\.[{L}{X}{D}{SOFT}]+)*\\.{match_any_case(EXTENSIONS)})[!,.?{SPACE}{BREAK}]",
        dead_range=f"[{L}{X}{D}{SOFT}]+(?:\\.[{L}{X}{D}{SOFT}]+)*",
    ),
    # Numbers.
    make_rule(f"{D}+.:,{SOFT}\u066b\u066c-", f"[-+]?{NUMBER}", remove_soft_hyphens),
    make_rule(f"{D}", f"(?:[{D}]{{1,4}}[- \u00a0])?{FRACTION}", protect_spaces),
    make_rule(f"{D}", f"[{D}]{{1,2}}[-/][{D}]{{1,2}}[-/][{D}]{{2,4}}"),
    make_rule(
        "(",
        "\\([0-9]{2,3}\\)[ \u00a0]?[0-9]{3,4}[- \u00a0]?[0-9]{3,5}",
        lambda token: escape_brackets(protect_spaces(token)),
    ),
    make_rule(
        "0-9+",
        "(?:\\+\\+?)?(?:[0-9]{2,4}[- \u00a0])?[0-9]{2,4}[- \u00a0][0-9]{3,4}[- \u00a0]?[0-9]{3,5}",
        protect_spaces,
    ),
    make_rule("0-9+", "(?:\\+\\+?)?[0-9]{2,4}[- \u00a0][0-9]{3,4}[- \u00a0]?[0-9]{3,5}", protect_spaces),
    make_rule("0-9+", "(?:(?:\\+\\+?)?[0-9]{2,4}\\.)?[0-9]{2,4}\\.[0-9]{3,4}\\.[0-9]{3,5}"),
    *(
        make_rule(char, char, replace_by(text))
        for char, text in zip("\u00bc\u00bd\u00be\u2153\u2154", words("1/4 1/2 3/4 1/3 2/3"), strict=True)
    ),
    # Money.
    make_rule("A-Z", "[A-Z]+\\$"),
    make_rule("\u0080\u00a4\u20a0\u20ac", "[\u0080\u00a4\u20a0\u20ac]", replace_by("$")),
    make_rule("\u00a3", "\u00a3", replace_by("#")),
    make_rule("\u00a2", "\u00a2", replace_by("cents")),
    # Hashtags, user names and emoticons.
    make_rule("#", f"#(?:[{L}{X}{SOFT}]+|#*)"),
    make_rule("@", "@(?:[A-Za-z_][A-Za-z0-9_]*|@*)"),
    make_rule("<>:;=", "(?P<t>[<>]?[:;=][-o*']?[DPOdp()@{|\\[\\]\\\\])[^A-Za-z0-9]", escape_brackets),
    make_rule("=<>^'x~-", "[=<>^'x~-]_[=<>^'x~-]"),
    make_rule("(", "\\([-=<>^'x~][_.]?[-=<>^'x~]\\)", escape_brackets),
    # Entities.
    make_rule("&", "&[aA][mM][pP];", replace_by("&")),
    make_rule("&", "&[lL][tT];", replace_by("<")),
    make_rule("&", "&[gG][tT];", replace_by(">")),
    make_rule("&", "&[qQ][uU][oO][tT];", lambda token: "''" if token == "&quot;" else token),
    make_rule("&", "&[aA][pP][oO][sS];", replace_by("'")),
    make_rule("&", "&[nN][bB][sS][pP];", replace_by("")),
    make_rule("&", "&[mn]dash;", replace_by("--")),
    make_rule("&", "&[aeiouAEIOU](?:acute|grave|uml);|&#[0-9]+;"),
    # Punctuation.
    make_rule("!?", "[!?]+"),
    make_rule("-", "-{5,}"),
    make_rule("-", "-[lLrR][rRcCsS][bB]-"),
    make_rule("-", "-{2,4}", replace_by("--")),
    make_rule("\u0096\u0097\u2013\u2014\u2015", "[\u0096\u0097\u2013\u2014\u2015]", replace_by("--")),
    make_rule("_", "_{2,}"),
    make_rule("*\\\\", "\\*+|(?:\\\\\\*)+"),
    make_rule(
        "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089", "[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+"
    ),
    make_rule(".", "\\.{3,5}|\\.(?:[ \u00a0]\\.){2,4}", replace_by("...")),
    make_rule("\u0085\u2026", "[\u0085\u2026]", replace_by("...")),
    make_rule("<>", "<<|>>"),
    make_rule("'", "''", replace_by("''")),
    make_rule("`", "``", replace_by("``")),
    make_rule('"&', '(?P<t>"|&quot;)[A-Za-z0-9$]', replace_by("``")),
    make_rule('"', '"', replace_by("''")),
    make_rule(QUOTED, f"[{QUOTED}]{{1,2}}", normalize_quotes),
    *(
        make_rule(re.escape(char), re.escape(char), replace_by(text))
        for char, text in (
            ("(", "-LRB-"),
            (")", "-RRB-"),
            ("[", "-LSB-"),
            ("]", "-RSB-"),
            ("{", "-LCB-"),
            ("}", "-RCB-"),
        )
    ),
    make_rule(SIGN, f"[{SIGN}]"),
)
