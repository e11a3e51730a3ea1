"""The character classes that Stanford's PTB tokenizer distinguishes.

The classes were determined by experiments. Each character of the Basic Multilingual Plane was tokenized in 100
contexts, such as between letters, between digits, after an abbreviation or in an address.

The classes are stored as tables of code points, because the Java program uses an older version of Unicode than Python.
A character outside of all classes ends a word and is dropped.
"""

from __future__ import annotations

import bisect
import sys

# Words that consist of the following letters may contain hyphens.
LETTERS = """
    41-5A 61-7A AA B5 BA C0-D6 D8-F6 F8-2C1 2C6-2D1 2E0-2E4 2EC 2EE 370-374 376-377 37A-37D 386 388-38A 38C 38E-3A1
    3A3-3F5 3F7-481 48A-527 531-556 559 561-587 5D0-5EA 5F0-5F2 620-64A 66E-66F 671-6D3 6D5 6E5-6E6 6EE-6EF 6FA-6FC
    6FF 710 712-72F 74D-7A5 7B1 7CA-7EA 7F4-7F5 7FA 800-815 81A 824 828 840-858 8A0 8A2-8AC 904-939 93D 950 958-961
    971-977 979-97F 985-98C 98F-990 993-9A8 9AA-9B0 9B2 9B6-9B9 9BD 9CE 9DC-9DD 9DF-9E1 9F0-9F1 A05-A0A A0F-A10
    A13-A28 A2A-A30 A32-A33 A35-A36 A38-A39 A59-A5C A5E A72-A74 A85-A8D A8F-A91 A93-AA8 AAA-AB0 AB2-AB3 AB5-AB9 ABD
    AD0 AE0-AE1 B05-B0C B0F-B10 B13-B28 B2A-B30 B32-B33 B35-B39 B3D B5C-B5D B5F-B61 B71 B83 B85-B8A B8E-B90 B92-B95
    B99-B9A B9C B9E-B9F BA3-BA4 BA8-BAA BAE-BB9 BD0 C05-C0C C0E-C10 C12-C28 C2A-C33 C35-C39 C3D C58-C59 C60-C61
    C85-C8C C8E-C90 C92-CA8 CAA-CB3 CB5-CB9 CBD CDE CE0-CE1 CF1-CF2 D05-D0C D0E-D10 D12-D3A D3D D4E D60-D61 D7A-D7F
    D85-D96 D9A-DB1 DB3-DBB DBD DC0-DC6 E01-E30 E32-E33 E40-E46 E81-E82 E84 E87-E88 E8A E8D E94-E97 E99-E9F EA1-EA3
    EA5 EA7 EAA-EAB EAD-EB0 EB2-EB3 EBD EC0-EC4 EC6 EDC-EDF F00 F40-F47 F49-F6C F88-F8C 1000-102A 103F 1050-1055
    105A-105D 1061 1065-1066 106E-1070 1075-1081 108E 10A0-10C5 10C7 10CD 10D0-10FA 10FC-1248 124A-124D 1250-1256
    1258 125A-125D 1260-1288 128A-128D 1290-12B0 12B2-12B5 12B8-12BE 12C0 12C2-12C5 12C8-12D6 12D8-1310 1312-1315
    1318-135A 1380-138F 13A0-13F4 1401-166C 166F-167F 1681-169A 16A0-16EA 1700-170C 170E-1711 1720-1731 1740-1751
    1760-176C 176E-1770 1780-17B3 17D7 17DC 1820-1877 1880-18A8 18AA 18B0-18F5 1900-191C 1950-196D 1970-1974
    1980-19AB 19C1-19C7 1A00-1A16 1A20-1A54 1AA7 1B05-1B33 1B45-1B4B 1B83-1BA0 1BAE-1BAF 1BBA-1BE5 1C00-1C23
    1C4D-1C4F 1C5A-1C7D 1CE9-1CEC 1CEE-1CF1 1CF5-1CF6 1D00-1DBF 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57
    1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4
    1FF6-1FFC 2071 207F 2090-209C 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2139 213C-213F
    2145-2149 214E 2183-2184 2C00-2C2E 2C30-2C5E 2C60-2CE4 2CEB-2CEE 2CF2-2CF3 2D00-2D25 2D27 2D2D 2D30-2D67 2D6F
    2D80-2D96 2DA0-2DA6 2DA8-2DAE 2DB0-2DB6 2DB8-2DBE 2DC0-2DC6 2DC8-2DCE 2DD0-2DD6 2DD8-2DDE 2E2F 3005-3006
    3031-3035 303B-303C 3041-3096 309D-309F 30A1-30FA 30FC-30FF 3105-312D 3131-318E 31A0-31BA 31F0-31FF 3400-4DB5
    4E00-9FCC A000-A48C A4D0-A4FD A500-A60C A610-A61F A62A-A62B A640-A66E A67F-A697 A6A0-A6E5 A717-A71F A722-A788
    A78B-A78E A790-A793 A7A0-A7AA A7F8-A801 A803-A805 A807-A80A A80C-A822 A840-A873 A882-A8B3 A8F2-A8F7 A8FB
    A90A-A925 A930-A946 A960-A97C A984-A9B2 A9CF AA00-AA28 AA40-AA42 AA44-AA4B AA60-AA76 AA7A AA80-AAAF AAB1
    AAB5-AAB6 AAB9-AABD AAC0 AAC2 AADB-AADD AAE0-AAEA AAF2-AAF4 AB01-AB06 AB09-AB0E AB11-AB16 AB20-AB26 AB28-AB2E
    ABC0-ABE2 AC00-D7A3 D7B0-D7C6 D7CB-D7FB F900-FA6D FA70-FAD9 FB00-FB06 FB13-FB17 FB1D FB1F-FB28 FB2A-FB36
    FB38-FB3C FB3E FB40-FB41 FB43-FB44 FB46-FBB1 FBD3-FD3D FD50-FD8F FD92-FDC7 FDF0-FDFB FE70-FE74 FE76-FEFC
    FF21-FF3A FF41-FF5A FF66-FFBE FFC2-FFC7 FFCA-FFCF FFD2-FFD7 FFDA-FFDC
"""

