"""Rules of the PTB tokenizer.

They were written from what the Java program answers to some millions of probes: which characters stay together, and
which words, abbreviations and marks it treats apart.  The longest match wins, then the earlier rule.  A rule may need
context after its token; it then competes with the length of both.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import NamedTuple

from meteor_e_captions.ptb.characters import DIGIT, LOWER, MARK, OTHER_UPPER, SYMBOL, SYMBOL_UPPER, UPPER


class Rule(NamedTuple):
    """A kind of token.

    Attributes:
        first: the characters with which it may begin, as the inside of a character class.
        match: finds the token in group ``t`` of its match, or in all of it; the context that it needs follows.
        rewrite: what is written in its place.
        run: if the rule fails, it fails everywhere in the match of this pattern as well; keeps the time linear.
    """

    first: str
    match: Callable[[str, int], re.Match[str] | None]
    rewrite: Callable[[str], str] | None = None
    run: Callable[[str, int], re.Match[str] | None] | None = None


# The insides of character classes, over the characters that stand for the others of their class.
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
# The first two also stand within tokens: telephone numbers, mixed fractions, ellipses.
SPACE = " \u00a0\t\u2000-\u200a\u3000"
BLANKS = frozenset(" \u00a0\t\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000")
# What no address has.
NO_URL = f' \t{BREAK}"<>|(){{}}'

APOS = "(?:['\u0092\u2019]|&[aA][pP][oO][sS];)"
# Those within words.
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
    """Return the words of a list."""
    return text.split()


# Abbreviations after which a sentence may end; if it does, the full stop is a token as well.
ENDING = words(
    "al ala apr ariz assn aug bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext feb fla fri "
    "ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla penn plc rd rt "
    "sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo ph\\.d ed\\.d"
)
CAPITALIZED = words("ark az del ill la mass miss ore pa tex wash")
# Abbreviations that stand before a name.
INNER = words(
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft gen "
    "gov govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph pres prof profs pvt rep "
    "reps rev sen sens sfc sgt spc st ste supt supts treas vs wm"
)
TWO_WORDS = (("can", "not"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("wan", "na"))
NUMBERED = words("art ca figs? nos? op pp prop")
# Words that begin a sentence after initials and acronyms.
STARTERS = words(
    "A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More Now Once "
    "One Other Our She Since So Some Such That The Their Then There These They This We What When While Yet You Mr\\. "
    "Ms\\."
)
EXTENSIONS = words(
    "bat bmp c cgi class cpp dll docx? exe gif gz h html? jar java jpe?g mov mp3 pdf php pl png ppt ps py sql tar txt "
    "wav x xml zip"
)


# The Java program folds the case of literals with these, too.
ALSO = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}


def either_case(literals: list[str]) -> str:
    """Return a pattern of the words in any mixture of cases; they may be patterns themselves."""

    def letter(found: re.Match[str]) -> str:
        return f"[{found[0]}{found[0].upper()}{ALSO.get(found[0], '')}]"

    return "(?:" + "|".join(re.sub("[a-z]", letter, literal) for literal in literals) + ")"


def capitalized(literals: list[str]) -> str:
    """Return a pattern of the words with a capital first and any case after."""
    return "(?:" + "|".join(word[0].upper() + either_case([word[1:]]) for word in literals) + ")"


# In lower case; after the full stop of any other word of letters no context decides.
ABBREVIATIONS = re.compile(
    "|".join([*ENDING, *CAPITALIZED, *INNER, *NUMBERED, "m[tf]g", "p?pt[ye]s?", "[a-z]"])
).fullmatch
ENDINGS = f"(?:{either_case(ENDING)}|[pP]?[pP][tT][ye][sS]?|{capitalized(CAPITALIZED)})"
INNERS = f"(?:{either_case(INNER)}|M[TtFf][Gg]|[mM][tf][gG])"
GAP = f"[{SPACE}{BREAK}\u0085]"


def rule(first: str, pattern: str, rewrite: Callable[[str], str] | str | None = None, run: str | None = None) -> Rule:
    """Return a rule; a text as its rewriting stands in the token's place."""
    runs = None if run is None else re.compile(run).match
    if isinstance(rewrite, str):
        text = rewrite
        return Rule(first, re.compile(pattern).match, lambda _: text, runs)
    return Rule(first, re.compile(pattern).match, rewrite, runs)


def soft(token: str) -> str:
    """Drop soft hyphens; one alone is a hyphen."""
    return token.replace(SOFT, "") or "-"


def joined(token: str) -> str:
    """Let spaces within a token stand as spaces that do not break."""
    return token.replace(" ", "\u00a0")


