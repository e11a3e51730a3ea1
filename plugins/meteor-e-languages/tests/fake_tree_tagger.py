#!/usr/bin/env python3
"""A fake tree-tagger that speaks the line protocol of the real program.

It buffers a few lines before it writes, copies markup, and writes the token, tag and lemma of each other line. The
parameter file contains the mode: ``good``, ``dies``, ``hangs`` or ``odd``.
"""

import os
import sys
import time
from pathlib import Path

TAGS_AND_LEMMAS = {
    "chats": ("NOM", "chat"),
    "suis": ("VER:pres", "suivre|être"),
    "mange": ("VER:pres", "manger"),
    ".": ("SENT", "."),
}
LOOKAHEAD = 3


def main():
    flags = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    (parameter_file,) = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    assert {"-token", "-lemma", "-sgml"} <= set(flags)
    mode = Path(parameter_file).read_text(encoding="utf-8").strip()
    pending_lines = []
    previous_token = ""
    for line in sys.stdin.buffer:
        token = line.decode("utf-8").rstrip("\n")
        if mode == "dies" and token == "meurs":
            sys.stderr.write("\treading parameters ...\nERROR: out of memory\n")
            sys.stderr.flush()
            os._exit(3)
        if mode == "hangs" and token == "dors":
            time.sleep(60)
        if token.startswith("<"):
            pending_lines.append(token)
        elif mode == "odd":
            pending_lines.append("no tabs")
        else:
            # The tag of a word depends on the previous word.
            tag, lemma = TAGS_AND_LEMMAS.get(token, ("NOM" if previous_token == "le" else "ADV", "<unknown>"))
            previous_token = token
            pending_lines.append(f"{token}\t{tag}\t{lemma}")
        while len(pending_lines) > LOOKAHEAD:
            sys.stdout.write(pending_lines.pop(0) + "\n")
        sys.stdout.flush()
    sys.stdout.write("".join(line + "\n" for line in pending_lines))


main()