# The tokenizer splits a word at its hyphens if the word contains one of these letters or combining marks.
MARKS = """
    2C2-2C5 2D2-2DF 2E5-2EB 2ED 2EF-36F 375 378-379 384-385 3F6 483-487 55A-55F 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7
    615-61A 64B-65E 670 6D6-6E4 6E7-6ED 6FD-6FE 70F 711 730-74C 7A6-7B0 7EB-7F3 900-903 93C 93E-94E 951-955 962-963
    981-983 9BC 9BE-9C4 9C7-9C8 9CB-9CD 9D7 9E2-9E3 A01-A03 A3C A3E-A4F A81-A83 ABC ABE-ACF B82 BBE-BC2 BC6-BC8
    BCA-BCD C01-C03 C3E-C56 D3E-D44 D46-D48 E31 E34-E3A E47-E4E EB1 EB4-EBC EC8-ECD
"""

# Digits.
DIGITS = """
    30-39 660-669 6F0-6F9 7C0-7C9 966-96F 9E6-9EF A66-A6F AE6-AEF B66-B6F BE6-BEF C66-C6F CE6-CEF D66-D6F E50-E59
    ED0-ED9 F20-F29 1040-1049 1090-1099 17E0-17E9 1810-1819 1946-194F 19D0-19D9 1A80-1A89 1A90-1A99 1B50-1B59
    1BB0-1BB9 1C40-1C49 1C50-1C59 A620-A629 A8D0-A8D9 A900-A909 A9D0-A9D9 AA50-AA59 ABF0-ABF9 FF10-FF19
"""