def stopped(token: str) -> str:
    """Add the full stop that ends a sentence to its abbreviation; the text's own is the next token."""
    return token + "."


def brackets(token: str) -> str:
    """Write round brackets as the Penn Treebank does."""
    return token.replace("(", "-LRB-").replace(")", "-RRB-")


def apostrophe(token: str) -> str:
    """Write apostrophes and their entity as in ASCII."""
    token = re.sub("(?i)&apos;", "'", token)
    return re.sub("[\u0092\u2019]", "'", token)


def negation(token: str) -> str:
    """Write the apostrophe of "n't" as in ASCII; one that opens is a grave accent."""
    return apostrophe(re.sub("[\u0091\u2018\u201b]", "`", token))


# Compounds with points and commas: "non-U.S.", "Mr.-x", "1,000-mile".
COMPOUND = f"[A-Za-z0-9][A-Za-z0-9.,{SOFT}]*(?:-(?:{ACRONYM}\\.|[A-Za-z0-9{SOFT}]+))+"
COUNTRIES = (
    f"{either_case(['canada', 'sino', 'korean', 'eu', 'japan', 'non'])}-[uU]\\.[sS]"
    "|[uU]\\.[sS]\\.-(?:[uU]\\.[kK]|[uU]\\.[sS]\\.[sS]\\.[rR])"
)
ELEMENT = f"</{NAME} *>|<{NAME}(?: +{NAME}(?: *= *{VALUE})?)* */? *>"
DECLARATION = f"<[!?][A-Za-z-][^>{BREAK}]*>"
START = f"{GAP}+(?:{capitalized([word.lower() for word in STARTERS])}|{ELEMENT}){GAP}"
SCHEME = f"{either_case(['https?'])}://"
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


def quotes(token: str) -> str:
    """Write quotation marks as the Penn Treebank does."""
    return "".join(QUOTES.get(char, char) for char in token)


def declared(first: str, pattern: str, rewrite: Callable[[str], str] | None, after: str = "") -> Rule:
    """Return the rule of an abbreviation before a declaration, which is looked for once in a line."""
    return rule(first, f"{pattern}{DECLARATION}{after}", rewrite, run=f"{pattern}<[!?][A-Za-z-][^>{BREAK}]*")


