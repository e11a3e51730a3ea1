#!/usr/bin/env python3
"""A fake tree-tagger with the same protocol: it reads ahead, copies markup, and writes tokens, tags and lemmas."""

import os
import sys
import time
from pathlib import Path

WORDS = {
    "chats": ("NOM", "chat"),
    "suis": ("VER:pres", "suivre|être"),
    "mange": ("VER:pres", "manger"),
    ".": ("SENT", "."),
}
AHEAD = 3


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    (parameters,) = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    assert {"-token", "-lemma", "-sgml"} <= set(options)
    mode = Path(parameters).read_text(encoding="utf-8").strip()
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
            tag, lemma = WORDS.get(token, ("NOM" if previous_token == "le" else "ADV", "<unknown>"))
            previous_token = token
            pending_lines.append(f"{token}\t{tag}\t{lemma}")
        while len(pending_lines) > AHEAD:
            sys.stdout.write(pending_lines.pop(0) + "\n")
        sys.stdout.flush()
    sys.stdout.write("".join(line + "\n" for line in pending_lines))


main()