# Each of the following characters is a token of its own.
SYMBOLS = """
    21-2F 3A-40 5B-60 7B-7E 80 85 91-94 96-97 A1-A9 AB-B4 B6-B9 BB-BF D7 F7 37E 387 589 5BE 5C0 5C3 5C6 5F3-5F4
    600-603 606-60C 614 61B 61E-61F 66A 66D 6D4 700-70D 7F6-7F8 964-965 E3F E4F 1FBD 2013-2023 2026 2030-203B
    203E-2042 2044 2070 2074-207E 2080-208E 20A0 20A4 20AC 2100-2101 2103-2106 2108-2109 2114 2116-2118 211E-2123
    2125 2127 2129 212E 213A-213B 2140-2144 214A-214D 214F 2153-215E 2190-2BFF 3001-3002 3012 30FB FF01-FF0F
    FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFE1 FFE5-FFE6
"""


# These non-ASCII characters occur in the rules, or the tokenizer treats them unlike the rest of their class.
NAMED = frozenset(
    "\u0080\u0085\u0091\u0092\u0093\u0094\u0096\u0097\u00a0\u00a2\u00a3\u00a4\u00ab\u00ad\u00b2\u00b3\u00b9\u00bb"
    "\u00bc\u00bd\u00be\u0130\u0131\u017f\u066b\u066c\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2010\u2011\u058a\u2013\u2014\u2015\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2026\u2028\u2029\u2039\u203a\u2044"
    "\u2070\u2074\u2075\u2076\u2077\u2078\u2079\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089\u20a0"
    "\u20ac\u212a\u2153\u2154\u3000\u3001"
)
# The rules contain only ASCII characters, the characters in ``NAMED``, and the following representatives of classes.
LOWER, UPPER, MARK, DIGIT = "\u00e9", "\u00c9", "\u02c2", "\u0660"
SYMBOL, SYMBOL_UPPER, OTHER, OTHER_UPPER = "\u00a7", "\u24b6", "\u0007", "\u2160"

_CHEROKEE = range(0x13A0, 0x1400)
_CIRCLED_CAPITALS = range(0x24B6, 0x24D0)
_CAPITAL_ROMAN_NUMERALS = range(0x2160, 0x2170)


class _RepresentativeTable(dict[int, int]):
    """A translation table that maps each character to the representative of its class.

    A character is added to the table when it is looked up for the first time.
    """

    def __init__(self) -> None:
        super().__init__()
        # The table maps each ASCII character and each character in NAMED to itself.
        self.update({code: code for code in (*range(128), *map(ord, NAMED))})
        self.update(dict.fromkeys(_CIRCLED_CAPITALS, ord(SYMBOL_UPPER)))
        self.update(dict.fromkeys(_CAPITAL_ROMAN_NUMERALS, ord(OTHER_UPPER)))
        self._ranges: list[tuple[int, int, str]] = []
        for ranges, representative in ((LETTERS, LOWER), (MARKS, MARK), (DIGITS, DIGIT), (SYMBOLS, SYMBOL)):
            for code_range in ranges.split():
                first, _, last = code_range.partition("-")
                self._ranges.append((int(first, 16), int(last or first, 16), representative))
        self._ranges.sort()

    def __missing__(self, code: int) -> int:
        representative = self._look_up_range(code)
        # In the Java program's version of Unicode, the Cherokee script has no upper and lower case.
        if representative == LOWER and chr(code).isupper() and code not in _CHEROKEE:
            representative = UPPER
        self[code] = ord(representative)
        return self[code]

    def _look_up_range(self, code: int) -> str:
        """Return the character that represents the class of a code point, or ``OTHER`` if no range contains it."""
        index = bisect.bisect(self._ranges, (code, sys.maxunicode + 1, "")) - 1
        if index < 0:
            return OTHER
        _, last, representative = self._ranges[index]
        return representative if code <= last else OTHER


_representatives = _RepresentativeTable()


def replace_by_class(text: str) -> str:
    """Replace each character by a representative of its class, except for characters that the rules mention."""
    return text if text.isascii() else text.translate(_representatives)