RULES = (
    rule(SPACE, f"[{SPACE}]+", ""),
    # Mark-up and addresses.
    rule("<", ELEMENT, joined),
    rule("<", DECLARATION, joined, run=f"<[!?][A-Za-z-][^>{BREAK}]*"),
    rule(
        "hH",
        f"{SCHEME}[^{NO_URL}]+[^{NO_URL}.!?,-]",
        run=f"{SCHEME}[^{NO_URL}]*",
    ),
    *(
        rule(
            first,
            f"{prefix}[A-Za-z0-9]{LOCAL}*@{LABEL}(?:\\.{LABEL})*(?:>|&gt;)?",
            run=f"{prefix}[A-Za-z0-9]{LOCAL}*",
        )
        for first, prefix in (("A-Za-z0-9", ""), ("<", "<"), ("&", "&lt;"))
    ),
    # Words that are two.
    *(
        rule(f"{first[0]}{first[0].upper()}", f"(?P<t>{either_case([first])}){either_case([second])}")
        for first, second in TWO_WORDS
    ),
    rule("'", f"(?P<t>'[tT])(?:{either_case(['is'])}|{either_case(['was'])})"),
    # Words.
    rule(f"A-Za-z{SOFT}", f"(?P<t>[A-Za-z{SOFT}]*[A-MO-Za-mo-z]){NEGATION}", soft),
    rule(LETTER, f"(?P<t>{WORD}(?:[.!?]{WORD})*){SUFFIX}", soft),
    rule(LETTER, WORD, soft),
    rule("nN", NEGATION, negation),
    rule("'\u0092\u2019&", f"(?P<t>{SUFFIX})[^A-Za-z]", apostrophe),
    rule("'\u0092\u2019&", f"{APOS}[nN]{APOS}?"),
    rule("'\u0092\u2019&", f"{APOS}{either_case(['em', 'till?', 'cause'])}|['\u0092\u2019][0-9]0s"),
    rule("'\u0092\u2019&", f"(?P<t>{APOS}[0-9]{{2}}){GAP}"),
    rule("'", f"(?P<t>')[A-Za-z][^ \t{BREAK}\u00a0]", "`"),
    rule("'\u0092\u2019&", SUFFIX, apostrophe),
    rule("dDjJlL", f"[dDjJlL]{APOS}"),
    rule("oO", f"{either_case(['ol'])}{APOS}|[oO]{APOS}{either_case(['clock'])}|[oO]{INSIDE}[oO]"),
    rule("yY", f"(?P<t>[yY]{APOS})[{L}]"),
    rule("sS", f"{either_case(['somethin'])}{APOS}"),
    rule("dD", f"{either_case(['dunkin'])}{APOS}"),
    rule("eE", either_case(["e'er", "ev'ry"])),
    rule("cC", f"[cC]{APOS}{either_case(['est'])}|{either_case(['cap'])}{APOS}[nN]"),
    rule("cC", either_case(["c'mon"])),
    rule("mM", f"{either_case(['ma'])}{INSIDE}{either_case(['am'])}"),
    rule("lL", f"{either_case(['li'])}'[lL]"),
    rule("A-HJ-XZn", f"[A-HJ-XZn]{INSIDE}[{L}]{{2,}}", soft),
    rule("aApP", f"{either_case(['anti', 'pro'])}-"),
    rule(L, f"[{L}]+[aeiouyAEIOUY]{INSIDE}[aeiouA-Z][{L}]*"),
    rule(f"{L}{D}{SOFT}", THING, soft),
    rule(LETTER, DOTTED, soft),
    *(
        rule(
            "wW",
            f"[wW]{{3}}\\.(?:{WWW_LABEL}\\.)+[a-zA-Z]{{2,4}}{path}",
            run=f"[wW]{{3}}\\.{WWW_LABEL}(?:\\.{WWW_LABEL})*",
        )
        for path in ("", PATH)
    ),
    rule(
        "\u0000-\U0010ffff",
        f"(?:{HOST}\\.)+{either_case(['com', 'net', 'org', 'edu'])}(?:{PATH})?",
        run=f"{HOST}(?:\\.{HOST})*",
    ),
    rule(f"{L}{X}{D}{SOFT}", f"(?P<t>(?:{THING}|{WORD}|{DOTTED})\\.)[,;:\u3001]", soft),
    rule("A-Za-z0-9", f"(?P<t>{COMPOUND}\\.)[,;:\u3001]", soft, run=f"[A-Za-z0-9.,{SOFT}]*"),
    rule("cCfF", "[cCfF]#|[cC]\\+\\+"),
    rule("A-Z", "[A-Z]+(?:(?:&[aA][mM][pP];|[&+])[A-Z]+)+", lambda token: re.sub("(?i)&amp;", "&", token)),
    rule("sS", f"{either_case(['s'])}&(?:[aA][mM][pP];)?[pP]-500", lambda token: re.sub("(?i)amp;", "", token)),
    rule("A-Za-z0-9", "[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}"),
    # Abbreviations.
    rule("A-Za-z", f"(?P<t>{ENDINGS})\\.{GAP}(?:{GAP}|[{U}]|{ELEMENT})", stopped),
    declared("A-Za-z", f"(?P<t>{ENDINGS})\\.{GAP}", stopped),
    rule("A-Za-z", f"(?P<t>{ENDINGS}\\.)[\\s\\S]{{2}}"),
    # Only at the end of the text.
    rule("A-Za-z", f"(?P<t>{ENDINGS})\\.", stopped),
    rule("A-Za-z", f"{INNERS}\\."),
    rule("A-Za-z", f"(?P<t>{either_case(NUMBERED)}\\.){GAP}?[{D}]"),
    rule("A-Za-z", f"(?P<t>{ACRONYM})\\.{START}", stopped),
    declared("A-Za-z", f"(?P<t>{ACRONYM})\\.{GAP}+", stopped, GAP),
    rule("A-Za-z", f"{ACRONYM}\\."),
    rule("A-Za-z", f"(?P<t>[A-Za-z])\\.{START}"),
    declared("A-Za-z", f"(?P<t>[A-Za-z])\\.{GAP}+", None, GAP),
    rule("A-Za-z", "[A-Za-z]\\."),
    rule("A-Za-z0-9", COMPOUND, soft, run=f"[A-Za-z0-9.,{SOFT}]*"),
    rule("A-Za-z", f"(?P<t>{COUNTRIES}){GAP}"),
    rule("A-Za-z", f"(?P<t>{COUNTRIES})\\.{START}", stopped),
    declared("A-Za-z", f"(?P<t>{COUNTRIES})\\.{GAP}+", stopped, GAP),
    rule(
        f"{L}{X}{D}{SOFT}",
        f"(?P<t>[{L}{X}{D}{SOFT}]+(?:\\.[{L}{X}{D}{SOFT}]+)*\\.{either_case(EXTENSIONS)})[!,.?{SPACE}{BREAK}]",
        run=f"[{L}{X}{D}{SOFT}]+(?:\\.[{L}{X}{D}{SOFT}]+)*",
    ),
    # Numbers.
    rule(f"{D}+.:,{SOFT}\u066b\u066c-", f"[-+]?{NUMBER}", soft),
    rule(f"{D}", f"(?:[{D}]{{1,4}}[- \u00a0])?{FRACTION}", joined),
    rule(f"{D}", f"[{D}]{{1,2}}[-/][{D}]{{1,2}}[-/][{D}]{{2,4}}"),
    rule("(", "\\([0-9]{2,3}\\)[ \u00a0]?[0-9]{3,4}[- \u00a0]?[0-9]{3,5}", lambda token: brackets(joined(token))),
    rule("0-9+", "(?:\\+\\+?)?(?:[0-9]{2,4}[- \u00a0])?[0-9]{2,4}[- \u00a0][0-9]{3,4}[- \u00a0]?[0-9]{3,5}", joined),
    rule("0-9+", "(?:\\+\\+?)?[0-9]{2,4}[- \u00a0][0-9]{3,4}[- \u00a0]?[0-9]{3,5}", joined),
    rule("0-9+", "(?:(?:\\+\\+?)?[0-9]{2,4}\\.)?[0-9]{2,4}\\.[0-9]{3,4}\\.[0-9]{3,5}"),
    *(
        rule(char, char, text)
        for char, text in zip("\u00bc\u00bd\u00be\u2153\u2154", words("1/4 1/2 3/4 1/3 2/3"), strict=True)
    ),
    # Money.
    rule("A-Z", "[A-Z]+\\$"),
    rule("\u0080\u00a4\u20a0\u20ac", "[\u0080\u00a4\u20a0\u20ac]", "$"),
    rule("\u00a3", "\u00a3", "#"),
    rule("\u00a2", "\u00a2", "cents"),
    # Names in social media, smileys.
    rule("#", f"#(?:[{L}{X}{SOFT}]+|#*)"),
    rule("@", "@(?:[A-Za-z_][A-Za-z0-9_]*|@*)"),
    rule("<>:;=", "(?P<t>[<>]?[:;=][-o*']?[DPOdp()@{|\\[\\]\\\\])[^A-Za-z0-9]", brackets),
    rule("=<>^'x~-", "[=<>^'x~-]_[=<>^'x~-]"),
    rule("(", "\\([-=<>^'x~][_.]?[-=<>^'x~]\\)", brackets),
    # Entities.
    rule("&", "&[aA][mM][pP];", "&"),
    rule("&", "&[lL][tT];", "<"),
    rule("&", "&[gG][tT];", ">"),
    rule("&", "&[qQ][uU][oO][tT];", lambda token: "''" if token == "&quot;" else token),
    rule("&", "&[aA][pP][oO][sS];", "'"),
    rule("&", "&[nN][bB][sS][pP];", ""),
    rule("&", "&[mn]dash;", "--"),
    rule("&", "&[aeiouAEIOU](?:acute|grave|uml);|&#[0-9]+;"),
    # Punctuation.
    rule("!?", "[!?]+"),
    rule("-", "-{5,}"),
    rule("-", "-[lLrR][rRcCsS][bB]-"),
    rule("-", "-{2,4}", "--"),
    rule("\u0096\u0097\u2013\u2014\u2015", "[\u0096\u0097\u2013\u2014\u2015]", "--"),
    rule("_", "_{2,}"),
    rule("*\\\\", "\\*+|(?:\\\\\\*)+"),
    rule("\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089", "[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+"),
    rule(".", "\\.{3,5}|\\.(?:[ \u00a0]\\.){2,4}", "..."),
    rule("\u0085\u2026", "[\u0085\u2026]", "..."),
    rule("<>", "<<|>>"),
    rule("'", "''", "''"),
    rule("`", "``", "``"),
    rule('"&', '(?P<t>"|&quot;)[A-Za-z0-9$]', "``"),
    rule('"', '"', "''"),
    rule(QUOTED, f"[{QUOTED}]{{1,2}}", quotes),
    *(
        rule(re.escape(char), re.escape(char), text)
        for char, text in (
            ("(", "-LRB-"),
            (")", "-RRB-"),
            ("[", "-LSB-"),
            ("]", "-RSB-"),
            ("{", "-LCB-"),
            ("}", "-RCB-"),
        )
    ),
    rule(SIGN, f"[{SIGN}]"),
)
